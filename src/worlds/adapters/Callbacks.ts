/** Posts events to the callback URLs of subscribers (`PiaSE.subscribe_to_event`), without a program's own delivery. */

import { Data, Effect, Schedule } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"

/** How long a subscriber has to answer a request. */
export const ANSWER_WITHIN_MS = 10_000

/** How often a request is repeated before the subscription ends, and the first pause between two. */
export const RETRIES = 3
const FIRST_PAUSE_MS = 100

/** A subscriber did not take an event. Its subscription ends; the log has the event. */
export class NotDelivered extends Data.TaggedError("NotDelivered")<{
  readonly url: string
  readonly position: number
  readonly found: string
}> {
  override get message() {
    return `${this.url}: expected an answer of 2xx to the event @${this.position}, found ${this.found}. The subscription ended.`
  }
}

/**
 * Whether a callback URL is at or below one of the allowed URLs: the same origin, and a path that begins with theirs. An
 * agent names the URL, so a program must say where events may go.
 */
export const isAllowed = (url: string, allowed: ReadonlyArray<string>): boolean => {
  const { origin, pathname, username, password } = new URL(url)
  if (username !== "" || password !== "") return false
  return allowed.some((one) => {
    const base = new URL(one)
    const path = base.pathname.endsWith("/") ? base.pathname : `${base.pathname}/`
    return base.origin === origin && `${pathname}/`.startsWith(path)
  })
}

/**
 * Posts an event as JSON: `event_type`, `event_data`, `timestamp` in seconds, `task_id` and `position`. Follows no
 * redirects. Retries failures of the network and answers other than 2xx, with pauses that double.
 */
export const post = (url: string, event: Event): Effect.Effect<void, NotDelivered> => {
  const { type, payload, occurredAt, taskId, position } = event
  const body = JSON.stringify({
    event_type: type,
    event_data: payload,
    timestamp: occurredAt / 1000,
    task_id: taskId,
    position,
  })
  const failed = (found: string) => new NotDelivered({ url, position, found })
  return Effect.tryPromise({
    try: async (signal) => {
      const answer = await fetch(url, {
        ...{ method: "POST", body, redirect: "error", headers: { "content-type": "application/json" } },
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      })
      // Only the status matters: a body may be endless.
      await answer.body?.cancel()
      return answer
    },
    catch: (cause) => failed(cause instanceof Error ? cause.message : String(cause)),
  }).pipe(
    Effect.flatMap((answer) => (answer.ok ? Effect.void : Effect.fail(failed(`the status ${answer.status}`)))),
    Effect.retry(Schedule.intersect(Schedule.exponential(FIRST_PAUSE_MS), Schedule.recurs(RETRIES))),
  )
}
