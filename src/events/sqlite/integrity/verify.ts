/** Verifies a log in an SQLite file: the chain, then the other checks. */

import { Effect, Either } from "effect"
import * as Threads from "../../../platform/threads/Threads.ts"
import type { Break } from "../../integrity/TamperClassification.ts"
import * as Verifier from "../../integrity/Verifier.ts"
import { type LogCorrupt, type LogError, LogUnavailable, SegmentUnavailable } from "../../log/EventLog.ts"
import type { LogFile } from "../../log/LogFile.ts"
import {
  type ChainRange,
  type CheckResult,
  type Finding,
  Verification,
  type VerifyOptions,
} from "../../log/Verification.ts"
import { readHead } from "../read.ts"
import { type Check, type CheckOutcome, counted, type Flaw, readLog, type Stores } from "./checks/Check.ts"
import { checksOf } from "./checks/checksOf.ts"
import { recovery } from "./recovery.ts"
import { rangeSource, verifyChain } from "./storedChain.ts"
import { soundHead } from "./threads/chainRange.ts"
import type { CheckPiece } from "./threads/checkPiece.ts"

/**
 * Fails if the chain is unreadable (a damaged page, a missing segment). Every other fault is part of the result, which
 * does not depend on `jobs`.
 */
export const verify = (stores: Stores, options: VerifyOptions = {}): Effect.Effect<Verification, LogError> =>
  Effect.gen(function* () {
    const { quick = false, jobs = 1, onCheck = () => Effect.void } = options
    const { file } = stores
    const threads = jobs === 1 || file === undefined ? undefined : yield* Threads.start(jobs)
    yield* onCheck(CHAIN)
    const head =
      threads === undefined || file === undefined || options.verified !== undefined
        ? options.verified
        : yield* soundHead(threads, file, (yield* readLog(stores, () => readHead(stores.database))).position, options)
    const chained = yield* verifyChain(stores.database, stores.segments, options, head)
    const looks: Array<CheckResult> = [{ what: CHAIN, looked: true, told: summaryOf(chained) }]
    const flaws: Array<Flaw> = []
    const checks = checksOf(stores)
    const add = ({ what }: Check, { told, flaws: found, looked = true }: CheckOutcome) => {
      looks.push({ what, looked, told })
      flaws.push(...found)
    }
    if (quick) looks.push(...checks.map(({ what }) => ({ what, looked: false, told: LEFT_OUT })))
    else if (threads !== undefined && file !== undefined) {
      yield* onCheck(`the rest, in ${jobs} threads`)
      yield* runInThreads(threads, file, checks, add)
    } else
      for (const check of checks) {
        yield* onCheck(check.what)
        add(check, yield* reportingDamage(check.what, check.run))
      }
    return toVerification(chained, looks, flaws)
  }).pipe(
    Effect.scoped,
    Effect.catchTag(
      "ThreadDied",
      ({ message }) => new LogUnavailable({ log: stores.database.filename, reason: message }),
    ),
  )

/** Walks ranges of the chain. */
export const verifyRange = ({ database, segments }: Stores, range: ChainRange) =>
  Verifier.ranges(rangeSource(database, segments))(range)

const LEFT_OUT = "skipped by a quick verification"

/** Runs checks in threads. One that fails there runs again here, for its error or finding. */
const runInThreads = (
  threads: Threads.Threads,
  file: LogFile,
  checks: ReadonlyArray<Check>,
  add: (check: Check, outcome: CheckOutcome) => void,
) =>
  threads.inOrder(
    "check",
    checks.map((check, index) => ({
      asked: { file, index } satisfies CheckPiece,
      again: reportingDamage(check.what, check.run),
      take: (outcome: CheckOutcome) =>
        Effect.as(
          Effect.sync(() => add(check, outcome)),
          true,
        ),
    })),
  )

/** A break of the chain takes precedence over other faults. */
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

export const CHAIN = "chain"

const summaryOf = (chained: Verifier.ChainResult): string =>
  chained.broken === null ? counted(chained.events, "event") : `broken at @${chained.broken.position}`

const chainFlaw = ({ position, kind, reason }: Break): Flaw => ({
  position,
  kind,
  reason,
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

export const unavailable = ({ first, last, file, reason }: SegmentUnavailable): Finding => ({
  severity: "damage",
  what: `segment @${first} to @${last}`,
  expected: `the archived events in ${file}`,
  found: reason,
  advice: "Put the file back from where it was moved, or from a copy. Events after it can still be read.",
})

export const damaged = (what: string, position: number | null, reason: string): Finding => ({
  severity: "damage",
  what: position === null ? what : `pages at @${position}`,
  expected: "pages that SQLite can read",
  found: position === null ? reason : `${reason}; ${soundBefore(position)}`,
  advice: position === null || position === 1 ? recovery() : recovery(position - 1),
})

const soundBefore = (position: number): string =>
  position === 1 ? "no event can be read" : `the events up to @${position - 1} are readable and intact`
