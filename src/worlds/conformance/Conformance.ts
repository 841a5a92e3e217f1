/**
 * The conformance checks of worlds: what Gymnasium's `check_env` and PettingZoo's tests check, 48 in number, applied to
 * Hindcast's interface, and from number 49 on what Hindcast itself asks of worlds. Each check judges for itself: a failing
 * one does not stop the others.
 */

import { Effect } from "effect"
import { agentChecks } from "./AgentChecks.ts"
import type { Check, Verdict } from "./Check.ts"
import { contractChecks } from "./ContractChecks.ts"
import * as Drive from "./Drive.ts"
import type { OpenWorld, Refusal } from "./DrivenWorld.ts"
import { resetChecks } from "./ResetChecks.ts"
import { spaceChecks } from "./SpaceChecks.ts"
import { stepChecks } from "./StepChecks.ts"

export type { Verdict } from "./Check.ts"

/** All checks, by number. Those that no world here can fail are among them, with the reason. */
export const CHECKS: ReadonlyArray<Check> = [
  ...[...spaceChecks, ...resetChecks, ...stepChecks],
  ...[...agentChecks, ...contractChecks],
].toSorted((a, b) => a.number - b.number)

/** What a check found. */
export type Finding = Pick<Check, "number" | "name" | "sentence"> & Verdict

/** What all checks found of a world. */
export interface Report {
  readonly world: string
  /** By number. */
  readonly findings: ReadonlyArray<Finding>
  /** Whether no check failed. */
  readonly conforms: boolean
}

/**
 * Runs all checks. It takes a bounded number of steps and a bounded time, also if the world does not answer. Fails only
 * if the world cannot be started.
 */
export const check = (open: OpenWorld, options: Drive.DriveOptions = {}): Effect.Effect<Report, Refusal> =>
  Effect.scoped(
    Effect.gen(function* () {
      const drive = yield* Drive.make(open, options)
      const findings = yield* Effect.forEach(CHECKS, ({ number, name, sentence, run }) =>
        Effect.map(run(drive), (verdict): Finding => ({ number, name, sentence, ...verdict })),
      )
      return { world: drive.facts.name, findings, conforms: findings.every(({ status }) => status !== "failed") }
    }),
  )
