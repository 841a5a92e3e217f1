/** Finds the task that an argument names. */
import { Effect } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as Moment from "../../../events/read/Moment.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as Ids from "../../command/Ids.ts"

/** A task on the timeline that it is looked at on. */
export interface NamedTask {
  readonly taskId: string
  /** The log, bound to that timeline. */
  readonly log: EventLog.Service
}

/** The task with this id or this part of an id, or the task of the event at a position: `@412`, `fork-1@412`. */
export const named = (text: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    if (!Moment.isAddress(text)) return { taskId: yield* Ids.task(text), log } satisfies NamedTask
    const { timeline, position } = yield* Moment.locate(text)
    const [event] = position === 0 ? [] : yield* log.readPage({ after: position - 1, until: position }, 1)
    if (event === undefined) return yield* new Moment.EventNotFound({ event: text, log: log.name })
    if (event.taskId === null) {
      return yield* new BadInput({
        input: text,
        expected: "an event of a task",
        found: `${event.type}, which belongs to no task`,
        advice: "find_tasks lists the tasks.",
      })
    }
    const view = timeline === log.timeline ? log : Timelines.view(log, yield* Timelines.named(log, timeline))
    return { taskId: event.taskId, log: view } satisfies NamedTask
  })

/** How answers name a task in a call: the end of its id, or a position if the id is no plain word. */
export const written = (taskId: string, from: number): string => (PLAIN.test(taskId) ? taskId.slice(-12) : `@${from}`)

const PLAIN = /^[\w-]{1,64}$/
