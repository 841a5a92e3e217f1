/**
 * Conformance checks of worlds: the 48 checks of Gymnasium's `check_env` and PettingZoo's tests, applied to Hindcast's
 * interface, and from number 49 on Hindcast's own. The checks are independent: a failure does not stop the others.
 */

import { Effect } from "effect"
import { agentChecks } from "./AgentChecks.ts"
import type { Check, CheckOutcome } from "./Check.ts"
import { contractChecks } from "./ContractChecks.ts"
import * as Drive from "./Drive.ts"
import type { OpenWorld, Refusal } from "./DrivenWorld.ts"
import { resetChecks } from "./ResetChecks.ts"
import { spaceChecks } from "./SpaceChecks.ts"
import { stepChecks } from "./StepChecks.ts"

export type { CheckOutcome } from "./Check.ts"

/** All checks, by number, including those that no Hindcast world can fail. */
export const CHECKS: ReadonlyArray<Check> = [
  ...[...spaceChecks, ...resetChecks, ...stepChecks],
  ...[...agentChecks, ...contractChecks],
].toSorted((a, b) => a.number - b.number)

/** The outcome of one check. */
export type Finding = Pick<Check, "number" | "name" | "sentence"> & CheckOutcome

/** The outcomes of all checks of a world. */
export interface Report {
  readonly world: string
  /** By number. */
  readonly findings: ReadonlyArray<Finding>
  /** Whether no check failed. */
  readonly conforms: boolean
}

/**
 * Runs all checks, within limits of steps and time even if the world does not answer. Fails only if the world does not
 * start.
 */
export const check = (open: OpenWorld, options: Drive.DriveOptions = {}): Effect.Effect<Report, Refusal> =>
  Effect.scoped(
    Effect.gen(function* () {
      const drive = yield* Drive.make(open, options)
      const findings = yield* Effect.forEach(CHECKS, ({ number, name, sentence, run }) =>
        Effect.map(run(drive), (outcome): Finding => ({ number, name, sentence, ...outcome })),
      )
      return { world: drive.facts.name, findings, conforms: findings.every(({ status }) => status !== "failed") }
    }),
  )
