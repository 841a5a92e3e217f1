/** Runs to be aligned: reads the events of two tasks or timelines and aligns them. */

import { Chunk, Data, Effect, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { TaskNotFound } from "../audit/TaskAudit.ts"
import * as TaskAlignment from "./TaskAlignment.ts"
import { sharedBy, type TimelineHistory } from "./TimelineHistory.ts"

/** A run: a task, a timeline, or a task on a timeline. */
export interface Run {
  readonly taskId?: string
  /** Default: the log's, which is `main`. */
  readonly timeline?: string
}

/** The schema of a run. */
export const Run = Options.of<Run>({ optional: { taskId: Options.Text, timeline: Options.Text } })

/** Two runs, event by event. */
export interface Aligned extends TaskAlignment.TaskAlignment {
  /** The last position of the history that both timelines share, which is left out; 0 for runs that share none. */
  readonly shared: number
}

/** Fix the call: the run has too many events to be aligned in memory. */
export class RunTooLong extends Data.TaggedError("RunTooLong")<{ readonly run: string; readonly most: number }> {
  override get message() {
    return `${this.run} has more than ${this.most} events to align: they are held in memory. Name a task of it.`
  }
}

/** Most events of one run. */
const MAX_EVENTS = 200_000

/** Aligns two runs. */
export const align = (
  [pastA, a]: readonly [TimelineHistory, Run],
  [pastB, b]: readonly [TimelineHistory, Run],
): Effect.Effect<Aligned, TaskNotFound | RunTooLong | LogError> =>
  Effect.gen(function* () {
    // Two different tasks share no event.
    const shared = a.taskId === b.taskId && pastA.timeline !== pastB.timeline ? sharedBy(pastA, pastB) : 0
    const [ofA, ofB] = [yield* eventsOf(pastA, a, shared), yield* eventsOf(pastB, b, shared)]
    return { ...TaskAlignment.align(ofA, ofB), shared }
  })

const eventsOf = (
  past: TimelineHistory,
  { taskId }: Run,
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
