import * as fs from "node:fs"
import * as path from "node:path"
import { LogUnavailable } from "../EventLog.ts"

/**
 * Remembers which files a connection has open, and answers with a check that throws `LogUnavailable` once one of them is no
 * longer where it was.
 *
 * Whoever has a file open goes on with it after it was removed, moved or replaced, and SQLite says nothing of it in WAL mode: what
 * is appended then is nowhere to be found, and what is read is old. So the check comes before each transaction. It costs one
 * look at the directory (2 µs); the files are looked at only where one of its entries may have changed.
 *
 * @param whole whether all of them must be there now; else those that are not are left out
 */
export const remember = (filename: string, whole: boolean): (() => void) => {
  const log = fs.realpathSync(filename)
  const directory = path.dirname(log)
  const files = FILES.flatMap(({ suffix, advice }) => {
    const file = log + suffix
    const identity = identityOf(file)
    if (identity === undefined && whole) throw displaced(filename, file, true, advice)
    return identity === undefined ? [] : [{ file, identity, advice }]
  })
  let trusted: fs.Stats | undefined

  return () => {
    const seen = fs.statSync(directory, { throwIfNoEntry: false })
    if (seen !== undefined && trusted !== undefined && isUnchanged(trusted, seen)) return
    for (const { file, identity, advice } of files) {
      const found = identityOf(file)
      if (found !== identity) throw displaced(filename, file, found === undefined, advice)
    }
    trusted = seen !== undefined && Date.now() - seen.ctimeMs > CLOCK_STEP_MS ? seen : undefined
  }
}

const isUnchanged = (before: fs.Stats, now: fs.Stats): boolean =>
  before.ctimeMs === now.ctimeMs && before.ino === now.ino && before.dev === now.dev

/** The time of a directory's last change tells two changes apart if they are further apart than this, on any file system. */
const CLOCK_STEP_MS = 2000

/** What SQLite has open of a log in WAL mode, and what to do once it is gone. */
const FILES = [
  { suffix: "", advice: "Put it back, or restore a copy, and open the log again" },
  {
    suffix: "-wal",
    advice:
      "It held acknowledged events: let every process that has the log open come to its end, none of them by SIGKILL. The last " +
      "one writes them into the log",
  },
  {
    suffix: "-shm",
    advice:
      "Without it, processes do not see one another's events: end this one first, then all others, and open the log again",
  },
] as const

const identityOf = (file: string): string | undefined => {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

const displaced = (log: string, file: string, missing: boolean, advice: string): LogUnavailable =>
  new LogUnavailable({
    log,
    reason:
      `${path.basename(file)} was ${missing ? "removed or moved" : "replaced by another file"} while the log was open. ` +
      `Nothing more is appended or read until it is back. ${advice}.`,
  })
