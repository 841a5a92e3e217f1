/** Compiles the values and conditions of a mapping. */

import { Either } from "effect"
import { makeEnvironment } from "../../kernel/rules/Arithmetic.ts"
import * as Expression from "../../kernel/rules/Expression.ts"
import { TooExpensive } from "../../kernel/rules/Meter.ts"
import { field } from "../runs/Untrusted.ts"
import { Unmappable } from "../Source.ts"
import type { Value } from "./Document.ts"

/** Reads a value from a record; undefined if it has none. */
export type Reader = (record: object) => unknown

/** The result of compiling, or an error message. */
export type Compiled<A> = Either.Either<A, string>

const environment = () => makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("record", "map")

export const value = (of: Value): Compiled<Reader> => {
  if (typeof of === "string") {
    const keys = of
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    return Either.right((record) => keys.reduce(member, record))
  }
  const compiled = Expression.compileValue(
    of.cel,
    environment(),
    (program): Reader => evaluating((record) => plain(program({ record }))),
  )
  return Either.mapLeft(compiled, explained)
}

/** Compiles a condition. Evaluation errors, such as a missing key, are false. */
export const condition = (source: string): Compiled<(record: object) => boolean> =>
  Either.mapLeft(
    Expression.compile(source, environment(), (program) => {
      const evaluate = evaluating((record) => program({ record }))
      return (record: object) => evaluate(record) === true
    }),
    explained,
  )

const explained = ({ source, line, column, reason }: Expression.ExpressionFlaw): string =>
  `\`${source}\`, line ${line}, column ${column}: ${reason}. Expected a CEL expression over record`

/** An expression exceeded its evaluation budget. */
class NeverEnding extends Unmappable {
  constructor(found: string) {
    super("a mapping whose expressions finish", found)
  }
}

/** Evaluation errors become undefined, except `NeverEnding`. */
const evaluating =
  (evaluate: Reader): Reader =>
  (record) => {
    try {
      return evaluate(record)
    } catch (cause) {
      if (cause instanceof TooExpensive) throw new NeverEnding(cause.message)
      return undefined
    }
  }

const member = (of: unknown, key: string): unknown =>
  Array.isArray(of) && !/^(?:0|[1-9]\d{0,8})$/.test(key) ? undefined : field(of, key)

/** Converts CEL's result to JSON; its integers are bigints. */
const plain = (of: unknown): unknown => {
  if (typeof of === "bigint") return Number(of)
  if (Array.isArray(of)) return of.map(plain)
  if (of instanceof Map) return Object.fromEntries([...of].map(([key, inner]) => [String(key), plain(inner)]))
  return of
}
