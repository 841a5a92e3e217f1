/** The tool `find_tasks`: a line for each task that fits, with what to look at first. */
import { Effect, Option, Schema } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import * as TaskPresent from "../../../kernel/recovery/TaskPresent.ts"
import * as Chosen from "../../../kernel/scoring/TaskSelection.ts"
import * as SetScores from "../../../projections/comparison/SetScores.ts"
import { Projector } from "../../../projections/projector/Projector.ts"
import * as TaskScores from "../../../projections/report/TaskScores.ts"
import * as Tasks from "../../../projections/state/Tasks.ts"
import * as Activity from "../../../projections/summary/Activity.ts"
import * as Outcome from "../../../projections/summary/Outcome.ts"
import * as Money from "../../../values/Money.ts"
import * as AuditPage from "../../pages/audit/AuditPage.ts"
import * as TaskSelection from "../../score/TaskSelection.ts"
import * as Text from "../../terminal/Text.ts"
import * as Answer from "../server/Answer.ts"
import * as TaskArgument from "../server/TaskArgument.ts"
import * as Tool from "../server/Tool.ts"

const SORTS = ["new", "worst", "cost"] as const

export const findTasks = Tool.make({
  name: "find_tasks",
  title: "Find tasks",
  description:
    "Tasks, a line each: positions, id, outcome, score, cost, agent, goal. `sort`: newest first (new), lowest score first (worst), most expensive first (cost).",
  input: Schema.Struct({
    query: Tool.optional(Tool.text("Words in the goal or in the reason of the outcome, case ignored")),
    outcome: Tool.optional(Schema.Literal(...Outcome.OUTCOMES)),
    tag: Tool.optional(Tool.text("A tag that people gave the task")),
    agent: Tool.optional(Tool.text("An agent: name@version, or its name for all versions")),
    since: Tool.optional(Tool.moment("Only tasks that opened after this moment")),
    sort: Tool.optional(Schema.Literal(...SORTS)),
    skip: Tool.skip,
  }),
  run: (args) =>
    Effect.gen(function* () {
      const { query = "", outcome, tag, agent, since, sort = "new", skip = 0 } = args
      const known = yield* (yield* Projector).current(Tasks.projection)
      const selection = yield* TaskSelection.selectedAmong(
        {
          ...{ task: [], plugin: [], until: Option.none(), where: Option.none() },
          tag: tag === undefined ? [] : [tag],
          agent: agent === undefined ? [] : [agent],
          outcome: outcome === undefined || outcome === "open" ? [] : [outcome],
          since: Option.fromNullable(since),
        },
        known,
      )
      const ids =
        selection.select === undefined ? Object.keys(known) : yield* Chosen.of(yield* EventLog, known, selection)
      const sets = yield* SetScores.sets
      const choice = yield* SetScores.choiceIn(sets, undefined)
      const words = query.toLowerCase()
      const named = ids.flatMap((id): ReadonlyArray<Found> => {
        const task = known[id]
        if (task === undefined || (outcome === "open" && task.outcome !== null)) return []
        const isNamed = `${task.goal}\n${task.reason ?? ""}`.toLowerCase().includes(words)
        return isNamed ? [{ id, task, score: TaskScores.of(sets, id, choice), activity: null }] : []
      })
      const found = yield* looked(named)
      const lines = sorted(found, sort).map(line)
      if (lines.length === 0)
        return { lines: [], foot: [`None of ${Text.count(Object.keys(known).length, "task")} fits.`] }
      const { skip: _, ...kept } = args
      const answer = Answer.page(lines, skip, { tool: "find_tasks", args: { ...kept } }, "task")
      const first = sorted(found, sort)[skip]
      const explain: NonNullable<Answer.Answer["next"]> =
        first === undefined
          ? []
          : [[{ tool: "explain_failure", args: { task: `@${first.task.from}` } }, "how the first of these ended"]]
      return { ...answer, next: [...explain, ...(answer.next ?? [])] }
    }),
})

interface Found {
  readonly id: string
  readonly task: Tasks.Task
  /** Null if it is closed. */
  readonly activity: Activity.Activity | null
  /** By the score set that counts for it. */
  readonly score: TaskScores.TaskScore | null
}

/** Finds the activities of open tasks. */
const looked = (found: ReadonlyArray<Found>) =>
  Effect.gen(function* () {
    const [look, log] = [yield* TaskPresent.look, yield* EventLog]
    return yield* Effect.forEach(found, (one) =>
      one.task.outcome === null
        ? Effect.map(look(log, one.id, one.task), (activity): Found => ({ ...one, activity }))
        : Effect.succeed(one),
    )
  })

const sorted = (found: ReadonlyArray<Found>, by: (typeof SORTS)[number]): ReadonlyArray<Found> => {
  switch (by) {
    case "new":
      return found.toSorted((a, b) => b.task.from - a.task.from)
    case "worst":
      return found.toSorted((a, b) => (a.score?.net ?? Number.MAX_VALUE) - (b.score?.net ?? Number.MAX_VALUE))
    case "cost":
      return found.toSorted((a, b) => (b.task.model?.cost.atLeast ?? -1) - (a.task.model?.cost.atLeast ?? -1))
  }
}

const line = ({ id, task, score, activity }: Found): string =>
  [
    `@${task.from}–@${task.to}`,
    Text.oneLine(TaskArgument.written(id, task.from)),
    task.outcome === null ? Activity.stateOf({ outcome: null, activity }) : Outcome.of(task),
    ...(score === null ? [] : [`score ${AuditPage.net(score)}`]),
    ...(task.model === undefined ? [] : [Money.costInTable(task.model.cost)]),
    Text.count(task.steps, "step"),
    Text.oneLine(task.agent),
    Text.shorten(Text.oneLine(task.goal), 80),
    ...(task.reason === undefined ? [] : [`(${Text.shorten(Text.oneLine(task.reason), 80)})`]),
  ].join("  ")
