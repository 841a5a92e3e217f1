/** Schema of spaces, for manifests and other JSON from outside: all mistakes are reported, each with its place. */

import { ParseResult, Schema } from "effect"
import { pointerKeys } from "../../values/Json.ts"
import { issueOfCheck } from "../../values/OptionIssues.ts"
import type { Space } from "../author.ts"
import { flaws, isSpace, TYPES } from "./flaws.ts"

/** Schema of `Space`. The encoded form equals the decoded form. */
export const SpaceSchema: Schema.Schema<Space> = Schema.declare(
  [],
  {
    decode: () => (value, _, ast) => check(value, ast),
    encode: () => (value, _, ast) => check(value, ast),
  },
  {
    identifier: "Space",
    description: "A space of observations or actions, as Minari writes Gymnasium's spaces",
    jsonSchema: {
      type: "object",
      properties: { type: { enum: [...TYPES] } },
      required: ["type"],
    },
  },
)

const check = (value: unknown, ast: ConstructorParameters<typeof ParseResult.Type>[0]) => {
  if (isSpace(value)) return ParseResult.succeed(value)
  const [first, ...others] = flaws(value).map(({ path, expected, found }) =>
    issueOfCheck({ keys: pointerKeys(path), expected, found }),
  )
  return ParseResult.fail(
    first === undefined ? new ParseResult.Type(ast, value) : new ParseResult.Composite(ast, value, [first, ...others]),
  )
}
