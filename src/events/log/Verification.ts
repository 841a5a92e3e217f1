/** Options and result of `verify`: checks, kinds of tampering, findings with advice. */

import { Data, type Effect, Schema } from "effect"
import * as Options from "../../values/Options.ts"
import type { Head } from "../vocabulary/Event.ts"
import { Sha256 } from "../vocabulary/EventType.ts"

/**
 * Kind of tampering, as far as the file proves it. One hash covers envelope and payload, so only other evidence tells
 * them apart.
 *
 * The chain:
 * - `payload changed`: the payload is no text that the log writes;
 * - `envelope changed`: a field refers to a name that the file lacks, or the version is out of sequence;
 * - `content changed`: the next event links to the stored hash, so the payload or a field was altered;
 * - `hash changed`: the next event links to the recomputed hash, so only the stored hash was altered;
 * - `content or hash changed`: no later event shows which of the two was altered;
 * - `event missing`: the event of this position is nowhere in the file;
 * - `event inserted`: the event of this position, and those after it, come later; or a row has an impossible position
 *   (before @1, or archived);
 * - `order changed`: the event of this position is at another one;
 * - `head changed`: the chain is valid, but differs from the anchor or from a snapshot.
 *
 * Indexes and other data:
 * - `schema changed`: tables, indexes, triggers or the view differ from Hindcast's;
 * - `pages damaged`: SQLite's integrity check finds damaged pages, or an index that differs from its table;
 * - `index changed`: reads by an index and by the table find different events;
 * - `version changed`: a stream's versions are not 1, 2, 3 … in order of position;
 * - `id repeated`: two events share an id;
 * - `name changed`: a name is not text;
 * - `archive changed`: a segment, or the log's record of its segments, differs from the archived one;
 * - `blob changed`: a large payload, or the log's record of it, differs from the recorded one;
 * - `snapshot changed`: a stored snapshot was altered. Reads never use it;
 * - `key changed`: a key of personal data is not the one that encrypted its events, or the key file is unreadable.
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
 * The first position where a log differs from its recording, the kind of tampering, and a sentence with the evidence.
 */
export interface Tampering {
  /** Null if it concerns no event. */
  readonly position: number | null
  readonly kind: TamperKind
  readonly reason: string
}

/** A check of a part of the log, and whether it ran. */
export interface CheckResult {
  /** `chain`, `pages and indexes`, `snapshots` … */
  readonly what: string
  readonly looked: boolean
  /** The result in a few words, or why the check did not run. */
  readonly told: string
}

/** The result of `verify`. */
export type Verification = Data.TaggedEnum<{
  /** Every check that ran passed. */
  Intact: { readonly head: Head; readonly events: number; readonly looks: ReadonlyArray<CheckResult> }
  /** The chain's first fault, otherwise the first fault of the other checks. */
  Tampered: Tampering & {
    readonly looks: ReadonlyArray<CheckResult>
    /** All faults, including the first, each with advice. */
    readonly findings: ReadonlyArray<Finding>
  }
}>
/** Constructors and matchers of `Verification`. */
export const Verification = Data.taggedEnum<Verification>()

/** Options of `verifyWith`. */
export interface VerifyOptions {
  /**
   * A position and its hash, stored where nobody who can write the log can write. The chain proves that nothing inside
   * it changed; only an anchor reveals a cut end or a log rewritten as a whole.
   */
  readonly anchor?: Head
  /**
   * Verifies only the chain. The other checks take about half as long again; SQLite's integrity check blocks the
   * process for more than a second per 1,000,000 events. Default: false.
   */
  readonly quick?: boolean
  /**
   * Number of threads for a log in a file, at most 64; the result is the same. Default: 1, the caller's own, which also
   * does everything if threads cannot start, as in a bundled program.
   */
  readonly jobs?: number
  /**
   * A head up to which the caller has verified the chain by `verifyRange`, from the beginning. The verification believes
   * it, and continues from there. Default: none.
   */
  readonly verified?: Head
  /**
   * Called after each page with the number of verified events, and the number in the log at the start (or now, if
   * higher).
   */
  readonly onProgress?: (verified: number, of: number) => Effect.Effect<void>
  /** Called before each check, with its name. */
  readonly onCheck?: (what: string) => Effect.Effect<void>
}

/** The events after a position, up to and including another. */
export interface ChainRange {
  readonly after: number
  readonly until: number
}

/** Schema of `ChainRange`. */
export const ChainRange = Options.of<ChainRange>({
  required: { after: Options.wholeNumber(0), until: Options.wholeNumber(0) },
})

const head = Options.of<Head>({ required: { position: Options.wholeNumber(0), hash: Sha256 } })

/** Schemas of the options that `verify` and the doctor share. */
export const sharedVerifyFields = {
  anchor: head,
  onProgress: Options.callable<NonNullable<VerifyOptions["onProgress"]>>(),
  onCheck: Options.callable<NonNullable<VerifyOptions["onCheck"]>>(),
}

/** Schema of `VerifyOptions`. */
export const VerifyOptions = Options.of<VerifyOptions>({
  optional: { ...sharedVerifyFields, quick: Schema.Boolean, jobs: Options.wholeNumber(1), verified: head },
})

/**
 * Severity of a finding:
 * - `damage`: the log was changed, or a part of it cannot be read or trusted;
 * - `warning`: the log is intact, but something will fail unless someone acts;
 * - `note`: no fault, but worth knowing.
 */
export type Severity = "damage" | "warning" | "note"

/** A finding of the doctor. */
export interface Finding {
  readonly severity: Severity
  /** The subject: `write-ahead log`, `permissions` … */
  readonly what: string
  readonly expected: string
  readonly found: string
  /** What to do now. */
  readonly advice: string
}
