/** Formats a trial of gate rules: counts of rulings next to what happened, each rule with examples, and differences. */
import type { Decision } from "../../../kernel/gate/Gate.ts"
import type { Past, TriedCommand } from "../../../kernel/gate/GateTrial.ts"
import * as Formats from "../../../values/Formats.ts"
import { groupBy } from "../../../values/groupBy.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, count } from "../../terminal/Text.ts"

export interface TrialPageParts {
  /** The file of rules, as typed. */
  readonly file: string
  readonly commands: ReadonlyArray<TriedCommand>
  readonly tasks: number
  readonly after: number
  readonly until: number
  readonly warnings: ReadonlyArray<string>
  /** Maximum number of examples in a list. */
  readonly limit: number
}

/** What happened, in words. */
const PAST: Readonly<Record<Past, string>> = {
  allowed: "allowed by a rule",
  approved: "approved by a person",
  rejected: "refused by a person",
  expired: "asked, no answer",
  denied: "denied by a rule",
  observed: "ran without a gate",
  undecided: "never decided",
}

const DECISIONS: ReadonlyArray<readonly [decision: Decision, heading: string]> = [
  ["allow", "would allow"],
  ["confirm", "would ask"],
  ["deny", "would deny"],
]

const ran = ({ past }: TriedCommand): boolean => past === "allowed" || past === "approved" || past === "observed"

export const lines = (style: Style, parts: TrialPageParts): ReadonlyArray<string> => {
  const { file, commands, tasks, after, until, warnings, limit } = parts
  const unknown = commands.filter(({ args }) => args === undefined)
  return [
    `${style.name(oneLine(file))} on ${count(commands.length, "command")} of ${count(tasks, "task")}, ${at(after + 1)} to ${at(until)}`,
    "",
    ...summary(style, commands),
    ...(unknown.length === 0
      ? []
      : [
          style.warn(
            `${count(unknown.length, "command")} without whole arguments: rules about arguments ask or deny, and never allow.`,
          ),
        ]),
    ...warnings.map((warning) => style.warn(`${warning}.`)),
    ...rules(style, commands, limit),
    ...list(
      style,
      "Ran, and these rules would deny it:",
      commands.filter((command) => ran(command) && command.ruling.decision === "deny"),
      limit,
    ),
    ...list(
      style,
      "Refused, and these rules would allow it:",
      commands.filter(({ past, ruling }) => (past === "rejected" || past === "denied") && ruling.decision === "allow"),
      limit,
    ),
    "",
    style.dim(
      CommandHints.inText(
        "`hindcast log show @POSITION` shows a command; `hindcast why @POSITION` shows what led to it.",
      ),
    ),
  ]
}

const summary = (style: Style, commands: ReadonlyArray<TriedCommand>): ReadonlyArray<string> =>
  Table.lines(
    style,
    ["what happened", ...Table.right(...DECISIONS.map(([, heading]) => heading))],
    Object.entries(PAST).flatMap(([past, words]) => {
      const same = commands.filter((command) => command.past === past)
      return same.length === 0 ? [] : [[words, ...DECISIONS.map(([decision]) => countOf(same, decision))]]
    }),
  )

const countOf = (commands: ReadonlyArray<TriedCommand>, decision: Decision): string => {
  const found = commands.filter(({ ruling }) => ruling.decision === decision).length
  return found === 0 ? "–" : String(found)
}

/** Each rule that decided, with its first examples. Commands with the same text are one example. */
const rules = (style: Style, commands: ReadonlyArray<TriedCommand>, limit: number): ReadonlyArray<string> => {
  const byRule = groupBy(commands, ({ ruling }) => [ruling.rule])
  return [...byRule].flatMap(([rule, found]) => {
    const [first] = found
    return first === undefined
      ? []
      : list(style, `${oneLine(rule)} (${first.ruling.decision}): ${count(found.length, "command")}`, found, limit)
  })
}

const list = (
  style: Style,
  heading: string,
  commands: ReadonlyArray<TriedCommand>,
  limit: number,
): ReadonlyArray<string> => {
  if (commands.length === 0) return []
  const same = [...groupBy(commands, (command) => [textOf(command)])]
  const rows = same.slice(0, limit).map(([text, found]) => {
    const [first] = found
    return [`  ${style.dim(at(first?.position ?? 0))}`, text, found.length === 1 ? "" : `${found.length} ×`]
  })
  const beyond = same.length - rows.length
  return [
    "",
    style.bold(heading),
    ...Table.rows(style, rows),
    ...(beyond > 0 ? [style.dim(`  … and ${beyond} more; --limit N shows more, --json all`)] : []),
  ]
}

const textOf = ({ actuator, args }: TriedCommand): string =>
  `${oneLine(actuator)} ${args === undefined ? "(arguments unknown)" : Formats.value(args)}`
