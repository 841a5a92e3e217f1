/** Kills the plugin processes that a dead kernel left running. */

import { Effect } from "effect"
import * as ProcessIdentity from "../../platform/ProcessIdentity.ts"
import type { Processes } from "../../projections/state/Processes.ts"

/** The state of a process that a dead kernel left. */
export type OrphanState =
  /** It has ended, or its id belongs to another program now. */
  | "gone"
  /** It was running, and was killed. */
  | "killed"
  /** A process with its id runs a plugin, but the log has too little to identify it. It is left alone. */
  | "doubtful"

/** The states of the processes that the log records as running, by process id. */
export type OrphanStates = ReadonlyMap<number, OrphanState>

/**
 * Kills the remaining plugin processes of a dead kernel. Only the holder of the lease may call it; otherwise a live
 * kernel would lose its processes.
 *
 * A process is killed only if it is certainly one of them: it has the recorded id, was started in the recorded clock
 * tick of the recorded boot, and has the runner on its command line.
 */
export const sweep = (processes: Processes): Effect.Effect<OrphanStates> =>
  Effect.sync(() => new Map(Object.values(processes).map(({ pid, birth }) => [pid, end(pid, birth)])))

/**
 * The main module of every plugin process. The path is not fixed, since the dead kernel may have been installed
 * elsewhere.
 */
const RUNNER = /\/runner\/runner\.[jt]s$/

const end = (pid: number, birth: string | undefined): OrphanState => {
  const runsPlugin = ProcessIdentity.argumentsOf(pid).some((argument) => RUNNER.test(argument))
  if (!runsPlugin || (birth !== undefined && ProcessIdentity.birthOf(pid) !== birth)) return "gone"
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
