/** The snapshot cache in a log's database. */

import { Effect, Option } from "effect"
import { LogBusy, type LogError, LogUnavailable } from "../log/EventLog.ts"
import { type FoundSnapshot, type Series, type Snapshot, Snapshots, seriesToDelete } from "../log/Snapshots.ts"
import type { Key } from "../payload/PersonalDataKeys.ts"
import {
  decryptPart,
  encryptPart,
  joinSeal,
  nameOf,
  originOf,
  seal as sealOf,
  splitSeal,
} from "../payload/SnapshotSeal.ts"
import type { Keys } from "./keys.ts"
import { attempt, attemptRead, type Database, type Query, type Row } from "./server/connection.ts"

export interface Stores {
  readonly database: Database
  readonly readonly: boolean
  readonly upcastVersions: string
  /** States hold decrypted personal data, so they are encrypted if the log has keys. */
  readonly keys: Keys
  /** False for a reader without personal data, which finds no snapshots of it. */
  readonly personal: boolean
  /** As `epoch` of `Snapshots`. */
  readonly epoch: Effect.Effect<string, LogError>
}

export const make = ({ database, readonly, upcastVersions, keys, personal, epoch }: Stores): Snapshots.Service => {
  const { address, query } = database
  const reading = <A>(read: () => Promise<A>) => attemptRead(address, read)
  const refusal = Effect.fail(new LogUnavailable({ log: address.name, reason: "it was opened for reading only" }))
  const key = async (on?: Query) => (personal ? keys.ofSnapshots(on) : undefined)

  /** Snapshots are not worth waiting for. Two programs store one at a time, so each is whole. */
  const transaction = (body: (query: Query) => Promise<void>) =>
    attempt(address, async () => {
      const done = await database.transaction("BEGIN", async (query) => {
        const [row] = await query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 1))", [
          `hindcast ${address.schema}`,
        ])
        if (row?.[0] !== true) return false
        await body(query)
        return true
      })
      if (!done) throw new LogBusy({ log: address.name, waitedMs: 0 })
    })

  return Snapshots.of({
    upcastVersions,
    epoch,
    nearest: (series, at) =>
      reading(async (): Promise<Option.Option<FoundSnapshot>> => {
        const own = await keys.sealing(false)
        // Without the key, forged snapshots would go unnoticed.
        if (own === undefined) return Option.none()
        const [row] = await query(NEAREST, [nameOf(series), series.timeline, at])
        return row === undefined ? Option.none() : Option.some(foundIn(row, series, own, await key()))
      }),
    parts: (series, digests) =>
      reading(async () => {
        const rows = await query(PARTS, [nameOf(series), digests])
        const opening = await key()
        return new Map(rows.map(([digest, content]) => [String(digest), decryptPart(opening, String(digest), content)]))
      }),
    missing: (series, digests) =>
      reading(async () => {
        const rows = await query(PRESENT, [nameOf(series), digests])
        const present = new Set(rows.map(([digest]) => String(digest)))
        return new Set(digests.filter((digest) => !present.has(digest)))
      }),
    save: (series, snapshot, parts) =>
      readonly
        ? refusal
        : Effect.flatMap(
            attempt(address, () => keys.sealing(true)),
            (own) =>
              own === undefined
                ? Effect.void
                : transaction(async (query) => {
                    const sealing = await key(query)
                    // Destroying a key drops all snapshots afterwards, including one stored just before.
                    if ((sealing?.id ?? "") === series.epoch)
                      await save(query, { own, sealing, series, snapshot, parts })
                  }),
          ),
    forget: (series, position, damaged) =>
      readonly
        ? refusal
        : transaction(async (query) => {
            await query(FORGET, [nameOf(series), series.timeline, position])
            await query(FORGET_PARTS, [nameOf(series), damaged])
          }),
    drop: readonly
      ? refusal
      : transaction(async (query) => {
          await query("DELETE FROM snapshots")
          await query("DELETE FROM snapshot_parts")
        }),
  })
}

interface Saved {
  readonly own: Uint8Array
  readonly sealing: Key | undefined
  readonly series: Series
  readonly snapshot: Snapshot
  readonly parts: ReadonlyMap<string, Uint8Array>
}

const save = async (query: Query, { own, sealing, series, snapshot, parts }: Saved) => {
  const { projection, timeline } = series
  const { position, eventHash, stateHash, root } = snapshot
  const name = nameOf(series)
  const isFirst = (await query("SELECT 1 FROM snapshots WHERE series = $1 LIMIT 1", [name])).length === 0
  const contents = [...parts].map(([digest, content]) => encryptPart(sealing, digest, content))
  if (parts.size > 0) await query(SAVE_PARTS, [name, [...parts.keys()], contents.map((bytes) => Buffer.from(bytes))])
  const seal = sealOf(own, { ...series, ...snapshot })
  const stored = joinSeal({ seal, root: encryptPart(sealing, stateHash, root) })
  await query("DELETE FROM snapshots WHERE series = $1 AND timeline = $2 AND position = $3", [name, timeline, position])
  await query(SAVE, [name, projection, timeline, position, eventHash, stateHash, Buffer.from(stored)])
  if (isFirst) await deleteOutlived(query)
}

const deleteOutlived = async (query: Query) => {
  const known = (await query(SERIES)).map(([name, projection]) => ({ name, projection: String(projection) }))
  const names = seriesToDelete(known).map(({ name }) => name)
  if (names.length === 0) return
  await query("DELETE FROM snapshots WHERE series = ANY($1::text[])", [names])
  await query("DELETE FROM snapshot_parts WHERE series = ANY($1::text[])", [names])
}

const foundIn = (row: Row, series: Series, own: Uint8Array, key: Key | undefined): FoundSnapshot => {
  const [position, eventHash, stateHash] = [Number(row[0]), String(row[1]), String(row[2])]
  const { seal, root } = splitSeal(row[3] instanceof Uint8Array ? row[3] : new Uint8Array())
  return {
    position,
    eventHash,
    stateHash,
    root: new Uint8Array(decryptPart(key, stateHash, root)),
    authentic: originOf(own, { ...series, position, eventHash, stateHash }, seal) === "own",
  }
}

const NEAREST = `SELECT position, event_hash, state_hash, root FROM snapshots
  WHERE series = $1 AND timeline = $2 AND position <= $3 ORDER BY position DESC LIMIT 1`
const PARTS = "SELECT digest, content FROM snapshot_parts WHERE series = $1 AND digest = ANY($2::text[])"
const PRESENT = "SELECT digest FROM snapshot_parts WHERE series = $1 AND digest = ANY($2::text[])"
const SAVE_PARTS = `INSERT INTO snapshot_parts (series, digest, content) SELECT $1, * FROM unnest($2::text[], $3::bytea[])
  ON CONFLICT (series, digest) DO UPDATE SET content = excluded.content`
const SAVE = `INSERT INTO snapshots (series, projection, timeline, position, event_hash, state_hash, root) VALUES ($1, $2, $3, $4, $5, $6, $7)`
const FORGET = "DELETE FROM snapshots WHERE series = $1 AND timeline = $2 AND position = $3"
const FORGET_PARTS = "DELETE FROM snapshot_parts WHERE series = $1 AND digest = ANY($2::text[])"

/** Every series, the last stored first. */
const SERIES = "SELECT series, max(projection) FROM snapshots GROUP BY series ORDER BY max(stored) DESC"
