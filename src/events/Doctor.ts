import type { Look, Verification } from "./Verification.ts"

/**
 * How bad a finding is:
 * - `damage`: the log was changed, or a part of it cannot be read or believed;
 * - `warning`: it is sound, and something will go wrong unless someone acts;
 * - `note`: worth knowing, and no fault.
 */
export type Severity = "damage" | "warning" | "note"

/** One thing that the doctor found. */
export interface Finding {
  readonly severity: Severity
  /** What it is about: `write-ahead log`, `permissions` … */
  readonly what: string
  readonly expected: string
  readonly found: string
  /** What to do now. */
  readonly advice: string
}

/** What the doctor looked at, and what was found there: the worst first. */
export interface Examination {
  readonly log: string
  /** What was looked at, in that order; damage can keep the doctor from going on. */
  readonly checked: ReadonlyArray<string>
  /** The same with what is there, and with what was not looked at. */
  readonly looks: ReadonlyArray<Look>
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
