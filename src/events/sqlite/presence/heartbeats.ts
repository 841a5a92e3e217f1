/** The table of heartbeats, and the judgement of a writer from one look at its heartbeat. */

import * as ProcessIdentity from "../../../platform/ProcessIdentity.ts"
import type { LogDatabase } from "../file/database.ts"
import { HEARTBEAT_TABLE } from "../file/schema.ts"

/** In milliseconds. */
export const HEARTBEAT_EVERY_MS = 1000

/** A writer may be gone after this time without a heartbeat, in milliseconds. */
export const STALE_AFTER_MS = 10_000

export interface Heartbeat extends ProcessIdentity.ProcessPlace {
  /** Grows with every heartbeat. */
  readonly beat: number
  /** Time of the last heartbeat by the writer's monotonic clock, which processes of the same boot share. */
  readonly monotonicMs: number
  /** The same by its wall clock, in epoch milliseconds. Only for messages, since clocks can be set. */
  readonly at: number
}

/** Sends a heartbeat. The first announces the writer, and so does a later one if its row was removed. */
export const send = (database: LogDatabase, identity: string, place: ProcessIdentity.ProcessPlace): void => {
  const { host, pid, boot, namespaces, started } = place
  if (!hasTable(database, "heartbeats")) database.run(HEARTBEAT_TABLE)
  database.run(
    `INSERT INTO heartbeats (identity, beat, monotonic_ms, at, host, pid, boot, namespaces, started)
      VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (identity) DO UPDATE SET beat = beat + 1, monotonic_ms = excluded.monotonic_ms, at = excluded.at`,
    [identity, ProcessIdentity.monotonicNow(), Date.now(), host, pid, boot, namespaces, started],
  )
}

export const remove = (database: LogDatabase, identity: string): void => {
  database.run("DELETE FROM heartbeats WHERE identity = ?", [identity])
}

/** Undefined if there is none, as in a log last written before 0.3.1. */
export const find = (database: LogDatabase, identity: string): Heartbeat | undefined => {
  if (!hasTable(database, "heartbeats")) return undefined
  const [row] = database.rows(
    "SELECT beat, monotonic_ms, at, host, pid, boot, namespaces, started FROM heartbeats WHERE identity = ?",
    [identity],
  )
  if (row === undefined) return undefined
  const [beat, monotonicMs, at, host, pid, boot, namespaces, started] = row
  return {
    beat: Number(beat),
    monotonicMs: Number(monotonicMs),
    at: Number(at),
    host: String(host),
    pid: Number(pid),
    boot: textOrNull(boot),
    namespaces: textOrNull(namespaces),
    started: textOrNull(started),
  }
}

/** Another version may not have created a cache table, and anyone may drop it. */
export const hasTable = (database: LogDatabase, name: string): boolean =>
  database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]).length > 0

const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))

export type Judgement =
  /** Its process exists, and its last heartbeat is recent by a shared clock. */
  | { readonly _tag: "Alive" }
  | { readonly _tag: "Gone" }
  /** Uncertain: gone if its heartbeat does not change for `watchMs`. `exists`: its process exists, but is silent. */
  | { readonly _tag: "Doubtful"; readonly watchMs: number; readonly exists: boolean }

/**
 * Judges a heartbeat. The wall clock decides nothing: it can be set, and two machines' clocks differ. A visible process
 * decides, and the monotonic clock if both share it.
 */
export const judge = (
  heartbeat: Heartbeat | undefined,
  here: ProcessIdentity.ProcessPlace = ProcessIdentity.own(),
): Judgement => {
  if (heartbeat === undefined) return { _tag: "Doubtful", watchMs: STALE_AFTER_MS, exists: false }
  const existence = ProcessIdentity.look(heartbeat, here)
  if (existence === "gone") return { _tag: "Gone" }
  const exists = existence === "exists"
  if (!ProcessIdentity.sharesClock(heartbeat, here)) return { _tag: "Doubtful", watchMs: STALE_AFTER_MS, exists }
  const silentMs = ProcessIdentity.monotonicNow() - heartbeat.monotonicMs
  if (exists && silentMs >= 0 && silentMs <= STALE_AFTER_MS) return { _tag: "Alive" }
  // A machine that slept or was stopped wakes its processes one after the other.
  const leftMs = silentMs < 0 ? STALE_AFTER_MS : STALE_AFTER_MS - silentMs
  return { _tag: "Doubtful", watchMs: Math.max(3 * HEARTBEAT_EVERY_MS, leftMs), exists }
}
