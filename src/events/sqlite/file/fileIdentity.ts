import * as fs from "node:fs"
import * as path from "node:path"
import { LogCorrupt, LogUnavailable } from "../../log/EventLog.ts"

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
export const rememberIdentity = (filename: string, whole: boolean): (() => void) => {
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

/**
 * The file that a path leads to, whether it is there already or not. SQLite keeps a log's other files beside that one and not
 * beside a link to it; so does Hindcast, or what is beside it would depend on how the log was called.
 */
export const targetOf = (filename: string): string => wayTo(filename).target

/** The same with the links that lead there. */
export const wayTo = (filename: string): { readonly links: ReadonlyArray<string>; readonly target: string } => {
  const links: Array<string> = []
  let file = filename
  while (links.length < MAX_LINKS && isLink(file)) {
    links.push(file)
    file = path.resolve(fs.realpathSync(path.dirname(file)), fs.readlinkSync(file))
  }
  return { links, target: file }
}

/** After so many, Linux calls it a circle. */
const MAX_LINKS = 40

const isLink = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** What SQLite says of a write-ahead log: how many frames of it count, and how long one is. */
export interface FileLength {
  readonly frames: number
  readonly frameBytes: number
}

/**
 * Answers with a check that throws `LogCorrupt` once the write-ahead log is shorter than what it must hold.
 *
 * SQLite does not look: it would write the next frame behind the gap, acknowledge it, and write the gap's zeros back to the
 * log's file, which destroys also what was sound. So the check comes before each transaction. It costs one look at the file
 * (2 µs); SQLite is asked (3 µs) only where the file's size is another than before.
 */
export const rememberLength = (filename: string, extentNow: () => FileLength): (() => void) => {
  const wal = `${fs.realpathSync(filename)}-wal`
  let trusted = -1

  return () => {
    if (sizeOf(wal) === trusted) return
    // Another process may truncate what was written back, between the question and the look.
    for (let look = 0; look < LOOKS; look++) {
      const { frames, frameBytes } = extentNow()
      trusted = sizeOf(wal)
      if (frames === 0 || trusted >= WAL_HEADER_BYTES + frames * frameBytes) return
    }
    const found = trusted
    trusted = -1
    const { frames, frameBytes } = extentNow()
    throw new LogCorrupt({
      log: filename,
      position: null,
      reason:
        `${path.basename(wal)} was cut short while the log was open: expected at least ` +
        `${WAL_HEADER_BYTES + frames * frameBytes} bytes, found ${found}. Nothing more is appended, so that what is left stays ` +
        "as it is; end every process that has the log open",
    })
  }
}

/** How often the length is looked at before it is believed to be too short. */
const LOOKS = 3

/** https://sqlite.org/fileformat2.html#the_write_ahead_log */
export const WAL_HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

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
