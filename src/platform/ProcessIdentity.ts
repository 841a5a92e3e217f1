/**
 * Identifies a process beyond its id, which the system reuses: by the time at which it was started, and by its
 * arguments.
 */

import * as fs from "node:fs"

/**
 * The machine's boot id and the clock tick at which the process was started, which no other process with this id
 * shares. Undefined if there is no such process, or the system has no `/proc`.
 */
export const birthOf = (pid: number): string | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  const boot = read("/proc/sys/kernel/random/boot_id")?.trim()
  // Fields are counted from behind the name, which may contain anything: the start time is field 22, the 20th behind
  // the name.
  const tick = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  return tick === undefined || boot === undefined ? undefined : `${boot}/${tick}`
}

/** The command line of a process; empty if it cannot be read. */
export const argumentsOf = (pid: number): ReadonlyArray<string> => read(`/proc/${pid}/cmdline`)?.split("\0") ?? []

const read = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return undefined // It has ended, or this system has no /proc.
  }
}
