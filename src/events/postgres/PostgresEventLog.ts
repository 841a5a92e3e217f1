/** The event log on a PostgreSQL server: opens connections, and builds the log's services on them. */

import { Context, Effect, Either, Layer, Option, Stream } from "effect"
import * as Options from "../../values/Options.ts"
import * as AppendValidation from "../append/AppendValidation.ts"
import * as AsyncWriter from "../append/AsyncWriter.ts"
import type { Sequenced } from "../append/Sequencer.ts"
import type { AppendRequest } from "../log/AppendRequest.ts"
import { EventLog, LogUnavailable, MAIN, ON_MAIN, type OpenError } from "../log/EventLog.ts"
import { Lease } from "../log/Lease.ts"
import { Presence } from "../log/Presence.ts"
import { RunnerSessions } from "../log/RunnerSessions.ts"
import { Snapshots, upcastVersionsOf } from "../log/Snapshots.ts"
import { VerifyOptions } from "../log/Verification.ts"
import { Archive } from "../maintenance/Archive.ts"
import { Bundles } from "../maintenance/Bundles.ts"
import * as ServerOwnership from "../ownership/ServerOwnership.ts"
import * as PersonalDataOf from "../payload/PersonalData.ts"
import { PersonalData } from "../payload/PersonalData.ts"
import * as ExpandedReads from "../read/ExpandedReads.ts"
import { follow } from "../read/Follow.ts"
import * as Pages from "../read/Pages.ts"
import { Records } from "../read/Records.ts"
import { isEventId } from "../vocabulary/Event.ts"
import * as Upcaster from "../vocabulary/Upcaster.ts"
import * as Vocabulary from "../vocabulary/Vocabulary.ts"
import * as appending from "./append.ts"
import * as Follower from "./follower.ts"
import * as Keys from "./keys.ts"
import { PostgresOptions } from "./options.ts"
import * as lease from "./presence/lease.ts"
import * as presence from "./presence/presence.ts"
import * as runners from "./presence/runners.ts"
import { type Reader, readByIds, readFirst, readPage, readVersion } from "./read.ts"
import * as records from "./records.ts"
import * as Address from "./server/address.ts"
import * as Connection from "./server/connection.ts"
import { attemptRead, type Database } from "./server/connection.ts"
import * as Driver from "./server/driver.ts"
import * as install from "./server/install.ts"
import * as Session from "./server/session.ts"
import * as snapshots from "./snapshots.ts"
import * as words from "./words/index.ts"

/** The services of a log on a server. */
type Services = EventLog | Archive | Bundles | Lease | Presence | Records | RunnerSessions | Snapshots | PersonalData

/**
 * Opens a log on a PostgreSQL server (14 or later), over a few connections of its own. Provides what `layerSqlite`
 * provides; events, positions and hashes are the same. Needs the package `pg`.
 */
export const layer = (options: PostgresOptions): Layer.Layer<Services, Options.InvalidOptions | OpenError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const decoded = yield* Options.decode("layerPostgres", PostgresOptions, options)
      const address = Address.parse(decoded.url)
      if (Either.isRight(address)) return opened(decoded, address.right)
      // Never shows the URL, which may have a password.
      return yield* new Options.InvalidOptions({
        of: "layerPostgres",
        problems: [{ path: "url", expected: "the URL of a log", found: `a mistake: ${address.left}` }],
      })
    }),
  )

const opened = (options: PostgresOptions, address: Address.Address): Layer.Layer<Services, OpenError> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const { vocabulary = Vocabulary.core, readonly = false, create = !readonly, personal = true } = options
      const driver = yield* Driver.load(address.name)
      let announceClosed = () => {}
      // Runs last: finalizers run in reverse order. Followers then read, and learn that the log has closed.
      yield* Effect.addFinalizer(() => Effect.sync(() => announceClosed()))
      const database = yield* Connection.make(address, driver, options.deadlineMs)
      yield* attemptRead(address, async () => {
        await (create && !readonly ? install.findOrCreate(database) : install.find(database))
        if (!readonly) await database.connect()
      })
      const session = yield* Effect.acquireRelease(
        Effect.sync(() => Session.make(database)),
        ({ end }) => Effect.promise(end),
      )
      const keys = Keys.make(database, { readonly })
      const reader: Reader = {
        database,
        upcast: Upcaster.chain(vocabulary.types, vocabulary.upcasters),
        keys: personal ? keys.find : async () => new Map(),
      }
      const follower = Follower.make(database, session, async () => (personal ? keys.idOfSnapshots() : undefined))
      announceClosed = follower.closed
      const reading = <A>(read: () => Promise<A>) => attemptRead(address, read)
      /** Whether this process committed the log's first event. An append with its id may also return another writer's. */
      let isBegun = false
      const append = readonly
        ? () => Effect.fail(new LogUnavailable({ log: address.name, reason: "it was opened for reading only" }))
        : yield* writerOf(options, {
            database,
            keys,
            reader: { ...reader, keys: keys.find },
            follower,
            begun: () => {
              isBegun = true
            },
          })
      const appendAndOwn = (request: AppendRequest) =>
        Effect.tap(append(request), ({ events: [first] }) =>
          isBegun && first?.position === 1 ? ownership.began({ position: 1, hash: first.hash }) : Effect.void,
        )
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          database.hurry()
          follower.end()
        }),
      )
      const glance = reading(() => database.patiently(follower.glance))
      const head = Effect.map(glance, (seen) => seen.head)
      const ownership = ServerOwnership.make({
        name: address.name,
        head,
        first: reading(() => readFirst(database)),
      })
      const expanded = ExpandedReads.make({
        name: address.name,
        readPage: (query, limit) => reading(() => readPage(reader, query, limit)),
      })
      const page = Pages.checked(expanded.readPage)
      const find = (id: string) => reading(async () => Option.fromNullable((await readByIds(reader, [id]))[0]))
      const verifyLog = (given?: VerifyOptions) =>
        Effect.flatMap(
          Effect.promise(() => import("./verify.ts")),
          ({ verify }) => verify(database, given),
        )

      const log = EventLog.of({
        name: address.name,
        ...(vocabulary === Vocabulary.core ? { wordIndex: (version) => words.make(database, version) } : {}),
        ...ON_MAIN,
        append: appendAndOwn,
        read: (query) => Pages.stream(page, query ?? {}),
        readPage: page,
        find: (id) => (isEventId(id) ? find(id) : expanded.within(find, id)),
        versionOf: (stream, timeline = MAIN) => reading(() => readVersion(database, timeline, stream)),
        head,
        ownership,
        follow: (query) =>
          follow({ head, readPage: page, commits: follower.commits, mayHave: () => true }, query ?? {}),
        onCommit: follower.commits.listen,
        glance,
        verify: verifyLog(),
        verifyWith: (given) => Effect.flatMap(Options.decode("verifyWith", VerifyOptions, given), verifyLog),
        verifyRange: (range) =>
          Stream.unwrap(
            Effect.map(
              Effect.promise(() => import("./verify.ts")),
              ({ rangesOf }) => rangesOf(database)(range),
            ),
          ),
      })
      const cache = snapshots.make({
        database,
        readonly,
        upcastVersions: upcastVersionsOf(vocabulary),
        keys,
        personal,
        epoch: Effect.map(glance, (seen) => seen.epoch),
      })
      return Context.make(EventLog, log).pipe(
        Context.add(Archive, noArchive(address.name)),
        Context.add(Bundles, noBundles(address.name)),
        Context.add(Lease, lease.make(database, session, readonly)),
        Context.add(Presence, presence.make(database, session, readonly)),
        Context.add(RunnerSessions, runners.make(database, readonly)),
        Context.add(Records, records.make(reader, vocabulary)),
        Context.add(Snapshots, cache),
        Context.add(PersonalData, PersonalDataOf.make({ log, keys: keys.store, snapshots: cache })),
      )
    }),
  )

interface Writing {
  readonly database: Database
  readonly keys: Keys.Keys
  /** Decrypts with all keys, to compare retries. */
  readonly reader: Reader
  readonly follower: Follower.Follower
  /** Called when this process has committed the log's first event, before the caller of its append learns of it. May be called twice. */
  readonly begun: () => void
}

const writerOf = (options: PostgresOptions, { database, keys, reader, follower, begun }: Writing) => {
  const { vocabulary = Vocabulary.core, durability = "full" } = options
  const committed = (batch: Sequenced) => {
    if (batch.rows[0]?.position === 1) begun()
    follower.committed(batch)
  }
  const commit = appending.make({ reader, keys, flushes: durability === "full", committed, begun })
  return AsyncWriter.make(database.name, AppendValidation.checkAgainst(vocabulary), commit)
}

const noArchive = (log: string): Archive.Service => {
  const refusal = new LogUnavailable({
    log,
    reason:
      "events on PostgreSQL are not archived into segments: the server keeps them all, compressed where they are large",
  })
  return Archive.of({ segments: Effect.succeed([]), archive: () => Effect.fail(refusal) })
}

const noBundles = (log: string): Bundles.Service =>
  Bundles.of({
    bundle: () =>
      Effect.fail(
        new LogUnavailable({
          log,
          reason: "a bundle is made from a log in a file. Copy this log to one first: `hindcast log copy`",
        }),
      ),
  })
