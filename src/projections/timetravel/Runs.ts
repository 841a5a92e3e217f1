/** Reads the events of two tasks or timelines and aligns them. */

import { Chunk, Data, Effect, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { TaskNotFound } from "../audit/TaskAudit.ts"
import * as Decision from "./alignment/Decision.ts"
import * as DecisionSentence from "./alignment/DecisionSentence.ts"
import * as DecisionSplit from "./alignment/DecisionSplit.ts"
import * as RunNames from "./alignment/RunNames.ts"
import * as TaskAlignment from "./TaskAlignment.ts"
import { sharedBy, type TimelineHistory } from "./TimelineHistory.ts"

/** A task, a timeline, or a task on a timeline. */
export interface RunSelector {
  readonly taskId?: string
  /** Default: the log's own, `main`. */
  readonly timeline?: string
}

export const RunSelector = Options.of<RunSelector>({ optional: { taskId: Options.Text, timeline: Options.Text } })

/** Two aligned runs. */
export interface Aligned extends TaskAlignment.TaskAlignment {
  /** The last position of the history that both timelines share, which is left out; 0 if there is none. */
  readonly shared: number
  /** The names of the two runs for people. */
  readonly names: readonly [a: RunNames.RunName, b: RunNames.RunName]
  /** Index of the pair at which the two split; null if no decision differs. */
  readonly split: number | null
  /** Where the two split: the first decision that differs. */
  readonly decisions: DecisionSplit.DecisionSplit
  /** The same as a sentence for people, on one line. */
  readonly sentence: string
}

/** The run has too many events to align in memory. */
export class RunTooLong extends Data.TaggedError("RunTooLong")<{ readonly run: string; readonly most: number }> {
  override get message() {
    return `${this.run} has more than ${this.most} events, the maximum that can be aligned in memory. Name one of its tasks.`
  }
}

/** Maximum number of events of one run. */
const MAX_EVENTS = 200_000

export const align = (a: Placed, b: Placed): Effect.Effect<Aligned, TaskNotFound | RunTooLong | LogError> =>
  Effect.gen(function* () {
    const { events, shared, names, decisions } = yield* compared(a, b)
    const { split } = decisions
    const [splitA, splitB] = [split?.a?.event.position, split?.b?.event.position]
    const anchor = splitA === undefined || splitB === undefined ? null : { a: splitA, b: splitB }
    const aligned = TaskAlignment.align(events[0], events[1], anchor)
    const row =
      split === null
        ? -1
        : aligned.pairs.findIndex(
            ({ a, b }) =>
              (splitA === undefined || a?.position === splitA) && (splitB === undefined || b?.position === splitB),
          )
    const [labelA = "A", labelB = "B"] = RunNames.labelsOf(names)
    const sentence = DecisionSentence.of(decisions, [
      { label: labelA, isOpen: names[0].isOpen },
      { label: labelB, isOpen: names[1].isOpen },
    ])
    return { ...aligned, split: row < 0 ? null : row, shared, names, decisions, sentence }
  })

/** A run, and the history that it is in. */
export type Placed = readonly [TimelineHistory, RunSelector]

/** Two runs, with their decisions compared. */
export interface Compared {
  /** The events after the shared history. */
  readonly events: readonly [a: ReadonlyArray<Event>, b: ReadonlyArray<Event>]
  readonly shared: number
  readonly names: readonly [a: RunNames.RunName, b: RunNames.RunName]
  readonly decisions: DecisionSplit.DecisionSplit
}

/** Compares the decisions of two runs, without aligning their events. */
export const compared = (
  [pastA, a]: Placed,
  [pastB, b]: Placed,
): Effect.Effect<Compared, TaskNotFound | RunTooLong | LogError> =>
  Effect.gen(function* () {
    // Different tasks share no event.
    const shared = a.taskId === b.taskId && pastA.timeline !== pastB.timeline ? sharedBy(pastA, pastB) : 0
    const [ofA, ofB] = [yield* eventsOf(pastA, a, shared), yield* eventsOf(pastB, b, shared)]
    const names = [yield* nameOf(pastA, a, shared, ofA), yield* nameOf(pastB, b, shared, ofB)] as const
    const before = shared === 0 ? [] : yield* decidedUntil(pastA, a, shared)
    const decisions = DecisionSplit.between(DecisionSplit.decisionsOf(ofA), DecisionSplit.decisionsOf(ofB), before)
    return { events: [ofA, ofB], shared, names, decisions }
  })

/** The name of a run, whose task may have begun in the shared history. */
const nameOf = (
  past: TimelineHistory,
  { taskId }: RunSelector,
  shared: number,
  events: ReadonlyArray<Event>,
): Effect.Effect<RunNames.RunName, LogError> =>
  Effect.gen(function* () {
    if (taskId === undefined) return RunNames.of(past.timeline, null, [])
    const opened = shared === 0 ? [] : yield* past.readPage({ taskId, types: ["TaskOpened"], until: shared }, 1)
    return RunNames.of(past.timeline, taskId, [...opened, ...events])
  })

/** The decisions of a shared history, without the requests of its answers. */
const decidedUntil = (
  past: TimelineHistory,
  { taskId }: RunSelector,
  until: number,
): Effect.Effect<ReadonlyArray<Decision.Decision>, LogError> =>
  Effect.gen(function* () {
    const decided: Array<Decision.Decision> = []
    const read = Decision.makeReader()
    const types = Decision.TYPES.filter((type) => type !== "ModelCalled")
    yield* Pages.forEach(past.readPage, { until, types, ...defined({ taskId }) }, (page) => {
      for (const event of page) {
        const decision = read(event)
        if (decision !== null) decided.push(decision)
      }
    })
    return decided
  })

const eventsOf = (
  past: TimelineHistory,
  { taskId }: RunSelector,
  after: number,
): Effect.Effect<Array<Event>, TaskNotFound | RunTooLong | LogError> =>
  Effect.gen(function* () {
    if (taskId !== undefined && (yield* past.readPage({ taskId }, 1)).length === 0)
      return yield* new TaskNotFound({ taskId })
    const events: Array<Event> = []
    yield* Pages.stream(past.readPage, { after, ...defined({ taskId }) }).pipe(
      Stream.runForEachChunk((page) => {
        for (const event of Chunk.toReadonlyArray(page)) events.push(event)
        const run = `${past.timeline}${taskId === undefined ? "" : `@${taskId}`}`
        return events.length > MAX_EVENTS ? new RunTooLong({ run, most: MAX_EVENTS }) : Effect.void
      }),
    )
    return events
  })
