/** The result of `hindcast log doctor`: checks and findings, ordered by severity. */

import type { CheckResult, Finding, Severity, Verification } from "../log/Verification.ts"

export type { Finding, Severity } from "../log/Verification.ts"

/** The result of an examination. */
export interface Examination {
  readonly log: string
  /** Checks that ran, in order. Damage can prevent later ones. */
  readonly checked: ReadonlyArray<string>
  /** Every check with its result, including those that did not run. */
  readonly looks: ReadonlyArray<CheckResult>
  readonly findings: ReadonlyArray<Finding>
  /** Null if the chain was not verified. */
  readonly chain: Verification | null
}

/** True if no finding is damage. Warnings and notes do not count. */
export const isHealthy = ({ findings }: Pick<Examination, "findings">): boolean =>
  findings.every(({ severity }) => severity !== "damage")

const SEVERITIES: ReadonlyArray<Severity> = ["damage", "warning", "note"]

/** Sorts findings by severity, worst first; the order within a severity stays. */
export const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  SEVERITIES.flatMap((wanted) => findings.filter(({ severity }) => severity === wanted))
