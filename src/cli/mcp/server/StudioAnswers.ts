/** A task for Studio's page, as JSON (`wire/Shared.AppAnswers`). Loaded on demand, because it needs all of Studio. */
import { Effect, Layer } from "effect"
import * as Confirmations from "../../../kernel/gate/Confirmations.ts"
import * as SharedAnswers from "../../../studio/shared/SharedAnswers.ts"
import type { AppAnswers } from "../../../studio/wire/Shared.ts"

export const of = (shared: SharedAnswers.SharedTask) =>
  SharedAnswers.collect({ tasks: [shared], notes: [] }).pipe(
    Effect.map(({ answers, start }) =>
      JSON.stringify({ answers: Object.fromEntries(answers), start } satisfies AppAnswers),
    ),
    Effect.provide(Layer.mergeAll(SharedAnswers.layer, Confirmations.layer)),
  )
