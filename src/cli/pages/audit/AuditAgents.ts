/** The tables of a task with several agents, for the text and the Markdown audit. */
import type { TaskAudit } from "../../../projections/audit/TaskAudit.ts"
import { number } from "../../terminal/Text.ts"

export interface AgentTable {
  readonly title: string
  readonly texts: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<string>
  /** Cells, texts first. The texts are untrusted and not escaped. */
  readonly rows: ReadonlyArray<{ readonly texts: ReadonlyArray<string>; readonly numbers: ReadonlyArray<string> }>
}

type Agents = NonNullable<TaskAudit["agents"]>

/**
 * Each agent's outcome and counts, who heard whom, and how often each agent did what. Leaves out tables without rows.
 */
export const of = ({ agents = {} }: TaskAudit): ReadonlyArray<AgentTable> =>
  [members(agents), spoken(agents), done(agents)].filter(({ rows }) => rows.length > 0)

const members = (agents: Agents): AgentTable => {
  const all = Object.entries(agents)
  const rarely = RARELY.filter(({ key }) => all.some(([, agent]) => agent[key] > 0))
  const counted = [...ALWAYS, ...rarely]
  const hasReasons = all.some(([, { reason }]) => reason !== undefined)
  return {
    title: "agents",
    texts: ["agent", "is", "outcome", ...(hasReasons ? ["because"] : [])],
    numbers: ["return", ...counted.map(({ heading }) => heading)],
    rows: all.map(([name, agent]) => ({
      texts: [name, agent.agent ?? "", agent.outcome ?? "", ...(hasReasons ? [agent.reason ?? ""] : [])],
      numbers: [number(agent.return), ...counted.map(({ key }) => String(agent[key]))],
    })),
  }
}

const ALWAYS = [
  { heading: "commands", key: "commanded" },
  { heading: "succeeded", key: "succeeded" },
  { heading: "reads", key: "reads" },
] as const

const RARELY = [
  { heading: "failed", key: "failed" },
  { heading: "denied", key: "denied" },
  { heading: "expired", key: "expired" },
  { heading: "unknown", key: "unknown" },
  { heading: "read failures", key: "readFailures" },
  { heading: "decisions", key: "decisions" },
  { heading: "said", key: "said" },
  { heading: "heard", key: "heard" },
  { heading: "late", key: "late" },
] as const

const spoken = (agents: Agents): AgentTable => ({
  title: "who heard whom",
  texts: ["speaker", "heard by"],
  numbers: ["times"],
  rows: Object.entries(agents)
    .flatMap(([hearer, { heardFrom }]) =>
      Object.entries(heardFrom).map(([speaker, times]) => ({ texts: [speaker, hearer], numbers: [String(times)] })),
    )
    .sort(({ texts: [a = ""] }, { texts: [b = ""] }) => (a < b ? -1 : a > b ? 1 : 0)),
})

const done = (agents: Agents): AgentTable => ({
  title: "who did what",
  texts: ["agent", "action"],
  numbers: ["times"],
  rows: Object.entries(agents).flatMap(([name, { actions, otherActions }]) => [
    ...Object.entries(actions)
      .sort(([, a], [, b]) => b - a)
      .map(([action, times]) => ({ texts: [name, action], numbers: [String(times)] })),
    ...(otherActions > 0 ? [{ texts: [name, "others"], numbers: [String(otherActions)] }] : []),
  ]),
})
