import { Data, type Effect } from "effect"
import type { Head } from "./EventLog.ts"

/**
 * What was done to a log, as far as the file itself proves it. One hash covers an event's envelope and its payload, so
 * which of the two was changed can be told only where the row gives itself away:
 * - `payload changed`: the payload is not text that the log writes;
 * - `envelope changed`: a field names what the file does not have, or is out of its stream's sequence;
 * - `content changed`: the hash is the recorded one, for the next event goes on from it; the payload or a field is not;
 * - `hash changed`: the content is the recorded one, for the next event goes on from its hash; the stored hash is not;
 * - `content or hash changed`: nothing that follows tells which;
 * - `event missing`: the event that belongs here is nowhere;
 * - `event inserted`: the event that belongs here, and those after it, stand later;
 * - `order changed`: the event that belongs here stands in another's place;
 * - `head changed`: the chain holds in itself, but it is not the one that was anchored.
 */
export type TamperKind =
  | "payload changed"
  | "envelope changed"
  | "content changed"
  | "hash changed"
  | "content or hash changed"
  | "event missing"
  | "event inserted"
  | "order changed"
  | "head changed"

/** Where a log stops being what was recorded: the first such position, what was done, and a sentence on how it shows. */
export interface Tampering {
  readonly position: number
  readonly kind: TamperKind
  readonly reason: string
}

/** What `verify` found. */
export type Verification = Data.TaggedEnum<{
  Intact: { readonly head: Head; readonly events: number }
  Tampered: Tampering
}>
export const Verification = Data.taggedEnum<Verification>()

/** How to verify. */
export interface VerifyOptions {
  /**
   * A position and its hash, kept where whoever changes the log cannot reach. A chain proves that nothing *inside* it was
   * changed; that events were removed from its end, or that it was written anew as a whole, shows only against an anchor.
   */
  readonly anchor?: Head
  /** Called after each page with the events verified so far, and those that the log held at the start or holds by now. */
  readonly onProgress?: (verified: number, of: number) => Effect.Effect<void>
}
