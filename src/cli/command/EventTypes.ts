/** Validation of the event types that `--type` accepts. */
import { Effect } from "effect"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { BadInput } from "./BadInput.ts"

/**
 * Checks the values of `--type`: types of the core vocabulary, or types with a program's prefix (`acme/OrderPlaced`).
 * The error for a misspelt core type suggests similar names.
 */
export const checked = (types: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, BadInput> => {
  const unknown = types.find((name) => !Vocabulary.core.types.has(name) && !name.includes("/"))
  if (unknown === undefined) return Effect.succeed(types)
  const similar = DidYouMean.similarNames(unknown, [...Vocabulary.core.types.keys()])
  return new BadInput({
    input: "--type",
    expected: `an event's type, such as ${similar.length === 0 ? "SensorRead" : similar.join(" or ")}, or one with a program's prefix (acme/OrderPlaced)`,
    found: `"${unknown}"`,
    advice: "`hindcast log info` lists those in a log.",
  })
}
