/** Rules: which agent works on a signal, and with which goal. */

import { Either, Schema } from "effect"
import * as Agent from "../kernel/agents/Agent.ts"
import { makeEnvironment } from "../kernel/rules/Arithmetic.ts"
import * as Expression from "../kernel/rules/Expression.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import * as Options from "../values/Options.ts"
import { Bindings } from "../views/Bindings.ts"
import * as Template from "../views/Template.ts"
import { ListenerName } from "./Listener.ts"

/** Opens a task for a signal. The first rule that wants a signal gets it. */
export interface Rule {
  readonly agent: Agent.Agent
  /** The listener whose signals it wants. Default: all. */
  readonly listener?: string
  /**
   * A condition: a CEL expression over `id`, `listener`, `source` and `content`, such as
   * `content.body.action == "opened"`. A missing key makes it false. Default: all signals.
   */
  readonly when?: string
  /**
   * The task's goal, with bindings: JSON Pointers into `{ id, listener, source, content }`, such as
   * `Answer {/content/body/from}`. Texts from outside are shortened, on one line, with invisible characters escaped.
   * Default, also for a goal that comes out blank: `Work on the signal {/id} of {/listener}.`
   */
  readonly goal?: string
  /** Maximum number of the agent's steps. Default: 100. */
  readonly maxSteps?: number
  /** The plugins of the task. Default: all active ones. */
  readonly plugins?: ReadonlyArray<string>
}

const Goal = Schema.String.pipe(
  Schema.filter((goal) => goal.trim() !== "" && Template.flawOf(goal) === undefined),
  Schema.annotations({
    description: "a text with bindings such as {/content/title}; write braces as {{ and }}",
  }),
)

/** Schema of `Rule`. */
export const Rule: Schema.Schema<Rule> = Options.of<Rule>({
  required: { agent: Agent.Agent },
  optional: {
    listener: ListenerName,
    when: Schema.String,
    goal: Goal,
    maxSteps: Options.wholeNumber(1, 1_000_000_000),
    plugins: Schema.Array(Options.Text),
  },
})

/** A signal as rules see it. */
export interface SignalFacts {
  readonly id: string
  readonly listener: string
  readonly source: string
  readonly content: Json
}

/** A rule that is ready to use. */
export interface CompiledRule extends Rule {
  /** Its place among the rules, from 0. */
  readonly index: number
  readonly wants: (signal: SignalFacts) => boolean
  readonly goalOf: (signal: SignalFacts) => string
}

const DEFAULT_GOAL = "Work on the signal {/id} of {/listener}."

/** Compiles rules; the mistakes of their conditions by their paths. */
export const compile = (
  rules: ReadonlyArray<Rule>,
): Either.Either<ReadonlyArray<CompiledRule>, ReadonlyArray<Options.Problem>> => {
  const problems: Array<Options.Problem> = []
  const compiled = rules.map((rule, index): CompiledRule => {
    const condition = conditionOf(rule.when)
    if (Either.isLeft(condition)) {
      const { line, column, reason } = condition.left
      problems.push({
        path: `rules[${index}].when`,
        expected: "a CEL expression that is true or false, over id, listener, source and content",
        found: `${JSON.stringify(rule.when)} (line ${line}, column ${column}: ${reason})`,
      })
    }
    const holds = Either.getOrElse(condition, () => () => false)
    return {
      ...rule,
      index,
      wants: (signal) => (rule.listener === undefined || rule.listener === signal.listener) && holds(signal),
      goalOf: (signal) => {
        const goal = filled(rule.goal ?? DEFAULT_GOAL, signal)
        // A signal whose title is empty gets its task too.
        return goal.trim() === "" ? filled(DEFAULT_GOAL, signal) : goal
      },
    }
  })
  return problems.length > 0 ? Either.left(problems) : Either.right(compiled)
}

const filled = (goal: string, { id, listener, source, content }: SignalFacts): string => {
  const document: JsonObject = { id, listener, source, content }
  return new Bindings(document, {}).filled(goal)
}

const conditionOf = (
  source: string | undefined,
): Either.Either<(signal: SignalFacts) => boolean, Expression.ExpressionFlaw> => {
  if (source === undefined) return Either.right(() => true)
  const environment = makeEnvironment({ unlistedVariablesAreDyn: false })
    .registerVariable("id", "string")
    .registerVariable("listener", "string")
    .registerVariable("source", "string")
    .registerVariable("content", "dyn")
  return Expression.compile(source, environment, (program) => ({ id, listener, source, content }) => {
    try {
      return program({ id, listener, source, content }) === true
    } catch (cause) {
      // A signal without the key, or with another type there, is not the wanted one.
      if (UNWANTED.has(Expression.described(cause).code)) return false
      throw new Error(Expression.described(cause).summary, { cause })
    }
  })
}

const UNWANTED: ReadonlySet<string> = new Set(["no_such_key", "no_such_overload", "unknown_variable"])
