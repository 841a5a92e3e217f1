/** Copies a log with everything that belongs to it, even while a kernel writes: for `log backup` and `log restore`. */

import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import * as AtomicFile from "../../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../../platform/OwnerOnly.ts"
import * as Options from "../../../values/Options.ts"
import { EventLog } from "../../log/EventLog.ts"
import { Lease } from "../../log/Lease.ts"
import { type Copied, type CopyError, CopyOptions, NotCopied, type OnPages } from "../../maintenance/Backup.ts"
import { driver } from "../driver/choice.ts"
import type { Connection } from "../driver/Driver.ts"
import * as Database from "../file/database.ts"
import { targetOf } from "../file/fileIdentity.ts"
import * as openDatabase from "../file/openDatabase.ts"
import { assertRegular } from "../file/regularFiles.ts"
import * as BackupRecord from "../ownership/BackupRecord.ts"
import * as SqliteEventLog from "../SqliteEventLog.ts"
import * as Segments from "./Segments.ts"

/** See `backup` of `wholeFile`. */
export const backup = (given: CopyOptions): Effect.Effect<Copied, CopyError> =>
  Effect.flatMap(Options.decode("backup", CopyOptions, given), (options) => copy(options, []))

/** See `restore` of `wholeFile`. */
export const restore = (given: CopyOptions): Effect.Effect<Copied, CopyError> =>
  Effect.gen(function* () {
    const options = yield* Options.decode("restore", CopyOptions, given)
    yield* verified(options, options.from)
    const copied = yield* copy(options, KEPT)
    return { ...copied, own: yield* BackupRecord.adopt(copied.file, copied.head) }
  })

/** @param kept suffixes of files that stay at the target if nothing is copied in their place */
const copy = (options: CopyOptions, kept: ReadonlyArray<string>): Effect.Effect<Copied, CopyError> =>
  Effect.gen(function* () {
    const { from, withKeys = false } = options
    const source = targetOf(path.resolve(from))
    if (targetOf(path.resolve(options.to)) === source)
      return yield* new NotCopied({
        log: from,
        to: source,
        expected: "another name than the log's own",
        found: "the log's own",
      })
    const keys = withKeys && fs.existsSync(`${source}.keys`)
    const plugins = fs.existsSync(`${source}.plugins`)
    const files = fs.existsSync(`${source}.files`)
    return yield* placed(options, { keys, plugins, files, kept }, (partial, attempted) =>
      Effect.gen(function* () {
        const { segments, head, source: owned } = yield* copyFile(options, partial)
        yield* attempted(() => {
          if (segments.length > 0) OwnerOnly.makeDirectory(`${partial}.segments`)
          for (const name of segments) copyOne(Segments.fileOf(from, name), path.join(`${partial}.segments`, name))
          if (plugins) copyPlugins(`${source}.plugins`, `${partial}.plugins`)
        })
        if (keys) yield* copyDatabase(`${source}.keys`, `${partial}.keys`)
        // After the events: contents are stored before the events that name them.
        if (files) yield* copyDatabase(`${source}.files`, `${partial}.files`)
        const found = yield* verified(options, partial)
        if (found.head.position < head.position) {
          const [expected, late] = [`a head at @${head.position} or later`, `@${found.head.position}`]
          return yield* new NotCopied({ log: from, to: options.to, expected, found: late })
        }
        yield* BackupRecord.keep(owned, found.head)
        return { head: found.head, events: found.events, segments }
      }),
    )
  })

/** The parts of a copy besides its events. */
interface CopiedParts {
  readonly keys: boolean
  readonly plugins: boolean
  readonly files: boolean
  /** Suffixes of files that stay at the target if nothing is copied in their place. */
  readonly kept: ReadonlyArray<string>
}

/** Runs an operation on files, and names the target in its errors. */
type Attempted = <A>(run: () => A) => Effect.Effect<A, CopyError>

/**
 * Gives a copy its name once it is complete: `fill` writes the log and what belongs to it under a temporary name, and
 * verifies it. Refuses existing files without `replace`, and to replace a log in use.
 */
export const placed = (
  options: CopyOptions,
  { keys, plugins, files, kept }: CopiedParts,
  fill: (
    partial: string,
    attempted: Attempted,
  ) => Effect.Effect<Pick<Copied, "head" | "events" | "segments">, CopyError>,
): Effect.Effect<Copied, CopyError> =>
  Effect.gen(function* () {
    const { from, replace = false } = options
    const to = targetOf(path.resolve(options.to))
    const refuse = (expected: string, found: string) => new NotCopied({ log: from, to, expected, found })
    const copied = new Set([
      ".segments",
      ...(keys ? [".keys"] : []),
      ...(plugins ? [".plugins"] : []),
      ...(files ? CONTENTS : []),
    ])
    const replaced = SIBLINGS.filter((suffix) => copied.has(suffix) || !kept.includes(suffix))
    const present = [...PARTS, ...replaced].map((suffix) => to + suffix).find((file) => fs.existsSync(file))
    if (present !== undefined && !replace) {
      const advice = "To replace it, pass `--replace` (in a program, `replace: true`)."
      return yield* new NotCopied({ log: from, to, expected: "no file of that name yet", found: present, advice })
    }
    if (fs.statSync(to, { throwIfNoEntry: false })?.isDirectory())
      return yield* refuse("the name of a file", "a directory")
    if (!fs.existsSync(path.dirname(to))) return yield* refuse("a directory that exists", path.dirname(to))
    const partial = AtomicFile.nameFor(to)
    const attempted: Attempted = (run) =>
      Effect.catchTag(Database.attempt(to, run), "DiskFull", () => Database.diskFullError(to))
    return yield* Effect.gen(function* () {
      AtomicFile.removeAbandonedFile(to)
      const { head, events, segments } = yield* fill(partial, attempted)
      const bytes = fs.statSync(partial).size
      const hasKeys = keys && fs.existsSync(`${partial}.keys`)
      if (replace && fs.existsSync(to)) yield* assertUnused(options, to)
      yield* attempted(() => put(partial, to, replaced))
      return { file: to, head, events, bytes, segments, plugins, keys: hasKeys, files, own: false }
      // The next copy removes what could not be removed.
    }).pipe(Effect.ensuring(Effect.ignore(Effect.try(() => removeAll(partial)))))
  })

const PARTS = ["", "-wal", "-journal"]

/** The contents of recorded files, with the parts of a file in use: a new one must not meet those of another. */
const CONTENTS = [".files", ".files-wal", ".files-shm"]

const SIBLINGS = [".segments", ".plugins", ".keys", ...CONTENTS]

/** Kept by a restore if the backup has none. */
const KEPT = [".plugins", ".keys", ...CONTENTS]

/** Copies the file as of one moment. Returns its head and segments. */
const copyFile = ({ from, onPages }: CopyOptions, partial: string) =>
  Effect.gen(function* () {
    yield* openDatabase.check(from)
    const look = yield* BackupRecord.sourceOf(from)
    const found = yield* copyDatabase(from, partial, onPages, (connection) => ({
      segments: connection
        .prepare("SELECT file FROM segments ORDER BY first")
        .rows([])
        .map(([name]) => String(name)),
      head: { position: Number(connection.prepare(HEAD).rows([])[0]?.[0]) },
      source: look(),
    }))
    // No other process has the copy yet.
    const own = yield* Database.open(partial, { readonly: false })
    for (const table of ["lease", "heartbeats"]) {
      if (own.rows("SELECT 1 FROM sqlite_schema WHERE name = ?", [table]).length > 0) own.run(`DELETE FROM ${table}`)
    }
    own.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return found
  }).pipe(Effect.scoped, openDatabase.mapDiskFull(from))

const HEAD =
  "SELECT max(coalesce((SELECT max(position) FROM events), 0), coalesce((SELECT max(last) FROM segments), 0))"

/** Copies an SQLite file, and returns what `look` reads at the same moment. */
const copyDatabase = <A = undefined>(
  from: string,
  to: string,
  onPages: OnPages = () => {},
  look?: (connection: Connection) => A,
) =>
  Effect.acquireUseRelease(
    Database.attempt(from, () => {
      assertRegular(from)
      return driver().open(from, { readonly: true, busyTimeoutMs: Database.BUSY_TIMEOUT_MS })
    }),
    (connection) =>
      Effect.gen(function* () {
        const found = yield* Database.attempt(from, () => {
          OwnerOnly.makeFile(to)
          // A read transaction pins one moment; without it, SQLite starts over after each foreign commit.
          connection.script("BEGIN")
          connection.prepare("SELECT 1 FROM sqlite_schema").rows([])
          return look?.(connection) as A
        })
        yield* Effect.tryPromise({
          try: () => connection.backup(to, onPages),
          catch: (cause) => Database.statementError(to, cause),
        })
        yield* Database.attempt(to, () => flush(to))
        return found
      }),
    (connection) => Effect.sync(() => connection.close()),
  ).pipe(openDatabase.mapDiskFull(to))

/** The head and the number of events of an intact log. Fails for any other. */
export const verified = ({ from, to }: Pick<CopyOptions, "from" | "to">, file: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const found = yield* log.verify
    if (found._tag === "Intact") return found
    return yield* new NotCopied({ log: from, to, expected: `an intact log in ${file}`, found: found.reason })
  }).pipe(
    Effect.provide(SqliteEventLog.layer({ filename: file, readonly: true })),
    Effect.catchTag("InvalidOptions", Effect.die),
  )

const assertUnused = ({ from }: CopyOptions, to: string) =>
  Effect.gen(function* () {
    const damaged = yield* Effect.scoped(Effect.flatMap(Lease, (lease) => lease.acquire("hindcast log restore"))).pipe(
      Effect.provide(SqliteEventLog.layer({ filename: to })),
      Effect.catchTag("InvalidOptions", Effect.die),
      Effect.as(false),
      // No kernel appends to a damaged log, and backups are there to replace one.
      Effect.catchTags({ LogCorrupt: () => Effect.succeed(true), LogFormatUnsupported: () => Effect.succeed(true) }),
    )
    if (damaged) return
    // The last process to close a log removes these.
    const open = ["-wal", "-shm"].map((suffix) => to + suffix).find((file) => fs.existsSync(file))
    if (open !== undefined) {
      const expected = "no process that has the log to be replaced open"
      return yield* new NotCopied({ log: from, to, expected, found: path.basename(open) })
    }
  })

/**
 * Renames the copy; the file that makes it a log comes last. Existing files move aside first, as `….replaced-…`, and
 * are removed in the end. There the log's file goes first: without its write-ahead log or segments, it would pass for
 * another log.
 *
 * @param replaced suffixes of the siblings to replace; others stay
 */
const put = (partial: string, to: string, replaced: ReadonlyArray<string>): void => {
  // Not a temporary name, which the next copy would remove: if this process dies now, nothing else is left of the log.
  const aside = `${to}.replaced-${crypto.randomBytes(4).toString("hex")}`
  const suffixes = ["", "-wal", "-shm", "-journal", ...replaced]
  for (const suffix of suffixes) if (fs.existsSync(to + suffix)) fs.renameSync(to + suffix, aside + suffix)
  try {
    // The key seals snapshots of the replaced log, and the index of memories is built again.
    for (const suffix of [".snapshot-key", ".memories", ".memories-wal", ".memories-shm"])
      fs.rmSync(to + suffix, { force: true })
    for (const suffix of replaced) if (fs.existsSync(partial + suffix)) fs.renameSync(partial + suffix, to + suffix)
    AtomicFile.moveNew(partial, to)
  } catch (cause) {
    for (const suffix of suffixes.toReversed()) {
      if (!fs.existsSync(aside + suffix)) continue
      fs.rmSync(to + suffix, { recursive: true, force: true })
      fs.renameSync(aside + suffix, to + suffix)
    }
    throw cause
  }
  removeAll(aside)
  flushDirectory(path.dirname(to))
}

const copyOne = (from: string, to: string): void => {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL)
  fs.chmodSync(to, OwnerOnly.FILE_MODE)
  flush(to)
}

/** Copies plugins by digest. Deno rebuilds its caches. */
const copyPlugins = (from: string, to: string): void => {
  OwnerOnly.makeDirectory(to)
  for (const name of fs.readdirSync(from)) {
    if (name.endsWith(".deno") || name.endsWith(".partial")) continue
    fs.cpSync(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true })
  }
}

/** Makes a file durable. */
export const flush = (file: string): void => {
  const opened = fs.openSync(file, "r+")
  try {
    fs.fsyncSync(opened)
  } finally {
    fs.closeSync(opened)
  }
}

const flushDirectory = (directory: string): void => {
  if (process.platform === "win32") return
  const opened = fs.openSync(directory, "r")
  try {
    fs.fsyncSync(opened)
  } finally {
    fs.closeSync(opened)
  }
}

const removeAll = (file: string): void => {
  for (const suffix of [...PARTS, "-shm", ...SIBLINGS, ".snapshot-key"])
    fs.rmSync(file + suffix, { recursive: true, force: true })
}
