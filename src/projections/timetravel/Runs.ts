/** Reads the events of two tasks or timelines and aligns them. */

import { Chunk, Data, Effect, Stream } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { TaskNotFound } from "../audit/TaskAudit.ts"
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
}

/** The run has too many events to align in memory. */
export class RunTooLong extends Data.TaggedError("RunTooLong")<{ readonly run: string; readonly most: number }> {
  override get message() {
    return `${this.run} has more than ${this.most} events, the maximum that can be aligned in memory. Name one of its tasks.`
  }
}

/** Maximum number of events of one run. */
const MAX_EVENTS = 200_000

export const align = (
  [pastA, a]: readonly [TimelineHistory, RunSelector],
  [pastB, b]: readonly [TimelineHistory, RunSelector],
): Effect.Effect<Aligned, TaskNotFound | RunTooLong | LogError> =>
  Effect.gen(function* () {
    // Different tasks share no event.
    const shared = a.taskId === b.taskId && pastA.timeline !== pastB.timeline ? sharedBy(pastA, pastB) : 0
    const [ofA, ofB] = [yield* eventsOf(pastA, a, shared), yield* eventsOf(pastB, b, shared)]
    return { ...TaskAlignment.align(ofA, ofB), shared }
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
