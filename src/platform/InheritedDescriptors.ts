/**
 * Keeps inherited file descriptors out of spawned processes. Node sets close-on-exec on the first few, but not on those
 * after a gap. A plugin would keep such a descriptor through every layer of the sandbox, and Deno opens a socket by its
 * number without asking for a permission.
 */
import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"

/**
 * The tail of spawn's `stdio` option (index 3 and up) that replaces each inherited descriptor with a pipe. Almost
 * always empty, and always on systems other than Linux.
 */
export const replacementStdio = (): Array<"pipe" | undefined> => {
  const inherited = process.platform === "linux" ? fs.readdirSync("/proc/self/fd").map(Number).filter(isPassedOn) : []
  const last = Math.max(2, ...inherited)
  return Array.from({ length: last - 2 }, (_, at) => (inherited.includes(at + 3) ? "pipe" : undefined))
}

/** Closes this process's ends of those pipes. */
export const closeReplacements = (child: ChildProcess): void => {
  for (const stream of child.stdio?.slice(3) ?? []) stream?.destroy()
}

/** O_CLOEXEC, as in proc_pid_fdinfo(5). */
const CLOSED_ON_EXEC = 0o2000000

const isPassedOn = (descriptor: number): boolean => {
  if (descriptor <= 2) return false
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSED_ON_EXEC) === 0
  } catch {
    // Closed in the meantime, such as the descriptor through which `readdirSync` read the list.
    return false
  }
}
