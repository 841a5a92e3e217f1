import { Context, type Effect, type Option } from "effect"
import type { Vocabulary } from "../vocabulary/Vocabulary.ts"
import type { DiskFull, LogError } from "./EventLog.ts"

/** The snapshots that can stand for one another: of one fold, over one timeline. */
export interface Series {
  /** The projection's name, whatever its version. */
  readonly projection: string
  /** Digest of everything that decides what the fold's states are. */
  readonly fingerprint: string
  readonly timeline: string
  /** The epoch that the fold began in: see `epoch` of `Snapshots`. */
  readonly epoch: string
}

/** A folded state as it was stored. It is made of a root and of the parts that the root names by their digests. */
export interface Snapshot {
  /** The last event that the state takes into account. */
  readonly position: number
  /** That event's hash, when the snapshot was taken. */
  readonly eventHash: string
  /** SHA-256 of the root, which names every part by its own: so it covers the whole state. */
  readonly stateHash: string
  readonly root: Uint8Array
}

/** A snapshot that was found stored. */
export interface Found extends Snapshot {
  /**
   * Whether it was stored by a program that has this log's key: of this series, at this position, over this event. One that was
   * not may say anything.
   */
  readonly authentic: boolean
}

/** Parts of states, by their SHA-256. A part that several snapshots of a series have in common is stored once. */
export type Parts = ReadonlyMap<string, Uint8Array>

/**
 * A cache of folded states that a log keeps beside its events. Nothing in it is part of the record: whoever reads it
 * starts from authentic snapshots only and checks every hash, and without it everything is the same, only slower. A log
 * opened for reading only refuses to write.
 */
export class Snapshots extends Context.Tag("hindcast/Snapshots")<
  Snapshots,
  {
    /** Names the versions in which this log's events are read: see `readingOf`. */
    readonly reading: string
    /**
     * Changes when a subject's key is destroyed, or comes or goes with the key file: states that were folded before are
     * then no longer what the events say. Snapshots of another epoch are neither found nor stored.
     */
    readonly epoch: Effect.Effect<string, LogError>
    /** The newest snapshot at or before a position; none where nothing can tell whether it is authentic. */
    readonly nearest: (series: Series, at: number) => Effect.Effect<Option.Option<Found>, LogError>
    /** The parts of a series stored under these digests; the answer lacks those that are not there. */
    readonly parts: (series: Series, digests: ReadonlyArray<string>) => Effect.Effect<Parts, LogError>
    /** Those of the digests under which a series has no part stored. */
    readonly missing: (series: Series, digests: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, LogError>
    /**
     * Stores a snapshot with these parts: all of it or nothing. It replaces one at the same position. It does not wait:
     * where another process is writing it fails at once (`LogBusy`). The first one of a series may push out others: see
     * `outlived`.
     */
    readonly save: (series: Series, snapshot: Snapshot, parts: Parts) => Effect.Effect<void, LogError | DiskFull>
    /** Forgets one snapshot, which could not be trusted. */
    readonly forget: (series: Series, position: number) => Effect.Effect<void, LogError | DiskFull>
    /** Forgets all snapshots of all projections. */
    readonly drop: Effect.Effect<void, LogError | DiskFull>
  }
>() {}

/** Series kept of one projection: two programs of different versions may share a log, each with its own. */
export const MAX_SERIES_OF_PROJECTION = 2

/** Series kept in all: a program may name a projection after a task, and there is no end of tasks. */
export const MAX_SERIES = 64

/**
 * Which of a log's series are to be forgotten, given all of them, the one that was stored last first. Nothing tells which
 * versions of a projection are still in use, so that what an upgrade has left would stay for ever: it goes as soon as two
 * newer ones are there. A program whose series went folds once more, and lays it again.
 */
export const outlived = <Known extends { readonly projection: string }>(
  series: ReadonlyArray<Known>,
): ReadonlyArray<Known> => {
  const kept = new Map<string, number>()
  return series.filter(({ projection }, index) => {
    const others = kept.get(projection) ?? 0
    kept.set(projection, others + 1)
    return index >= MAX_SERIES || others >= MAX_SERIES_OF_PROJECTION
  })
}

/** What a vocabulary brings events to when they are read: the event types whose payloads have changed, by version. */
export const readingOf = (vocabulary: Vocabulary): string =>
  [...vocabulary.types.values()]
    .filter(({ version }) => version > 1)
    .map(({ name, version }) => `${name}@${version}`)
    .sort()
    .join(" ")
