/** Ends a process that a divergence breaks, without Node's print of the error: the parent command explains the divergence. */

import * as fs from "node:fs"
import type { Diverged } from "../replay/Diverged.ts"
import * as UncaughtError from "./UncaughtError.ts"

/** Node's exit code after an uncaught error. */
const UNCAUGHT = 1

/**
 * Exits like Node when nothing catches a divergence. An error of the program that the divergence caused is printed
 * first. A program with a handler of its own for uncaught errors decides itself.
 */
export const watch = (divergence: () => Diverged | undefined): void => {
  UncaughtError.watch((error) => {
    const found = divergence()
    if (found === undefined || !isCausedBy(error, found)) return
    // Synchronous: the process exits right after it.
    if (error !== found && error instanceof Error) fs.writeSync(process.stderr.fd, `${stackOf(error)}\n`)
    process.exit(UNCAUGHT)
  })
}

const stackOf = (error: Error): string => error.stack ?? error.message

const isCausedBy = (error: unknown, cause: Diverged): boolean => {
  const seen = new Set<unknown>()
  for (let at = error; !seen.has(at); at = at instanceof Error ? at.cause : undefined) {
    if (at === cause) return true
    seen.add(at)
  }
  return false
}
