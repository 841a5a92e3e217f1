/** `verify` of a log in an SQLite file: the chain, then the other checks. */

import { Effect, Either } from "effect"
import type { Break } from "../../integrity/TamperClassification.ts"
import type * as Verifier from "../../integrity/Verifier.ts"
import { type LogCorrupt, type LogError, SegmentUnavailable } from "../../log/EventLog.ts"
import type { Finding } from "../../log/Verification.ts"
import { type CheckResult, Verification, type VerifyOptions } from "../../log/Verification.ts"
import { blobs } from "./checks/blobs.ts"
import { type Check, type CheckOutcome, counted, type Flaw, type Stores } from "./checks/Check.ts"
import { counts } from "./checks/counts.ts"
import { names } from "./checks/internedNames.ts"
import { keys } from "./checks/keys.ts"
import { pages } from "./checks/pages.ts"
import { schema } from "./checks/schema.ts"
import { segmentFiles } from "./checks/segmentFiles.ts"
import { snapshots } from "./checks/snapshots.ts"
import { strays } from "./checks/strayRows.ts"
import { versions } from "./checks/versions.ts"
import { RECOVERY } from "./fileFindings.ts"
import { verifyChain } from "./storedChain.ts"

/** All checks except the chain, in their order. */
export const checksOf = (stores: Stores): ReadonlyArray<Check> => [
  schema(stores),
  pages(stores),
  counts(stores),
  versions(stores),
  strays(stores),
  names(stores),
  blobs(stores),
  segmentFiles(stores),
  keys(stores),
  snapshots(stores),
]

/**
 * Verifies the chain, and runs the other checks. Fails if the chain cannot be read (a damaged page, a missing segment).
 * Every other fault is part of the result.
 */
export const verify = (stores: Stores, options: VerifyOptions = {}): Effect.Effect<Verification, LogError> =>
  Effect.gen(function* () {
    const { quick = false, onCheck = () => Effect.void } = options
    yield* onCheck(CHAIN)
    const chained = yield* verifyChain(stores.database, stores.segments, options)
    const looks: Array<CheckResult> = [{ what: CHAIN, looked: true, told: summaryOf(chained) }]
    const flaws: Array<Flaw> = []
    for (const { what, run } of checksOf(stores)) {
      if (quick) looks.push({ what, looked: false, told: "left out by a quick verification" })
      else {
        yield* onCheck(what)
        const { told, flaws: found, looked = true } = yield* reportingDamage(what, run)
        looks.push({ what, looked, told })
        flaws.push(...found)
      }
    }
    return toVerification(chained, looks, flaws)
  })

/** The verification's result. A break of the chain takes precedence over other faults. */
export const toVerification = (
  chained: Verifier.ChainResult,
  looks: ReadonlyArray<CheckResult>,
  others: ReadonlyArray<Flaw>,
): Verification => {
  const [first] = others
  if (chained.broken !== null) {
    const { finding, ...broken } = chainFlaw(chained.broken)
    return Verification.Tampered({ ...broken, looks, findings: [finding, ...findingsOf(others)] })
  }
  if (first === undefined) return Verification.Intact({ head: chained.head, events: chained.events, looks })
  const { finding: _, ...found } = first
  return Verification.Tampered({ ...found, looks, findings: findingsOf(others) })
}

const findingsOf = (flaws: ReadonlyArray<Flaw>): ReadonlyArray<Finding> => flaws.map(({ finding }) => finding)

/** The name of the chain's check. */
export const CHAIN = "chain"

const summaryOf = (chained: Verifier.ChainResult): string =>
  chained.broken === null ? counted(chained.events, "event") : `broken at @${chained.broken.position}`

const chainFlaw = ({ position, kind, reason }: Break): Flaw => ({
  ...{ position, kind, reason },
  finding: {
    severity: "damage",
    what: `chain at @${position}`,
    expected: "the events as they were recorded",
    found: `${kind}: ${reason}`,
    advice: "Do not trust events from there on: keep the file as evidence, and restore a copy.",
  },
})

/** Turns a failure to read into a fault, so that the other checks run. */
export const reportingDamage = (
  what: string,
  look: Effect.Effect<CheckOutcome, LogError>,
): Effect.Effect<CheckOutcome, LogError> =>
  Effect.flatMap(Effect.either(look), (outcome) => {
    if (Either.isRight(outcome)) return Effect.succeed(outcome.right)
    const error = outcome.left
    if (error._tag !== "LogCorrupt" && error._tag !== "SegmentUnavailable") return Effect.fail(error)
    return Effect.succeed({ told: "cannot be read", flaws: [unreadable(what, error)] })
  })

const unreadable = (what: string, error: LogCorrupt | SegmentUnavailable): Flaw => {
  const finding: Finding =
    error instanceof SegmentUnavailable ? unavailable(error) : damaged(what, error.position, error.reason)
  return { position: null, kind: "pages damaged", reason: `${finding.what}: ${finding.found}`, finding }
}

/** The finding for a segment that is missing or is not one. */
export const unavailable = ({ first, last, file, reason }: SegmentUnavailable): Finding => ({
  severity: "damage",
  what: `segment @${first} to @${last}`,
  expected: `the archived events in ${file}`,
  found: reason,
  advice: "Put the file back from where it was moved, or from a copy. Events after it can still be read.",
})

/** The finding for pages that SQLite cannot read. */
export const damaged = (what: string, position: number | null, reason: string): Finding => ({
  severity: "damage",
  what: position === null ? what : `pages at @${position}`,
  expected: "pages that SQLite can read",
  found: position === null ? reason : `${reason}; ${soundBefore(position)}`,
  advice: RECOVERY,
})

const soundBefore = (position: number): string =>
  position === 1 ? "no event can be read" : `the events up to @${position - 1} can be read and are sound`
