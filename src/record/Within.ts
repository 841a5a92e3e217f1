/** Tracks which call a program's function runs for, so that nested calls get it as their cause. */

import { AsyncLocalStorage } from "node:async_hooks"
import type { Channel } from "node:diagnostics_channel"
import type { CoreNewEvent } from "../events/log/EventLog.ts"
import { shared } from "../platform/recorded/Shared.ts"

/** Id of the event that dispatched the current call. */
const atWork = shared("call-at-work/1", () => new AsyncLocalStorage<string | undefined>())

export const run = <A>(eventId: string, does: () => A): A => atWork.run(eventId, does)

/** Makes a call the current one while a channel runs the announced work. `idOf` must not throw. */
export const duringRunsOf = <Message>(
  channel: Channel<string | undefined, Message>,
  idOf: (message: Message) => string | undefined,
): void => channel.bindStore(atWork, (message) => idOf(message) ?? atWork.getStore())

/** Captures the current call and returns a function that sets it as the cause of events without one. */
export const causing = (): (<Events extends ReadonlyArray<CoreNewEvent>>(events: Events) => Events) => {
  const causationId = atWork.getStore()
  return <Events extends ReadonlyArray<CoreNewEvent>>(events: Events): Events =>
    causationId === undefined ? events : (events.map((event) => ({ causationId, ...event })) as unknown as Events)
}
