import type { CheckResult, Finding, Severity, Verification } from "../log/Verification.ts"

/** What the doctor looked at, and what was found there: the worst first. */
export interface Examination {
  readonly log: string
  /** What was looked at, in that order; damage can keep the doctor from going on. */
  readonly checked: ReadonlyArray<string>
  /** The same with what is there, and with what was not looked at. */
  readonly looks: ReadonlyArray<CheckResult>
  readonly findings: ReadonlyArray<Finding>
  /** What walking the chain found; null where it was not walked. */
  readonly chain: Verification | null
}

/** Whether nothing is damaged. Warnings and notes do not make a log ill. */
export const isHealthy = ({ findings }: Pick<Examination, "findings">): boolean =>
  findings.every(({ severity }) => severity !== "damage")

const SEVERITIES: ReadonlyArray<Severity> = ["damage", "warning", "note"]

/** Findings with the worst first, else in the order in which they were made. */
export const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  SEVERITIES.flatMap((wanted) => findings.filter(({ severity }) => severity === wanted))
