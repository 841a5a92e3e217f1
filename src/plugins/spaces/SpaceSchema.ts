/** Schema of spaces, for manifests and other JSON from outside: all mistakes are reported, each with its place. */

import type { Schema } from "effect"
import { pointerKeys } from "../../values/Json.ts"
import { declared } from "../../values/schema/declared.ts"
import type { Space } from "../author.ts"
import { flaws, isSpace, TYPES } from "./flaws.ts"

/** Schema of `Space`. The encoded form equals the decoded form. */
export const SpaceSchema: Schema.Schema<Space> = declared(
  isSpace,
  (value) => flaws(value).map(({ path, expected, found }) => ({ keys: pointerKeys(path), expected, found })),
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
