/** Opens Hindcast, whose kernel is loaded with the first opening: a program that only makes agents loads none. */

import type * as Opened from "./Hindcast.ts"

/**
 * Opens a log and starts a kernel on it. The promise is rejected with `InvalidOptions`, which names every mistake in the
 * options, `LeaseHeld` if another kernel works on the log, and the other errors of `Hindcast.layer`.
 *
 * @example
 * await using hindcast = await open({ log: "agent.db" })
 * const audit = await hindcast.tasks.run(agent, { goal: "Tidy up" })
 */
export const open = async (options: Opened.OpenOptions): Promise<Opened.Hindcast> =>
  (await import("./Hindcast.ts")).open(options)
