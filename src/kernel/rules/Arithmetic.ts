/** Arithmetic of CEL expressions over JSON: its numbers take part together with integers. */

import { Environment } from "@marcbachmann/cel-js"

/**
 * An environment of expressions. A JSON number is a `double` in CEL, and a literal such as `3` is an `int`, between which
 * CEL has no arithmetic. Here `+`, `-`, `*`, `/`, `%`, `==` and `!=` take both, and `%` takes two doubles. The result
 * of a calculation is a double, so that 7 / 2 is 3.5 where either number is from the data, and 3 where both are integers of the expression. A
 * remainder has the sign of the dividend, and what is divided by zero is infinite or not a number, as doubles are.
 *
 * Lists and maps may mix types, as in CEL. Functions of CEL's standard that the library lacks are added.
 */
export const makeEnvironment = (options: { readonly unlistedVariablesAreDyn: boolean }): Environment => {
  const environment = new Environment({ ...options, homogeneousAggregateLiterals: false })
    .registerOperator("double % double: double", (a: number, b: number) => a % b)
    // `GuardedCalls` matches, as for a text's method of that name.
    .registerFunction("matches(string, string): bool", () => false)
    .registerFunction("string(google.protobuf.Timestamp): string", (time: Date) => time.toISOString())
    .registerFunction("string(google.protobuf.Duration): string", (duration: object) => `${duration}`)
    .registerFunction("int(google.protobuf.Timestamp): int", (time: Date) => BigInt(Math.floor(time.getTime() / 1000)))
  for (const integer of ["int", "uint"]) {
    // The library derives `!=`, and both for the other order.
    environment.registerOperator(`double == ${integer}`, (a: number, b: Integer) => a === Number(b))
    for (const [operator, calculate] of OPERATORS) {
      environment
        .registerOperator(`double ${operator} ${integer}: double`, (a: number, b: Integer) => calculate(a, Number(b)))
        .registerOperator(`${integer} ${operator} double: double`, (a: Integer, b: number) => calculate(Number(a), b))
    }
  }
  return environment
}

/** An integer of an expression: `int` is a bigint, `uint` an object with the value of one. */
type Integer = bigint | { readonly valueOf: () => bigint }

const OPERATORS: ReadonlyArray<readonly [string, (a: number, b: number) => number]> = [
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
  ["%", (a, b) => a % b],
]
