/** The values and conditions of a mapping, compiled. */

import { Either } from "effect"
import { makeEnvironment } from "../../kernel/rules/Arithmetic.ts"
import * as Expression from "../../kernel/rules/Expression.ts"
import { TooExpensive } from "../../kernel/rules/Meter.ts"
import { field } from "../runs/Untrusted.ts"
import { Unmappable } from "../Source.ts"
import type { Value } from "./Document.ts"

/** Reads a value from a record; undefined if the record has none there. */
export type Reader = (record: object) => unknown

/** A compiled part, or what is wrong with it. */
export type Compiled<A> = Either.Either<A, string>

const environment = () => makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("record", "map")

/** Compiles a value. */
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

/** Compiles a condition. What throws, such as the reading of a key that is not there, is false. */
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

/** An expression of a mapping used up its budget at a record. */
class NeverEnding extends Unmappable {
  constructor(found: string) {
    super("a mapping whose expressions end", found)
  }
}

/** Evaluates. What throws is undefined, but for an expression that used up its budget: it throws `NeverEnding`. */
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

/** A member of an object, or of a list by its number. */
const member = (of: unknown, key: string): unknown =>
  Array.isArray(of) && !/^(?:0|[1-9]\d{0,8})$/.test(key) ? undefined : field(of, key)

/** What CEL gives, as JSON: its integers are bigints. */
const plain = (of: unknown): unknown => {
  if (typeof of === "bigint") return Number(of)
  if (Array.isArray(of)) return of.map(plain)
  if (of instanceof Map) return Object.fromEntries([...of].map(([key, inner]) => [String(key), plain(inner)]))
  return of
}
