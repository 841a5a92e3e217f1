/** Part 3 of the demo: the audits of its tasks in one table. */
import { Effect } from "effect"
import type { Score, Verdict } from "../../projections/audit/Scores.ts"
import type { TaskAudit } from "../../projections/audit/TaskAudit.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as AuditPage from "../pages/audit/AuditPage.ts"
import type { Style } from "../terminal/Style.ts"
import * as Table from "../terminal/Table.ts"
import { number } from "../terminal/Text.ts"
import type { Narrator } from "./Narrator.ts"

/** Prints the audits of several tasks side by side. */
export const compare = (narrator: Narrator, audits: ReadonlyArray<TaskAudit>) =>
  Effect.zipRight(
    narrator.part(
      "3  The audits side by side",
      "An audit is folded from a task's events; from here on no plugin and no agent runs any more.",
      "Rules decided the rewards (+) and punishments (−), and each cites the events that made it so.",
    ),
    narrator.show(lines(narrator.style, audits)),
  )

/** An agent's name without its version. */
export const nameOf = ({ agent }: TaskAudit): string => oneLine(agent.split("@")[0] ?? agent)

/** The last 12 characters of an id, which commands accept in its place. */
export const endOf = (id: string): string => id.slice(-12)

const lines = (style: Style, audits: ReadonlyArray<TaskAudit>): ReadonlyArray<string> => {
  const row = (name: string, cell: (audit: TaskAudit) => string) => [style.dim(name), ...audits.map(cell)]
  const scores = audits.map(liveOf)
  return Table.lines(
    style,
    ["", ...Table.right(...audits.map(nameOf))],
    [
      row("task", ({ taskId }) => endOf(taskId)),
      row("outcome", ({ outcome }) => AuditPage.outcome(style, outcome)),
      row("readings", ({ sensing }) => String(sensing.reads)),
      row("commands", ({ acting }) => String(acting.commanded)),
      row("  refused by the world", ({ acting }) => String(acting.failed)),
      row("  confirmed", ({ confirming }) => String(confirming.approved)),
      row("changes of the world", ({ changes }) => String(changes.operations)),
      ...verdictRows(style, scores),
      [
        style.bold("score"),
        ...scores.map((score) => (score === undefined ? "none" : style.bold(AuditPage.net(score)))),
      ],
    ],
  )
}

/** The score from the task's close. */
export const liveOf = ({ scores }: TaskAudit): Score | undefined => scores.find(({ label }) => label === "live")

/** One row for each reward and punishment whose amount is not 0 in at least one task. */
const verdictRows = (style: Style, scores: ReadonlyArray<Score | undefined>): ReadonlyArray<ReadonlyArray<string>> => {
  const columns = scores.map(
    (score) => new Map((score === undefined ? [] : signed(score)).map((row) => [row.key, row])),
  )
  const counted = new Map(columns.flatMap((column) => [...column].filter(([, { amount }]) => amount !== 0)))
  return [...counted].map(([key, { sign, name }]) => [
    style.dim(`${sign} ${name}`),
    ...columns.map((column) => {
      const found = column.get(key)
      if (found === undefined) return ""
      if (found.amount === 0) return "0"
      return (sign === "+" ? style.good : style.bad)(`${sign}${number(found.amount)}`)
    }),
  ])
}

const signed = ({ measures }: Score) =>
  measures.flatMap(({ plugin, measure, rewards, punishments }) => {
    const row =
      (sign: "+" | "−") =>
      ({ name, amount }: Verdict) => {
        const key = JSON.stringify([plugin, measure, sign, name])
        return { key, sign, name: oneLine(name), amount }
      }
    return [...rewards.map(row("+")), ...punishments.map(row("−"))]
  })
