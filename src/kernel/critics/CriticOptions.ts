import { Schema } from "effect"
import * as Options from "../../values/Options.ts"
import * as CriticAssignment from "./CriticAssignment.ts"
import * as Model from "./Model.ts"

/** What the caller says of who is to decide. */
export interface CriticRequest {
  /** Critics for single rewards, measures, or everything. Default: whoever can, of rule, plugin and model in this order. */
  readonly wishes?: ReadonlyArray<CriticAssignment.CriticPreference>
  /** Versions of plugins that judge, by the plugin: a version's name, or how its digest begins. Default: the installed one. */
  readonly versions?: { readonly [plugin: string]: string }
  /** The model that may be asked. Default: none. */
  readonly model?: Model.Asking
  /** In place of a model: the score set whose recorded answers are taken. */
  readonly answersOf?: string
}

/** Their schema. */
export const CriticRequest = Options.of<CriticRequest>({
  optional: {
    wishes: Schema.Array(CriticAssignment.CriticPreference),
    versions: Schema.Record({ key: Schema.String, value: Options.Text }),
    model: Model.Asking,
    answersOf: Options.Text,
  },
}).annotations({ description: "an object with wishes, versions, model or answersOf" })
