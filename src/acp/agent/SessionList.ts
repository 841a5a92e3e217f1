/** The conversations of a log as sessions of an editor, newest first. */

import { Effect, Schema } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type Refused, refused } from "./Refused.ts"

/** Sessions per answer. */
const PAGE = 50

const MAX_TITLE = 80

interface Listed {
  readonly sessionId: string
  readonly position: number
  readonly title: string
  isConversation: boolean
  updatedAt: number
}

const TYPES = ["TaskOpened", "GuideApplied", "InputReceived", "TaskClosed"]

const Cursor = Schema.NumberFromString.pipe(Schema.int(), Schema.positive())

/**
 * One page: the conversations that were opened before the cursor. All of them belong to `cwd`: a log has one place.
 *
 * @param cursor the `nextCursor` of the page before
 */
export const page = (
  cwd: string,
  cursor: string | undefined,
): Effect.Effect<JsonObject, Refused | LogError, EventLog> =>
  Effect.gen(function* () {
    const before =
      cursor === undefined
        ? Number.POSITIVE_INFINITY
        : yield* Effect.mapError(Schema.decode(Cursor)(cursor), () =>
            refused("params", "session/list: expected a cursor that session/list returned, found another text."),
          )
    const sessions = (yield* conversations).filter(({ position }) => position < before)
    const shown = sessions.slice(0, PAGE)
    const last = shown.at(-1)
    return {
      sessions: shown.map(({ sessionId, title, updatedAt }) => ({
        sessionId,
        cwd,
        title,
        updatedAt: new Date(updatedAt).toISOString(),
      })),
      ...(last === undefined || shown.length === sessions.length ? {} : { nextCursor: String(last.position) }),
    }
  })

export const has = (taskId: string): Effect.Effect<boolean, LogError, EventLog> =>
  Effect.map(conversations, (all) => all.some(({ sessionId }) => sessionId === taskId))

const conversations = Effect.gen(function* () {
  const log = yield* EventLog
  const tasks = new Map<string, Listed>()
  yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: TYPES }, (events) => {
    for (const event of events) {
      const { taskId, position, recordedAt } = event
      if (taskId === null) continue
      if (is(event, "TaskOpened")) {
        const title = titleOf(event.payload.goal)
        tasks.set(taskId, { sessionId: taskId, position, title, isConversation: false, updatedAt: recordedAt })
      }
      const task = tasks.get(taskId)
      if (task === undefined) continue
      task.updatedAt = Math.max(task.updatedAt, recordedAt)
      if (is(event, "GuideApplied") && event.payload.conversation === true) task.isConversation = true
    }
  })
  return [...tasks.values()].filter(({ isConversation }) => isConversation).reverse()
})

const titleOf = (goal: string): string => {
  const line = goal.trim().replace(/\s+/g, " ")
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line
}
