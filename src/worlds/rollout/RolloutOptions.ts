/** Options of rollouts. */

import { Schema } from "effect"
import { Autoreset } from "../../events/vocabulary/Worlds.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { type AnyPolicy, isPolicy } from "./Policy.ts"

/** Options of a rollout. */
export interface RolloutOptions {
  /** The name of the world's plugin. */
  readonly world: string
  readonly policy: AnyPolicy
  /** The number of episodes, 1 or more. */
  readonly episodes: number
  /** The seed of the first episode; the others follow by one. Default: 0. */
  readonly seed?: number
  /** Maximum number of episodes at a time, in one process. Default: 8. */
  readonly parallel?: number
  /**
   * `compact` (default): one event holds many steps. Only for worlds for one agent that need no grants. `full`: each
   * step is recorded by itself, as `World` does.
   */
  readonly record?: "compact" | "full"
  /**
   * `Disabled` (default): each episode begins with a seed of its own, so the episodes do not depend on `parallel`.
   * `NextStep` and `SameStep`: as in Gymnasium's vector environments, a slot's next episode continues the random numbers
   * of the one before. Needs `compact`.
   */
  readonly autoreset?: Autoreset
  /** Options of the world. Default: those of the file that its manifest names, or none. */
  readonly options?: JsonObject
  /** Ends each episode as `truncated` after this many steps. Default: no limit but the world's. */
  readonly maxSteps?: number
}

/** A policy or its function. */
export const PolicyOption = Options.kind<AnyPolicy>(
  "a function, or an object with name, version and act",
  (value) => typeof value === "function" || isPolicy(value),
)

/** Maximum number of episodes at a time. */
export const MAX_PARALLEL = 1024

/** Schema of `RolloutOptions`. */
export const RolloutOptions = Options.of<RolloutOptions>({
  required: { world: Options.Name, policy: PolicyOption, episodes: Options.wholeNumber(1) },
  optional: {
    seed: Options.Seed,
    parallel: Options.wholeNumber(1).pipe(Schema.lessThanOrEqualTo(MAX_PARALLEL)),
    record: Schema.Literal("compact", "full"),
    autoreset: Autoreset,
    options: JsonObject,
    maxSteps: Options.wholeNumber(1),
  },
})

/** An episode that ended. */
export interface EpisodeResult {
  /** Its index, from 0. */
  readonly episode: number
  readonly taskId: string
  readonly seed: number
  readonly steps: number
  /** The sum of its rewards. */
  readonly return: number
  readonly outcome: "achieved" | "failed" | "truncated"
}

/** A rollout that ended. */
export interface RolloutResult {
  readonly rolloutId: string
  /** In order of their indexes. */
  readonly episodes: ReadonlyArray<EpisodeResult>
  readonly steps: number
}
