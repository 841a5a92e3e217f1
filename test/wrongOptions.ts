import { Effect } from "effect"
import { expect } from "vitest"
import { InvalidOptions } from "../src/values/Options.ts"

/** Where options are wrong, and what was probably meant: what is tried has to fail as `InvalidOptions`. */
export const wrongIn = <A, E, R>(tried: Effect.Effect<A, E, R>) => Effect.map(Effect.flip(tried), placesOf)

/** The same of an error. */
export const placesOf = (error: unknown): ReadonlyArray<string> => {
  expect(error).toBeInstanceOf(InvalidOptions)
  return error instanceof InvalidOptions
    ? error.problems.map(({ path, nearest }) => (nearest === undefined ? path : `${path}: ${nearest}?`))
    : []
}

/** What no type lets pass: from a program in JavaScript, or from a file. */
// biome-ignore lint/suspicious/noExplicitAny: it is what the tests are about
export const outside = (options: unknown): any => options
