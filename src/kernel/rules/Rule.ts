/** Compiles and checks the rules of rubrics: CEL expressions. */

import { Data, Either } from "effect"
import type { Read } from "../../projections/patch/PathPattern.ts"
import { makeEnvironment } from "./Arithmetic.ts"
import * as EventReads from "./EventReads.ts"
import * as Expression from "./Expression.ts"
import * as MissingReads from "./MissingReads.ts"
import type { RuleContext, RuleResult } from "./RuleContext.ts"
import * as RuleDependencies from "./RuleDependencies.ts"
import * as ReadPaths from "./readPaths.ts"

export type { RuleContext, RuleResult } from "./RuleContext.ts"

export interface Rule extends RuleDependencies.RuleDependencies {
  readonly source: string
  /** Paths that it reads, except those that it only asks the existence of. */
  readonly reads: ReadonlyArray<Read>
  /** Why parts of it can never hold: see `EventReads.mistakes`. */
  readonly mistakes: () => ReadonlyArray<string>
  readonly comparisons: () => ReadonlyArray<EventReads.Comparison>
  /** Leave a `slow` rule to `RuleTimeBudget`, which can abort it. */
  readonly evaluate: (context: RuleContext) => RuleResult
  /** Updates `seen` with the values that the result depends on. If none changed, neither did the result. */
  readonly inputsChanged: (context: RuleContext, seen: Array<unknown>) => boolean
}

/** The rule does not compile, or names something unknown. */
export class RuleInvalid extends Data.TaggedError("RuleInvalid")<Expression.ExpressionFlaw> {
  override get message() {
    return (
      `Rule \`${this.source}\`, line ${this.line}, column ${this.column}: ${this.reason}. ` +
      "Expected a CEL expression that is true or false, over event, state, task, command, commands, elapsed and count(type)."
    )
  }
}

const MAX_KEPT = 512

const kept = new Map<string, Rule>()

/**
 * Compiles a rule (Common Expression Language, https://cel.dev) and checks its names and types. Its author is not
 * trusted: see `RuleTimeBudget`. Compiling takes half a millisecond and each closed task needs the same rules, so they
 * are cached; they keep no state between evaluations.
 */
export const compile = (source: string): Either.Either<Rule, RuleInvalid> => {
  const known = kept.get(source)
  if (known !== undefined) return Either.right(known)
  return Either.map(compileNew(source), (rule) => {
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(source, rule)
    return rule
  })
}

const compileNew = (source: string): Either.Either<Rule, RuleInvalid> => {
  let counts: ReadonlyMap<string, number> = new Map()
  const environment = makeEnvironment({ unlistedVariablesAreDyn: false })
    .registerVariable("event", "map")
    .registerVariable("state", "map")
    .registerVariable("task", "map")
    .registerVariable("command", "map")
    .registerVariable("commands", "list")
    .registerVariable("elapsed", "double")
    .registerFunction("text(dyn): string", textOf)
    .registerFunction("count(string): int", (type: string) => BigInt(counts.get(type) ?? 0))

  const compiled = Expression.compile(source, environment, (program): Rule => {
    const dependencies = RuleDependencies.of(program.ast)
    const { readPaths } = dependencies
    const missing = MissingReads.analyse(program, environment)
    return {
      ...dependencies,
      source,
      reads: missing.all,
      mistakes: () => EventReads.mistakes(program.ast),
      comparisons: () => EventReads.comparisons(program.ast),
      evaluate: (context) => {
        counts = context.counts
        return resultOf(program, context, missing)
      },
      inputsChanged:
        readPaths === undefined ? () => true : (context, seen) => ReadPaths.differs(context, readPaths, seen),
    }
  })
  return Either.mapLeft(compiled, (flaw) => new RuleInvalid(flaw))
}

const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : (JSON.stringify(value, (_, inner) => (typeof inner === "bigint" ? Number(inner) : inner)) ?? "")

const HOLDS: RuleResult = { kind: "held", value: true }
const DOES_NOT_HOLD: RuleResult = { kind: "held", value: false }

const resultOf = (
  program: (context: object) => unknown,
  context: RuleContext,
  missing: MissingReads.MissingReads,
): RuleResult => {
  try {
    const value = program(context)
    if (typeof value === "boolean") return value ? HOLDS : DOES_NOT_HOLD
    return { kind: "broken", reason: `expected true or false, found ${String(value)}` }
  } catch (cause) {
    const { code, summary } = Expression.described(cause)
    return code === "no_such_key"
      ? { kind: "absent", reason: summary, reads: missing.of(cause, context) }
      : { kind: "broken", reason: summary }
  }
}
