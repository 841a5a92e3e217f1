/** A model that replays the recorded answers of an earlier scoring. */

import { Data, Effect, Schema } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { JsonObject } from "../../values/Json.ts"
import { type ModelOptions, NoRecording } from "./Model.ts"

/** This score set asked no model. Name another one. */
export class NothingRecorded extends Data.TaggedError("NothingRecorded")<{ readonly scoreSetId: string }> {
  override get message() {
    return `Score set ${this.scoreSetId} has no recorded answers of a model. \`hindcast score ls\` lists score sets with their critics.`
  }
}

/** The stream of a scoring's model calls. The stream of its verdicts is another one, with a single writer. */
export const streamOf = (scoreSetId: string): string => `scores/${scoreSetId}/model`

const RecordedSettings = Schema.Struct({ repeats: Schema.Positive, settings: JsonObject })

/**
 * Answers each question as the earlier scoring recorded it, without a provider, with that scoring's repetitions and
 * settings. Fails with `NoRecording` for other questions.
 */
export const of = (
  log: EventLog.Service,
  scoreSetId: string,
): Effect.Effect<ModelOptions, NothingRecorded | LogError> =>
  Effect.gen(function* () {
    const stream = streamOf(scoreSetId)
    const answers = new Map<string, number>()
    const calls = new Map<string, string>()
    let first: { readonly provider: string; readonly model: string; readonly request: unknown } | undefined
    yield* Pages.forEach(log.readPage, { stream, types: ["ModelCalled", "ModelResponded"] }, (page) => {
      for (const event of page) {
        if (is(event, "ModelCalled")) {
          first ??= event.payload
          calls.set(event.id, event.payload.requestDigest)
        } else if (event.causationId !== null) {
          const requestDigest = calls.get(event.causationId)
          calls.delete(event.causationId)
          if (requestDigest !== undefined) answers.set(requestDigest, event.position)
        }
      }
    })
    if (first === undefined) return yield* new NothingRecorded({ scoreSetId })
    const { provider, model, request } = first
    const { repeats, settings } = yield* Schema.decodeUnknown(RecordedSettings)(request).pipe(
      Effect.mapError(() => new NothingRecorded({ scoreSetId })),
    )
    return {
      repeats,
      settings,
      model: {
        provider,
        model,
        recorded: true,
        ask: (_, requestDigest) =>
          Effect.gen(function* () {
            const position = answers.get(requestDigest)
            const none = new NoRecording({ provider, model, scoreSetId, requestDigest })
            if (position === undefined) return yield* none
            const [event] = yield* log.readPage({ stream, after: position - 1, until: position }, 1)
            if (event === undefined || !is(event, "ModelResponded")) return yield* none
            return { answer: event.payload.response, usage: event.payload.usage }
          }),
      },
    }
  })
