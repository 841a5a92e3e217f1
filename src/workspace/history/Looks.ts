/** The recorded looks at a workspace's files: its state at a task's start, and each change that a snapshot found since. */

import { Effect, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as FileStates from "../../projections/state/files/FileStates.ts"
import { defined } from "../../values/defined.ts"
import * as Document from "../model/Document.ts"

export interface Look {
  readonly event: Event
  readonly taskId: string
  /** The directory, on the machine that recorded it. */
  readonly root: string
  /** At a start: the digest of the whole tree. */
  readonly base: string | undefined
  /** The files that changed since the last look of the task. */
  readonly files: ReadonlyArray<{ readonly path: string; readonly state: Document.FileState }>
}

/** Where a look's changes come from. */
export type Source =
  /** The files at the beginning: written before anything was recorded, or between two tasks. */
  { readonly kind: "start" } | FileStates.Source

export const sourceOf = ({ event, base }: Look): Source =>
  base === undefined ? FileStates.sourceOf(event.payload) : { kind: "start" }

export interface StartsOptions {
  /** The last position. */
  readonly until: number
  /** Only this task's. */
  readonly taskId?: string | undefined
}

/** The looks at tasks' starts in the log's timeline, up to a position, in the log's order. */
export const starts = (
  log: Pick<EventLog.Service, "read" | "timeline">,
  { until, taskId }: StartsOptions,
): Effect.Effect<ReadonlyArray<Look>, LogError> =>
  Effect.gen(function* () {
    const query = { timeline: log.timeline, types: ["EnvironmentReset"], until, ...defined({ taskId }) }
    const found: Array<Look> = []
    yield* Stream.runForEach(log.read(query), (event) =>
      Effect.sync(() => {
        const look = startOf(event)
        if (look !== undefined) found.push(look)
      }),
    )
    return found
  })

/** All looks in the log's timeline that begin with these starts, up to a position, in the log's order. */
export const since = (
  log: Pick<EventLog.Service, "readPage" | "timeline">,
  from: ReadonlyArray<Look>,
  until: number,
): Effect.Effect<ReadonlyArray<Look>, LogError> =>
  Effect.gen(function* () {
    const looks = [...from]
    for (const task of new Set(from.map((start) => start.taskId))) {
      const own = from.filter((start) => start.taskId === task)
      const query = { timeline: log.timeline, taskId: task, types: ["EnvironmentChanged"], until }
      // Pages, because a stream for each of many tasks takes ten times as long.
      for (let after = 0, isLast = false; !isLast; ) {
        const page = yield* log.readPage({ ...query, after }, PAGE)
        for (const event of page) {
          const look = changeOf(event, own)
          if (look !== undefined) looks.push(look)
        }
        after = page.at(-1)?.position ?? after
        isLast = page.length < PAGE
      }
    }
    return looks.sort((one, other) => one.event.position - other.event.position)
  })

/** The looks among the events of one task, in their order. */
export const among = (events: ReadonlyArray<Event>): ReadonlyArray<Look> => {
  const looks: Array<Look> = []
  const starts: Array<Look> = []
  for (const event of events) {
    const start = startOf(event)
    if (start !== undefined) starts.push(start)
    const look = start ?? changeOf(event, starts)
    if (look !== undefined) looks.push(look)
  }
  return looks
}

/** Events read at once. */
const PAGE = 1_000

/** Finds the files that looks of any task in the log's timeline name after a position. */
export const after = (
  log: Pick<EventLog.Service, "read" | "timeline">,
  position: number,
): Effect.Effect<ReadonlyArray<Pick<Look, "base" | "files">>, LogError> =>
  Effect.gen(function* () {
    const found: Array<Pick<Look, "base" | "files">> = []
    const query = { timeline: log.timeline, after: position, types: ["EnvironmentReset", "EnvironmentChanged"] }
    yield* Stream.runForEach(log.read(query), (event) =>
      Effect.sync(() => {
        const start = startOf(event)
        if (start !== undefined) found.push(start)
        else if (is(event, "EnvironmentChanged") && event.payload.plugin === Document.PLUGIN)
          found.push({ base: undefined, files: Document.read(event.payload.patch) })
      }),
    )
    return found
  })

const startOf = (event: Event): Look | undefined => {
  if (!is(event, "EnvironmentReset") || event.payload.plugin !== Document.PLUGIN || event.taskId === null) return
  const start = Document.start(event.payload.state)
  return start && { event, taskId: event.taskId, ...start, files: [] }
}

const changeOf = (event: Event, from: ReadonlyArray<Look>): Look | undefined => {
  if (!is(event, "EnvironmentChanged") || event.payload.plugin !== Document.PLUGIN || event.taskId === null) return
  const start = from.findLast((one) => one.event.position < event.position)
  if (start === undefined) return
  const files = Document.read(event.payload.patch)
  return { event, taskId: event.taskId, root: start.root, base: undefined, files }
}
