/** Predicates of time travel: CEL expressions over the state and the events of a log. */

import type { ASTNode } from "@marcbachmann/cel-js"
import { Data, Either } from "effect"
import * as StepPosition from "../../events/steps/StepPosition.ts"
import * as JsonPointer from "../../projections/patch/JsonPointer.ts"
import type { Predicate } from "../../projections/timetravel/Predicate.ts"
import { defined } from "../../values/defined.ts"
import { makeEnvironment } from "./Arithmetic.ts"
import * as Expression from "./Expression.ts"
import type { Budget } from "./Meter.ts"
import * as MissingReads from "./MissingReads.ts"
import * as RuleDependencies from "./RuleDependencies.ts"

/** The predicate does not compile, names something unknown, or is not Boolean. */
export class PredicateInvalid extends Data.TaggedError("PredicateInvalid")<Expression.ExpressionFlaw> {
  override get message() {
    return (
      `Predicate \`${this.source}\`, line ${this.line}, column ${this.column}: ${this.reason}. ` +
      'Expected a CEL expression that is true or false, over state, event and position (and value, where a path is watched), such as state.tasks["ID"].open.'
    )
  }
}

/**
 * Compiles a predicate (Common Expression Language, https://cel.dev) and checks its names and types:
 * - `state`: the environment, `{ shared, tasks }`
 * - `event`, `position`: the event and its position in the log
 * - `value`, with `ofPath`: the value at the watched path
 *
 * A missing key makes it false at that moment, and is reported. A predicate that exceeds its budget (default:
 * `Meter.BUDGET`) fails the query.
 */
export const compile = (
  source: string,
  { ofPath = false, budget }: { readonly ofPath?: boolean; readonly budget?: Budget } = {},
): Either.Either<Predicate, PredicateInvalid> => {
  const environment = makeEnvironment({ unlistedVariablesAreDyn: false })
    .registerVariable("state", "map")
    .registerVariable("event", "map")
    .registerVariable("position", "int")
  if (ofPath) environment.registerVariable("value", "dyn")
  const predicateOf = (program: Expression.Program): Predicate => {
    const { mentionsEvent, readPaths, types } = RuleDependencies.of(program.ast)
    const missing = MissingReads.analyse(program, environment)
    const reads = readPaths?.flatMap((readPath) => (readPath.in === "state" ? [JsonPointer.write(readPath.path)] : []))
    return {
      source,
      mentionsEvent: mentionsEvent || RuleDependencies.has(program.ast, isPosition),
      monotone: isMonotone(program.ast),
      ...defined({ reads }),
      ...(types === undefined ? {} : { types: [...types] }),
      holds: ({ state, value, event, position }, onMissing) => {
        const context = {
          state,
          event: event ?? {},
          // Of a step within a compact event, that of the event.
          position: BigInt(StepPosition.holder(position)),
          // An absent value counts as missing, like a key.
          ...defined({ value }),
        }
        return evaluateOrFalse(
          () => program(context),
          (cause) => onMissing?.(missing.of(cause, context)),
        )
      },
    }
  }
  return Either.mapLeft(Expression.compile(source, environment, predicateOf, budget), invalid)
}

/** A missing key or variable gives false. The caller checks that the result is Boolean. */
const evaluateOrFalse = (evaluate: () => unknown, onAbsent: (cause: unknown) => void): boolean => {
  try {
    return evaluate() as boolean
  } catch (cause) {
    const { code, summary } = Expression.described(cause)
    if (ABSENT.has(code)) {
      onAbsent(cause)
      return false
    }
    throw new Error(summary, { cause })
  }
}

const ABSENT: ReadonlySet<string> = new Set(["no_such_key", "unknown_variable"])

const invalid = (flaw: Expression.ExpressionFlaw): PredicateInvalid => new PredicateInvalid(flaw)

const isPosition = ({ op, args }: ASTNode): boolean => op === "id" && args === "position"

/**
 * True if an expression stays true once it is: lower limits of the number of tasks, which never shrinks, joined by `&&`
 * and `||`.
 */
const isMonotone = (node: ASTNode): boolean => {
  switch (node.op) {
    case "&&":
    case "||":
      return node.args.every(isMonotone)
    case ">":
    case ">=":
      return isTaskCount(node.args[0]) && node.args[1].op === "value"
    case "<":
    case "<=":
      return node.args[0].op === "value" && isTaskCount(node.args[1])
    default:
      return false
  }
}

const isTaskCount = ({ input, range }: ASTNode): boolean =>
  TASK_COUNT.test(input.slice(range.start, range.end).replaceAll(/\s/g, ""))

const TASK_COUNT = /^(size\(state\.tasks\)|state\.tasks\.size\(\))$/
