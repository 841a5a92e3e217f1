import { Effect } from "effect"
import type { LogError } from "../../../log/EventLog.ts"
import type { Finding, Tampering, TamperKind } from "../../../log/Verification.ts"
import type { Keys } from "../../../payload/PersonalDataKeys.ts"
import type { Segments } from "../../archive/Segments.ts"
import { attemptRead, type LogDatabase } from "../../file/database.ts"
import type { SnapshotKey } from "../../keys/snapshotKey.ts"

/** What verifying looks at: all of what a log's answers are made from. */
export interface Stores {
  readonly database: LogDatabase
  readonly segments: Segments
  readonly keys: Keys
  readonly ownKey: Pick<SnapshotKey, "find">
}

/** One fault: as `verify` tells it, and as the doctor does. */
export interface Flaw extends Tampering {
  readonly finding: Finding
}

/** What was seen of a part of the log. */
export interface CheckedRows {
  /** What is there, in a few words. */
  readonly told: string
  readonly flaws: ReadonlyArray<Flaw>
  /** False where there was nothing to tell right from wrong by; `told` says why. Default: true. */
  readonly looked?: boolean
  /** What is worth knowing and no fault. */
  readonly notes?: ReadonlyArray<Finding>
}

/** A part of the log, and a look at it. It gives way to others between its steps. */
export interface CheckContext {
  readonly what: string
  readonly look: Effect.Effect<CheckedRows, LogError>
}

/** Most flaws that are told of one part. */
export const MAX_FLAWS = 20

/** A flaw that was not recorded so, at a position or nowhere in particular. */
export const flaw = (
  kind: TamperKind,
  position: number | null,
  { what, expected, found, advice = EVIDENCE }: CheckReport,
): Flaw => ({
  position,
  kind,
  reason: `${what}: expected ${expected}, found ${found}`,
  finding: { severity: "damage", what, expected, found, advice },
})

/** A finding's text; by default the advice is to believe nothing. */
export interface CheckReport {
  readonly what: string
  readonly expected: string
  readonly found: string
  readonly advice?: string
}

const EVIDENCE = "Keep the file as evidence, and restore a copy. `hindcast log verify` tells when a copy is sound."

/** What is done where what events are found by is wrong, and the events are not. */
export const REINDEX =
  "What events say is for the chain to tell. Restore a copy; or, where nobody tampered with the file, have SQLite make the indexes " +
  'anew (`sqlite3 FILE "REINDEX"`) and verify it again.'

/** Reads from the log's file. */
export const reading = <A>({ database }: Pick<Stores, "database">, read: () => A): Effect.Effect<A, LogError> =>
  attemptRead(database.filename, read)

/** Most times that something is looked at anew because events were archived meanwhile. */
const TRIES = 5

/** Looks again where events were archived meanwhile: they were seen in two places, or in none. */
export const whileNothingIsArchived = (
  stores: Stores,
  look: Effect.Effect<CheckedRows, LogError>,
): Effect.Effect<CheckedRows, LogError> => {
  const floor = reading(stores, () => stores.segments.floor())
  const tried = (tries: number): Effect.Effect<CheckedRows, LogError> =>
    Effect.gen(function* () {
      const before = yield* floor
      const seen = yield* look
      return tries === 1 || (yield* floor) === before ? seen : yield* tried(tries - 1)
    })
  return tried(TRIES)
}

/** `1 event`, `2 events` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
