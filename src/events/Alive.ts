/** Whether a process of this machine lives. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // EPERM: it lives, and belongs to someone else.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
