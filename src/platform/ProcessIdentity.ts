import * as fs from "node:fs"

/**
 * What tells a process from every other that ever had its id: the machine's boot, and the clock tick in which it was
 * started. Undefined where there is no such process, or the system does not tell (`/proc` of Linux does).
 */
export const birthOf = (pid: number): string | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  const boot = read("/proc/sys/kernel/random/boot_id")?.trim()
  // Fields are counted from the end of the name, which may hold anything: the start time is the 22nd, the 20th behind it.
  const tick = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  return tick === undefined || boot === undefined ? undefined : `${boot}/${tick}`
}

/** What a process was started with, argument by argument; none where it cannot be told. */
export const argumentsOf = (pid: number): ReadonlyArray<string> => read(`/proc/${pid}/cmdline`)?.split("\0") ?? []

const read = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return undefined // It has ended, or this system has no /proc.
  }
}
