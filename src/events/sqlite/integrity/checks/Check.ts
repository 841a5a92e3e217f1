/** The interface of a check, and helpers that checks share. */

import { Effect } from "effect"
import type { LogError } from "../../../log/EventLog.ts"
import type { LogFile } from "../../../log/LogFile.ts"
import type { Finding, Tampering, TamperKind } from "../../../log/Verification.ts"
import type { Keys } from "../../../payload/PersonalDataKeys.ts"
import type { Segments } from "../../archive/Segments.ts"
import { attemptRead, type LogDatabase } from "../../file/database.ts"
import type { SnapshotKey } from "../../keys/snapshotKey.ts"
import { rebuild } from "../recovery.ts"

export interface Stores {
  readonly database: LogDatabase
  readonly segments: Segments
  readonly keys: Keys
  readonly ownKey: Pick<SnapshotKey, "find" | "problem">
  /** For threads, which open the stores themselves. */
  readonly file?: LogFile
}

/** A fault, as `verify` (`Tampering`) and the doctor (`Finding`) report it. */
export interface Flaw extends Tampering {
  readonly finding: Finding
}

export interface CheckOutcome {
  /** The scope of the check, in a few words. */
  readonly told: string
  readonly flaws: ReadonlyArray<Flaw>
  /** False if the check could not run; `told` says why. Default: true. */
  readonly looked?: boolean
  /** Findings that are no faults. */
  readonly notes?: ReadonlyArray<Finding>
}

/** A check of one part of the log. It yields to the event loop between its steps. */
export interface Check {
  readonly what: string
  readonly run: Effect.Effect<CheckOutcome, LogError>
}

export const MAX_FLAWS = 20

export const flaw = (
  kind: TamperKind,
  position: number | null,
  { what, expected, found, advice = EVIDENCE }: FindingText,
): Flaw => ({
  position,
  kind,
  reason: `${what}: expected ${expected}, found ${found}`,
  finding: { severity: "damage", what, expected, found, advice },
})

/** Texts of a finding. Default advice: keep the file as evidence and restore a copy. */
export interface FindingText {
  readonly what: string
  readonly expected: string
  readonly found: string
  readonly advice?: string
}

const EVIDENCE = "Keep the file as evidence, and restore a copy. `hindcast log verify` shows whether a copy is intact."

export const REINDEX = `The chain shows whether events were changed. Restore a backup; or, if the file was not tampered with, ${rebuild()}.`

export const readLog = <A>({ database }: Pick<Stores, "database">, read: () => A): Effect.Effect<A, LogError> =>
  attemptRead(database.filename, read)

const MAX_ATTEMPTS = 5

/** Repeats a check if events were archived while it ran: it may have seen them in both places or in neither. */
export const repeatWhileArchiving = (
  stores: Stores,
  check: Effect.Effect<CheckOutcome, LogError>,
): Effect.Effect<CheckOutcome, LogError> => {
  const floor = readLog(stores, () => stores.segments.floor())
  const attempt = (attemptsLeft: number): Effect.Effect<CheckOutcome, LogError> =>
    Effect.gen(function* () {
      const before = yield* floor
      const outcome = yield* check
      return attemptsLeft === 1 || (yield* floor) === before ? outcome : yield* attempt(attemptsLeft - 1)
    })
  return attempt(MAX_ATTEMPTS)
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
