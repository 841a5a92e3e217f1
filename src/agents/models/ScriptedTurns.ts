/**
 * A model with handwritten turns on a cassette. It needs no provider's package: a request is a `TurnRequest`, and its
 * answer a `Turn`, both as JSON.
 */

import { Effect, Schema } from "effect"
import { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import { ModelCallFailed } from "../../kernel/tasks/ModelCalls.ts"
import * as Cassette from "./Cassette.ts"
import { classify } from "./Failure.ts"
import type { Fetch } from "./Fetch.ts"
import { AnswerPart } from "./Message.ts"
import type { Model } from "./Model.ts"
import { toldOf } from "./Scripted.ts"

/** The provider's name of such models: `scripted/careful`. */
export const PROVIDER = "scripted"

/** The address of requests. Only a cassette answers there. */
const URL_OF_TURNS = "http://scripted.invalid/turn"

const ScriptedTurn = Schema.Struct({
  parts: Schema.Array(AnswerPart),
  finish: Schema.Literal("stop", "calls", "length"),
  usage: ModelUsage,
})

/** A model that gets its answers from `fetch`. A request without an answer fails as `not-recorded`. */
export const over = (model: string, fetch: Fetch): Model => {
  const failed = (cause: unknown) =>
    new ModelCallFailed({ provider: PROVIDER, model, ...classify(cause, (text) => text, 0) })
  return {
    provider: PROVIDER,
    model,
    turn: (request, onDelta, onUsage) =>
      Effect.gen(function* () {
        const body = JSON.stringify(request)
        const text = yield* Effect.tryPromise({
          try: async (signal) => (await fetch(URL_OF_TURNS, { method: "POST", body, signal })).text(),
          catch: failed,
        })
        const turn = yield* Effect.mapError(
          Schema.decodeUnknown(Schema.parseJson(ScriptedTurn))(text),
          ({ message: reason }) => new ModelCallFailed({ provider: PROVIDER, model, kind: "unreadable", reason }),
        )
        for (const [index, part] of turn.parts.entries()) {
          const told = toldOf(part)
          if (told !== undefined) onDelta({ index, ...told })
        }
        onUsage?.(turn.usage)
        return turn
      }),
  }
}

export const play = (file: string, model: string): Effect.Effect<Model, Cassette.UnreadableCassette> =>
  Effect.gen(function* () {
    const { kind } = yield* Cassette.read(file)
    if (kind !== "scripted") {
      const reason = `it is ${kind}, and ${PROVIDER}/${model} plays only scripted cassettes`
      return yield* new Cassette.UnreadableCassette({ file, reason })
    }
    const { fetch } = yield* Cassette.play(file)
    return over(model, fetch)
  })
