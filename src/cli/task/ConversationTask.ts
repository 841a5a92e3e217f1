/** Whether a task's agent was in a conversation. The agent that resumes or forks the task then is too. */
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"

export const isOne = (taskId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const told = yield* log.readPage({ taskId, types: ["GuideApplied"] }, 1)
    return told.some((event) => is(event, "GuideApplied") && event.payload.conversation === true)
  })

/** Like `isOne`, for the task of the event at a moment; false if there is none. */
export const isAt = (moment: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { position } = yield* Moment.locate(moment)
    if (position === 0) return false
    const [event] = yield* log.readPage({ after: position - 1, until: position }, 1)
    const taskId = event?.taskId ?? null
    return taskId === null ? false : yield* isOne(taskId)
  })
