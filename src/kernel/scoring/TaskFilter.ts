/** Filters tasks by fields and by a CEL expression. */

import { Data, Either, Schema } from "effect"
import type { Task } from "../../projections/state/Tasks.ts"
import * as Outcome from "../../projections/summary/Outcome.ts"
import { plainText } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { dateOf } from "../../values/Time.ts"
import * as OwnTime from "../../values/time/OwnTime.ts"
import { makeEnvironment } from "../rules/Arithmetic.ts"
import * as Expression from "../rules/Expression.ts"

/** A task with the fields that a filter can test. */
export interface SelectableTask extends Task {
  readonly taskId: string
  /** The plugins whose measures it was opened with. */
  readonly plugins: ReadonlyArray<string>
  /** Null if an old log lacks it. */
  readonly seed: number | null
  /** Its tags, sorted. Default: none. */
  readonly tags?: ReadonlyArray<string>
  /** Duration by the task's own time, in milliseconds. Default: from opening to close. */
  readonly durationMs?: number
}

/** An absent field selects all; several values of a field are alternatives. */
export interface TaskFilter {
  readonly openedAfter?: number
  /** Closed at this position or before. */
  readonly closedBy?: number
  /** Agents, as `name@version` or by name alone. */
  readonly agents?: ReadonlyArray<string>
  readonly plugins?: ReadonlyArray<string>
  /** In one word, so that `achieved` leaves out tasks that nobody judged (`finished`). */
  readonly outcomes?: ReadonlyArray<Outcome.Outcome>
  /** Tags, of which a task must have one. */
  readonly tags?: ReadonlyArray<string>
  /** A CEL expression over `task`; see `FIELDS`. */
  readonly where?: string
}

/** Schema of `TaskFilter`. */
export const TaskFilter = Options.of<TaskFilter>({
  optional: {
    openedAfter: Options.wholeNumber(0),
    closedBy: Options.wholeNumber(0),
    agents: Schema.Array(Schema.String),
    plugins: Schema.Array(Schema.String),
    outcomes: Schema.Array(Schema.Literal(...Outcome.OUTCOMES)),
    tags: Schema.Array(Schema.String),
    where: Schema.String,
  },
}).annotations({ description: "an object with openedAfter, closedBy, agents, plugins, outcomes, tags or where" })

/** The fields of `task` in an expression. Times are timestamps, such as `timestamp("2026-03-01T12:00:00Z")`. */
export const FIELDS = [
  ...["id", "goal", "agent", "outcome", "reason", "steps", "seed", "plugins", "tags"],
  ...["openedAt", "closedAt", "durationMs", "from", "to"],
] as const

/** The expression does not compile, names something unknown, or is not Boolean. */
export class SelectionInvalid extends Data.TaggedError("SelectionInvalid")<Expression.ExpressionFlaw> {
  override get message() {
    return (
      `Selection \`${this.source}\`, line ${this.line}, column ${this.column}: ${this.reason}. ` +
      `Expected a CEL expression that is true or false, over task, which has ${FIELDS.join(", ")}; ` +
      "such as task.outcome == 'failed' && task.steps > 10."
    )
  }
}

/** Tells whether a filter selects a task. */
export type TaskMatcher = (task: SelectableTask) => Either.Either<boolean, SelectionInvalid>

/** Compiles a filter once, for many tasks. */
export const prepare = (selection: TaskFilter): Either.Either<TaskMatcher, SelectionInvalid> =>
  Either.map(selection.where === undefined ? Either.right(EVERY) : compile(selection.where), (fits): TaskMatcher => {
    const { openedAfter = 0, closedBy = Number.MAX_SAFE_INTEGER, agents, plugins, outcomes, tags } = selection
    return (task) =>
      task.from > openedAfter &&
      task.to <= closedBy &&
      (agents === undefined || agents.some((agent) => task.agent === agent || task.agent.split("@")[0] === agent)) &&
      (plugins === undefined || task.plugins.some((plugin) => plugins.includes(plugin))) &&
      (tags === undefined || (task.tags ?? []).some((tag) => tags.includes(tag))) &&
      (outcomes === undefined || outcomes.includes(Outcome.of(task)))
        ? fits(task)
        : Either.right(false)
  })

/** Tells whether a filter selects a task. */
export const matches = (selection: TaskFilter, task: SelectableTask): Either.Either<boolean, SelectionInvalid> =>
  Either.flatMap(prepare(selection), (fits) => fits(task))

const EVERY: TaskMatcher = () => Either.right(true)

const compile = (source: string): Either.Either<TaskMatcher, SelectionInvalid> => {
  const environment = makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("task", "map")
  const compiled = Expression.compile(
    source,
    environment,
    (program): TaskMatcher =>
      (task) =>
        evaluateFor(source, () => program({ task: fieldsOf(task) }), task.taskId),
  )
  return Either.mapLeft(compiled, (flaw) => new SelectionInvalid(flaw))
}

const evaluateFor = (
  source: string,
  evaluate: () => unknown,
  taskId: string,
): Either.Either<boolean, SelectionInvalid> => {
  try {
    const value = evaluate()
    if (typeof value === "boolean") return Either.right(value)
    const flaw = Expression.notBoolean(source, `it gives ${plainText(String(value))} for task ${taskId}`)
    return Either.left(new SelectionInvalid(flaw))
  } catch (cause) {
    return Either.left(new SelectionInvalid(Expression.flawOf(source, cause)))
  }
}

const fieldsOf = (task: SelectableTask): { readonly [field in (typeof FIELDS)[number]]: unknown } => ({
  id: task.taskId,
  goal: task.goal,
  agent: task.agent,
  outcome: task.outcome === null ? null : Outcome.of(task),
  reason: task.reason ?? null,
  steps: task.steps,
  seed: task.seed,
  plugins: task.plugins,
  tags: task.tags ?? [],
  openedAt: dateOf(task.openedAt),
  closedAt: task.closedAt === null ? null : dateOf(task.closedAt),
  durationMs: task.closedAt === null ? null : (task.durationMs ?? OwnTime.between(task.openedAt, task.closedAt)),
  from: task.from,
  to: task.to,
})
