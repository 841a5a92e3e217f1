/** Kills the plugin processes that a dead kernel left running. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as ProcessIdentity from "../../platform/ProcessIdentity.ts"
import type { Process, Processes } from "../../projections/state/Processes.ts"

export type OrphanState =
  /** It ended, or another program has its id now. */
  | "gone"
  /** It was running, and this sweep killed it. */
  | "killed"
  /** A plugin runs with this id, but the log has too little to identify it. Left alone. */
  | "doubtful"
  /** It belongs to another kernel that may be alive. Left alone. */
  | "in use"

/** By their keys in `Processes`. */
export type OrphanStates = ReadonlyMap<string, OrphanState>

/**
 * Kills the remaining plugin processes of dead kernels. Only the holder of the lease may call it. A process must match
 * in everything: a kernel known to be dead, the recorded id, start tick, boot and PID namespace, and the plugin runner
 * on its command line.
 *
 * @param lease the lease just acquired: its previous holder counts as dead
 */
export const sweep = (
  processes: Processes,
  lease: Pick<HeldLease, "lostBy">,
): Effect.Effect<OrphanStates, LogError, Presence> =>
  Effect.gen(function* () {
    const presence = yield* Presence
    const kernels = new Set(Object.values(processes).flatMap(({ kernel }) => (kernel === undefined ? [] : [kernel])))
    const living = new Set<string>()
    for (const kernel of kernels) {
      if (kernel !== lease.lostBy && (yield* presence.watch(kernel, WATCH_MS)) === "alive") living.add(kernel)
    }
    return new Map(
      Object.entries(processes).map(([key, process]) => [
        key,
        process.kernel !== undefined && living.has(process.kernel) ? "in use" : end(process),
      ]),
    )
  })

/** How long to watch the heartbeat of a kernel elsewhere, in milliseconds. */
const WATCH_MS = 5000

/** A dead kernel may come from another installation: only the end of the path is fixed. */
const RUNNER = /\/runner\/runner\.(?:[jt]s|pyz)$/

const end = ({ pid, birth }: Process): OrphanState => {
  const runsPlugin = ProcessIdentity.argumentsOf(pid).some((argument) => RUNNER.test(argument))
  if (!runsPlugin || (birth !== undefined && !ProcessIdentity.isBornAs(pid, birth))) return "gone"
  if (birth === undefined) return "doubtful"
  // The process leads its group, so this kills its children too.
  return kill(-pid) || kill(pid) ? "killed" : "gone"
}

const kill = (target: number): boolean => {
  try {
    process.kill(target, "SIGKILL")
    return true
  } catch {
    return false // It ended in the meantime.
  }
}
