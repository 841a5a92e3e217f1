/** Kills a child process with its process group. */

import type { ChildProcess } from "node:child_process"

/**
 * Closes the child's outputs and sends SIGKILL to its process group, which the child must lead. It closes the outputs
 * first, since a descendant in another group may hold them open. Do not call it after the child's exit: its id may
 * belong to another process by then.
 */
export const killProcessGroup = (child: ChildProcess): void => {
  child.stdout?.destroy()
  child.stderr?.destroy()
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // The group has ended, or does not exist yet.
    child.kill("SIGKILL")
  }
}
