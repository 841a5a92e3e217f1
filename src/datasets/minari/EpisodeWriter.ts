/** The interface of a format of Minari's data sets: it takes episodes one by one. */

import type { Json, JsonObject } from "../../values/Json.ts"

/** An episode in columns. It has one more observation than steps. */
export interface Episode {
  /** Null if no seed repeats the episode. */
  readonly seed: number | null
  readonly options: JsonObject
  readonly observations: ReadonlyArray<Json>
  readonly actions: ReadonlyArray<Json>
  readonly rewards: ReadonlyArray<number>
  readonly terminations: ReadonlyArray<boolean>
  readonly truncations: ReadonlyArray<boolean>
}

/** Takes the episodes of a data set in order. Rejects with `NotRepresentable` for a value outside its space. */
export interface EpisodeWriter {
  readonly write: (index: number, episode: Episode) => Promise<void>
  /** Completes the files, and resolves to the bytes that they take. */
  readonly close: () => Promise<number>
}
