/** Compiles the criteria of curricula: CEL expressions over the evidence of an attempt. */

import type { ASTNode } from "@marcbachmann/cel-js"
import { Either } from "effect"
import { makeEnvironment } from "../../../kernel/rules/Arithmetic.ts"
import * as Expression from "../../../kernel/rules/Expression.ts"
import * as RuleDependencies from "../../../kernel/rules/RuleDependencies.ts"
import type { JsonObject } from "../../../values/Json.ts"

/** The values that a criterion reads, as JSON. `Evidence` makes them. */
export interface CriterionContext {
  /** The number of the attempt at this stage, from 1. */
  readonly attempt: number
  /** The number of attempts so far, by stage, this one included. */
  readonly attempts: { readonly [stage: string]: number }
  /** The number of the attempt's tasks. */
  readonly episodes: number
  readonly stage: string
  /** The agent's stage of development; empty before it reached one. */
  readonly level: string
  /** The numbers of hints, demonstrations and feedback that tutors have given at this stage so far. */
  readonly guidance: { readonly hints: number; readonly demonstrations: number; readonly feedback: number }
  readonly outcomes: JsonObject
  readonly steps: JsonObject
  /** By label of the score sets. */
  readonly scores: JsonObject
  /** `outcomes`, `steps` and `scores` of the attempt before at this stage; empty at the first. */
  readonly previous: JsonObject
}

/** The result of a criterion. */
export type CriterionResult =
  | { readonly result: "held" | "not held" }
  | { readonly result: "unknown"; readonly reason: string }

/** A compiled criterion. */
export interface Criterion {
  readonly source: string
  readonly ast: ASTNode
  /** Unknown if it reads a value that the evidence lacks, or cannot be computed. Takes bounded time. */
  readonly evaluate: (context: CriterionContext) => CriterionResult
}

/** Compiles a criterion and checks its names and types. Refuses those whose time may grow faster than their data. */
export const compile = (source: string): Either.Either<Criterion, string> => {
  const environment = makeEnvironment({ unlistedVariablesAreDyn: false })
  for (const name of NUMBERS) environment.registerVariable(name, "double")
  for (const name of TEXTS) environment.registerVariable(name, "string")
  for (const name of MAPS) environment.registerVariable(name, "map")
  const compiled = Expression.compile(source, environment, (program) => ({
    slow: RuleDependencies.of(program.ast).slow,
    criterion: { source, ast: program.ast, evaluate: (context: CriterionContext) => resultOf(program, context) },
  }))
  return Either.flatMap(Either.mapLeft(compiled, located), ({ slow, criterion }) =>
    slow ? Either.left(SLOW) : Either.right(criterion),
  )
}

const NUMBERS = ["attempt", "episodes"] as const
const TEXTS = ["stage", "level"] as const
const MAPS = ["attempts", "guidance", "outcomes", "steps", "scores", "previous"] as const

const SLOW = "one that may be slow: its time can grow faster than its data (a regular expression, a nested loop)"

const located = ({ line, column, reason }: Expression.ExpressionFlaw): string =>
  `${reason} (line ${line}, column ${column} of the expression)`

const resultOf = (program: Expression.Program, context: CriterionContext): CriterionResult => {
  try {
    const value = program(context)
    if (typeof value === "boolean") return { result: value ? "held" : "not held" }
    return { result: "unknown", reason: `expected true or false, found ${String(value)}` }
  } catch (cause) {
    return { result: "unknown", reason: Expression.described(cause).summary }
  }
}
