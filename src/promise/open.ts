/** Loads the kernel at the first `open`: programs that only define agents never load it. */

import type * as Opened from "./Hindcast.ts"

/**
 * Opens a log and starts a kernel on it. Rejects with `InvalidOptions`, which lists every mistake, with `LeaseHeld` if
 * another kernel works on the log, and with the other errors of `Hindcast.layer`.
 *
 * @example
 * await using hindcast = await open({ log: "agent.db" })
 * const audit = await hindcast.tasks.run(agent, { goal: "Tidy up" })
 */
export const open = async (options: Opened.OpenOptions): Promise<Opened.Hindcast> =>
  (await import("./Hindcast.ts")).open(options)
