/** How the agents of a task behave together, as tables for the text and the Markdown. */
import type { Collective } from "../../../projections/collective/Collective.ts"
import { at, number, percent } from "../../terminal/Text.ts"
import type { AgentTable } from "./AuditAgents.ts"

/** The tables. Leaves out those without rows. */
export const of = (found: Collective): ReadonlyArray<AgentTable> =>
  [spoken(found), influence(found), overTime(found)].filter(({ rows }) => rows.length > 0)

/**
 * Sentences about the unknowns that the tables cannot tell.
 *
 * @param shown writes the name of an action, which is untrusted
 */
export const unknowns = (
  { speech, cooperative, periods, actions }: Collective,
  shown: (action: string) => string,
): ReadonlyArray<string> => [
  ...(speech.length === 0 ? ["No agent received a message of another: who influenced whom is unknown."] : []),
  ...(cooperative === null
    ? actions
        .slice(0, 1)
        .map((one) => `Which actions are cooperation is unknown: --cooperative names them, such as ${shown(one)}.`)
    : []),
  ...(periods.some(({ reward }) => reward === null) ? ["The world gave no rewards to the agents."] : []),
]

const spoken = ({ speech }: Collective): AgentTable => ({
  title: "who spoke to whom",
  texts: ["speaker", "heard by"],
  numbers: ["times"],
  rows: speech.map(({ speaker, hearer, times }) => ({ texts: [speaker, hearer], numbers: [String(times)] })),
})

const influence = ({ influence: all }: Collective): AgentTable => ({
  title: "who acted differently after hearing whom",
  texts: ["speaker", "hearer"],
  numbers: ["changed after it", "in silence", "difference"],
  rows: all.map(({ speaker, hearer, heard, silent, difference }) => ({
    texts: [speaker, hearer],
    numbers: [
      `${heard.changed} of ${heard.commands}`,
      `${silent.changed} of ${silent.commands}`,
      difference === null ? "unknown" : number(difference),
    ],
  })),
})

const overTime = ({ periods, cooperative }: Collective): AgentTable => {
  const hasRewards = periods.some(({ reward }) => reward !== null)
  return {
    title: "over time",
    texts: ["from", "to"],
    numbers: ["commands", ...(cooperative === null ? [] : ["cooperative", "share"]), ...(hasRewards ? ["reward"] : [])],
    rows: periods.map(({ from, to, commands, cooperative: counted, reward }) => ({
      texts: [at(from), at(to)],
      numbers: [
        String(commands),
        ...(counted === null ? [] : [String(counted), percent(counted / commands)]),
        ...(hasRewards ? [reward === null ? "unknown" : number(reward)] : []),
      ],
    })),
  }
}
