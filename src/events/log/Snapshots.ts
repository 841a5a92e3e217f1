/** The cache of folded states in a log, and the rules that drop old series. */

import { Context, type Effect, type Option } from "effect"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import type { DiskFull, LogError } from "./EventLog.ts"

/** A series: interchangeable snapshots of one fold over one timeline. */
export interface Series {
  /** The projection's name, without its version. */
  readonly projection: string
  /** Digest of everything that determines the fold's states. */
  readonly fingerprint: string
  readonly timeline: string
  /** The epoch in which the fold began: see `epoch` of `Snapshots`. */
  readonly epoch: string
}

/** A stored state: a root that names its parts by digest. */
export interface Snapshot {
  /** The last event that the state includes. */
  readonly position: number
  /** That event's hash when the snapshot was taken. */
  readonly eventHash: string
  /** SHA-256 of the root, and so of the whole state. */
  readonly stateHash: string
  readonly root: Uint8Array
}

/** A snapshot from the cache. */
export interface FoundSnapshot extends Snapshot {
  /**
   * True if a program with this log's key stored it for this series, position and event. Do not trust the content of
   * others.
   */
  readonly authentic: boolean
}

/** Parts of states, by SHA-256. Snapshots of a series share parts. */
export type Parts = ReadonlyMap<string, Uint8Array>

/**
 * A disposable cache of folded states: without it, results are the same, only slower. Readers start from authentic
 * snapshots only and check every hash. A log opened read-only refuses to write.
 */
export class Snapshots extends Context.Tag("hindcast/Snapshots")<Snapshots, Snapshots.Service>() {}

/** The type of the service: `Snapshots.Service`. */
export declare namespace Snapshots {
  /** The cache as every backend provides it. `snapshotsSuite` of `hindcast/testing` tests a backend. */
  export interface Service {
    /** Names the schema versions to which reads upcast this log's events: see `upcastVersionsOf`. */
    readonly upcastVersions: string
    /**
     * Changes when a subject's key is destroyed, or when the key file appears or disappears, because earlier states
     * then differ from the events. Snapshots of other epochs are neither found nor stored.
     */
    readonly epoch: Effect.Effect<string, LogError>
    /** The newest snapshot at or before a position. None without the key that proves it authentic. */
    readonly nearest: (series: Series, at: number) => Effect.Effect<Option.Option<FoundSnapshot>, LogError>
    /** Parts with these digests, without missing ones. */
    readonly parts: (series: Series, digests: ReadonlyArray<string>) => Effect.Effect<Parts, LogError>
    /** The digests that the series has no part for. */
    readonly missing: (series: Series, digests: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, LogError>
    /**
     * Stores a snapshot and its parts, all or nothing; replaces one at the same position. Fails at once with `LogBusy`
     * if another process is writing. The first snapshot of a series may drop others: see `seriesToDelete`.
     */
    readonly save: (series: Series, snapshot: Snapshot, parts: Parts) => Effect.Effect<void, LogError | DiskFull>
    /** Deletes an untrusted snapshot and damaged parts; the next snapshot stores the parts again. */
    readonly forget: (
      series: Series,
      position: number,
      damaged: ReadonlyArray<string>,
    ) => Effect.Effect<void, LogError | DiskFull>
    /** Deletes all snapshots of all projections. */
    readonly drop: Effect.Effect<void, LogError | DiskFull>
  }
}

/** Alias of `Snapshots.Service` for namespace imports. */
export type Service = Snapshots.Service

/** Series per projection: two programs of different versions may share a log. */
export const MAX_SERIES_OF_PROJECTION = 2

/** Series in all: a program may name projections after tasks, which are unbounded. */
export const MAX_SERIES = 64

/**
 * Selects series to delete from all series, the last stored first. The log cannot know which versions are in use, so a
 * series goes once two newer ones of its projection exist. A program that still needs it folds and stores it again.
 */
export const seriesToDelete = <Known extends { readonly projection: string }>(
  series: ReadonlyArray<Known>,
): ReadonlyArray<Known> => {
  const kept = new Map<string, number>()
  return series.filter(({ projection }, index) => {
    const others = kept.get(projection) ?? 0
    kept.set(projection, others + 1)
    return index >= MAX_SERIES || others >= MAX_SERIES_OF_PROJECTION
  })
}

/** Names every event type with a version above 1. */
export const upcastVersionsOf = (vocabulary: Vocabulary): string =>
  [...vocabulary.types.values()]
    .filter(({ version }) => version > 1)
    .map(({ name, version }) => `${name}@${version}`)
    .sort()
    .join(" ")
