/** Folds a timeline page by page, with growing pages, and writes snapshots on the way. */

import { Effect } from "effect"
import type { EventLog, LogError, Query } from "../../events/log/EventLog.ts"
import { FIRST_PAGE } from "../../events/read/Pages.ts"
import { isCompact } from "../../events/steps/Expansion.ts"
import * as StepPosition from "../../events/steps/StepPosition.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { defined } from "../../values/defined.ts"
import { applyAll, begin, type Positioned, type Projection, type StateBuilder } from "../fold/Projection.ts"
import * as FoldWatch from "./FoldWatch.ts"
import * as SnapshotStrategy from "./SnapshotStrategy.ts"

/** A fold in progress, and the position it has reached. */
export interface Progress<S> {
  position: number
  readonly builder: StateBuilder<S>
}

/** Starts a fold from a state. With `own`, the caller hands that state over. */
export const startAt = <S>(
  projection: Projection<S>,
  { position, state }: Positioned<S>,
  own: boolean,
): Progress<S> => ({
  position,
  builder: begin(projection, state, own),
})

export const reachedBy = <S>({ position, builder }: Progress<S>): Positioned<S> => ({
  position,
  state: builder.state(),
})

/**
 * Maximum number of events per page. Only one page is in memory at a time, and a snapshot can follow each. The first
 * pages are shorter: see `FIRST_PAGE`.
 */
const PAGE = SnapshotStrategy.POLICY.minEvents

interface Folded<S> {
  readonly projection: Projection<S>
  readonly strategy: SnapshotStrategy.SnapshotStrategy<S>
}

/** Where a fold ends. */
export interface Target {
  /** The last position to fold; undefined for the end of the log, which may advance meanwhile. */
  readonly until: number | undefined
  readonly head: number
}

/**
 * Returns a function that folds one timeline page by page, up to a position or to the end of the log, and writes
 * snapshots when they are due.
 */
export const over = (log: EventLog.Service) => {
  /** Shared by all folds: V8 samples allocation sites, not folds. */
  let pageSize = FIRST_PAGE

  /** Reads and folds one page. Keeps no reference to its events, so that one page bounds the memory. */
  const foldPage = <S>(
    projection: Projection<S>,
    progress: Progress<S>,
    until: number | undefined,
    limit: number,
    condensed: Condensed | undefined,
  ): Effect.Effect<FoldedPage, LogError> => {
    const range = {
      after: progress.position,
      timeline: log.timeline,
      ...defined({ until, types: projection.types, condensed: condensed === undefined ? undefined : true }),
    }
    return Effect.map(wholePage(log, range, limit), ({ page, reached, last }) => {
      applyAll(projection, progress.builder, page)
      progress.position = reached
      const steps = condensed === undefined ? 0 : stepsIn(page, condensed)
      return {
        isFull: page.length >= limit,
        steps,
        events: page.length + steps * EVENTS_A_STEP,
        bytes: sizeOf(page),
        position: progress.position,
        hash: last ?? "",
        chunked: () => progress.builder.chunked?.() ?? progress.builder.state(),
      }
    })
  }

  return <S>(
    { projection, strategy }: Folded<S>,
    progress: Progress<S>,
    sinceSnapshot: SnapshotStrategy.FoldProgress,
    { until, head }: Target,
    condensed?: Condensed,
  ): Effect.Effect<void, LogError> => {
    const from = progress.position
    // A projection with few types skips most events.
    const ahead = projection.types === undefined ? Math.min(until ?? head, head) - from : 0
    return FoldWatch.during(ahead, (onFolded) =>
      Effect.gen(function* () {
        for (;;) {
          const limit = pageSize
          const step = yield* foldPage(projection, progress, until, limit, condensed)
          const isDue = sinceSnapshot.events + step.events >= SnapshotStrategy.POLICY.minEvents
          if (condensed !== undefined && (isDue || !step.isFull) && !holdsFor(projection, progress, condensed)) {
            condensed.isWrong = true
            return
          }
          yield* strategy.onProgress(sinceSnapshot, step)
          if (!step.isFull) return
          yield* onFolded(progress.position - from)
          // A compact event in short is a few events of many steps, and a snapshot can follow only a page.
          pageSize = step.steps > PAGE ? FIRST_PAGE : Math.min(PAGE, limit * 2)
          // A page takes milliseconds to fold. Other fibers run in between.
          yield* yieldToEventLoop
        }
      }),
    )
  }
}

/** A fold that reads compact events in short. */
export interface Condensed {
  /** The tasks of which it has read steps in short since it last knew that this was right. */
  readonly tasks: Set<string>
  /** The state is not the one that all steps give. */
  isWrong: boolean
}

interface FoldedPage extends SnapshotStrategy.Step {
  readonly isFull: boolean
  /** The steps in compact events that it read in short. */
  readonly steps: number
}

/** About as many events as a step stands for. */
const EVENTS_A_STEP = 7

const stepsIn = (page: ReadonlyArray<Event>, { tasks }: Condensed): number => {
  let steps = 0
  for (const event of page) {
    // The changes of several steps come before the event itself, which a fold to one of its steps does not reach.
    if (event.taskId !== null && (isCompact(event) || StepPosition.isWithin(event.position))) tasks.add(event.taskId)
    if (isCompact(event)) steps += event.payload.steps
  }
  return steps
}

const holdsFor = <S>({ condensed }: Projection<S>, { builder }: Progress<S>, { tasks }: Condensed): boolean => {
  if (tasks.size === 0 || condensed === undefined) return true
  const state = builder.state()
  for (const taskId of tasks) if (!condensed(state, taskId)) return false
  tasks.clear()
  return true
}

/**
 * Reads a page, and the rest of a compact event in which it ends: a fold that stops there could not write a snapshot.
 * `reached` is within an event only if the query ends there.
 */
const wholePage = (
  log: EventLog.Service,
  range: Query & { readonly after: number },
  limit: number,
): Effect.Effect<
  { readonly page: ReadonlyArray<Event>; readonly reached: number; readonly last: string | undefined },
  LogError
> =>
  Effect.gen(function* () {
    const page = yield* log.readPage(range, limit)
    const last = page.at(-1)
    const reached = last?.position ?? range.after
    const end = StepPosition.holder(reached)
    if (reached === end || end > (range.until ?? end)) return { page, reached, last: last?.hash }
    const rest = page.length < limit ? [] : yield* log.readPage({ ...range, after: reached, until: end }, MAX_REST)
    return { page: rest.length === 0 ? page : [...page, ...rest], reached: end, last: last?.hash }
  })

/** More than the events of a compact event. */
const MAX_REST = 100_000

/** One in this many events is measured, and the total extrapolated. */
const MEASURED_EVENTS = 32

/** The approximate size in bytes of these events' payloads as JSON text. */
export const sizeOf = (page: ReadonlyArray<Event>): number => {
  let measured = 0
  let size = 0
  for (let index = 0; index < page.length; index += MEASURED_EVENTS) {
    measured += 1
    size += JSON.stringify(page[index]?.payload).length
  }
  return measured === 0 ? 0 : (size / measured) * page.length
}
