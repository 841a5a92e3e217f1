/** The result of `hindcast log doctor`: the checks that ran and their findings, ordered by severity. */

import type { CheckResult, Finding, Severity, Verification } from "../log/Verification.ts"

export type { Finding, Severity } from "../log/Verification.ts"

/** The result of an examination. */
export interface Examination {
  readonly log: string
  /** Names of the checks that ran, in order. Damage can prevent the later ones. */
  readonly checked: ReadonlyArray<string>
  /** Every check with its result, including those that did not run. */
  readonly looks: ReadonlyArray<CheckResult>
  readonly findings: ReadonlyArray<Finding>
  /** The result of verifying the chain; null if it was not verified. */
  readonly chain: Verification | null
}

/** Whether no finding is damage. Warnings and notes do not count. */
export const isHealthy = ({ findings }: Pick<Examination, "findings">): boolean =>
  findings.every(({ severity }) => severity !== "damage")

const SEVERITIES: ReadonlyArray<Severity> = ["damage", "warning", "note"]

/** Findings by severity, worst first; otherwise in their order. */
export const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  SEVERITIES.flatMap((wanted) => findings.filter(({ severity }) => severity === wanted))
