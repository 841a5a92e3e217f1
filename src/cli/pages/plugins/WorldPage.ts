/** Formats the findings of a world's conformance checks. */
import { oneLine } from "../../../values/PlainText.ts"
import type { Finding, Report } from "../../../worlds/conformance/Conformance.ts"
import type { Style } from "../../terminal/Style.ts"

export const lines = (style: Style, { findings }: Report): ReadonlyArray<string> => {
  const count = (status: Finding["status"]) => findings.filter((finding) => finding.status === status).length
  return [
    `  conformance: ${count("passed")} checks passed, ${count("failed")} failed, ${count("inapplicable")} do not apply`,
    ...findings.flatMap((finding) => {
      const line = described(style, finding)
      return line === undefined ? [] : [`  ${line}`]
    }),
  ]
}

const described = (style: Style, finding: Finding): string | undefined => {
  const title = `${finding.number} ${finding.name}`
  if (finding.status === "failed") return style.warn(`failed: ${title}: ${oneLine(finding.why)}`)
  if (finding.status === "inapplicable") return style.dim(`does not apply: ${title}: ${oneLine(finding.why)}`)
  return finding.note === undefined ? undefined : `advice: ${title}: ${oneLine(finding.note)}`
}
