/** Formats the audit of a task as Markdown. */
import * as Rewards from "../../../projections/audit/Rewards.ts"
import { type MeasureVerdict, type Score, verdictsOf } from "../../../projections/audit/Scores.ts"
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import type { Collective } from "../../../projections/collective/Collective.ts"
import { blocks, code, table } from "../../terminal/Markdown.ts"
import * as Table from "../../terminal/Table.ts"
import { at, duration, number, percent, time } from "../../terminal/Text.ts"
import * as AuditAgents from "./AuditAgents.ts"
import * as AuditComponents from "./AuditComponents.ts"
import * as AuditFacts from "./AuditFacts.ts"
import { net } from "./AuditPage.ts"
import * as CollectivePage from "./CollectivePage.ts"

/**
 * A Markdown document (CommonMark with GitHub's tables) for a pull request or a file. Puts text of agents, plugins and
 * people in code spans, and cites evidence by position.
 *
 * @param level the level of the first heading; other headings are one or two levels below
 */
export const lines = (audit: TaskAudit, times: Rewards.Times, level = 1): ReadonlyArray<string> => {
  const [title, section] = ["#".repeat(level), "#".repeat(level + 1)]
  return blocks(
    [`${title} Task ${code(audit.taskId)}`],
    table(["What", ""], facts(audit)),
    ...AuditComponents.of(audit).flatMap(({ kind, names, columns }) => [
      [`${section} ${HEADINGS[kind]}`],
      table(
        [kind, ...Table.right(...columns.map(({ heading }) => heading))],
        names.map((name, index) => [code(name), ...columns.map(({ cells }) => cells[index] ?? "")]),
      ),
    ]),
    ...tables(section, AuditAgents.of(audit)),
    ...(audit.scores.length === 0
      ? [[`${section} Scores`], ["Not scored: no measure is active."]]
      : audit.scores.flatMap((score) => scored(section, score, times))),
  )
}

const tables = (section: string, all: ReadonlyArray<AuditAgents.AgentTable>) =>
  all.flatMap(({ title, texts, numbers, rows }) => [
    [`${section} ${capitalized(title)}`],
    table(
      [...texts.map(capitalized), ...Table.right(...numbers.map(capitalized))],
      rows.map((row) => [...row.texts.map((text) => (text === "" ? "" : code(text))), ...row.numbers]),
    ),
  ])

/** How the agents of a task behave together. */
export const collective = (found: Collective): ReadonlyArray<string> =>
  blocks(
    [`# Task ${code(found.taskId)}`],
    [found.agents.map(code).join(", ")],
    ...tables("##", CollectivePage.of(found)),
    ...CollectivePage.unknowns(found, code).map((line) => [line]),
  )

const HEADINGS = { sensor: "Sensors", actuator: "Actuators", model: "Models" } as const

const position = (of: number): string => `\`${at(of)}\``

const facts = (audit: TaskAudit): Table.Facts => [
  ["Goal", code(audit.goal)],
  ["Outcome", `**${audit.outcome ?? "open"}**${audit.reason === undefined ? "" : `: ${code(audit.reason)}`}`],
  ["Agent", code(audit.agent)],
  [
    "Opened",
    `${time(audit.openedAt)}, ${position(audit.range.from)} to ${position(audit.range.to)} on ${code(audit.timeline)}`,
  ],
  ["Steps", AuditFacts.steps(audit)],
  ...AuditFacts.of(audit, code).map(([name, text]) => [capitalized(name), text] as const),
]

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const scored = (section: string, score: Score, times: Rewards.Times): ReadonlyArray<ReadonlyArray<string>> => {
  const share = score.normalized === null ? "" : ` (${percent(score.normalized)})`
  const unfinished = score.finished ? "" : " The scoring was not finished."
  const verdicts = verdictsOf(score).map(verdictRow)
  const overTime = Rewards.timeline(score, times)
  return [
    [`${section} Score ${code(score.label === "" ? score.scoreSetId : score.label)}`],
    [
      `**${net(score)}**${share}: earned ${number(score.earned)}, lost ${number(score.lost)}. ` +
        `By ${code(score.critic)} at ${position(score.at)}.${unfinished}`,
    ],
    table(VERDICT_COLUMNS, verdicts),
    score.unscored.map(({ measure, name, reason }) => `- Not scored: ${code(measure)}, ${code(name)}: ${code(reason)}`),
    overTime.length < 2 ? [] : [`${section}# Over time`],
    overTime.length < 2 ? [] : table(TIMELINE_COLUMNS, overTime.map(timelineRow)),
  ]
}

const VERDICT_COLUMNS: Table.Columns = [
  "Measure",
  "",
  "Reward or punishment",
  ...Table.right("Weight", "Times", "Amount"),
  "Because",
]

const verdictRow = ({ measure, kind, name, weight, times, amount, because }: MeasureVerdict): ReadonlyArray<string> => {
  const sign = kind === "reward" ? "+" : "−"
  const evidence = because.map(position).join(" ")
  return [
    ...[code(measure), sign, code(name), number(weight), String(times)],
    times === 0 ? "0" : `${sign}${number(amount)}`,
    evidence,
  ]
}

const TIMELINE_COLUMNS: Table.Columns = [
  ...Table.right("At", "After"),
  "Reward or punishment",
  ...Table.right("Amount", "Net"),
]

const timelineRow = ({ name, at: position_, afterMs, amount, net }: Rewards.RewardEntry): ReadonlyArray<string> => [
  position_ === null ? "" : position(position_),
  afterMs === null ? "" : duration(afterMs),
  code(name),
  amount < 0 ? number(amount) : `+${number(amount)}`,
  number(net),
]
