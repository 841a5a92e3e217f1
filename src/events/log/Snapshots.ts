/**
 * The cache of folded states that a log keeps beside its events, and the rules by which series of snapshots are
 * dropped.
 */

import { Context, type Effect, type Option } from "effect"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import type { DiskFull, LogError } from "./EventLog.ts"

/** A series: snapshots that can replace one another, because they are of one fold over one timeline. */
export interface Series {
  /** The projection's name, without its version. */
  readonly projection: string
  /** Digest of everything that determines the fold's states. */
  readonly fingerprint: string
  readonly timeline: string
  /** The epoch in which the fold began: see `epoch` of `Snapshots`. */
  readonly epoch: string
}

/** A folded state as stored: a root, and the parts that the root names by their digests. */
export interface Snapshot {
  /** The last event that the state includes. */
  readonly position: number
  /** That event's hash when the snapshot was taken. */
  readonly eventHash: string
  /** SHA-256 of the root. It covers the whole state, since the root names every part by its digest. */
  readonly stateHash: string
  readonly root: Uint8Array
}

/** A snapshot that was found in the cache. */
export interface FoundSnapshot extends Snapshot {
  /**
   * Whether a program with this log's key stored it, for this series, position and event. The content of an unauthentic
   * snapshot is arbitrary.
   */
  readonly authentic: boolean
}

/** Parts of states, by their SHA-256. A part that several snapshots of a series share is stored once. */
export type Parts = ReadonlyMap<string, Uint8Array>

/**
 * A cache of folded states. It is not part of the record: without it every answer is the same, only slower. Readers
 * start from authentic snapshots only and check every hash. A log that is opened read-only refuses to write.
 */
export class Snapshots extends Context.Tag("hindcast/Snapshots")<Snapshots, Snapshots.Service>() {}

/** The type of the service: `Snapshots.Service`. */
export declare namespace Snapshots {
  /** What a backend provides, and proves by `snapshotsSuite` of `hindcast/testing`. */
  export interface Service {
    /** Names the schema versions to which this log's events are upcast when read: see `upcastVersionsOf`. */
    readonly upcastVersions: string
    /**
     * Changes when a subject's key is destroyed, or when the key file appears or disappears: earlier states then differ
     * from what the events say. Snapshots of another epoch are neither found nor stored.
     */
    readonly epoch: Effect.Effect<string, LogError>
    /** The newest snapshot at or before a position. None if there is no key to tell whether it is authentic. */
    readonly nearest: (series: Series, at: number) => Effect.Effect<Option.Option<FoundSnapshot>, LogError>
    /** The parts of a series with these digests. Missing parts are left out. */
    readonly parts: (series: Series, digests: ReadonlyArray<string>) => Effect.Effect<Parts, LogError>
    /** Those digests for which the series has no part stored. */
    readonly missing: (series: Series, digests: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, LogError>
    /**
     * Stores a snapshot with these parts, all of it or nothing; replaces one at the same position. Does not wait: fails
     * at once (`LogBusy`) if another process is writing. The first snapshot of a series may drop other series: see
     * `seriesToDelete`.
     */
    readonly save: (series: Series, snapshot: Snapshot, parts: Parts) => Effect.Effect<void, LogError | DiskFull>
    /**
     * Deletes one snapshot because it could not be trusted, and the parts that were damaged: the next snapshot that has
     * them stores them again.
     */
    readonly forget: (
      series: Series,
      position: number,
      damaged: ReadonlyArray<string>,
    ) => Effect.Effect<void, LogError | DiskFull>
    /** Deletes all snapshots of all projections. */
    readonly drop: Effect.Effect<void, LogError | DiskFull>
  }
}

/** `Snapshots.Service`, under a shorter name where this module is imported as a namespace. */
export type Service = Snapshots.Service

/** Series kept of one projection: two programs of different versions may share a log. */
export const MAX_SERIES_OF_PROJECTION = 2

/** Series kept in all: a program may name a projection after a task, and the number of tasks is unbounded. */
export const MAX_SERIES = 64

/**
 * The series to delete. `series` holds all of them, the last stored first. The log cannot know which versions of a
 * projection are still in use, so a series is deleted as soon as two newer ones of its projection exist. A program
 * whose series was deleted folds once more and stores it again.
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

/** Names the schema versions to which a vocabulary upcasts events: every event type whose version is above 1. */
export const upcastVersionsOf = (vocabulary: Vocabulary): string =>
  [...vocabulary.types.values()]
    .filter(({ version }) => version > 1)
    .map(({ name, version }) => `${name}@${version}`)
    .sort()
    .join(" ")
