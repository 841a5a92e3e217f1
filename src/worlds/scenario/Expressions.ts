/** Compiles the CEL expressions of scenarios: rules as in rubrics, and conditions on an agent's state. */

import { Either } from "effect"
import { makeEnvironment } from "../../kernel/rules/Arithmetic.ts"
import * as Expression from "../../kernel/rules/Expression.ts"
import * as Rule from "../../kernel/rules/Rule.ts"
import * as RuleDependencies from "../../kernel/rules/RuleDependencies.ts"
import type { JsonObject } from "../../values/Json.ts"

/**
 * Compiles a rule over state, event, task, command, elapsed and count. Refuses rules whose time may grow faster than
 * their data.
 */
export const rule = (source: string): Either.Either<Rule.Rule, string> =>
  Either.flatMap(Either.mapLeft(Rule.compile(source), located), (compiled) =>
    compiled.slow ? Either.left(SLOW) : Either.right(compiled),
  )

const SLOW = "one that may be slow: its time can grow faster than its data (a regular expression, a nested loop)"

/** A condition whose variables are the fields of an agent's state. False if a field is missing. */
export type AgentCondition = (state: JsonObject) => boolean

/** Compiles a condition on an agent's state, such as `energy <= 0`. */
export const ofAgent = (source: string): Either.Either<AgentCondition, string> => {
  const environment = makeEnvironment({ unlistedVariablesAreDyn: true })
  const compiled = Expression.compile(source, environment, (program) => ({
    slow: RuleDependencies.of(program.ast).slow,
    holds: (state: JsonObject): boolean => {
      try {
        return program(state) === true
      } catch {
        // The state lacks a field, or has it with another type.
        return false
      }
    },
  }))
  return Either.flatMap(Either.mapLeft(compiled, located), ({ slow, holds }) =>
    slow ? Either.left(SLOW) : Either.right(holds),
  )
}

const located = ({ line, column, reason }: Expression.ExpressionFlaw): string =>
  `${reason} (line ${line}, column ${column} of the expression)`
