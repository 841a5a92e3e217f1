/** Fields that the parts of a manifest share. */
import { Schema } from "effect"

export const Text = Schema.NonEmptyString.annotations({ description: "non-empty text" })

/** A sensor's, actuator's or guide's name: the second half of `plugin/component`. */
export const ComponentId = Schema.String.pipe(
  Schema.pattern(/^[^\s/\p{Cc}]+$/u),
  Schema.annotations({ description: 'a name without spaces and "/", non-empty' }),
)
