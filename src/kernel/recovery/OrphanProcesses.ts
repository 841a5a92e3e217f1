/** Kills the plugin processes that a dead kernel left running. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { HeldLease } from "../../events/log/Lease.ts"
import { Presence } from "../../events/log/Presence.ts"
import * as ProcessIdentity from "../../platform/ProcessIdentity.ts"
import type { Process, Processes } from "../../projections/state/Processes.ts"

/** The state of a process that the log records as running. */
export type OrphanState =
  /** It has ended, or its id belongs to another program now. */
  | "gone"
  /** It was running, and was killed. */
  | "killed"
  /** A process with its id runs a plugin, but the log has too little to identify it. It is left alone. */
  | "doubtful"
  /** It belongs to another kernel that may be alive. It is left alone. */
  | "in use"

/** The states of the processes that the log records as running, by their keys in `Processes`. */
export type OrphanStates = ReadonlyMap<string, OrphanState>

/**
 * Kills the remaining plugin processes of dead kernels. Only the holder of the lease may call it.
 *
 * A process is killed only if it is certainly one of them: its kernel is known to be dead, and it has the recorded id, was
 * started in the recorded clock tick of the recorded boot and PID namespace, and has the runner on its command line.
 *
 * @param lease the lease that the caller has just acquired: who lost it is dead for this log
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

/** How long the heartbeat of a kernel is watched that cannot be looked at, in milliseconds. */
const WATCH_MS = 5000

/**
 * The main module of every plugin process. The path is not fixed, since the dead kernel may have been installed
 * elsewhere.
 */
const RUNNER = /\/runner\/runner\.[jt]s$/

const end = ({ pid, birth }: Process): OrphanState => {
  const runsPlugin = ProcessIdentity.argumentsOf(pid).some((argument) => RUNNER.test(argument))
  if (!runsPlugin || (birth !== undefined && !ProcessIdentity.isBornAs(pid, birth))) return "gone"
  if (birth === undefined) return "doubtful"
  // It leads a process group, so its children are killed with it.
  return kill(-pid) || kill(pid) ? "killed" : "gone"
}

const kill = (target: number): boolean => {
  try {
    process.kill(target, "SIGKILL")
    return true
  } catch {
    return false // It ended meanwhile.
  }
}
