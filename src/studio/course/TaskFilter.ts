/** Selects rows of tasks by a CEL expression over `task`, which has the fields of a `TaskRow` (`fieldsOf`). */

import { Data, Effect } from "effect"
import { makeEnvironment } from "../../kernel/rules/Arithmetic.ts"
import * as Expression from "../../kernel/rules/Expression.ts"
import type { Budget } from "../../kernel/rules/Meter.ts"
import { visitInSlices } from "../../platform/yieldToEventLoop.ts"
import type { TaskRow } from "../wire/Task.ts"

/** The expression does not compile, is not Boolean, or cannot be evaluated for any task. */
export class WhereInvalid extends Data.TaggedError("WhereInvalid")<Expression.ExpressionFlaw> {
  override get message() {
    return (
      `\`${this.source}\`, line ${this.line}, column ${this.column}: ${this.reason}. ` +
      'Expected a CEL expression that is true or false, over task, such as task.outcome == "failed" && task.steps > 10.'
    )
  }
}

/**
 * The CEL budget of a request. Any page can link to an expression, so the budget is smaller than at the command line:
 * at most some 50 ms per evaluation and a few seconds per request. The server answers other requests in between.
 */
export const REQUEST_BUDGET: Budget = { steps: 1_000_000, total: 50_000_000 }

/**
 * The rows for which an expression is true. Skips tasks for which it has no value, such as tasks without the score that
 * it asks about. Fails if it has no value for any task, or exceeds its budget.
 */
export const select = (
  source: string,
  rows: ReadonlyArray<TaskRow>,
): Effect.Effect<ReadonlyArray<TaskRow>, WhereInvalid> => {
  const environment = makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("task", "map")
  const compiled = Expression.compile(source, environment, (program) => program, REQUEST_BUDGET)
  return Effect.flatMap(compiled, (program) => selected(source, rows, program)).pipe(
    Effect.mapError((flaw) => new WhereInvalid(flaw)),
  )
}

const selected = (
  source: string,
  rows: ReadonlyArray<TaskRow>,
  program: Expression.Program,
): Effect.Effect<ReadonlyArray<TaskRow>, Expression.ExpressionFlaw> =>
  Effect.suspend(() => {
    const found: Array<TaskRow> = []
    let flaw: Expression.ExpressionFlaw | undefined
    let answered = 0
    let isSpent = false
    const visit = (task: TaskRow): void => {
      if (isSpent) return
      try {
        const answer = program({ task: fieldsOf(task) })
        if (typeof answer === "boolean") answered += 1
        else flaw = Expression.notBoolean(source, `it gives ${typeof answer} for task ${task.id}`)
        if (answer === true) found.push(task)
      } catch (cause) {
        const { code, summary } = Expression.described(cause)
        isSpent = code === Expression.TOO_EXPENSIVE
        if (OPTIONAL.test(summary)) answered += 1
        flaw = Expression.flawOf(source, cause)
      }
    }
    const answer = Effect.suspend(() =>
      flaw !== undefined && (isSpent || answered === 0) ? Effect.fail(flaw) : Effect.succeed(found),
    )
    return Effect.zipRight(visitInSlices(rows, visit), answer)
  })

/**
 * A row as CEL sees it. Unknown amounts are missing, so that they match nothing: `task.cost > 0.1` and `task.cost < 0.1`
 * both leave out a task whose cost is unknown. `costAtLeast` and `tokensAtLeast` are the known parts.
 */
const fieldsOf = ({ models, durationMs, ...row }: TaskRow): object => {
  const use = models?.use ?? null
  const tokens = use === null ? 0 : use.inputTokens + use.outputTokens
  return {
    ...row,
    ...(durationMs === null ? {} : { durationMs }),
    ...(models === null ? {} : { models: models.models }),
    ...(models?.models.length === 1 ? { model: models.models[0] } : {}),
    ...(use === null ? {} : { costAtLeast: use.cost.atLeast, tokensAtLeast: tokens }),
    ...(use === null || use.cost.usd === null ? {} : { cost: use.cost.usd }),
    ...(use === null || use.unmetered > 0 ? {} : { tokens }),
  }
}

/** Fields that a task may lack. If all tasks do, the expression is right all the same. */
const OPTIONAL = /No such key: (?:durationMs|models?|cost|costAtLeast|tokens|tokensAtLeast)\b/i
