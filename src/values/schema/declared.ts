/** A schema with a check of our own that reports all mistakes. */

import { ParseResult, Schema } from "effect"
import { issueOfCheck } from "../OptionIssues.ts"

export interface Flaw {
  readonly keys: ReadonlyArray<PropertyKey>
  readonly expected: string
  readonly found: string
}

/** Declares a schema whose encoded form is its decoded form. It calls `flawsOf` only if `is` returns false. */
export const declared = <A>(
  is: (value: unknown) => value is A,
  flawsOf: (value: unknown) => ReadonlyArray<Flaw>,
  annotations: Schema.Annotations.Schema<A, readonly []>,
): Schema.Schema<A> => {
  const check = () => (value: unknown, _: unknown, ast: ConstructorParameters<typeof ParseResult.Type>[0]) => {
    if (is(value)) return ParseResult.succeed(value)
    const [first, ...others] = flawsOf(value).map(issueOfCheck)
    return ParseResult.fail(
      first === undefined
        ? new ParseResult.Type(ast, value)
        : new ParseResult.Composite(ast, value, [first, ...others]),
    )
  }
  return Schema.declare([], { decode: check, encode: check }, annotations)
}
