import type { ChildProcess } from "node:child_process"

/**
 * Ends a command that leads a process group, with all of the group, and listens to it no more: what it left in a group of its
 * own may hold its outputs open for as long as it likes. Not for one whose end was told already: its id may be another's.
 */
export const killProcessGroup = (child: ChildProcess): void => {
  child.stdout?.destroy()
  child.stderr?.destroy()
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // The group is gone already, or has not come to be.
    child.kill("SIGKILL")
  }
}
