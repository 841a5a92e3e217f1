/** Compiles and checks CEL expressions (https://cel.dev), and locates their errors. */

import {
  type ASTNode,
  TypeError as CelTypeError,
  type Environment,
  EvaluationError,
  ParseError,
} from "@marcbachmann/cel-js"
import { Either } from "effect"
import * as Guard from "./Guard.ts"
import * as HasMacro from "./HasMacro.ts"
import * as Meter from "./Meter.ts"
import * as Pattern from "./Pattern.ts"
import { childrenOf } from "./RuleDependencies.ts"

/** It throws where CEL does, and `TooExpensive` beyond the budget; `described` explains either. */
export interface Program {
  (variables: object): unknown
  readonly ast: ASTNode
}

/** An error in an expression, and its place. */
export interface ExpressionFlaw {
  readonly source: string
  /** From 1. A type error points to the start of the expression. */
  readonly line: number
  readonly column: number
  readonly reason: string
}

/**
 * Compiles a Boolean expression and checks its names and types.
 *
 * @param use turns the program into the result; its exceptions become flaws
 * @param budget the cost of evaluations (default: `Meter.BUDGET`)
 */
export const compile = <A>(
  source: string,
  environment: Environment,
  use: (program: Program) => A,
  budget: Meter.Budget = Meter.BUDGET,
): Either.Either<A, ExpressionFlaw> =>
  checked(source, environment, budget, (program, type) =>
    type === "bool" || type === "dyn"
      ? Either.right(use(program))
      : Either.left(notBoolean(source, `it gives a value of type ${type}`)),
  )

/** The expression may have a value of any type. */
export const compileValue = <A>(
  source: string,
  environment: Environment,
  use: (program: Program) => A,
): Either.Either<A, ExpressionFlaw> =>
  checked(source, environment, Meter.BUDGET, (program) => Either.right(use(program)))

const checked = <A>(
  source: string,
  environment: Environment,
  budget: Meter.Budget,
  use: (program: Program, type: string | undefined) => Either.Either<A, ExpressionFlaw>,
): Either.Either<A, ExpressionFlaw> => {
  try {
    const parsed = environment.parse(source)
    HasMacro.extend(parsed.ast)
    const { valid, type, error } = parsed.check()
    if (!valid) return Either.left(flawOf(source, error))
    checkLiterals(parsed.ast, { size: 0 })
    return use(within(source, budget, parsed), type)
  } catch (cause) {
    return Either.left(flawOf(source, cause))
  }
}

const within = (source: string, budget: Meter.Budget, parsed: ReturnType<Environment["parse"]>): Program => {
  const meter = Meter.make(source, budget)
  const steps = Guard.install(parsed.ast, meter)
  const evaluate = (variables: object): unknown => {
    // A missing key is an ordinary result, and collecting its stack trace would take most of the time.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    meter.begin()
    try {
      meter.charge(steps)
      return parsed(variables)
    } finally {
      Error.stackTraceLimit = stackTraceLimit
      // Even if the error of a refused charge became a value: `refused || true`.
      meter.end()
    }
  }
  return Object.assign(evaluate, { ast: parsed.ast })
}

/** Finds integers beyond 64 bits, and `matches` patterns outside RE2's syntax. */
const checkLiterals = (node: ASTNode, patterns: { size: number }): void => {
  if (node.op === "value" && typeof node.args === "bigint" && node.args > MAX_INT) throw outOfRange(node)
  // -9223372036854775808 parses as a minus before an out-of-range number.
  if (node.op === "-_" && node.args.op === "value" && node.args.args === MAX_INT + 1n) return
  const pattern = patternOf(node)
  if (pattern?.op === "value" && typeof pattern.args === "string") checkPattern(pattern.args, pattern, patterns)
  for (const child of childrenOf(node.args)) checkLiterals(child, patterns)
}

const MAX_INT = 2n ** 63n - 1n

const outOfRange = (node: ASTNode): ParseError =>
  new ParseError({ code: "invalid_integer", message: `Invalid integer: ${node.args}, beyond 64 bits`, node })

const patternOf = (node: ASTNode): ASTNode | undefined => {
  if (node.op === "rcall" && node.args[0] === "matches") return node.args[2][0]
  return node.op === "call" && node.args[0] === "matches" ? node.args[1][1] : undefined
}

const checkPattern = (pattern: string, node: ASTNode, patterns: { size: number }): void => {
  try {
    patterns.size += Pattern.compile(pattern).size
    if (patterns.size > Pattern.MAX_SIZE) throw new Pattern.PatternInvalid("all patterns together are too large")
  } catch (cause) {
    if (!(cause instanceof Pattern.PatternInvalid)) throw cause
    const message = `the regular expression of matches(): ${cause.message}`
    throw new ParseError({ code: "invalid_regular_expression", message, node })
  }
}

/** The flaw of an expression that is not Boolean. */
export const notBoolean = (source: string, found: string): ExpressionFlaw => ({
  source,
  line: 1,
  column: 1,
  reason: `${found}, and not true or false`,
})

export const flawOf = (source: string, cause: unknown): ExpressionFlaw => {
  const { summary, start } = described(cause)
  const before = source.slice(0, start).split("\n")
  return { source, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason: summary }
}

/** Explains a CEL error, or gives the message of any other value. */
export const described = (
  cause: unknown,
): { readonly code: string; readonly summary: string; readonly start: number } => {
  if (cause instanceof ParseError || cause instanceof EvaluationError || cause instanceof CelTypeError) {
    return { code: cause.code, summary: cause.summary, start: cause.range?.start ?? 0 }
  }
  if (cause instanceof Meter.TooExpensive) return { code: TOO_EXPENSIVE, summary: cause.summary, start: 0 }
  return { code: "", summary: cause instanceof Error ? cause.message : String(cause), start: 0 }
}

/** The code of an evaluation beyond its budget. */
export const TOO_EXPENSIVE = "too_expensive"
