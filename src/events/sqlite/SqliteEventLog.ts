import { Context, Effect, Layer, Option, PubSub } from "effect"
import { EventLog, LogUnavailable, type OpenError } from "../EventLog.ts"
import { follow } from "../Follow.ts"
import { Lease } from "../Lease.ts"
import * as Pages from "../Pages.ts"
import * as Vocabulary from "../Vocabulary.ts"
import * as Writer from "../Writer.ts"
import * as append from "./append.ts"
import * as connections from "./connection.ts"
import * as lease from "./lease.ts"
import * as Names from "./names.ts"
import { bytesOf, COLUMNS, eventsOf, readPage } from "./read.ts"
import { verify } from "./verify.ts"

/** How a log in an SQLite file is opened. */
export interface SqliteOptions {
  /** The file. It is created where it does not exist, with its directory, unless `readonly`. */
  readonly filename: string
  /**
   * `normal` (default): an acknowledged event survives the death of the process, not always a power cut.
   * `full`: it survives a power cut too, for one disk flush per commit. Dispatches of commands and confirmations are
   * flushed either way.
   */
  readonly durability?: "normal" | "full"
  /** Opens for reading only: nothing is created or changed, and appends fail. */
  readonly readonly?: boolean
  /** Event types that appends are checked by. Default: Hindcast's own. */
  readonly vocabulary?: Vocabulary.Vocabulary
}

/** How soon an event that another process appended is seen by `follow`. */
const POLL_EVERY = "50 millis"

/**
 * A log in one SQLite file: one connection that writes, one that only reads. Provides the log and the lease by which one
 * kernel at a time acts on it.
 */
export const layer = (options: SqliteOptions): Layer.Layer<EventLog | Lease, OpenError> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { filename } = options
      const committed = yield* PubSub.sliding<void>(1)
      const writing = options.readonly === true ? refuseWrites(filename) : yield* openForWriting(options, committed)
      const reader = yield* connections.openReader(filename)
      const names = yield* Names.make(reader)
      const page = readPage(reader, names)
      const head = append.readHead(reader)

      const log = EventLog.of({
        name: filename,
        append: writing.append,
        read: (query = {}) => Pages.stream(page, query),
        readPage: page,
        find: (id) =>
          Names.readable(reader.rows(`SELECT ${COLUMNS} FROM events WHERE id = ?`, [bytesOf(id)])).pipe(
            Effect.flatMap((rows) => eventsOf(reader, names, rows)),
            Effect.map(([event]) => Option.fromNullable(event)),
          ),
        head,
        follow: (query = {}) => follow({ head, readPage: page, committed, pollEvery: POLL_EVERY }, query),
        verify: verify(reader),
      })
      return Context.make(EventLog, log).pipe(Context.add(Lease, writing.lease))
    }),
  )

const openForWriting = (options: SqliteOptions, committed: PubSub.PubSub<void>) =>
  Effect.gen(function* () {
    const durability = options.durability ?? "normal"
    const writer = yield* connections.openWriter(options.filename, durability)
    const names = yield* Names.make(writer)
    const commit = yield* append.make(writer, names, durability)
    return {
      append: yield* Writer.make(options.filename, options.vocabulary ?? Vocabulary.core, (requests) =>
        Effect.zipLeft(commit(requests), PubSub.publish(committed, undefined)),
      ),
      lease: lease.make(writer),
    }
  })

const refuseWrites = (filename: string) => {
  const refusal = new LogUnavailable({ log: filename, reason: "it was opened for reading only" })
  return { append: () => Effect.fail(refusal), lease: Lease.of({ acquire: () => Effect.fail(refusal) }) }
}
