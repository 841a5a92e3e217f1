/**
 * The result of `verify`: what was checked, the type of tampering found, and what to do about each finding. Also its
 * options.
 */

import { Data, type Effect, Schema } from "effect"
import * as Options from "../../values/Options.ts"
import type { Head } from "../vocabulary/Event.ts"
import { Sha256 } from "../vocabulary/EventType.ts"

/**
 * Type of tampering, as far as the file itself proves it. One hash covers an event's envelope and its payload, so that
 * the two can be told apart only by other evidence.
 *
 * The chain:
 * - `payload changed`: the payload is not text that the log writes;
 * - `envelope changed`: a field refers to a name that the file does not have, or the version is out of the stream's
 *   sequence;
 * - `content changed`: the next event links to the stored hash, so that the hash is original and the payload or a field
 *   was altered;
 * - `hash changed`: the next event links to the recomputed hash, so that only the stored hash was altered;
 * - `content or hash changed`: no later event shows which of the two was altered;
 * - `event missing`: the event of this position is nowhere in the file;
 * - `event inserted`: the event of this position, and those after it, are found later; or there is a row at a position
 *   where none can be (before @1, or archived);
 * - `order changed`: the event of this position is found at another one;
 * - `head changed`: the chain is valid, but differs from the anchor or from a snapshot.
 *
 * The indexes, and the data beside the events:
 * - `schema changed`: tables, indexes, triggers or the view are not those that Hindcast creates;
 * - `pages damaged`: SQLite's integrity check finds damaged pages, or an index that differs from its table;
 * - `index changed`: a read by an index finds other events than a read of the table;
 * - `version changed`: the versions of a stream are not 1, 2, 3 … in the order of positions;
 * - `id repeated`: two events have one id;
 * - `name changed`: a name is not text;
 * - `archive changed`: a segment, or the log's record of its segments, is not what was archived;
 * - `blob changed`: a large payload is not what was recorded, or the log's record of it is wrong;
 * - `snapshot changed`: a snapshot that this log's programs stored was altered. Reads never use it;
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

/**
 * Where a log differs from what was recorded: the first such position, the type of tampering, and a sentence with the
 * evidence.
 */
export interface Tampering {
  /** Null if it is not about an event. */
  readonly position: number | null
  readonly kind: TamperKind
  readonly reason: string
}

/** One check of a part of the log that reads depend on, and whether it ran. */
export interface CheckResult {
  /** `chain`, `pages and indexes`, `snapshots` … */
  readonly what: string
  readonly looked: boolean
  /** What was found there, in a few words; or why the check did not run. */
  readonly told: string
}

/** The result of `verify`. */
export type Verification = Data.TaggedEnum<{
  /** Every check that ran passed. */
  Intact: { readonly head: Head; readonly events: number; readonly looks: ReadonlyArray<CheckResult> }
  /** The first fault of the chain; if the chain is valid, the first fault of the other checks. */
  Tampered: Tampering & {
    readonly looks: ReadonlyArray<CheckResult>
    /** All faults, including the first, each with advice. */
    readonly findings: ReadonlyArray<Finding>
  }
}>
/** Makes, matches and tells apart the results of `verify`. */
export const Verification = Data.taggedEnum<Verification>()

/** How to verify. */
export interface VerifyOptions {
  /**
   * A position and its hash, kept where an attacker who can write the log cannot write. The chain proves that nothing
   * inside it was changed; only an anchor shows that events were removed from the end, or that the whole log was
   * rewritten.
   */
  readonly anchor?: Head
  /**
   * Whether to verify the chain alone, without indexes and the data beside the events. Default: false. The other checks
   * take about half as long again. SQLite's integrity check takes more than a second per 1,000,000 events, in one step
   * that blocks the process.
   */
  readonly quick?: boolean
  /**
   * How many threads verify a log in a file, at most 64; the result is the same. Default: 1, the caller's own. Where threads cannot be started, in
   * a program that Hindcast was bundled into, that one does everything.
   */
  readonly jobs?: number
  /**
   * Called after each page with the number of events verified so far, and the number in the log at the start (or now,
   * if higher).
   */
  readonly onProgress?: (verified: number, of: number) => Effect.Effect<void>
  /** Called before each check, with its name. */
  readonly onCheck?: (what: string) => Effect.Effect<void>
}

/** The option schemas that `verify` and the doctor share: all but `quick` and `jobs`. */
export const sharedVerifyFields = {
  anchor: Options.of<Head>({ required: { position: Options.wholeNumber(0), hash: Sha256 } }),
  onProgress: Options.callable<NonNullable<VerifyOptions["onProgress"]>>(),
  onCheck: Options.callable<NonNullable<VerifyOptions["onCheck"]>>(),
}

/** Schema of `VerifyOptions`. */
export const VerifyOptions = Options.of<VerifyOptions>({
  optional: { ...sharedVerifyFields, quick: Schema.Boolean, jobs: Options.wholeNumber(1) },
})

/**
 * Severity of a finding:
 * - `damage`: the log was changed, or a part of it cannot be read or trusted;
 * - `warning`: the log is intact, and something will fail unless someone acts;
 * - `note`: worth knowing, and no fault.
 */
export type Severity = "damage" | "warning" | "note"

/** One finding of the doctor. */
export interface Finding {
  readonly severity: Severity
  /** The subject: `write-ahead log`, `permissions` … */
  readonly what: string
  readonly expected: string
  readonly found: string
  /** What to do now. */
  readonly advice: string
}
