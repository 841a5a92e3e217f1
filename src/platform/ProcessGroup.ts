/** Kills a child process together with its process group. */

import type { ChildProcess } from "node:child_process"

/**
 * Closes the child's outputs and sends SIGKILL to its process group; the child must lead the group. The outputs are
 * closed first, since a descendant in another group may hold them open for any time. Do not call it after the child's
 * exit was reported: the id may belong to another process by then.
 */
export const killProcessGroup = (child: ChildProcess): void => {
  child.stdout?.destroy()
  child.stderr?.destroy()
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // The group has ended already, or does not exist yet.
    child.kill("SIGKILL")
  }
}
