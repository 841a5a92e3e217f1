/** The snapshot cache in the log's SQLite file. */

import { Effect, Option } from "effect"
import { LogBusy, LogUnavailable } from "../log/EventLog.ts"
import { type FoundSnapshot, type Series, type Snapshot, Snapshots, seriesToDelete } from "../log/Snapshots.ts"
import type { Key, Keys } from "../payload/PersonalDataKeys.ts"
import {
  decryptPart,
  encryptPart,
  joinSeal,
  nameOf,
  originOf,
  seal as sealOf,
  splitSeal,
} from "../payload/SnapshotSeal.ts"
import * as Database from "./file/database.ts"
import { SNAPSHOT_TABLES } from "./file/schema.ts"
import type { SnapshotKey } from "./keys/snapshotKey.ts"

export interface Stores {
  readonly reader: Database.LogDatabase
  /** Absent for a log opened for reading only, which uses existing snapshots. */
  readonly writer: Database.LogDatabase | undefined
  readonly upcastVersions: string
  /** States hold decrypted personal data, so they are encrypted if the log has keys. */
  readonly keys: Keys
  /** Authenticates the log's own snapshots. */
  readonly ownKey: SnapshotKey
}

/** Reads through the reading connection, and writes through one of its own. */
export const make = (stores: Stores): Snapshots.Service => {
  const { reader, writer } = stores
  const refusal = Effect.fail(new LogUnavailable({ log: reader.filename, reason: "it was opened for reading only" }))
  const writing =
    writer === undefined ? { save: () => refusal, forget: () => refusal, drop: refusal } : writeTo(writer, stores)
  return Snapshots.of({ ...readFrom(stores), ...writing })
}

const readFrom = ({ reader: database, upcastVersions, keys, ownKey }: Stores) => {
  const attempt = <A>(read: () => A) => Database.attemptRead(database.filename, read)
  return {
    upcastVersions,
    epoch: attempt(() => keys.ofSnapshots()?.id ?? ""),
    nearest: (series: Series, at: number) =>
      attempt((): Option.Option<FoundSnapshot> => {
        const own = ownKey.find()
        // Without the key, forged snapshots would go unnoticed.
        if (own === undefined) return Option.none()
        const [row] = database.rows(NEAREST, [nameOf(series), series.timeline, at])
        return row === undefined ? Option.none() : Option.some(foundIn(row, series, own, keys.ofSnapshots()))
      }),
    parts: (series: Series, digests: ReadonlyArray<string>) =>
      attempt(() => {
        const key = keys.ofSnapshots()
        const found = database.rows(PARTS, [JSON.stringify(digests), `${nameOf(series)}/`])
        return new Map(found.map(([digest, content]) => [String(digest), decryptPart(key, String(digest), content)]))
      }),
    missing: (series: Series, digests: ReadonlyArray<string>) =>
      attempt(() => {
        const missing = database.rows(MISSING, [JSON.stringify(digests), `${nameOf(series)}/`])
        return new Set(missing.map(([digest]) => String(digest)))
      }),
  } satisfies Partial<Snapshots.Service>
}

const writeTo = (database: Database.LogDatabase, { keys, ownKey }: Stores) => {
  /** Creates the tables again if they were dropped. */
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
        const { projection, timeline, epoch } = series
        const key = keys.ofSnapshots()
        // Destroying a key drops all snapshots afterwards, including one stored just before.
        if ((key?.id ?? "") !== epoch) return
        const own = ownKey.make()
        if (own === undefined) return
        const name = nameOf(series)
        const isFirst = database.rows(ANY, [name]).length === 0
        for (const [digest, content] of parts) {
          database.run(SAVE_PART, [`${name}/${digest}`, encryptPart(key, digest, content)])
        }
        const { position, eventHash, stateHash, root } = snapshot
        const seal = sealOf(own, { ...series, ...snapshot })
        const stored = joinSeal({ seal, root: encryptPart(key, stateHash, root) })
        database.run(SAVE, [projection, name, timeline, position, eventHash, stateHash, stored])
        if (isFirst) deleteOutlived(database)
      }),
    forget: (series: Series, position: number, damaged: ReadonlyArray<string>) =>
      transaction(() => {
        database.run(FORGET, [nameOf(series), series.timeline, position])
        for (const digest of damaged) database.run(FORGET_PART, [`${nameOf(series)}/${digest}`])
      }),
    drop: transaction(() => {
      database.run("DELETE FROM snapshots")
      database.run("DELETE FROM snapshot_parts")
    }),
  } satisfies Partial<Snapshots.Service>
}

const NEAREST = `SELECT position, event_hash, state_hash, root FROM snapshots
  WHERE fingerprint = ? AND timeline = ? AND position <= ? ORDER BY position DESC LIMIT 1`
const ANY = "SELECT 1 FROM snapshots WHERE fingerprint = ? LIMIT 1"
const PARTS =
  "SELECT wanted.value, content FROM json_each(?) AS wanted JOIN snapshot_parts ON digest = ? || wanted.value"
const MISSING = "SELECT value FROM json_each(?) WHERE ? || value NOT IN (SELECT digest FROM snapshot_parts)"
const SAVE_PART = "INSERT OR REPLACE INTO snapshot_parts (digest, content) VALUES (?, ?)"
const SAVE = `INSERT OR REPLACE INTO snapshots
  (projection, fingerprint, timeline, position, event_hash, state_hash, root) VALUES (?, ?, ?, ?, ?, ?, ?)`
const FORGET = "DELETE FROM snapshots WHERE fingerprint = ? AND timeline = ? AND position = ?"
const FORGET_PART = "DELETE FROM snapshot_parts WHERE digest = ?"

const foundIn = (row: ReadonlyArray<unknown>, series: Series, own: Uint8Array, key: Key | undefined): FoundSnapshot => {
  const [position, eventHash, stateHash] = [Number(row[0]), String(row[1]), String(row[2])]
  const { seal, root } = splitSeal(row[3] instanceof Uint8Array ? row[3] : new Uint8Array())
  return {
    position,
    eventHash,
    stateHash,
    root: decryptPart(key, stateHash, root),
    authentic: originOf(own, { ...series, position, eventHash, stateHash }, seal) === "own",
  }
}

/** Rows stored later have higher rowids. */
const deleteOutlived = (database: Database.LogDatabase): void => {
  const known = database.rows(SERIES).map(([name, projection]) => ({ name, projection: String(projection) }))
  for (const { name } of seriesToDelete(known)) {
    database.run("DELETE FROM snapshots WHERE fingerprint = ?", [name])
    database.run("DELETE FROM snapshot_parts WHERE digest >= ? || '/' AND digest < ? || '0'", [name, name])
  }
}

/** Every series, the last stored first. */
const SERIES = `SELECT fingerprint, projection
  FROM (SELECT max(rowid) AS newest FROM snapshots GROUP BY fingerprint) JOIN snapshots ON snapshots.rowid = newest
  ORDER BY newest DESC`
