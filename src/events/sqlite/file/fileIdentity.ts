/** Detects that an open log's file, write-ahead log or shared memory was removed, replaced or cut short. */

import * as fs from "node:fs"
import * as path from "node:path"
import { LogCorrupt, LogUnavailable } from "../../log/EventLog.ts"

export interface KnownFiles {
  /** Inodes by suffix: `""`, `-wal`, `-shm`. Without files that did not exist yet. */
  readonly identities: Map<string, string>
  /** Modification time of the log's file at the last check that found all files in place. */
  modifiedAt: number | undefined
}

/**
 * Records the inode of each open file of a log. The returned function throws `LogUnavailable` if a path no longer leads
 * to its inode: in WAL mode, SQLite would keep using the unlinked file, so reads would be stale and appends lost. Call
 * it before every transaction. It returns the size of the log's file in bytes. It costs a `stat` of the directory and
 * one of the log's file (2 µs each); it checks the other files only if the directory may have changed.
 *
 * @param whole true if all files must exist now; otherwise missing ones are not watched
 * @param known knowledge of this process's other connections; files recorded there are not recorded again
 */
export const rememberIdentity = (
  filename: string,
  whole: boolean,
  known: KnownFiles = { identities: new Map(), modifiedAt: undefined },
): (() => number) => {
  const log = fs.realpathSync(filename)
  const directory = path.dirname(log)
  const files = FILES.flatMap(({ suffix, advice }) => {
    const file = log + suffix
    const identity = known.identities.get(suffix) ?? identityOf(file)
    if (identity === undefined && whole) throw fileChanged(filename, file, true, advice)
    if (identity === undefined) return []
    known.identities.set(suffix, identity)
    return [{ file, identity, advice }]
  })
  let trusted: fs.Stats | undefined

  const checkFiles = (seen: fs.Stats | undefined) => {
    if (seen !== undefined && trusted !== undefined && isUnchanged(trusted, seen)) return
    for (const { file, identity, advice } of files) {
      const found = identityOf(file)
      if (found !== identity) throw fileChanged(filename, file, found === undefined, advice)
    }
    trusted = seen !== undefined && Date.now() - seen.ctimeMs > CLOCK_STEP_MS ? seen : undefined
  }

  return () => {
    checkFiles(fs.statSync(directory, { throwIfNoEntry: false }))
    const found = fs.statSync(log, { throwIfNoEntry: false })
    known.modifiedAt = found?.mtimeMs
    return found?.size ?? 0
  }
}

/** In milliseconds since 1970; undefined without a file. */
export const modifiedAt = (file: string): number | undefined => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs

/**
 * The file behind symbolic links, whether it exists or not. SQLite keeps a log's other files next to it rather than
 * next to the link, and so does Hindcast.
 */
export const targetOf = (filename: string): string => resolveLinks(filename).target

export const resolveLinks = (filename: string): { readonly links: ReadonlyArray<string>; readonly target: string } => {
  const links: Array<string> = []
  let file = filename
  while (links.length < MAX_LINKS && isLink(file)) {
    links.push(file)
    file = path.resolve(fs.realpathSync(path.dirname(file)), fs.readlinkSync(file))
  }
  return { links, target: file }
}

/** Linux reports a loop after this many links. */
const MAX_LINKS = 40

const isLink = (file: string): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true

/** The valid frames of the write-ahead log, and the size of one, as SQLite reports them. */
export interface FileLength {
  readonly frames: number
  readonly frameBytes: number
}

/**
 * Returns a function that throws `LogCorrupt` if the write-ahead log is shorter than its valid frames.
 *
 * SQLite does not check this: it would write the next frame behind the gap, acknowledge it, and write the gap's zeros
 * back to the log's file, which also destroys intact pages. Call it before every transaction. It costs one `stat` (2
 * µs), and a question to SQLite (3 µs) if the size has changed.
 */
export const rememberLength = (filename: string, lengthNow: () => FileLength): (() => void) => {
  const wal = `${fs.realpathSync(filename)}-wal`
  let trusted = -1

  return () => {
    if (sizeOf(wal) === trusted) return
    // Another process may truncate written-back frames between the two calls.
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { frames, frameBytes } = lengthNow()
      trusted = sizeOf(wal)
      if (frames === 0 || trusted >= WAL_HEADER_BYTES + frames * frameBytes) return
    }
    const found = trusted
    trusted = -1
    const { frames, frameBytes } = lengthNow()
    throw new LogCorrupt({
      log: filename,
      position: null,
      reason:
        `${path.basename(wal)} was cut short while the log was open: expected at least ` +
        `${WAL_HEADER_BYTES + frames * frameBytes} bytes, found ${found}. Nothing more is appended, to preserve the rest; ` +
        "end every process that has the log open",
    })
  }
}

const MAX_ATTEMPTS = 3

/** https://sqlite.org/fileformat2.html#the_write_ahead_log */
export const WAL_HEADER_BYTES = 32
export const FRAME_HEADER_BYTES = 24

/** In bytes; 0 without a file. */
export const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

const isUnchanged = (before: fs.Stats, now: fs.Stats): boolean =>
  before.ctimeMs === now.ctimeMs && before.ino === now.ino && before.dev === now.dev

/** On any file system, changes of a directory further apart than this have different change times. */
const CLOCK_STEP_MS = 2000

/** The files of a log that SQLite has open in WAL mode, and advice for a missing one. */
const FILES = [
  { suffix: "", advice: "Put it back, or restore a copy, and open the log again" },
  {
    suffix: "-wal",
    advice:
      "It held acknowledged events. Open the log in no other process. Let every process that has the log open exit by itself, not by " +
      "SIGKILL: the last one writes these events into the log",
  },
  {
    suffix: "-shm",
    advice:
      "Without it, processes do not see one another's events: end this one first, then all others, and open the log again",
  },
] as const

export const identityOf = (file: string): string | undefined => {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

const fileChanged = (log: string, file: string, missing: boolean, advice: string): LogUnavailable =>
  new LogUnavailable({
    log,
    reason:
      `${path.basename(file)} was ${missing ? "removed or moved" : "replaced by another file"} while the log was open. ` +
      `Nothing more is appended or read until it is back. ${advice}.`,
  })
