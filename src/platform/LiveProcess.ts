import * as fs from "node:fs"

/** Whether a process of this machine lives. One that has ended and was not waited for yet is dead. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (cause) {
    // EPERM: it lives, and belongs to someone else.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** By its state in /proc (proc(5)): the word after its name, which stands in parentheses and may hold some itself. */
const isZombie = (pid: number): boolean => {
  try {
    return /^\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*(?=\))/s, ""))
  } catch {
    // Not on Linux, or it has just ended: who asks again is told.
    return false
  }
}
