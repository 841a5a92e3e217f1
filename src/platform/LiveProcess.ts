/** Tests whether a process of this machine is alive, by its id. */

import * as fs from "node:fs"

/** True if the process exists and runs. A zombie (ended, not yet waited for) counts as dead. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (cause) {
    // EPERM: the process is alive and belongs to another user.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** The state in /proc (proc(5)) is the word after the name, which is in parentheses and may contain some. */
const isZombie = (pid: number): boolean => {
  try {
    return /^\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*(?=\))/s, ""))
  } catch {
    // Not on Linux, or the process has just ended: the next call reports that.
    return false
  }
}
