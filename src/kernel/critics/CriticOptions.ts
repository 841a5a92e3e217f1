/** The caller's options about critics. */

import { Schema } from "effect"
import * as Options from "../../values/Options.ts"
import * as CriticAssignment from "./CriticAssignment.ts"
import * as Model from "./Model.ts"

/** Selects critics. */
export interface CriticRequest {
  /**
   * Preferences for single rewards, measures, or everything. Default: the first critic that can decide, in the order
   * rule, plugin, model.
   */
  readonly wishes?: ReadonlyArray<CriticAssignment.CriticPreference>
  /**
   * Versions of judging plugins, by plugin: a version's name, or the start of its digest. Default: the installed
   * version.
   */
  readonly versions?: { readonly [plugin: string]: string }
  /** The model to ask. Default: none. */
  readonly model?: Model.ModelOptions
  /** Replays the recorded answers of this score set instead of calling a model. */
  readonly answersOf?: string
}

/** Schema of `CriticRequest`. */
export const CriticRequest = Options.of<CriticRequest>({
  optional: {
    wishes: Schema.Array(CriticAssignment.CriticPreference),
    versions: Schema.Record({ key: Schema.String, value: Options.Text }),
    model: Model.ModelOptions,
    answersOf: Options.Text,
  },
}).annotations({ description: "an object with wishes, versions, model or answersOf" })
