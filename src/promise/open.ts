/** Loads the kernel at the first call: programs that only define agents never load it. */

import type * as Opened from "./Hindcast.ts"
import type * as Started from "./Runner.ts"

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

/**
 * Starts a runner, which claims the queued tasks of a log and works on them, next to other runners if the log is on a
 * PostgreSQL server. Resolves once its first session is in the log. Rejects with `InvalidOptions`, on a file with
 * `LeaseHeld`, and with the other errors of `Hindcast.runner`.
 *
 * @example
 * await using worker = await runner({ log: "postgres://…", agents: [desk] })
 */
export const runner = async (options: Started.RunnerOptions): Promise<Started.Runner> =>
  (await import("./Runner.ts")).runner(options)

/**
 * Opens the queue of a log, which it creates if necessary. Takes no lease, so any number of programs may submit tasks.
 * Rejects with `InvalidOptions` and with the errors of `Hindcast.layerLog`.
 *
 * @example
 * await using queue = await openQueue({ log: "postgres://…" })
 * await queue.submit({ agent: "desk", goal: "Tidy up" })
 */
export const openQueue = async (options: Started.QueueOptions): Promise<Started.Queue> =>
  (await import("./Runner.ts")).openQueue(options)
