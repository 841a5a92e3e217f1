/** Tells Hindcast's own network connections from those of the program that it records or replays. */

import { AsyncLocalStorage } from "node:async_hooks"

const scope = new AsyncLocalStorage<true>()

/** Runs a function whose connections are Hindcast's own: they are neither recorded nor refused. */
export const during = <A>(connects: () => A): A => scope.run(true, connects)

/** Whether the current code runs inside `during`. */
export const isInside = (): boolean => scope.getStore() === true
