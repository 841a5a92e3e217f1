/** A task with the tasks below it, as a table for the text and the Markdown: each row has the sums of its family. */

import * as Outcome from "../../../projections/summary/Outcome.ts"
import * as TreeAmounts from "../../../projections/tree/TreeAmounts.ts"
import type { TreeAudit } from "../../../projections/tree/TreeAudit.ts"
import type { TreeUse } from "../../../projections/tree/TreeUse.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { blocks, code, table } from "../../terminal/Markdown.ts"
import * as ResponsiveTable from "../../terminal/ResponsiveTable.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { count, number, shorten } from "../../terminal/Text.ts"
import { outcome } from "./AuditPage.ts"
import { FULL_ID_WIDTH, idLength } from "./AuditTablePage.ts"

type Node = TreeAudit["tasks"][number]

const GOAL_LENGTH = 50

/** A table that fits the terminal, and what all tasks did together. */
export const lines = (style: Style, { total, tasks }: TreeAudit, width: number): ReadonlyArray<string> => {
  const length = width < FULL_ID_WIDTH ? idLength(tasks.map(({ taskId }) => taskId)) : Number.MAX_SAFE_INTEGER
  const column = (of: (node: Node) => string) => ({ cells: tasks.map(of) })
  return [
    ...ResponsiveTable.lines(
      style,
      [
        {
          ...{ heading: "task", rank: 0 },
          ...column(({ depth, taskId }) => Table.indent(depth) + style.name(taskId.slice(-length))),
        },
        { heading: "outcome", rank: 0, ...column((node) => outcome(style, Outcome.of(node))) },
        ...NUMBERS.map(({ heading, rank, of }) => ({
          ...{ heading, rank, align: "right" as const },
          ...column(({ all }) => of(all)),
        })),
        { heading: "own cost", rank: 5, align: "right", ...column(({ own }) => TreeAmounts.cost(own)) },
        { heading: "agent", rank: 6, least: 12, ...column(({ agent }) => oneLine(agent)) },
        { heading: "goal", rank: 1, least: 14, ...column(({ goal }) => shorten(oneLine(goal), GOAL_LENGTH)) },
      ],
      width,
    ),
    ...tasks.flatMap(({ taskId, reason }) =>
      reason === undefined ? [] : [style.dim(`${taskId.slice(-length)}: ${oneLine(reason)}`)],
    ),
    style.dim(`${sentenceOf(total)} Each line has the sums of a task and the tasks below it.`),
  ]
}

/** The same as Markdown. Texts of agents and people are in code spans. */
export const markdown = ({ taskId, total, tasks }: TreeAudit): ReadonlyArray<string> =>
  blocks(
    [`# Task ${code(taskId)} and the tasks below it`],
    [`${sentenceOf(total)} Each row has the sums of a task and the tasks below it.`],
    table(
      ["Below", "Task", "Outcome", ...Table.right(...NUMBERS.map(({ title }) => title), "Own cost"), "Agent", "Goal"],
      tasks.map((node) => [
        String(node.depth),
        code(node.taskId),
        Outcome.of(node),
        ...NUMBERS.map(({ of }) => of(node.all)),
        TreeAmounts.cost(node.own),
        code(node.agent),
        code(shorten(node.goal, GOAL_LENGTH)),
      ]),
    ),
  )

/** Tasks that were not scored have no rewards, which is not a reward of 0. */
const netOf = ({ rewards }: TreeUse): string => (rewards === null ? "" : number(rewards.net))

const NUMBERS = [
  { heading: "tasks", title: "Tasks", rank: 3, of: ({ tasks }: TreeUse) => String(tasks) },
  { heading: "commands", title: "Commands", rank: 3, of: ({ commands }: TreeUse) => String(commands) },
  { heading: "requests", title: "Requests", rank: 4, of: ({ calls }: TreeUse) => String(calls) },
  { heading: "tokens", title: "Tokens", rank: 2, of: TreeAmounts.tokens },
  { heading: "cost", title: "Cost", rank: 1, of: TreeAmounts.cost },
  { heading: "reward", title: "Reward", rank: 1, of: netOf },
] as const

const sentenceOf = (use: TreeUse): string => `${count(use.tasks, "task")}: ${TreeAmounts.states(use).join(", ")}.`
