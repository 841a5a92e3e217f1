/** Decodes spaces from manifests and other JSON, reporting every mistake with its path. */

import type { Schema } from "effect"
import { pointerKeys } from "../../values/Json.ts"
import { declared } from "../../values/schema/declared.ts"
import type { Space } from "../author.ts"
import { flaws, isSpace, TYPES } from "./flaws.ts"

/** Schema of `Space`. Its encoded and decoded forms are equal. */
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
