/** Reads a log's events for exports: exactly as stored, or decoded as JSON text; and for indexes: without what they say. */

import { Context, type Effect } from "effect"
import type { Link } from "../integrity/Chain.ts"
import type { LogError, Query } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"

/** An event exactly as stored: the content that its hash covers, and the hash. */
export interface StoredEvent {
  readonly link: Link
  /**
   * The payload's text that the hash covers: JSON, `{ open, sealed }` if fields are encrypted, a blob's name if it is
   * large.
   */
  readonly stored: string
  /** The blob's text; null if the payload is stored in the event's row. */
  readonly blob: string | null
  /** The key that encrypts its personal fields. */
  readonly keyId: string | null
  readonly hash: string
}

/** A decoded event whose payload is still JSON text, since most exports write the text as it is. */
export interface DecodedEvent {
  readonly link: Link
  /** The payload, upcast to the current version of its type's schema. */
  readonly text: string
  readonly keyId: string | null
  readonly hash: string
}

/** An event without what it says. */
export type Envelope = Pick<Event, "position" | "timeline" | "type" | "taskId" | "occurredAt" | "recordedAt">

/** Options of `Records.decoded`. */
export interface DecodedOptions {
  /**
   * Whether to decrypt personal fields whose keys are available. Otherwise each reads as the replacement that its type
   * declares, as if its key were destroyed.
   */
  readonly decrypted: boolean
}

/**
 * The events of a log for export, in order of position, page by page. The next page is read when `take` is done with
 * the one before. The chain is not verified: use `EventLog.verify`.
 *
 * Not a `Stream`: over a million events, the garbage of a stream survives until V8 collects its whole heap, which costs
 * 100 MiB more.
 */
export class Records extends Context.Tag("hindcast/Records")<Records, Records.Service>() {}

/** The type of the service: `Records.Service`. */
export declare namespace Records {
  /** The records of a log. */
  export interface Service {
    /** The events as they are stored, with their hashes: encrypted fields stay encrypted. */
    readonly stored: <E, R>(
      query: Query,
      take: (page: ReadonlyArray<StoredEvent>) => Effect.Effect<void, E, R>,
    ) => Effect.Effect<void, E | LogError, R>
    /** One page of events without what they say: several times faster than with it. */
    readonly envelopes: (query: Query, limit: number) => Effect.Effect<ReadonlyArray<Envelope>, LogError>
    /** The events with payloads of the current schema versions. */
    readonly decoded: <E, R>(
      query: Query,
      options: DecodedOptions,
      take: (page: ReadonlyArray<DecodedEvent>) => Effect.Effect<void, E, R>,
    ) => Effect.Effect<void, E | LogError, R>
  }
}

/** `Records.Service`, under a shorter name where this module is imported as a namespace. */
export type Service = Records.Service
