import { type Context, Effect, Option } from "effect"
import { LogBusy, LogUnavailable } from "../EventLog.ts"
import type { Key, Keys } from "../Keys.ts"
import { seal, unseal } from "../Sealing.ts"
import { type Series, type Snapshot, Snapshots } from "../Snapshots.ts"
import * as Database from "./database.ts"
import { SNAPSHOT_TABLES } from "./tables.ts"

type Service = Context.Tag.Service<Snapshots>

/** What a log's snapshots are made of. */
export interface Stores {
  readonly reader: Database.LogDatabase
  /** Absent for a log that is opened for reading only: it can use what there is. */
  readonly writer: Database.LogDatabase | undefined
  /** Names the versions in which events are read. */
  readonly reading: string
  /** Where there are keys, states hold what events keep encrypted: so they are encrypted themselves. */
  readonly keys: Keys
}

/** Snapshots that are read by the connection that only reads, and written by one of their own. */
export const make = (stores: Stores): Service => {
  const { reader, writer } = stores
  const refusal = Effect.fail(new LogUnavailable({ log: reader.filename, reason: "it was opened for reading only" }))
  const writing =
    writer === undefined ? { save: () => refusal, forget: () => refusal, drop: refusal } : writeTo(writer, stores.keys)
  return Snapshots.of({ ...readFrom(stores), ...writing })
}

const readFrom = ({ reader: database, reading, keys }: Stores) => {
  const attempt = <A>(read: () => A) => Database.attemptRead(database.filename, read)
  return {
    reading,
    epoch: attempt(() => keys.ofSnapshots()?.id ?? ""),
    nearest: ({ fingerprint, timeline, epoch }: Series, at: number) =>
      attempt(() => {
        const [row] = database.rows(NEAREST, [inEpoch(epoch, fingerprint), timeline, at])
        return row === undefined ? Option.none() : Option.some(snapshotOf(row, keys.ofSnapshots()))
      }),
    parts: (digests: ReadonlyArray<string>) =>
      attempt(() => {
        const key = keys.ofSnapshots()
        const parts = new Map<string, Uint8Array>()
        for (const digest of digests) {
          const [row] = database.rows(PART, [inEpoch(key?.id ?? "", digest)])
          if (row !== undefined) parts.set(digest, opened(key, digest, row[0]))
        }
        return parts
      }),
    missing: (digests: ReadonlyArray<string>) =>
      attempt(() => {
        const epoch = keys.ofSnapshots()?.id ?? ""
        return new Set(digests.filter((digest) => database.rows(PART_IS_THERE, [inEpoch(epoch, digest)]).length === 0))
      }),
  } satisfies Partial<Service>
}

const writeTo = (database: Database.LogDatabase, keys: Keys) => {
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
    save: (series: Series, snapshot: Snapshot, parts: ReadonlyMap<string, Uint8Array>) =>
      transaction(() => {
        const { projection, fingerprint, timeline, epoch } = series
        const key = keys.ofSnapshots()
        // Whoever destroys a key drops all snapshots afterwards: one that is stored before is gone then, too.
        if ((key?.id ?? "") !== epoch) return
        for (const [digest, content] of parts) {
          database.run(SAVE_PART, [inEpoch(epoch, digest), closed(key, digest, content)])
        }
        const { position, eventHash, stateHash, root } = snapshot
        const stored = closed(key, stateHash, root)
        const of = inEpoch(epoch, fingerprint)
        database.run(SAVE, [projection, of, timeline, position, eventHash, stateHash, stored])
      }),
    forget: ({ fingerprint, timeline, epoch }: Series, position: number) =>
      transaction(() => database.run(FORGET, [inEpoch(epoch, fingerprint), timeline, position])),
    drop: transaction(() => {
      database.run("DELETE FROM snapshots")
      database.run("DELETE FROM snapshot_parts")
    }),
  } satisfies Partial<Service>
}

const NEAREST = `SELECT position, event_hash, state_hash, root FROM snapshots
  WHERE fingerprint = ? AND timeline = ? AND position <= ? ORDER BY position DESC LIMIT 1`
const PART = "SELECT content FROM snapshot_parts WHERE digest = ?"
const PART_IS_THERE = "SELECT 1 FROM snapshot_parts WHERE digest = ?"
const SAVE_PART = "INSERT OR REPLACE INTO snapshot_parts (digest, content) VALUES (?, ?)"
const SAVE = `INSERT OR REPLACE INTO snapshots
  (projection, fingerprint, timeline, position, event_hash, state_hash, root) VALUES (?, ?, ?, ?, ?, ?, ?)`
const FORGET = "DELETE FROM snapshots WHERE fingerprint = ? AND timeline = ? AND position = ?"

const snapshotOf = (
  [position, eventHash, stateHash, root]: ReadonlyArray<unknown>,
  key: Key | undefined,
): Snapshot => ({
  position: Number(position),
  eventHash: String(eventHash),
  stateHash: String(stateHash),
  root: opened(key, String(stateHash), root),
})

/** Under which name something of an epoch is stored: what was encrypted in another is not looked for. */
const inEpoch = (epoch: string, name: string): string => (epoch === "" ? name : `${epoch}/${name}`)

/** What is stored of a root or part. */
const closed = (key: Key | undefined, digest: string, content: Uint8Array): Uint8Array =>
  key === undefined ? content : seal(key, digest, content)

/** The root or part again. What is no blob, or under no key of ours, is no bytes: nothing unpacks from none, so that it is not trusted. */
const opened = (key: Key | undefined, digest: string, stored: unknown): Uint8Array => {
  if (!(stored instanceof Uint8Array)) return NOTHING
  return key === undefined ? stored : (unseal(key, digest, stored) ?? NOTHING)
}

const NOTHING = new Uint8Array()
