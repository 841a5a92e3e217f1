import { Context, type Effect } from "effect"
import type { Link } from "../integrity/Chain.ts"
import type { LogError, Query } from "../log/EventLog.ts"

/** An event exactly as it stands in a log: what its hash covers, and the hash. */
export interface Recorded {
  readonly link: Link
  /** The payload's text as the chain covers it: JSON, sealed where fields are personal, a blob's name where it is large. */
  readonly stored: string
  /** The text that this name stands for; null where the payload stands in its row. */
  readonly blob: string | null
  /** The key that its personal fields are encrypted with. */
  readonly keyId: string | null
  readonly hash: string
}

/** An event as it reads, its payload still as JSON text: most of what is made of events takes the text as it is. */
export interface Readable {
  readonly link: Link
  /** The payload, brought to the present version of its type's schema. */
  readonly text: string
  readonly keyId: string | null
  readonly hash: string
}

/** How events are to read. */
export interface ReadableOptions {
  /**
   * Whether personal fields are decrypted, as far as their keys are there. Otherwise they read as once every key is
   * destroyed: what their types declare for that stands in their places.
   */
  readonly decrypted: boolean
}

/**
 * The events of a log as they are taken elsewhere, in order of position, page by page: the next is read once `take` is done with
 * the one before. Whether their chain holds is not looked at: that is what `EventLog.verify` does.
 *
 * No streams: over a million events, what a stream leaves behind is kept until V8 collects all of its heap, which then takes
 * 100 MiB more.
 */
export class Records extends Context.Tag("hindcast/Records")<
  Records,
  {
    readonly stored: <E, R>(
      query: Query,
      take: (page: ReadonlyArray<Recorded>) => Effect.Effect<void, E, R>,
    ) => Effect.Effect<void, E | LogError, R>
    readonly readable: <E, R>(
      query: Query,
      options: ReadableOptions,
      take: (page: ReadonlyArray<Readable>) => Effect.Effect<void, E, R>,
    ) => Effect.Effect<void, E | LogError, R>
  }
>() {}
