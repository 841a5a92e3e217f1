/** Formats the audit of a task as text. */
import * as Rewards from "../../../projections/audit/Rewards.ts"
import { type MeasureVerdict, type Score, verdictsOf } from "../../../projections/audit/Scores.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import type { Collective } from "../../../projections/collective/Collective.ts"
import * as Activity from "../../../projections/summary/Activity.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, duration, number, percent, time } from "../../terminal/Text.ts"
import * as AuditAgents from "./AuditAgents.ts"
import * as AuditComponents from "./AuditComponents.ts"
import * as AuditFacts from "./AuditFacts.ts"
import * as CollectivePage from "./CollectivePage.ts"

/** @param times the recording times of the cited events. If given, rewards over time follow each score */
export const lines = (style: Style, audit: TaskAudit, times?: Rewards.Times): ReadonlyArray<string> => [
  ...header(style, audit),
  ...components(style, audit),
  ...agents(style, audit),
  ...audit.scores.flatMap((score) => [
    "",
    ...scoreLines(style, score),
    ...(times === undefined ? [] : overTime(style, Rewards.timeline(score, times))),
  ]),
  ...(audit.scores.length === 0 ? ["", style.dim("Not scored: no measure is active.")] : []),
]

export const outcome = (style: Style, of: Outcome.Outcome): string => {
  if (of === "open") return style.warn(of)
  if (of === "finished") return of
  return of === "achieved" ? style.good(of) : style.bad(of)
}

/** The outcome of a closed task, else its activity, in one word: for the rows of all tables. */
export const state = (
  style: Style,
  { outcome: of, activity = null }: { readonly outcome: Outcome.Outcome; readonly activity?: Activity.Activity | null },
): string => (of === "open" ? openState(style, activity) : outcome(style, of))

/** The activity of an open task, in one word. */
export const openState = (style: Style, activity: Activity.Activity | null): string => {
  const state = Activity.stateOf({ outcome: null, activity })
  return activity === "stopped" ? style.bad(state) : activity === "unfinished" ? state : style.warn(state)
}

/** A score, such as `1.8 of 1.8`; without a possible amount, as for a return, `100`. */
export const net = ({ net, possible }: Pick<Score, "net" | "possible">): string =>
  possible === 0 ? number(net) : `${number(net)} of ${number(possible)}`

/** How the agents of a task behave together. */
export const collective = (style: Style, found: Collective): ReadonlyArray<string> => [
  `Task ${style.name(found.taskId)}: ${found.agents.map(oneLine).join(", ")}`,
  ...tables(style, CollectivePage.of(found)),
  ...CollectivePage.unknowns(found, (action) => `'${oneLine(action)}'`).flatMap((line) => ["", style.dim(line)]),
]

const header = (style: Style, audit: TaskAudit): ReadonlyArray<string> => [
  `Task ${style.name(audit.taskId)}`,
  ...Table.facts(style, [
    ["goal", style.bold(oneLine(audit.goal))],
    ["outcome", outcome(style, Outcome.of(audit)) + (audit.reason === undefined ? "" : `: ${oneLine(audit.reason)}`)],
    ["agent", oneLine(audit.agent)],
    ...(audit.timeline === "main" ? [] : [["timeline", oneLine(audit.timeline)] as const]),
    ["when", `${time(audit.openedAt)}, ${at(audit.range.from)} to ${at(audit.range.to)}`],
    ["steps", AuditFacts.steps(audit)],
    ...AuditFacts.of(audit, oneLine),
  ]),
]

const components = (style: Style, audit: TaskAudit): ReadonlyArray<string> =>
  AuditComponents.of(audit).flatMap(({ kind, names, columns }) => [
    "",
    ...Table.lines(
      style,
      [kind, ...Table.right(...columns.map(({ heading }) => heading))],
      names.map((name, index) => [oneLine(name), ...columns.map(({ cells }) => cells[index] ?? "")]),
    ),
  ])

const agents = (style: Style, audit: TaskAudit): ReadonlyArray<string> => tables(style, AuditAgents.of(audit))

const tables = (style: Style, all: ReadonlyArray<AuditAgents.AgentTable>): ReadonlyArray<string> =>
  all.flatMap(({ texts, numbers, rows }) => [
    "",
    ...Table.lines(
      style,
      [...texts, ...Table.right(...numbers)],
      rows.map((row) => [...row.texts.map(oneLine), ...row.numbers]),
    ),
  ])

const scoreLines = (style: Style, score: Score): ReadonlyArray<string> => {
  const share = score.normalized === null ? "" : ` (${percent(score.normalized)})`
  const sums = `earned ${number(score.earned)}, lost ${number(score.lost)}`
  const unfinished = score.finished ? "" : style.warn(" unfinished")
  const rows = verdictsOf(score).map((verdict) => verdictRow(style, verdict))
  const label = oneLine(score.label) || score.scoreSetId
  return [
    `Score ${style.name(label)} by ${oneLine(score.critic)} ${at(score.at)}${unfinished}: ${style.bold(net(score))}${share}, ${sums}`,
    ...(rows.length === 0 ? [] : Table.lines(style, VERDICT_COLUMNS, rows)),
    ...score.unscored.map(({ measure, name, reason }) =>
      style.warn(`Not scored: ${oneLine(`${measure}, "${name}": ${reason}`)}`),
    ),
  ]
}

const MAX_TIMELINE_ROWS = 40

const overTime = (style: Style, verdicts: ReadonlyArray<Rewards.RewardEntry>): ReadonlyArray<string> => {
  if (verdicts.length < 2) return []
  const rows = verdicts.slice(0, MAX_TIMELINE_ROWS).map(({ kind, name, at: position, afterMs, amount, net }) => {
    const paint = kind === "reward" ? style.good : style.bad
    return [
      position === null ? "" : at(position),
      afterMs === null ? "" : `+${duration(afterMs)}`,
      `${kind === "reward" ? "+" : "−"} ${oneLine(name)}`,
      paint(amount < 0 ? number(amount) : `+${number(amount)}`),
      number(net),
    ]
  })
  const more = verdicts.length - rows.length
  return [
    "",
    ...Table.lines(style, TIMELINE_COLUMNS, rows),
    ...(more > 0 ? [style.dim(`… and ${more} more; final net ${number(verdicts.at(-1)?.net ?? 0)}`)] : []),
  ]
}

const TIMELINE_COLUMNS: Table.Columns = [...Table.right("at", "after"), "over time", ...Table.right("amount", "net")]

const VERDICT_COLUMNS: Table.Columns = [
  "measure",
  "reward or punishment",
  ...Table.right("weight", "times", "amount"),
  "because",
]

const MAX_EVIDENCE = 6

const verdictRow = (style: Style, verdict: MeasureVerdict): ReadonlyArray<string> => {
  const { measure, kind, name, weight, times, amount, because } = verdict
  const sign = kind === "reward" ? "+" : "−"
  const paint = times === 0 ? style.dim : sign === "+" ? style.good : style.bad
  const more = because.length > MAX_EVIDENCE ? ` and ${because.length - MAX_EVIDENCE} more` : ""
  return [
    oneLine(measure),
    paint(`${sign} ${oneLine(name)}`),
    number(weight),
    String(times),
    paint(times === 0 ? "0" : `${sign}${number(amount)}`),
    because.slice(0, MAX_EVIDENCE).map(at).join(" ") + more,
  ]
}
