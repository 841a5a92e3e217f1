/** Audits as table rows: one row per task, grouping with statistics, and sorting. */

import { Data, Schema } from "effect"
import { mean, median, sampleStandardDeviation } from "simple-statistics"
import { EpochMs, Position } from "../../events/vocabulary/Event.ts"
import { groupBy } from "../../values/groupBy.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import * as ModelUse from "../audit/ModelUse.ts"
import type { TaskAudit } from "../audit/TaskAudit.ts"
import { addTokens } from "../state/ModelCallEnd.ts"
import * as Activity from "../summary/Activity.ts"
import * as Outcome from "../summary/Outcome.ts"
import { OUTCOMES } from "../summary/Outcome.ts"

export { OUTCOMES } from "../summary/Outcome.ts"

const RowScore = Schema.Struct({
  scoreSetId: Schema.String,
  label: Schema.String,
  earned: Schema.Finite,
  lost: Schema.Finite,
  net: Schema.Finite,
  possible: Schema.Finite,
  normalized: Schema.NullOr(Schema.Finite),
  undecided: Schema.Int.annotations({ description: "Rewards and punishments that could not be decided" }),
  finished: Schema.Boolean,
})

const modelUse = {
  modelCalls: Schema.Int.annotations({ description: "Calls of language models" }),
  tokens: Schema.Int.annotations({ description: "Known tokens of language models, in and out" }),
  unmetered: Schema.Int.annotations({
    description: "Calls with unknown tokens: if there are any, `tokens` is a lower bound",
  }),
  cost: ModelUse.ModelSpending,
}

/** The audit of one task as a table row. */
export const Row = Schema.Struct({
  taskId: Schema.String,
  outcome: Schema.Literal(...OUTCOMES),
  score: Schema.NullOr(RowScore).annotations({
    description: "null if the task has no score, which differs from a score of 0",
  }),
  steps: Schema.Int,
  durationMs: Schema.NullOr(Schema.Finite),
  openedAt: EpochMs,
  from: Position,
  to: Position,
  reads: Schema.Int,
  unread: Schema.Int.annotations({ description: "Sensors that failed or were skipped" }),
  commanded: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  denied: Schema.Int,
  expired: Schema.Int,
  unknown: Schema.Int,
  asked: Schema.Int.annotations({ description: "Commands that needed a person's confirmation" }),
  changes: Schema.Int.annotations({ description: "Operations on the task's environments" }),
  ...modelUse,
  plugins: Schema.Array(Schema.String).annotations({
    description: "Plugins whose sensors, actuators and measures took part",
  }),
  models: Schema.Array(Schema.String).annotations({
    description: "The called language models, as `provider/model`",
  }),
  byModel: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ ...modelUse, steps: Schema.Int }),
  }).annotations({ description: "Use of each model, and the commands that followed from its answers" }),
  agent: Schema.String,
  goal: Schema.String,
}).annotations({ identifier: "AuditRow" })

export type Row = typeof Row.Type

/** A row with what goes on in its task; null if the task is closed. Without it, nobody looked. */
export type StandingRow = Row & { readonly activity?: Activity.Activity | null }

const counted = {
  scored: Schema.Int,
  unscored: Schema.Int.annotations({ description: "Tasks without such a score; no mean includes them" }),
  mean: Schema.NullOr(Schema.Finite).annotations({ description: "Mean of the net scores; null if no task is scored" }),
  median: Schema.NullOr(Schema.Finite),
  deviation: Schema.NullOr(Schema.Finite).annotations({
    description: "Standard deviation (n − 1); null below two scores",
  }),
  least: Schema.NullOr(Schema.Finite),
  most: Schema.NullOr(Schema.Finite),
}

/** Statistics of a group of tasks. */
export const Group = Schema.Struct({
  group: Schema.String,
  tasks: Schema.Int,
  outcomes: Schema.Struct({
    achieved: Schema.Int,
    finished: Schema.Int.annotations({ description: "Tasks that finished, and that nobody judged" }),
    failed: Schema.Int,
    truncated: Schema.Int,
    abandoned: Schema.Int,
    open: Schema.Int,
  }),
  open: Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({
    description: "Open tasks by what goes on in them, such as running or stopped; open if nobody looked",
  }),
  ...counted,
  steps: Schema.Finite.annotations({ description: "Mean number of steps" }),
  medianMs: Schema.NullOr(Schema.Finite).annotations({ description: "Median duration of the closed tasks" }),
  ...modelUse,
}).annotations({ identifier: "AuditGroup" })

export type Group = typeof Group.Type

/** The row of one audit. If several of these score sets scored the task, the one that began last counts. */
export const rowOf = (audit: TaskAudit, scoreSetIds: ReadonlySet<string>): Row => {
  const { sensing, acting, range, model } = audit
  const score = audit.scores.findLast(({ scoreSetId }) => scoreSetIds.has(scoreSetId))
  return {
    taskId: audit.taskId,
    outcome: Outcome.of(audit),
    score:
      score === undefined
        ? null
        : {
            scoreSetId: score.scoreSetId,
            label: score.label,
            earned: score.earned,
            lost: score.lost,
            net: score.net,
            possible: score.possible,
            normalized: score.normalized,
            undecided: score.unscored.length,
            finished: score.finished,
          },
    steps: audit.steps,
    durationMs: audit.durationMs,
    openedAt: audit.openedAt,
    from: range.from,
    to: range.to,
    reads: sensing.reads,
    unread: sensing.failures + sensing.skipped,
    commanded: acting.commanded,
    succeeded: acting.succeeded,
    failed: acting.failed,
    denied: acting.denied,
    expired: acting.expired,
    unknown: acting.unknown,
    asked: audit.confirming.requested,
    changes: audit.changes.operations,
    ...usedOf(model ?? ModelUse.none),
    plugins: pluginsOf(audit),
    models: Object.keys(model?.byModel ?? {}).sort(),
    byModel: Object.fromEntries(
      Object.entries(model?.byModel ?? {}).map(([name, use]) => [name, { ...usedOf(use), steps: use.steps ?? 0 }]),
    ),
    agent: audit.agent,
    goal: audit.goal,
  }
}

const usedOf = ({ calls, inputTokens, outputTokens, unmetered, cost }: ModelUse.UseOfModel) => ({
  modelCalls: calls,
  tokens: addTokens(inputTokens, outputTokens),
  unmetered,
  cost,
})

const pluginsOf = ({ sensing, acting, scores }: TaskAudit): ReadonlyArray<string> => {
  const components = [...Object.keys(sensing.byComponent), ...Object.keys(acting.byComponent)]
  const measures = scores.flatMap(({ measures }) => measures.flatMap(({ plugin }) => plugin ?? []))
  return [...new Set([...components.map((name) => name.split("/")[0] ?? name), ...measures])].sort()
}

/** Properties for grouping tasks. A task with several plugins or models belongs to the group of each. */
export const GROUPINGS = ["agent", "goal", "model", "outcome", "plugin"] as const

/** A property for grouping rows. */
export type Grouping = (typeof GROUPINGS)[number]

/** No task has the property to group by. */
export class NothingGrouped extends Data.TaggedError("NothingGrouped")<{
  readonly by: Grouping
  /** Number of examined tasks. */
  readonly among: number
}> {
  override get message() {
    const others = GROUPINGS.filter((grouping) => grouping !== this.by).join(", ")
    return (
      `--group ${this.by}: expected tasks that used a ${this.by}, found none among ${this.among}. ` +
      `\`hindcast audit --all\` lists them; they can be grouped by ${others}.`
    )
  }
}

/**
 * Groups rows by a property, in order of first occurrence. If a task used several models, each group gets the
 * use of its own model.
 */
export const group = (rows: ReadonlyArray<StandingRow>, by: Grouping): ReadonlyArray<Group> =>
  [...groupBy(rows, (row) => groupsOf(row, by))].map(([name, groupRows]) =>
    groupOf(
      name,
      by === "model" ? groupRows.map((row) => ({ ...row, ...SafeRecord.get(row.byModel, name) })) : groupRows,
    ),
  )

/** The groups of a task; none if it used no plugin or model. */
export const groupsOf = (row: StandingRow, by: Grouping): ReadonlyArray<string> =>
  by === "plugin" ? row.plugins : by === "model" ? row.models : by === "outcome" ? [stateOf(row)] : [row[by]]

/** The outcome of a closed task, else its activity. */
const stateOf = ({ outcome, activity = null }: StandingRow): string =>
  outcome === "open" ? Activity.stateOf({ outcome: null, activity }) : outcome

/** Those states of open tasks that occur, in the order in which lists name them, each with its number of tasks. */
const openStates = (rows: ReadonlyArray<StandingRow>): { readonly [state: string]: number } => {
  const states = rows.filter(({ outcome }) => outcome === "open").map(stateOf)
  const known = [...Activity.OPEN_STATES, Activity.stateOf({ outcome: null, activity: null })]
  return Object.fromEntries(
    known.flatMap((state) => {
      const tasks = states.filter((of) => of === state).length
      return tasks === 0 ? [] : [[state, tasks]]
    }),
  )
}

const groupOf = (name: string, rows: ReadonlyArray<StandingRow>): Group => {
  const nets = rows.flatMap(({ score }) => score?.net ?? [])
  const durations = rows.flatMap(({ durationMs }) => durationMs ?? [])
  const of = (outcome: Row["outcome"]) => rows.filter((row) => row.outcome === outcome).length
  return {
    group: name,
    tasks: rows.length,
    outcomes: {
      achieved: of("achieved"),
      finished: of("finished"),
      failed: of("failed"),
      truncated: of("truncated"),
      abandoned: of("abandoned"),
      open: of("open"),
    },
    open: openStates(rows),
    scored: nets.length,
    unscored: rows.length - nets.length,
    mean: over(nets, 1, mean),
    median: over(nets, 1, median),
    deviation: over(nets, 2, sampleStandardDeviation),
    least: over(nets, 1, (all) => all.reduce((a, b) => Math.min(a, b))),
    most: over(nets, 1, (all) => all.reduce((a, b) => Math.max(a, b))),
    steps: Sum.round(mean(rows.map(({ steps }) => steps))),
    medianMs: over(durations, 1, median),
    modelCalls: rows.reduce((sum, { modelCalls }) => sum + modelCalls, 0),
    tokens: rows.reduce((sum, { tokens }) => addTokens(sum, tokens), 0),
    unmetered: rows.reduce((sum, { unmetered }) => sum + unmetered, 0),
    cost: ModelUse.totalCost(rows.map(({ cost }) => cost)),
  }
}

const over = (values: Array<number>, least: number, of: (values: Array<number>) => number): number | null =>
  values.length < least ? null : Sum.round(of(values))

/** A sort key. Null sorts last, in either direction. */
type Key = number | string | null

/** The known part of the cost; null if no model was called. */
const costKey = ({ modelCalls, cost }: Pick<Row, "modelCalls" | "cost">): Key =>
  modelCalls === 0 ? null : cost.atLeast

/** Columns for sorting rows. */
export const ROW_COLUMNS = {
  task: ({ taskId }) => taskId,
  outcome: ({ outcome }) => OUTCOMES.indexOf(outcome),
  score: ({ score }) => score?.net ?? null,
  normalized: ({ score }) => score?.normalized ?? null,
  earned: ({ score }) => score?.earned ?? null,
  lost: ({ score }) => score?.lost ?? null,
  steps: ({ steps }) => steps,
  duration: ({ durationMs }) => durationMs,
  opened: ({ from }) => from,
  reads: ({ reads }) => reads,
  unread: ({ unread }) => unread,
  succeeded: ({ succeeded }) => succeeded,
  failed: ({ failed }) => failed,
  denied: ({ denied }) => denied,
  expired: ({ expired }) => expired,
  unknown: ({ unknown }) => unknown,
  asked: ({ asked }) => asked,
  changes: ({ changes }) => changes,
  calls: ({ modelCalls }) => modelCalls,
  tokens: ({ tokens }) => tokens,
  cost: costKey,
  agent: ({ agent }) => agent,
  goal: ({ goal }) => goal,
} satisfies { readonly [column: string]: (row: Row) => Key }

/** Columns for sorting groups. */
export const GROUP_COLUMNS = {
  group: ({ group }) => group,
  tasks: ({ tasks }) => tasks,
  achieved: ({ outcomes }) => outcomes.achieved,
  finished: ({ outcomes }) => outcomes.finished,
  failed: ({ outcomes }) => outcomes.failed,
  truncated: ({ outcomes }) => outcomes.truncated,
  abandoned: ({ outcomes }) => outcomes.abandoned,
  open: ({ outcomes }) => outcomes.open,
  unscored: ({ unscored }) => unscored,
  mean: ({ mean }) => mean,
  median: ({ median }) => median,
  deviation: ({ deviation }) => deviation,
  least: ({ least }) => least,
  most: ({ most }) => most,
  steps: ({ steps }) => steps,
  duration: ({ medianMs }) => medianMs,
  calls: ({ modelCalls }) => modelCalls,
  tokens: ({ tokens }) => tokens,
  cost: costKey,
} satisfies { readonly [column: string]: (group: Group) => Key }

/** Sorts by a key, stably; items without a key come last. */
export const sorted = <Item>(
  items: ReadonlyArray<Item>,
  keyOf: (item: Item) => Key,
  descending = false,
): ReadonlyArray<Item> => {
  const entries = items.map((item) => ({ item, key: keyOf(item) }))
  const present = entries.filter(({ key }) => key !== null)
  const ordered = present.sort((a, b) => (descending ? compare(b.key, a.key) : compare(a.key, b.key)))
  return [...ordered, ...entries.filter(({ key }) => key === null)].map(({ item }) => item)
}

const compare = (a: Key, b: Key): number => {
  if (typeof a === "number" && typeof b === "number") return a - b
  const [left, right] = [String(a), String(b)]
  return left < right ? -1 : left > right ? 1 : 0
}
