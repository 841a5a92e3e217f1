/** Formats the result of a fork. */
import type { Forked } from "../../../kernel/fork/Fork.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count } from "../../terminal/Text.ts"
import * as AuditPage from "../audit/AuditPage.ts"
import * as ReplayPage from "./ReplayPage.ts"

/** @param compareCommand the command that compares the fork with its parent */
export const lines = (
  style: Style,
  { parent, at: shared, io, worlds, parted, tree, audit }: Forked,
  compareCommand: string,
) => [
  "",
  ...(parted === null ? [] : [partedLine(style, parted), ""]),
  ...(io === "recorded" ? ["No command was executed: the recording answered."] : worlds.map(worldLine(style))),
  "",
  ...AuditPage.lines(style, audit),
  "",
  ...treeLines(tree),
  `It shares the history of ${oneLine(parent)} up to ${at(shared)}. To compare the two: ${compareCommand}`,
]

const treeLines = ({ above, kept, left }: Forked["tree"]): ReadonlyArray<string> => [
  ...(above === null
    ? []
    : [`Task ${oneLine(above)}, which started it, is not continued: it keeps the recorded answer.`]),
  ...(kept.length === 0
    ? []
    : [`${count(kept.length, "task")} below had ended by then: the fork has what they answered.`]),
  ...(left.length === 0 ? [] : [`Not part of the fork: ${ReplayPage.listed(left)}, which a program had started.`]),
]

const partedLine = (style: Style, { first, decisions, of }: NonNullable<Forked["parted"]>): string =>
  `${style.bad("Diverged")} ${at(first.position)}, before the fork: ${ReplayPage.choice(first.expected)} was recorded, but the agent decided ${ReplayPage.choice(first.found)}. It decided differently in ${decisions} of ${count(of, "recorded decision")}; the recorded ones hold.`

const worldLine =
  (style: Style) =>
  ({ plugin, by, at: position, checked, reason }: Forked["worlds"][number]): string => {
    if (by === "nothing") {
      return `${style.bad("Not rewound")}: ${oneLine(plugin)} is as it is now (${oneLine(reason ?? "it cannot be")}).`
    }
    const compared = [
      ...(checked.document ? ["its document"] : []),
      ...(checked.readings === 0 ? [] : [count(checked.readings, "reading")]),
      ...(checked.outcomes === 0 ? [] : [count(checked.outcomes, "outcome")]),
    ]
    const found = compared.length === 0 ? "as it was overridden" : `verified: ${compared.join(", ")}`
    return `${style.good("Rewound")}: ${oneLine(plugin)} is as it was ${at(position)}, by ${by}; ${found}.`
  }
