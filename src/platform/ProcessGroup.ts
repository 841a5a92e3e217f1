/** Kills a child process with its process group. */

import type { ChildProcess } from "node:child_process"

/**
 * Closes the child's outputs, since a descendant in another group may hold them open, and sends SIGKILL to the group,
 * which the child must lead. Do not call it after the child's exit: its id may belong to another process by then.
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
