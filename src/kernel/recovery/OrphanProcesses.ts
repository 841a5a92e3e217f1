import { Effect } from "effect"
import * as ProcessIdentity from "../../platform/ProcessIdentity.ts"
import type { Processes } from "../../projections/state/Processes.ts"

/** What became of a process that a dead kernel left. */
export type OrphanState =
  /** It has ended, or there is a process with its id that another program was started with. */
  | "gone"
  /** It was still running, and was killed. */
  | "killed"
  /** A process with its id runs a plugin, but the log does not say enough to be sure that it is this one: left alone. */
  | "doubtful"

/** The fates of what the log says is running, by process id. */
export type OrphanStates = ReadonlyMap<number, OrphanState>

/**
 * Kills what is left of a dead kernel's plugins. Only by whoever holds the lease, for a kernel that lives would lose its own.
 *
 * No process is killed that is not provably one of them: it has the id that the log says, was started in the same clock
 * tick of the same boot, and has the runner on its command line.
 */
export const sweep = (processes: Processes): Effect.Effect<OrphanStates> =>
  Effect.sync(() => new Map(Object.values(processes).map(({ pid, birth }) => [pid, end(pid, birth)])))

/** The main module of every plugin's process. The kernel that died may have been installed elsewhere. */
const RUNNER = /\/runner\/runner\.[jt]s$/

const end = (pid: number, birth: string | undefined): OrphanState => {
  const runsPlugin = ProcessIdentity.argumentsOf(pid).some((argument) => RUNNER.test(argument))
  if (!runsPlugin || (birth !== undefined && ProcessIdentity.birthOf(pid) !== birth)) return "gone"
  if (birth === undefined) return "doubtful"
  // It leads a group of its own, so that all that it started goes with it.
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
