import { Data, type Effect, Schema } from "effect"
import * as Options from "../../values/Options.ts"
import type { Head } from "../vocabulary/Event.ts"
import { Sha256 } from "../vocabulary/EventType.ts"

/**
 * What was done to a log, as far as the file itself proves it. One hash covers an event's envelope and its payload, so
 * which of the two was changed can be told only where the row gives itself away:
 * - `payload changed`: the payload is not text that the log writes;
 * - `envelope changed`: a field names what the file does not have, or is out of its stream's sequence;
 * - `content changed`: the hash is the recorded one, for the next event goes on from it; the payload or a field is not;
 * - `hash changed`: the content is the recorded one, for the next event goes on from its hash; the stored hash is not;
 * - `content or hash changed`: nothing that follows tells which;
 * - `event missing`: the event that belongs here is nowhere;
 * - `event inserted`: the event that belongs here, and those after it, stand later; or one stands where none is looked for;
 * - `order changed`: the event that belongs here stands in another's place;
 * - `head changed`: the chain holds in itself, but it is not the one that was anchored, or that a snapshot was taken of.
 *
 * The rest is of what events are found by, and of what is kept beside them:
 * - `schema changed`: tables, indexes, triggers or the view are not those that Hindcast makes;
 * - `pages damaged`: SQLite's own check finds pages that are not sound, or an index that is not what its table says;
 * - `index changed`: by an index there are other events than in the table;
 * - `version changed`: the versions of a stream are not 1, 2, 3 … in the order of positions;
 * - `id repeated`: two events have one id;
 * - `name changed`: a name is not text;
 * - `archive changed`: a segment, or what the log says of its segments, is not what was archived;
 * - `blob changed`: a large payload is not what was recorded, or what the log says of it is not so;
 * - `snapshot changed`: a snapshot that this log's programs stored is not what they stored. No answer is made from it;
 * - `key changed`: a key of personal data is not the one that encrypted its events, or the key file cannot be read.
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
  | "schema changed"
  | "pages damaged"
  | "index changed"
  | "version changed"
  | "id repeated"
  | "name changed"
  | "archive changed"
  | "blob changed"
  | "snapshot changed"
  | "key changed"

/** Where a log stops being what was recorded: the first such position, what was done, and a sentence on how it shows. */
export interface Tampering {
  /** Null where it is about no event. */
  readonly position: number | null
  readonly kind: TamperKind
  readonly reason: string
}

/** A part of a log that answers are made from, and whether it was looked at. */
export interface CheckResult {
  /** `chain`, `pages and indexes`, `snapshots` … */
  readonly what: string
  readonly looked: boolean
  /** What is there, in a few words; or why it was not looked at. */
  readonly told: string
}

/** What `verify` found. */
export type Verification = Data.TaggedEnum<{
  /** Nothing that was looked at is other than it was recorded. */
  Intact: { readonly head: Head; readonly events: number; readonly looks: ReadonlyArray<CheckResult> }
  /** The first fault of the chain; where the chain holds, the first of the others. */
  Tampered: Tampering & {
    readonly looks: ReadonlyArray<CheckResult>
    /** All that was found, that one included, each with what to do. */
    readonly findings: ReadonlyArray<Finding>
  }
}>
export const Verification = Data.taggedEnum<Verification>()

/** How to verify. */
export interface VerifyOptions {
  /**
   * A position and its hash, kept where whoever changes the log cannot reach. A chain proves that nothing *inside* it was
   * changed; that events were removed from its end, or that it was written anew as a whole, shows only against an anchor.
   */
  readonly anchor?: Head
  /**
   * Whether to walk the chain alone: what events say, and not what they are found by. Default: false. The rest takes about half
   * as long again, and SQLite's own check of its pages, more than a second for 1,000,000 events, is one step that keeps the process.
   */
  readonly quick?: boolean
  /** Called after each page with the events verified so far, and those that the log held at the start or holds by now. */
  readonly onProgress?: (verified: number, of: number) => Effect.Effect<void>
  /** Called before each part of the log is looked at, with its name. */
  readonly onLook?: (what: string) => Effect.Effect<void>
}

/** A schema for each of them, but whether the rest is left out. */
export const checkResultFields = {
  anchor: Options.of<Head>({ required: { position: Options.wholeNumber(0), hash: Sha256 } }),
  onProgress: Options.callable<NonNullable<VerifyOptions["onProgress"]>>(),
  onLook: Options.callable<NonNullable<VerifyOptions["onLook"]>>(),
}

/** Their schema. */
export const VerifyOptions = Options.of<VerifyOptions>({ optional: { ...checkResultFields, quick: Schema.Boolean } })

/**
 * How bad a finding is:
 * - `damage`: the log was changed, or a part of it cannot be read or believed;
 * - `warning`: it is sound, and something will go wrong unless someone acts;
 * - `note`: worth knowing, and no fault.
 */
export type Severity = "damage" | "warning" | "note"

/** One thing that the doctor found. */
export interface Finding {
  readonly severity: Severity
  /** What it is about: `write-ahead log`, `permissions` … */
  readonly what: string
  readonly expected: string
  readonly found: string
  /** What to do now. */
  readonly advice: string
}
