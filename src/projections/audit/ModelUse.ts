/** The model section of a task's audit: calls of language models and their tokens. */

import { Schema } from "effect"
import { evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import type { Projection } from "../fold/Projection.ts"

/** A task's calls of language models. */
export const ModelUse = Schema.Struct({
  calls: Schema.NonNegativeInt.annotations({ description: "Requests, answered or not" }),
  inputTokens: Schema.NonNegativeInt.annotations({ description: "Tokens of the answered requests" }),
  outputTokens: Schema.NonNegativeInt.annotations({ description: "Tokens of the answers" }),
}).annotations({ identifier: "ModelUse" })

export type ModelUse = typeof ModelUse.Type

/** Counts of calls and tokens. */
export const projection: Projection<ModelUse> = {
  name: "TaskAudit.ModelUse",
  version: 1,
  state: ModelUse,
  initial: { calls: 0, inputTokens: 0, outputTokens: 0 },
  evolve: evolveBy<ModelUse>({
    ModelCalled: (state) => ({ ...state, calls: state.calls + 1 }),
    ModelResponded: (state, { usage }) => ({
      ...state,
      inputTokens: state.inputTokens + usage.inputTokens,
      outputTokens: state.outputTokens + usage.outputTokens,
    }),
  }),
}
