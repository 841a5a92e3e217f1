import { type Context, Effect, Option, type Scope } from "effect"
import { LogBusy, type LogError, LogUnavailable } from "../EventLog.ts"
import { type Series, type Snapshot, Snapshots } from "../Snapshots.ts"
import * as Database from "./database.ts"
import { SNAPSHOT_TABLES } from "./tables.ts"

type Service = Context.Tag.Service<Snapshots>

/** Snapshots that are read by the connection that only reads, and written by one of their own. */
export const make = (
  reader: Database.LogDatabase,
  reading: string,
): Effect.Effect<Service, Database.StatementError, Scope.Scope> =>
  Effect.gen(function* () {
    const writer = yield* Database.open(reader.filename, { readonly: false })
    // A snapshot is not worth waiting for.
    yield* Database.attempt(reader.filename, () => writer.run("PRAGMA busy_timeout = 0"))
    return Snapshots.of({ ...readFrom(reader, reading), ...writeTo(writer) })
  })

/** The same for a log that is opened for reading only: it can use what there is. */
export const makeReadonly = (reader: Database.LogDatabase, reading: string): Service => {
  const refusal = Effect.fail(new LogUnavailable({ log: reader.filename, reason: "it was opened for reading only" }))
  return Snapshots.of({
    ...readFrom(reader, reading),
    save: () => refusal,
    forget: () => refusal,
    drop: refusal,
  })
}

const readFrom = (database: Database.LogDatabase, reading: string) => {
  const rows = (
    sql: string,
    parameters: ReadonlyArray<unknown>,
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, LogError> =>
    Database.attemptRead(database.filename, () => database.rows(sql, parameters))
  return {
    reading,
    nearest: ({ fingerprint, timeline }: Series, at: number) =>
      Effect.map(rows(NEAREST, [fingerprint, timeline, at]), ([row]) =>
        row === undefined ? Option.none() : Option.some(snapshotOf(row)),
      ),
    parts: (digests: ReadonlyArray<string>) =>
      Effect.map(
        rows(PARTS, [JSON.stringify(digests)]),
        (found) => new Map(found.map(([digest, content]) => [String(digest), bytesOf(content)])),
      ),
    missing: (digests: ReadonlyArray<string>) =>
      Effect.map(rows(MISSING, [JSON.stringify(digests)]), (found) => new Set(found.map(([digest]) => String(digest)))),
  } satisfies Partial<Service>
}

const writeTo = (database: Database.LogDatabase) => {
  /** All of it or nothing. Whoever dropped the tables finds them made anew. */
  const transaction = (body: () => void) =>
    Database.attempt(database.filename, () => {
      database.run("BEGIN IMMEDIATE")
      try {
        for (const statement of SNAPSHOT_TABLES) database.run(statement)
        body()
        database.run("COMMIT")
      } catch (cause) {
        if (database.inTransaction()) database.run("ROLLBACK")
        throw cause
      }
    }).pipe(Effect.catchTag("LogBusy", () => new LogBusy({ log: database.filename, waitedMs: 0 })))
  return {
    save: ({ projection, fingerprint, timeline }: Series, snapshot: Snapshot, parts: ReadonlyMap<string, Uint8Array>) =>
      transaction(() => {
        for (const [digest, content] of parts) database.run(SAVE_PART, [digest, content])
        const { position, eventHash, stateHash, root } = snapshot
        database.run(SAVE, [projection, fingerprint, timeline, position, eventHash, stateHash, root])
      }),
    forget: ({ fingerprint, timeline }: Series, position: number) =>
      transaction(() => database.run(FORGET, [fingerprint, timeline, position])),
    drop: transaction(() => {
      database.run("DELETE FROM snapshots")
      database.run("DELETE FROM snapshot_parts")
    }),
  } satisfies Partial<Service>
}

const NEAREST = `SELECT position, event_hash, state_hash, root FROM snapshots
  WHERE fingerprint = ? AND timeline = ? AND position <= ? ORDER BY position DESC LIMIT 1`
const PARTS = "SELECT digest, content FROM snapshot_parts WHERE digest IN (SELECT value FROM json_each(?))"
const MISSING = "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT digest FROM snapshot_parts)"
const SAVE_PART = "INSERT OR REPLACE INTO snapshot_parts (digest, content) VALUES (?, ?)"
const SAVE = `INSERT OR REPLACE INTO snapshots
  (projection, fingerprint, timeline, position, event_hash, state_hash, root) VALUES (?, ?, ?, ?, ?, ?, ?)`
const FORGET = "DELETE FROM snapshots WHERE fingerprint = ? AND timeline = ? AND position = ?"

const snapshotOf = ([position, eventHash, stateHash, root]: ReadonlyArray<unknown>): Snapshot => ({
  position: Number(position),
  eventHash: String(eventHash),
  stateHash: String(stateHash),
  root: bytesOf(root),
})

/** What is no blob is no bytes of ours; nothing unpacks from none, so that it is not trusted. */
const bytesOf = (value: unknown): Uint8Array => (value instanceof Uint8Array ? value : new Uint8Array())
