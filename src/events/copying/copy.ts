/** Copies a log from a file to a PostgreSQL server, or back, exactly: positions, ids, times, bytes and hashes. */

import * as path from "node:path"
import { Context, Effect, Layer, Schema } from "effect"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as Options from "../../values/Options.ts"
import { EventLog, LogUnavailable, type OpenError } from "../log/EventLog.ts"
import { provenanceOf } from "../log/Ownership.ts"
import * as ServerUrl from "../log/ServerUrl.ts"
import { NotCopied } from "../maintenance/Backup.ts"
import { flawOf } from "../maintenance/StoredRows.ts"
import * as PostgresImport from "../postgres/import.ts"
import * as Postgres from "../postgres/layer.ts"
import { Records, type StoredEvent } from "../read/Records.ts"
import * as SqliteImport from "../sqlite/importSink.ts"
import * as Sqlite from "../sqlite/SqliteEventLog.ts"
import type { Head } from "../vocabulary/Event.ts"

/** Options of `copyLog`. */
export interface LogCopyOptions {
  /** The file or URL of an existing log. */
  readonly from: string
  /** The file or URL of a log that does not exist, or that an earlier copy of the same log left unfinished. */
  readonly to: string
  /** Copies the keys of personal data too. Anyone who has them can read the personal fields. Default: false. */
  readonly withKeys?: boolean
  /** Called after each page with the number of events in the copy, and in the source. */
  readonly onEvents?: (copied: number, of: number) => Effect.Effect<void>
}

/** Schema of `LogCopyOptions`. */
export const LogCopyOptions = Options.of<LogCopyOptions>({
  required: { from: Options.Path, to: Options.Path },
  optional: { withKeys: Schema.Boolean, onEvents: Options.callable<NonNullable<LogCopyOptions["onEvents"]>>() },
})

/** The result of a copy. */
export interface LogCopied {
  readonly from: string
  readonly to: string
  /** The head of both: that of the source when the copy began. */
  readonly head: Head
  /** Events that this call copied. An earlier one may have copied the first. */
  readonly copied: number
  /** Copied keys of personal data. */
  readonly keys: number
  /** Whether the source is this user's own log, and so the copy. */
  readonly own: boolean
}

/** Errors of `copyLog`. */
export type LogCopyError = Options.InvalidOptions | NotCopied | OpenError

/**
 * Copies a log's events up to its head at the start, and verifies the whole copy. It checks each event against the
 * chain before it writes it. If it is interrupted, the copy is a log that ends earlier, and another call continues it.
 *
 * A copy of a log that is this user's own is this user's own too. If it cannot be recorded so, it is foreign.
 *
 * Without `withKeys`, personal fields in the copy read as replacements.
 */
export const copyLog = (options: LogCopyOptions): Effect.Effect<LogCopied, LogCopyError> => copying(options, true)

/** Like `copyLog`, for a copy that gets its name later: it records nowhere whose the copy is. */
export const copyUnnamed = (options: LogCopyOptions): Effect.Effect<LogCopied, LogCopyError> => copying(options, false)

const copying = (options: LogCopyOptions, named: boolean): Effect.Effect<LogCopied, LogCopyError> =>
  Effect.gen(function* () {
    const {
      from,
      to,
      withKeys = false,
      onEvents = () => Effect.void,
    } = yield* Options.decode("copyLog", LogCopyOptions, options)
    const names = { log: shown(from), to: shown(to) }
    const refuse = (expected: string, found: string, advice?: string) =>
      new NotCopied({ ...names, expected, found, ...(advice === undefined ? {} : { advice }) })
    if (names.log === names.to) return yield* refuse("two logs", "the same one twice")
    const source = yield* Layer.build(layerOf(from))
    const [log, records] = [Context.get(source, EventLog), Context.get(source, Records)]
    const end = yield* log.head
    const isOwn = (yield* provenanceOf(log)).kind === "own"
    const sink = yield* sinkOf(to)
    let head = yield* sink.head
    if (!(yield* isPart(records, head)))
      return yield* refuse(
        "a log that does not exist, or a part of the same one",
        `one with other events, up to @${head.position}`,
        "Copy to another file or schema.",
      )
    const start = head.position
    // The events of a stranger must not become this user's own by joining a log that is.
    if (!isOwn && start > 0 && start < end.position && (yield* isOwnLog(to)))
      return yield* refuse(
        "a log of your own, because the copy is one",
        "a foreign one",
        "If you trust it, name it once with `--trust-log`, or copy to another file or schema.",
      )
    yield* records.stored({ after: head.position, until: end.position }, (page) =>
      Effect.gen(function* () {
        for (const part of partsOf(page)) {
          let next = head
          for (const event of part) {
            const flaw = flawOf(next, event)
            if (flaw !== undefined)
              return yield* refuse("an intact log", flaw, "`hindcast log verify` tells what is damaged.")
            next = { position: event.link.position, hash: event.hash }
          }
          // First, so that an interrupted copy keeps no key whose destruction it has.
          const shredded = shreddedIn(part)
          if (shredded.length > 0) yield* sink.destroyKeys(shredded)
          yield* sink.write(head, part)
          head = next
          yield* onEvents(head.position, end.position)
        }
      }),
    )
    const keys = withKeys ? yield* keysOf(from) : []
    if (keys.length > 0) yield* sink.addKeys(keys)
    const copy = Context.get(yield* Layer.build(layerOf(to)), EventLog)
    const verified = yield* copy.verifyWith({ anchor: end })
    if (verified._tag === "Tampered") return yield* refuse("an intact copy", verified.reason)
    // With the same head, both have the same events. Approvals from before the copy do not count in it.
    if (isOwn && named && copy.ownership !== undefined)
      yield* Effect.catchTag(copy.ownership.trust(end, "copy"), "StoreUnusable", ({ message }) =>
        ProgramLog.warning(`${names.to} counts as foreign: that it is your own cannot be recorded`, message),
      )
    const copied = Math.max(0, end.position - start)
    return { from: names.log, to: names.to, head: end, copied, keys: keys.length, own: isOwn }
  }).pipe(
    Effect.scoped,
    // The events so far stay, and the next call continues the copy.
    Effect.catchTag(
      "DiskFull",
      ({ log }) => new LogUnavailable({ log, reason: "the disk is full; make room, and copy again to continue" }),
    ),
  )

const shown = (log: string): string => (ServerUrl.isAddress(log) ? ServerUrl.shown(log) : path.resolve(log))

const layerOf = (log: string) =>
  ServerUrl.isAddress(log)
    ? Postgres.layer({ url: log, readonly: true })
    : Sqlite.layer({ filename: path.resolve(log), readonly: true })

const isOwnLog = (log: string) =>
  Effect.scoped(
    Effect.flatMap(Layer.build(layerOf(log)), (services) =>
      Effect.map(provenanceOf(Context.get(services, EventLog)), ({ kind }) => kind === "own"),
    ),
  )

const sinkOf = (log: string) =>
  ServerUrl.isAddress(log) ? PostgresImport.sink(log) : SqliteImport.sink(path.resolve(log))

const keysOf = (log: string) =>
  ServerUrl.isAddress(log) ? PostgresImport.keysOf(log) : SqliteImport.keysOf(path.resolve(log))

/** Whether the source has the event at a head. */
const isPart = (records: Records.Service, { position, hash }: Head) =>
  Effect.gen(function* () {
    // Every log begins with no events.
    if (position === 0) return true
    let isThere = false
    yield* records.stored({ after: position - 1, until: position }, (page) =>
      Effect.sync(() => {
        isThere ||= page.some((event) => event.link.position === position && event.hash === hash)
      }),
    )
    return isThere
  })

/** The keys whose destruction these events record. */
const shreddedIn = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> =>
  events.flatMap(({ link: { type, stream } }) =>
    type === "PayloadShredded" && stream.startsWith(KEY_STREAM) ? [stream.slice(KEY_STREAM.length)] : [],
  )

const KEY_STREAM = "key/"

/** In characters, so that a page of large payloads fits into a statement. */
const MAX_PART = 16 * 1024 * 1024

const partsOf = (page: ReadonlyArray<StoredEvent>): ReadonlyArray<ReadonlyArray<StoredEvent>> => {
  const parts: Array<Array<StoredEvent>> = []
  let size = MAX_PART
  for (const event of page) {
    const own = event.stored.length + (event.blob?.length ?? 0)
    size += own
    if (size > MAX_PART) {
      parts.push([])
      size = own
    }
    parts.at(-1)?.push(event)
  }
  return parts
}
