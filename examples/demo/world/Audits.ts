/** Part 3 of the tour: the audits of its tasks in one table. */
import { Effect } from "effect"
import type { TaskAudit } from "hindcast"
import type { Pages, Score, Stage } from "../Stage.ts"
import { endOf, nameOf, numbers } from "../Words.ts"

export const compare = (stage: Stage, audits: ReadonlyArray<TaskAudit.TaskAudit>) =>
  Effect.zipRight(
    stage.part(
      "3  The audits side by side",
      "An audit is folded from a task's events; from here on no plugin and no agent runs any more.",
      "Rules decided the rewards (+) and punishments (−), and each cites the events that made it so.",
    ),
    stage.show(lines(stage, audits)),
  )

const lines = (stage: Stage, audits: ReadonlyArray<TaskAudit.TaskAudit>): ReadonlyArray<string> => {
  const { style, pages } = stage
  const row = (name: string, cell: (audit: TaskAudit.TaskAudit) => string) => [style.dim(name), ...audits.map(cell)]
  const scores = audits.map(liveOf)
  return pages.table(
    ["", ...numbers(...audits.map((audit) => nameOf(stage, audit)))],
    [
      row("task", ({ taskId }) => endOf(taskId)),
      row("outcome", pages.outcome),
      row("readings", ({ sensing }) => String(sensing.reads)),
      row("commands", ({ acting }) => String(acting.commanded)),
      row("  refused by the world", ({ acting }) => String(acting.failed)),
      row("  confirmed", ({ confirming }) => String(confirming.approved)),
      row("changes of the world", ({ changes }) => String(changes.operations)),
      ...verdictRows(stage, scores),
      [style.bold("score"), ...scores.map((score) => (score === undefined ? "none" : style.bold(pages.net(score))))],
    ],
  )
}

/** The score from the task's close. */
const liveOf = ({ scores }: TaskAudit.TaskAudit): Score | undefined => scores.find(({ label }) => label === "live")

const verdictRows = (
  { style, pages }: Stage,
  scores: ReadonlyArray<Score | undefined>,
): ReadonlyArray<ReadonlyArray<string>> => {
  const columns = scores.map(
    (score) => new Map((score === undefined ? [] : signed(pages, score)).map((row) => [row.key, row])),
  )
  const counted = new Map(columns.flatMap((column) => [...column].filter(([, { amount }]) => amount !== 0)))
  return [...counted].map(([key, { sign, name }]) => [
    style.dim(`${sign} ${name}`),
    ...columns.map((column) => {
      const found = column.get(key)
      if (found === undefined) return ""
      if (found.amount === 0) return "0"
      return (sign === "+" ? style.good : style.bad)(`${sign}${pages.number(found.amount)}`)
    }),
  ])
}

const signed = ({ oneLine }: Pages, { measures }: Score) =>
  measures.flatMap(({ plugin, measure, rewards, punishments }) => {
    const row =
      (sign: "+" | "−") =>
      ({ name, amount }: Score["measures"][number]["rewards"][number]) => {
        const key = JSON.stringify([plugin, measure, sign, name])
        return { key, sign, name: oneLine(name), amount }
      }
    return [...rewards.map(row("+")), ...punishments.map(row("−"))]
  })
