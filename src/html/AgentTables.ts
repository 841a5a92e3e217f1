/** The section about the agents of a task with several. */

import type { TaskAudit } from "../projections/audit/TaskAudit.ts"
import { type Markup, markup } from "../values/Markup.ts"
import * as FormattedNumbers from "./FormattedNumbers.ts"
import { signed } from "./figures/KeyFigures.ts"
import { leftOut, numbers, table } from "./Table.ts"

const MAX_ROWS = 200

type Agents = NonNullable<TaskAudit["agents"]>

/** Each agent's outcome and counts, who heard whom, and how often who did what. */
export const section = ({ agents }: TaskAudit): Markup =>
  agents === undefined
    ? markup``
    : markup`<section><h2>What did each agent do?</h2>${members(agents)}${spoken(agents)}${done(agents)}</section>`

const members = (agents: Agents): Markup => {
  const all = Object.entries(agents)
  return markup`${table(
    "Agents of the task",
    [
      { heading: "agent" },
      ...[{ heading: "program" }, { heading: "outcome" }],
      ...numbers(
        "return",
        "commands",
        "succeeded",
        "failed",
        "stopped",
        "readings",
        "said",
        "heard",
        "decisions",
        "late",
      ),
      { heading: "reason" },
    ],
    all
      .slice(0, MAX_ROWS)
      .map(([name, agent]) => [
        markup`<bdi>${name}</bdi>`,
        ...[markup`<bdi>${agent.agent ?? ""}</bdi>`, agent.outcome ?? "stayed to the end", signed(agent.return)],
        ...[agent.commanded, agent.succeeded, agent.failed + agent.unknown].map(FormattedNumbers.count),
        ...[agent.denied + agent.expired, agent.reads, agent.said, agent.heard].map(FormattedNumbers.count),
        ...[agent.decisions, agent.late].map(FormattedNumbers.count),
        markup`<bdi class="wraps">${agent.reason ?? ""}</bdi>`,
      ]),
  )}${leftOut(MAX_ROWS, all.length, "agents")}`
}

const spoken = (agents: Agents): Markup => {
  const rows = Object.entries(agents).flatMap(([hearer, { heardFrom }]) =>
    Object.entries(heardFrom).map(([speaker, times]) => ({ speaker, hearer, times })),
  )
  if (rows.length === 0) return markup``
  return markup`${table(
    "Who heard whom",
    [{ heading: "speaker" }, { heading: "heard by" }, ...numbers("times")],
    rows
      .sort((a, b) => b.times - a.times)
      .slice(0, MAX_ROWS)
      .map(({ speaker, hearer, times }) => [
        ...[markup`<bdi>${speaker}</bdi>`, markup`<bdi>${hearer}</bdi>`, FormattedNumbers.count(times)],
      ]),
  )}${leftOut(MAX_ROWS, rows.length, "pairs")}`
}

const done = (agents: Agents): Markup => {
  const rows = Object.entries(agents).flatMap(([name, { actions, otherActions }]) => [
    ...Object.entries(actions).map(([action, times]) => ({ name, action, times })),
    ...(otherActions > 0 ? [{ name, action: "others", times: otherActions }] : []),
  ])
  if (rows.length === 0) return markup``
  return markup`${table(
    "Who did what, how often",
    [{ heading: "agent" }, { heading: "action" }, ...numbers("times")],
    rows
      .slice(0, MAX_ROWS)
      .map(({ name, action, times }) => [
        ...[markup`<bdi>${name}</bdi>`, markup`<bdi>${action}</bdi>`, FormattedNumbers.count(times)],
      ]),
  )}${leftOut(MAX_ROWS, rows.length, "actions")}`
}
