/** The event log in one SQLite file: opens connections, and builds the log's services on them. */

import { Context, Effect, Either, Layer, Option, Schema, Scope, Stream } from "effect"
import { machine } from "../../platform/user/Machine.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import * as AppendValidation from "../append/AppendValidation.ts"
import * as Writer from "../append/Writer.ts"
import { type AppendRequest, EventLog, LogUnavailable, MAIN, ON_MAIN, type OpenError } from "../log/EventLog.ts"
import { Lease } from "../log/Lease.ts"
import type { LogFile } from "../log/LogFile.ts"
import { LogFileName } from "../log/LogFileName.ts"
import { Presence } from "../log/Presence.ts"
import { Snapshots, upcastVersionsOf } from "../log/Snapshots.ts"
import { VerifyOptions } from "../log/Verification.ts"
import { Archive } from "../maintenance/Archive.ts"
import { Bundles } from "../maintenance/Bundles.ts"
import * as MemoryLease from "../memory/MemoryLease.ts"
import * as Disclosure from "../payload/Disclosure.ts"
import * as PersonalDataOf from "../payload/PersonalData.ts"
import { PersonalData } from "../payload/PersonalData.ts"
import * as PersonalDataKeys from "../payload/PersonalDataKeys.ts"
import * as TaskSubjects from "../payload/TaskSubjects.ts"
import * as ExpandedReads from "../read/ExpandedReads.ts"
import { follow } from "../read/Follow.ts"
import * as Pages from "../read/Pages.ts"
import { Records } from "../read/Records.ts"
import { isEventId } from "../vocabulary/Event.ts"
import * as Upcaster from "../vocabulary/Upcaster.ts"
import * as Vocabulary from "../vocabulary/Vocabulary.ts"
import * as appending from "./append.ts"
import type * as archiving from "./archive/archiveEvents.ts"
import type * as bundling from "./archive/bundle.ts"
import * as Segments from "./archive/Segments.ts"
import { IN_MEMORY } from "./driver/Driver.ts"
import * as Checkpoint from "./file/checkpoint.ts"
import * as ClosingOrder from "./file/closingOrder.ts"
import * as Database from "./file/database.ts"
import { identityOf, targetOf } from "./file/fileIdentity.ts"
import * as Flush from "./file/flush.ts"
import * as openDatabase from "./file/openDatabase.ts"
import { CACHE_TABLES, LOG_TABLES } from "./file/schema.ts"
import * as Follower from "./follower.ts"
import type { Stores } from "./integrity/checks/Check.ts"
import * as keyFile from "./keys/keyFile.ts"
import * as SnapshotKey from "./keys/snapshotKey.ts"
import * as lease from "./lease.ts"
import * as ownership from "./ownership/ownership.ts"
import * as presence from "./presence/presence.ts"
import { findEvent, readHead, readPage } from "./read.ts"
import * as records from "./records.ts"
import * as snapshots from "./snapshots.ts"
import * as Names from "./stringInterning.ts"

/** Options of a log in an SQLite file. */
export interface SqliteOptions {
  /**
   * The file. Unless `readonly`, it and its directory are created. `:memory:` is a log in memory, which ends with the
   * layer.
   */
  readonly filename: string
  /**
   * `normal` (default): an acknowledged event survives the death of the process, but not every power failure. `full`:
   * it survives that too, for one disk flush per commit. Dispatches of commands and confirmations are always flushed.
   */
  readonly durability?: "normal" | "full"
  /** Opens for reading only: creates and changes nothing, and appends fail. */
  readonly readonly?: boolean
  /**
   * Decrypts personal data with the keys in `<file>.keys`. With `false`, events and states read as if the keys were
   * missing. Default: true.
   */
  readonly personal?: boolean
  /** Event types that appends are validated against. Default: Hindcast's own. */
  readonly vocabulary?: Vocabulary.Vocabulary
}

/** Schema of `SqliteOptions`. */
export const SqliteOptions = Options.of<SqliteOptions>({
  required: { filename: LogFileName },
  optional: {
    durability: Schema.Literal("normal", "full"),
    readonly: Schema.Boolean,
    personal: Schema.Boolean,
    vocabulary: Vocabulary.Vocabulary,
  },
})

/**
 * Opens a log in one SQLite file. One connection writes, another only reads, so that long reads never wait for writes,
 * and a few do other work. Provides the log, the lease, presence, snapshots (key in `<file>.snapshot-key`) and personal
 * data (keys in `<file>.keys`).
 */
export const layer = (
  options: SqliteOptions,
): Layer.Layer<
  EventLog | Archive | Bundles | Lease | Presence | Records | Snapshots | PersonalData,
  Options.InvalidOptions | OpenError
> => Layer.unwrapEffect(Effect.map(Options.decode("layerSqlite", SqliteOptions, options), opened))

const opened = (options: SqliteOptions) =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { filename, vocabulary = Vocabulary.core, readonly = false, personal = true } = options
      const inMemory = filename === IN_MEMORY
      const upcast = Upcaster.chain(vocabulary.types, vocabulary.upcasters)
      const reading = <A>(read: () => A) => Database.attemptRead(filename, read)
      const own = inMemory
        ? PersonalDataKeys.memory()
        : yield* keyFile.open(`${yield* reading(() => targetOf(filename))}.keys`, { readonly })
      const keys = Disclosure.keysFor(own, personal)
      const ownKey = inMemory ? SnapshotKey.inMemory() : SnapshotKey.inFile(filename)
      let announceClosed = () => {}
      // Runs last: finalizers run in reverse order.
      yield* Effect.addFinalizer(() => Effect.sync(() => announceClosed()))
      const { database, append, holding, writing, writer, cacheWriter, following } = yield* readonly
        ? openForReading(filename)
        : openForWriting(options, { upcast, keys: own })
      const names = yield* reading(() => Names.make(database))
      const segments = yield* Segments.make(database)
      const reader = { database, names, upcast, keys, segments }
      const follower = following ?? (yield* reading(() => Follower.make(reader, true)))
      yield* Effect.addFinalizer(() => Effect.sync(follower.end))
      announceClosed = follower.closed
      const { commits, mayHave } = follower
      const head = reading(follower.head)
      const expanded = ExpandedReads.make({
        name: filename,
        readPage: (query, limit) => reading(() => follower.page(query, limit) ?? readPage(reader, query, limit)),
      })
      const page = Pages.checked(expanded.readPage)
      const find = (id: string) => reading(() => Option.fromNullable(findEvent(reader, id)))

      const file: LogFile | undefined =
        inMemory || vocabulary !== Vocabulary.core
          ? undefined
          : { filename, identity: (yield* reading(() => identityOf(filename))) ?? "", personal }
      const stores = { database, segments, keys, ownKey, ...defined({ file }) }

      const log = EventLog.of({
        name: filename,
        ...defined({ file }),
        ...(inMemory ? {} : { ownership: ownership.make(filename, () => readHead(database)) }),
        ...ON_MAIN,
        append,
        read: (query) => Pages.stream(page, query ?? {}),
        readPage: page,
        find: (id) => (isEventId(id) ? find(id) : expanded.within(find, id)),
        versionOf: (stream, timeline = MAIN) => reading(() => appending.readVersion(database, names, timeline, stream)),
        head,
        follow: (query) => follow({ head, readPage: page, commits, mayHave }, query ?? {}),
        onCommit: follower.onCommit,
        mayHave: (query) => mayHave(ExpandedReads.widened(query)),
        verify: verifyLog(stores),
        verifyWith: (given) =>
          Effect.flatMap(Options.decode("verifyWith", VerifyOptions, given), (options) => verifyLog(stores, options)),
        verifyRange: (range) =>
          Stream.unwrap(Effect.map(verification, ({ verifyRange }) => verifyRange(stores, range))),
      })
      const stored = {
        reader: database,
        writer: cacheWriter,
        upcastVersions: upcastVersionsOf(vocabulary),
        keys,
        ownKey,
      }
      const cache = snapshots.make(stored)
      const attempt = <A>(run: () => A) => Database.attempt(own.name, run)
      const archived = {
        log,
        reader: database,
        writer: inMemory ? undefined : writer,
        segments,
        moved: follower.moved,
      }
      return Context.make(EventLog, log).pipe(
        Context.add(Archive, archiveOf(archived)),
        Context.add(Bundles, bundlesOf({ log, database, segments, vocabulary, upcast })),
        Context.add(Lease, { ...lease.reading(database), ...holding }),
        Context.add(Presence, { ...presence.reading(database), ...writing }),
        Context.add(Records, records.make(reader, vocabulary)),
        Context.add(Snapshots, cache),
        Context.add(
          PersonalData,
          PersonalDataOf.make({ log, keys: PersonalDataOf.storeOf(own, attempt), snapshots: cache }),
        ),
      )
    }).pipe(openDatabase.mapDiskFull(options.filename)),
  )

// Verifying, archiving and bundling are rare and as large as the rest, so they load on demand.

const verification = Effect.promise(() => import("./integrity/verify.ts"))

const verifyLog = (stores: Stores, options?: VerifyOptions) =>
  Effect.flatMap(verification, ({ verify }) => verify(stores, options))

const archiveOf = (stores: archiving.Stores) =>
  Archive.of({
    segments: Database.attempt(stores.log.name, () => stores.segments.list()),
    archive: (options) =>
      Effect.flatMap(
        Effect.promise(() => import("./archive/archiveEvents.ts")),
        ({ archive }) => archive(stores, options),
      ),
  })

const bundlesOf = (source: bundling.BundleSource) =>
  Bundles.of({
    bundle: (options) =>
      Effect.flatMap(
        Effect.promise(() => import("./archive/bundle.ts")),
        ({ bundle }) => bundle(source, options),
      ),
  })

interface WriteOptions {
  readonly upcast: Upcaster.Upcast
  readonly keys: PersonalDataKeys.Keys
}

const openForWriting = (options: SqliteOptions, { upcast, keys }: WriteOptions) =>
  Effect.gen(function* () {
    const { filename, durability = "normal", vocabulary = Vocabulary.core } = options
    const { writer, reader, cacheWriter, holding, writing, committed, flush } = yield* filename === IN_MEMORY
      ? openInMemory
      : openFile(filename)
    const segments = yield* Segments.make(writer)
    const seal = filename === IN_MEMORY ? undefined : yield* ownership.seal(filename, yield* machine)
    const { commit, subjects, following } = yield* Database.attempt(filename, () => {
      writer.run(`PRAGMA synchronous = ${durability}`)
      const reader = { database: writer, names: Names.make(writer), upcast, keys, segments }
      const following = Follower.make(reader, filename !== IN_MEMORY)
      return {
        following,
        commit: appending.make(reader, following.committed, undefined, seal),
        subjects: TaskSubjects.make((stream) => readPage(reader, { timeline: MAIN, stream }, 1)[0]),
      }
    })
    const commitAndNotify: Writer.Commit = (requests) => {
      const answers = commit(requests)
      following.announce()
      committed()
      return answers
    }
    const validateOnly = AppendValidation.make(vocabulary, keys, subjects)
    const validate = (request: AppendRequest) =>
      Either.flatMap(
        Database.attemptSync(keys.name, () => validateOnly(request)),
        (admitted) => admitted,
      )
    return {
      database: reader,
      writer,
      cacheWriter,
      following,
      // With `full`, SQLite flushes each commit.
      append: yield* Writer.make(filename, validate, commitAndNotify, durability === "full" ? undefined : flush),
      holding,
      writing,
    }
  })

const openFile = (filename: string) =>
  Effect.gen(function* () {
    const scopes = yield* ClosingOrder.scopes(filename)
    const connect = (readonly: boolean) =>
      Scope.extend(
        openDatabase.patiently(Database.open(filename, { readonly })),
        readonly ? scopes.reading : scopes.writing,
      )
    // The connection that creates or checks the file must not be the last one to close.
    const reader = yield* Effect.scoped(Effect.zipRight(openDatabase.open(filename), connect(true)))
    const writer = yield* connect(false)
    const cacheWriter = yield* connect(false)
    // A snapshot that would have to wait is skipped.
    yield* Database.attempt(filename, () => cacheWriter.run("PRAGMA busy_timeout = 0"))
    const committed = yield* Scope.extend(Checkpoint.truncateWhenIdle(cacheWriter), scopes.writing)
    const flush = yield* Scope.extend(Flush.make(filename), scopes.writing)
    const beating = yield* connect(false)
    const [holding, writing] = [lease.make(beating), presence.writing(beating)]
    return { writer, reader, cacheWriter, holding, writing, committed, flush }
  })

/** One connection does everything, since nothing else sees a log in memory. */
const openInMemory = Effect.gen(function* () {
  const database = yield* Database.open(IN_MEMORY, { readonly: false })
  for (const statement of [...LOG_TABLES, ...CACHE_TABLES]) database.run(statement)
  const [holding, writing] = [MemoryLease.make(IN_MEMORY), MemoryLease.presence()]
  const connections = { writer: database, reader: database, cacheWriter: database }
  return { ...connections, holding, writing, committed: () => {}, flush: undefined }
})

const openForReading = (filename: string) =>
  Effect.gen(function* () {
    const refusal = new LogUnavailable({ log: filename, reason: "it was opened for reading only" })
    yield* openDatabase.check(filename)
    const database = yield* openDatabase.patiently(Database.open(filename, { readonly: true }))
    return {
      database,
      writer: undefined,
      cacheWriter: undefined,
      following: undefined,
      append: () => Effect.fail(refusal),
      holding: { acquire: () => Effect.fail(refusal) },
      writing: { announce: Effect.fail(refusal), forget: () => Effect.fail(refusal) },
    }
  })
