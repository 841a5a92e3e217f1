/** Tells Hindcast's own network connections from those of the program that it records or replays. */

import { AsyncLocalStorage } from "node:async_hooks"

const scope = new AsyncLocalStorage<true>()

/** Set once somebody asks. Following calls makes each later promise of the process slower, before Node 24. */
let isWatched = false

/** Makes `isInside` tell, for all that begins to connect from now on. */
export const watch = (): void => {
  isWatched = true
}

/** Runs a function whose connections are Hindcast's own: they are neither recorded nor refused. */
export const during = <A>(connects: () => A): A => (isWatched ? scope.run(true, connects) : connects())

/** Whether the current code runs inside `during`, once `watch` was called. */
export const isInside = (): boolean => scope.getStore() === true
