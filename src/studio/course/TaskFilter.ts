/** Selects rows of tasks by a CEL expression over `task`, which is a `TaskRow`. */

import { Data, Effect } from "effect"
import { makeEnvironment } from "../../kernel/rules/Arithmetic.ts"
import * as Expression from "../../kernel/rules/Expression.ts"
import type { Budget } from "../../kernel/rules/Meter.ts"
import { visitInSlices } from "../../platform/yieldToEventLoop.ts"
import type { TaskRow } from "../wire/Task.ts"

/** Fix the expression: it does not compile, is not true or false, or has no answer for any task. */
export class WhereInvalid extends Data.TaggedError("WhereInvalid")<Expression.ExpressionFlaw> {
  override get message() {
    return (
      `\`${this.source}\`, line ${this.line}, column ${this.column}: ${this.reason}. ` +
      'Expected a CEL expression that is true or false, over task, such as task.outcome == "failed" && task.steps > 10.'
    )
  }
}

/**
 * What an expression of a request may cost. Any page can hold a link with one, so that it has less than one at the command line: one
 * evaluation takes some 50 ms at most, all of a request a few seconds, and the server answers other requests in between.
 */
export const REQUEST_BUDGET: Budget = { steps: 1_000_000, total: 50_000_000 }

/**
 * The rows for which an expression is true. A task that it has no answer for, such as one without a score that it asks about, is not
 * selected; if it has none for any, or uses up its budget, that is a mistake of the expression.
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
        const answer = program({ task })
        if (typeof answer === "boolean") answered += 1
        else flaw = Expression.notBoolean(source, `it gives ${typeof answer} for task ${task.id}`)
        if (answer === true) found.push(task)
      } catch (cause) {
        isSpent = Expression.described(cause).code === Expression.TOO_EXPENSIVE
        flaw = Expression.flawOf(source, cause)
      }
    }
    const answer = Effect.suspend(() =>
      flaw !== undefined && (isSpent || answered === 0) ? Effect.fail(flaw) : Effect.succeed(found),
    )
    return Effect.zipRight(visitInSlices(rows, visit), answer)
  })
