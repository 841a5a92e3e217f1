/** Arithmetic of CEL expressions over JSON, between its numbers and integers. */

import { Environment } from "@marcbachmann/cel-js"

/**
 * An environment for arithmetic over JSON. In CEL, a JSON number is a `double` and a literal such as `3` is an `int`,
 * with no arithmetic between them. Here `+`, `-`, `*`, `/`, `%`, `==` and `!=` accept both, and calculations give a
 * double: 7 / 2 is 3.5 if either number comes from the data, and 3 if both are integers of the expression. A remainder
 * has the dividend's sign; a division by zero gives an infinity or NaN. Lists and maps may mix types. Adds standard
 * functions that the library lacks.
 */
export const makeEnvironment = (options: { readonly unlistedVariablesAreDyn: boolean }): Environment => {
  const environment = new Environment({ ...options, homogeneousAggregateLiterals: false })
    .registerOperator("double % double: double", (a: number, b: number) => a % b)
    // A placeholder: `GuardedCalls` does the matching.
    .registerFunction("matches(string, string): bool", () => false)
    .registerFunction("string(google.protobuf.Timestamp): string", (time: Date) => time.toISOString())
    .registerFunction("string(google.protobuf.Duration): string", (duration: object) => `${duration}`)
    .registerFunction("int(google.protobuf.Timestamp): int", (time: Date) => BigInt(Math.floor(time.getTime() / 1000)))
  for (const integer of ["int", "uint"]) {
    // The library derives `!=` and the reverse order.
    environment.registerOperator(`double == ${integer}`, (a: number, b: Integer) => a === Number(b))
    for (const [operator, calculate] of OPERATORS) {
      environment
        .registerOperator(`double ${operator} ${integer}: double`, (a: number, b: Integer) => calculate(a, Number(b)))
        .registerOperator(`${integer} ${operator} double: double`, (a: Integer, b: number) => calculate(Number(a), b))
    }
  }
  return environment
}

/** `int` is a bigint, `uint` an object with the value of one. */
type Integer = bigint | { readonly valueOf: () => bigint }

const OPERATORS: ReadonlyArray<readonly [string, (a: number, b: number) => number]> = [
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
  ["%", (a, b) => a % b],
]
