/** Compares a restored environment with the recorded one. */

import { Data, Effect } from "effect"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import * as JsonPointer from "../../projections/patch/JsonPointer.ts"
import type { Json } from "../../values/Json.ts"
import { pointerKeys } from "../../values/Json.ts"

export interface ComparedCounts {
  readonly readings: number
  readonly outcomes: number
}

export const noneCompared: ComparedCounts = { readings: 0, outcomes: 0 }

/** The restored environment differs from the recorded one, so a fork in it would be meaningless. */
export class WorldDiffers extends Data.TaggedError("WorldDiffers")<{
  readonly plugin: string
  readonly position: number
  /** The compared value: its document, a reading, an outcome. */
  readonly what: string
  readonly path: string
  readonly expected: Json
  readonly found: Json
  /** A sentence about a change of engine, if there was one. */
  readonly underOther?: string
  readonly consequence?: string
}> {
  get difference() {
    const { position, what, path, expected, found, underOther } = this
    const why = underOther === undefined ? "" : `. ${underOther.replace(/\.$/, "")}`
    return `${what} differs from @${position} at ${path || "/"}: expected ${shown(expected)}, found ${shown(found)}${why}`
  }
  override get message() {
    const { plugin, difference, consequence } = this
    return `The world of ${plugin} was restored but differs from the recorded one: ${difference}.${consequence === undefined ? "" : ` ${consequence}`} Restore it in another way (\`rewind\`, \`--rewind\`), or fork on the recording (\`io: "recorded"\`, \`--io recorded\`).`
  }
}

const shown = (value: Json): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

export const compare = (
  plugin: string,
  position: number,
  expected: Json,
  found: Json,
  what = "its document",
): Effect.Effect<void, WorldDiffers> => {
  if (JsonPatch.equal(expected, found)) return Effect.void
  const [first] = JsonPatch.diff(expected, found)
  const path = first?.path ?? ""
  const at = (value: Json) => JsonPointer.valueAt(value, pointerKeys(path)) ?? null
  return new WorldDiffers({ plugin, position, what, path, expected: at(expected), found: at(found) })
}
