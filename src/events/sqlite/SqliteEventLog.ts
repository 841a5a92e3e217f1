import { Context, Effect, Layer, Option } from "effect"
import * as Commits from "../Commits.ts"
import { EventLog, LogUnavailable, type OpenError, type Query } from "../EventLog.ts"
import { follow } from "../Follow.ts"
import { Lease } from "../Lease.ts"
import * as Pages from "../Pages.ts"
import { readingOf, Snapshots } from "../Snapshots.ts"
import * as Upcaster from "../Upcaster.ts"
import * as Vocabulary from "../Vocabulary.ts"
import * as Writer from "../Writer.ts"
import * as append from "./append.ts"
import * as Control from "./control.ts"
import * as Database from "./database.ts"
import * as lease from "./lease.ts"
import * as Names from "./names.ts"
import { findEvent, readHead, readPage } from "./read.ts"
import * as snapshots from "./snapshots.ts"
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
 * A log in one SQLite file: one connection that writes, one that only reads so that a long read never waits behind a
 * write, and some for the rest. Provides the log, the lease by which one kernel at a time acts on it, and snapshots.
 */
export const layer = (options: SqliteOptions): Layer.Layer<EventLog | Lease | Snapshots, OpenError> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { filename, vocabulary = Vocabulary.core } = options
      const upcast = Upcaster.chain(vocabulary.types, vocabulary.upcasters)
      const commits = Commits.make()
      const writing =
        options.readonly === true ? yield* refuseWrites(filename) : yield* openForWriting(options, upcast, commits)
      const database = yield* Database.open(filename, { readonly: true })
      const reading = <A>(read: () => A) => Database.attemptRead(filename, read)
      const names = yield* reading(() => Names.make(database))
      const reader = { database, names, upcast }
      const head = reading(() => readHead(database))
      const page = (query: Query, limit: number) => reading(() => readPage(reader, query, limit))

      const log = EventLog.of({
        name: filename,
        append: writing.append,
        read: (query = {}) => Pages.stream(page, query),
        readPage: page,
        find: (id) => reading(() => Option.fromNullable(findEvent(reader, id))),
        head,
        follow: (query = {}) => follow({ head, readPage: page, commits, pollEvery: POLL_EVERY }, query),
        verify: verify(database),
        verifyWith: (options) => verify(database, options),
      })
      const versions = readingOf(vocabulary)
      const cache = yield* options.readonly === true
        ? Effect.succeed(snapshots.makeReadonly(database, versions))
        : snapshots.make(database, versions)
      return Context.make(EventLog, log).pipe(Context.add(Lease, writing.lease), Context.add(Snapshots, cache))
    }).pipe(Control.typed(options.filename)),
  )

const openForWriting = (options: SqliteOptions, upcast: Upcaster.Upcast, commits: Commits.Commits) =>
  Effect.gen(function* () {
    const { filename, durability = "normal", vocabulary = Vocabulary.core } = options
    const control = yield* Control.open(filename)
    const writer = yield* Database.open(filename, { readonly: false })
    const commit = yield* Database.attempt(filename, () => {
      writer.run(`PRAGMA synchronous = ${durability}`)
      return append.make({ database: writer, names: Names.make(writer), upcast }, durability)
    })
    const commitAndTell: Writer.Commit = (requests) => {
      const answers = commit(requests)
      commits.announce()
      return answers
    }
    return { append: yield* Writer.make(filename, vocabulary, commitAndTell), lease: lease.make(control) }
  })

const refuseWrites = (filename: string) => {
  const refusal = new LogUnavailable({ log: filename, reason: "it was opened for reading only" })
  return Effect.as(Control.check(filename), {
    append: () => Effect.fail(refusal),
    lease: Lease.of({ acquire: () => Effect.fail(refusal) }),
  })
}
