import { Effect } from "effect"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import * as DidYouMean from "../../values/DidYouMean.ts"
import { BadInput } from "./BadInput.ts"

/** The types that `--type` names: those that a log may have, which a misspelt one is not. */
export const checked = (types: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>, BadInput> => {
  const unknown = types.find((name) => !Vocabulary.core.types.has(name) && !name.includes("/"))
  if (unknown === undefined) return Effect.succeed(types)
  const near = DidYouMean.similarNames(unknown, [...Vocabulary.core.types.keys()])
  return new BadInput({
    input: "--type",
    expected: `an event's type, such as ${near.length === 0 ? "SensorRead" : near.join(" or ")}, or one with a program's prefix (acme/OrderPlaced)`,
    found: `"${unknown}"`,
    advice: "`hindcast log info` lists those in a log.",
  })
}
