/** The call that a program's function works for: what the function calls in turn is caused by it. */

import { AsyncLocalStorage } from "node:async_hooks"
import type { CoreNewEvent } from "../events/log/EventLog.ts"

/** The id of the event after which the function was called. */
const atWork = new AsyncLocalStorage<string>()

/** Runs a function for a call. */
export const run = <A>(eventId: string, does: () => A): A => atWork.run(eventId, does)

/** Names the call that is at work now as the cause of events that name none. */
export const causing = (): (<Events extends ReadonlyArray<CoreNewEvent>>(events: Events) => Events) => {
  const causationId = atWork.getStore()
  return <Events extends ReadonlyArray<CoreNewEvent>>(events: Events): Events =>
    // The list stays as long as it is.
    causationId === undefined ? events : (events.map((event) => ({ causationId, ...event })) as unknown as Events)
}
