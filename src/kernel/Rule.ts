import { type ASTNode, TypeError as CelTypeError, Environment, EvaluationError, ParseError } from "@marcbachmann/cel-js"
import { Data, Either } from "effect"
import type { Event } from "../events/Event.ts"
import type { JsonObject } from "../events/Json.ts"
import { limited, TookTooLong } from "../plugins/schemas/limited.ts"

/** What a rule is evaluated over, at one event of a task. */
export interface Moment {
  readonly event: Event
  /** The task's own part of EnvironmentState after the event. */
  readonly state: object
  readonly task: JsonObject
  /** The command that the event is about: `{ actuator, args }`; empty where it is about none. */
  readonly command: JsonObject
  /** Milliseconds of the log's clock since the task was opened. */
  readonly elapsed: number
  /** How many events of each type the task has had, this one included. */
  readonly counts: ReadonlyMap<string, number>
}

/** What a rule said at one event. `absent`: it looked at something that is not there yet. */
export type Verdict =
  | { readonly kind: "held"; readonly value: boolean }
  | { readonly kind: "absent"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string }

/** A compiled rule. */
export interface Rule {
  readonly source: string
  /** Whether it looks at the event or its command, and not at state alone: this decides what an occurrence is. */
  readonly mentionsEvent: boolean
  readonly evaluate: (moment: Moment) => Verdict
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

/** How long a rule may look at one event, in milliseconds, where it is one that may take long. */
const LOOK_MS = 250

/** An evaluation that takes longer counts, in milliseconds; a rule is given up after so many of them in all. */
const SLOW_MS = 10
const SLOW_IN_ALL_MS = 1_000

/** What time can grow with faster than the rule: regular expressions, and loops in loops. */
const SLOW: ReadonlySet<unknown> = new Set(["matches", "all", "exists", "exists_one", "filter", "map", "bind"])

/**
 * Compiles a rule (Common Expression Language, https://cel.dev) and checks its names and types. Who wrote it is not trusted:
 * one that takes long is stopped, and broken from then on.
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
    const within = isSlow(program.ast) ? withinTime() : <A>(run: () => A) => run()
    return Either.right({
      source,
      mentionsEvent: mentions(program.ast, "event") || mentions(program.ast, "command"),
      evaluate: (moment) => {
        counts = moment.counts
        const { event, state, task, command, elapsed } = moment
        return verdictOf(() => within(() => program({ event, state, task, command, elapsed })))
      },
    })
  } catch (cause) {
    return Either.left(invalid(source, cause))
  }
}

/** Runs one rule again and again, until it has taken too long. */
const withinTime = (): (<A>(run: () => A) => A) => {
  let slowMs = 0
  return (run) => {
    if (slowMs > SLOW_IN_ALL_MS) throw new TookTooLong("it was given up, for it took too long")
    const startedAt = performance.now()
    try {
      return limited(run, LOOK_MS)
    } finally {
      const took = performance.now() - startedAt
      if (took > SLOW_MS) slowMs += took
    }
  }
}

const verdictOf = (evaluate: () => unknown): Verdict => {
  try {
    const value = evaluate()
    if (typeof value === "boolean") return { kind: "held", value }
    return { kind: "broken", reason: `expected true or false, found ${String(value)}` }
  } catch (cause) {
    const { code, summary } = described(cause)
    return { kind: code === "no_such_key" ? "absent" : "broken", reason: summary }
  }
}

const invalid = (source: string, cause: unknown): RuleInvalid => {
  const { summary, start } = described(cause)
  const before = source.slice(0, start).split("\n")
  return new RuleInvalid({ source, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason: summary })
}

/** CEL's errors carry a code, a summary and a range; anything else that is thrown is described by its message. */
const described = (cause: unknown): { readonly code: string; readonly summary: string; readonly start: number } => {
  if (cause instanceof ParseError || cause instanceof EvaluationError || cause instanceof CelTypeError) {
    return { code: cause.code, summary: cause.summary, start: cause.range?.start ?? 0 }
  }
  return { code: "", summary: cause instanceof Error ? cause.message : String(cause), start: 0 }
}

const mentions = (node: ASTNode, variable: string): boolean =>
  has(node, ({ op, args }) => op === "id" && args === variable)

const isSlow = (node: ASTNode): boolean =>
  has(node, ({ op, args }) => (op === "call" || op === "rcall") && Array.isArray(args) && SLOW.has(args[0]))

const has = (node: ASTNode, fits: (node: ASTNode) => boolean): boolean =>
  fits(node) || childrenOf(node.args).some((child) => has(child, fits))

const childrenOf = (args: unknown): ReadonlyArray<ASTNode> => {
  if (Array.isArray(args)) return args.flatMap(childrenOf)
  return isNode(args) ? [args] : []
}

const isNode = (value: unknown): value is ASTNode => typeof value === "object" && value !== null && "op" in value
