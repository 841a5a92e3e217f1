/** Reads events for exports, exactly as stored or decoded to JSON text, and for indexes, without payloads. */

import { Context, type Effect } from "effect"
import type { Link } from "../integrity/Chain.ts"
import type { LogError, Query } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"

/** An event exactly as stored, with its hash. */
export interface StoredEvent {
  readonly link: Link
  /** The payload's text that the hash covers: JSON, `{ open, sealed }` with encrypted fields, or a blob's name. */
  readonly stored: string
  /** The blob's text; null if the row holds the payload. */
  readonly blob: string | null
  /** The key of its personal fields. */
  readonly keyId: string | null
  readonly hash: string
}

/** A decoded event with its payload as JSON text, which most exports write unchanged. */
export interface DecodedEvent {
  readonly link: Link
  /** The payload, upcast to the current version of its type's schema. */
  readonly text: string
  readonly keyId: string | null
  readonly hash: string
}

/** An event without its payload. */
export type Envelope = Pick<Event, "position" | "timeline" | "type" | "taskId" | "occurredAt" | "recordedAt">

/** Options of `Records.decoded`. */
export interface DecodedOptions {
  /**
   * True to decrypt personal fields whose keys are available. Otherwise each reads as the replacement that its type
   * declares.
   */
  readonly decrypted: boolean
}

/**
 * Events of a log for export, in order of position, page by page. The next read starts when `take` has finished. Does
 * not verify the chain; `EventLog.verify` does.
 *
 * Not a `Stream`: over a million events, a stream's garbage costs 100 MiB more, because it survives until V8 collects
 * its whole heap.
 */
export class Records extends Context.Tag("hindcast/Records")<Records, Records.Service>() {}

/** The type of the service: `Records.Service`. */
export declare namespace Records {
  /** The records of a log. */
  export interface Service {
    /** Reads events exactly as stored, with hashes; encrypted fields stay encrypted. */
    readonly stored: <E, R>(
      query: Query,
      take: (page: ReadonlyArray<StoredEvent>) => Effect.Effect<void, E, R>,
    ) => Effect.Effect<void, E | LogError, R>
    /** Reads one page of events without payloads, several times as fast as with them. */
    readonly envelopes: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Envelope>, LogError>
    /** Reads events with payloads of the current schema versions. */
    readonly decoded: <E, R>(
      query: Query,
      options: DecodedOptions,
      take: (page: ReadonlyArray<DecodedEvent>) => Effect.Effect<void, E, R>,
    ) => Effect.Effect<void, E | LogError, R>
  }
}

/** Alias of `Records.Service` for namespace imports. */
export type Service = Records.Service
