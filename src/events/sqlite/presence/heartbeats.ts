/** The table of heartbeats, and what one look at a heartbeat tells of its writer. */

import * as ProcessIdentity from "../../../platform/ProcessIdentity.ts"
import type { LogDatabase } from "../file/database.ts"
import { HEARTBEAT_TABLE } from "../file/schema.ts"

/** Interval of heartbeats, in milliseconds. */
export const HEARTBEAT_EVERY_MS = 1000

/** A writer without a heartbeat for this long may be gone, in milliseconds. */
export const STALE_AFTER_MS = 10_000

/** What a writer last said of itself. */
export interface Heartbeat extends ProcessIdentity.ProcessPlace {
  /** Grows with every heartbeat. */
  readonly beat: number
  /** The time of the last heartbeat by the writer's monotonic clock, which processes of the same boot share. */
  readonly monotonicMs: number
  /** The same time by its wall clock, in epoch milliseconds: for messages alone, since clocks can be set. */
  readonly at: number
}

/** Sends a heartbeat. The first one announces the writer; a later one does so again if its row was removed. */
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

/** Removes a writer's heartbeat. */
export const remove = (database: LogDatabase, identity: string): void => {
  database.run("DELETE FROM heartbeats WHERE identity = ?", [identity])
}

/** The heartbeat of a writer; undefined if there is none, as in a log that was last written before 0.3.1. */
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

/** Whether a cache table exists: another version may not have made it, and anyone may drop it. */
export const hasTable = (database: LogDatabase, name: string): boolean =>
  database.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name]).length > 0

const textOrNull = (value: unknown): string | null => (value === null ? null : String(value))

/** What one look at a heartbeat tells. */
export type Judgement =
  /** Its process exists, and its last heartbeat is recent by the clock that it shares with the reader. */
  | { readonly _tag: "Alive" }
  /** Its process has ended. */
  | { readonly _tag: "Gone" }
  /**
   * Nothing certain. It is gone if its heartbeat does not change for `watchMs`. `exists`: its process is there, and silent.
   */
  | { readonly _tag: "Doubtful"; readonly watchMs: number; readonly exists: boolean }

/**
 * Judges a heartbeat. The wall clock decides nothing: it can be set, and those of two machines differ. The process decides
 * where it can be looked at, and the monotonic clock where both share it.
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
  // A machine that was asleep or stopped as a whole wakes its processes one after the other.
  const leftMs = silentMs < 0 ? STALE_AFTER_MS : STALE_AFTER_MS - silentMs
  return { _tag: "Doubtful", watchMs: Math.max(3 * HEARTBEAT_EVERY_MS, leftMs), exists }
}
