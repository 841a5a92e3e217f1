/**
 * Descriptors that this process was started with by a program that left them open, and would pass on in its turn: Node marks the first
 * few of them to be closed, not those after a gap. What a plugin held that way no layer would take from it, and Deno takes any
 * socket by its number without asking for a permission.
 */
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"

/**
 * What a process that is spawned has in place of what it would inherit beside its inputs and outputs, as the tail of spawn's `stdio`:
 * ends of pipes that nobody holds (`letGo`). Empty almost always. Elsewhere than on Linux nothing is inherited.
 */
export const covered = (): Array<"pipe" | undefined> => {
  const inherited = process.platform === "linux" ? fs.readdirSync("/proc/self/fd").map(Number).filter(isPassedOn) : []
  const last = Math.max(2, ...inherited)
  return Array.from({ length: last - 2 }, (_, at) => (inherited.includes(at + 3) ? "pipe" : undefined))
}

/** Closes this side of what covers them. */
export const letGo = (child: ChildProcess): void => {
  for (const stream of child.stdio?.slice(3) ?? []) stream?.destroy()
}

/** O_CLOEXEC, as proc_pid_fdinfo(5) shows it. */
const CLOSED_ON_EXEC = 0o2000000

const isPassedOn = (descriptor: number): boolean => {
  if (descriptor <= 2) return false
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    // It was closed meanwhile, as the one is by which the list was read.
    return false
  }
}
