/** The parameters that choose events of a timeline. */

import { Schema } from "effect"
import { KINDS } from "../../wire/Kind.ts"

const LONGEST_NAME = 10_000

/** Empty for all. */
const Name = Schema.optionalWith(Schema.String.pipe(Schema.maxLength(LONGEST_NAME)), { default: () => "" })

export const FILTER = {
  kind: Schema.optionalWith(Schema.Literal("", ...KINDS), { default: () => "" as const }),
  agent: Name,
  plugin: Name,
}
