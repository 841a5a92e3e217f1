import { TypeError as CelTypeError, Environment, EvaluationError, ParseError } from "@marcbachmann/cel-js"
import { Data, Either } from "effect"
import type { RuleContext, RuleResult } from "./RuleContext.ts"
import * as RuleDependencies from "./RuleDependencies.ts"
import * as Sight from "./readPaths.ts"

export type { RuleContext, RuleResult } from "./RuleContext.ts"

/** A compiled rule. */
export interface Rule extends RuleDependencies.RuleDependencies {
  readonly source: string
  /** Evaluates it. One that is `slow` is evaluated by `Patience` alone, which stops it. */
  readonly evaluate: (moment: RuleContext) => RuleResult
  /**
   * Looks at all that its verdict depends on, and whether that is another than what was seen last, which it writes to
   * `seen`. Where it is the very same, so is the verdict.
   */
  readonly looksAnew: (moment: RuleContext, seen: Array<unknown>) => boolean
}

/** Fix the rule: it does not compile, or names something unknown. */
export class RuleInvalid extends Data.TaggedError("RuleInvalid")<{
  readonly source: string
  /** Counted from 1; on the first line where the rule has several. */
  readonly line: number
  readonly column: number
  readonly reason: string
}> {
  override get message() {
    return (
      `Rule \`${this.source}\`, line ${this.line}, column ${this.column}: ${this.reason}. ` +
      "Expected a CEL expression that is true or false, over event, state, task, command, elapsed and count(type)."
    )
  }
}

/**
 * Compiles a rule (Common Expression Language, https://cel.dev) and checks its names and types. Who wrote it is not trusted:
 * see `Patience` for one that may take long.
 */
export const compile = (source: string): Either.Either<Rule, RuleInvalid> => {
  let counts: ReadonlyMap<string, number> = new Map()
  const environment = new Environment({ unlistedVariablesAreDyn: false })
    .registerVariable("event", "map")
    .registerVariable("state", "map")
    .registerVariable("task", "map")
    .registerVariable("command", "map")
    .registerVariable("elapsed", "double")
    .registerFunction("count(string): int", (type: string) => BigInt(counts.get(type) ?? 0))

  try {
    const program = environment.parse(source)
    const check = program.check()
    if (!check.valid) return Either.left(invalid(source, check.error))
    if (check.type !== "bool" && check.type !== "dyn") {
      return Either.left(
        new RuleInvalid({ source, line: 1, column: 1, reason: `it gives a value of type ${check.type}` }),
      )
    }
    const footprint = RuleDependencies.of(program.ast)
    const { places } = footprint
    return Either.right({
      ...footprint,
      source,
      evaluate: (moment) => {
        counts = moment.counts
        return verdictOf(program, moment)
      },
      looksAnew: places === undefined ? () => true : (moment, seen) => Sight.differs(moment, places, seen),
    })
  } catch (cause) {
    return Either.left(invalid(source, cause))
  }
}

const HOLDS: RuleResult = { kind: "held", value: true }
const DOES_NOT: RuleResult = { kind: "held", value: false }

/** What is absent is no fault of the program's: nobody wants to know where in it that was found. */
const verdictOf = (program: (moment: object) => unknown, moment: RuleContext): RuleResult => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const value = program(moment)
    if (typeof value === "boolean") return value ? HOLDS : DOES_NOT
    return { kind: "broken", reason: `expected true or false, found ${String(value)}` }
  } catch (cause) {
    const { code, summary } = described(cause)
    return { kind: code === "no_such_key" ? "absent" : "broken", reason: summary }
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const invalid = (source: string, cause: unknown): RuleInvalid => {
  const { summary, start } = described(cause)
  const before = source.slice(0, start).split("\n")
  return new RuleInvalid({ source, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason: summary })
}

/** CEL's errors carry a code, a summary and a range; anything else that is thrown is described by its message. */
export const described = (
  cause: unknown,
): { readonly code: string; readonly summary: string; readonly start: number } => {
  if (cause instanceof ParseError || cause instanceof EvaluationError || cause instanceof CelTypeError) {
    return { code: cause.code, summary: cause.summary, start: cause.range?.start ?? 0 }
  }
  return { code: "", summary: cause instanceof Error ? cause.message : String(cause), start: 0 }
}
