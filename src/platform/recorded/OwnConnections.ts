/** Tells Hindcast's own network connections from those of the program that it records or replays. */

import { AsyncLocalStorage } from "node:async_hooks"
import { shared } from "./Shared.ts"

/** Watched once somebody asks. Following calls makes each later promise of the process slower, before Node 24. */
const own = shared("own-connections/1", () => ({ scope: new AsyncLocalStorage<true>(), isWatched: false }))

/** Makes `isInside` tell, for all that begins to connect from now on. */
export const watch = (): void => {
  own.isWatched = true
}

/** Runs a function whose connections are Hindcast's own: they are neither recorded nor refused. */
export const during = <A>(connects: () => A): A => (own.isWatched ? own.scope.run(true, connects) : connects())

/** Whether the current code runs inside `during`, once `watch` was called. */
export const isInside = (): boolean => own.scope.getStore() === true
