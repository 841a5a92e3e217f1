/** Formats the findings of `log verify` and `log doctor`. */
import { type Examination, isHealthy } from "../../../events/integrity/Doctor.ts"
import type { CheckResult, Finding, Severity } from "../../../events/log/Verification.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import { count } from "../../terminal/Text.ts"

export const lines = (style: Style, examination: Examination): ReadonlyArray<string> => {
  const { log, looks, findings } = examination
  return [
    `${isHealthy(examination) ? style.good("Healthy") : style.bad("Damaged")}: ${style.bold(log)}, ${findings.length === 0 ? "nothing found" : count(findings.length, "finding")}`,
    ...lookLines(style, looks),
    ...findingLines(style, findings),
  ]
}

export const lookLines = (style: Style, looks: ReadonlyArray<CheckResult>): ReadonlyArray<string> => [
  style.dim(`examined: ${looks.flatMap(({ what, looked }) => (looked ? [what] : [])).join(", ")}`),
  ...looks.flatMap(({ what, looked, told }) => (looked ? [] : [style.dim(`not examined: ${what} (${oneLine(told)})`)])),
]

export const findingLines = (style: Style, findings: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  findings.flatMap(({ severity, what, expected, found, advice }) => [
    "",
    `${styleOfSeverity(style, severity)(severity)}: ${style.bold(oneLine(what))}`,
    `  expected  ${oneLine(expected)}`,
    `  found     ${oneLine(found)}`,
    `  do        ${oneLine(CommandHints.inText(advice))}`,
  ])

const styleOfSeverity = (style: Style, severity: Severity) =>
  ({ damage: style.bad, warning: style.warn, note: style.dim })[severity]
