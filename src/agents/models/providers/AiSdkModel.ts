/** A model of a provider package of the AI SDK (`LanguageModelV3`): one streamed turn, with a typed outcome. */

import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider"
import { Clock, Effect, Either } from "effect"
import type { ModelUsage } from "../../../events/vocabulary/Deciding.ts"
import { ModelCallFailed } from "../../../kernel/tasks/ModelCalls.ts"
import * as MonotonicClock from "../../../platform/MonotonicClock.ts"
import { defined } from "../../../values/defined.ts"
import { callIdOf } from "../CallId.ts"
import { classify, type Failure, reasonOf } from "../Failure.ts"
import type { Delta, Model, Turn, TurnHints, TurnRequest } from "../Model.ts"
import { limitsIn } from "../RateHeaders.ts"
import type { Secrets } from "../secrets/Secrets.ts"
import * as Answer from "./Answer.ts"
import { AnswerTooLong, LONGEST_ANSWER } from "./AnswerLimit.ts"
import { outcome } from "./outcome.ts"
import * as Prompt from "./Prompt.ts"
import type { Provider } from "./Provider.ts"
import * as Silence from "./Silence.ts"
import * as Wishes from "./Wishes.ts"

export interface Parts {
  readonly provider: Provider
  readonly language: LanguageModelV3
  readonly model: string
  /** Texts that no answer, no piece of one and no error may contain. */
  readonly secrets: Secrets
  /** Longest silence of the server, in milliseconds: before the first piece and between two. */
  readonly timeoutMs: number
}

/**
 * Makes the model. Its rules for an answer:
 *
 * - Only an answer that ended cleanly is a turn. A stream without a finish, or with the finish `other` or `error`,
 *   fails as `cut-off`.
 * - At the limit of tokens, its calls are left out: the last may be incomplete, and the others belong with it. Without
 *   text it fails as `invalid-request`.
 * - A finish by a content filter and a refusal fail as `refused`; an answer without text, call and file fails as
 *   `empty`.
 * - An answer longer than `LONGEST_ANSWER` is ended, and fails as `invalid-request`.
 * - Arguments that are not JSON stay text, marked `invalid`. A tool's name stays as the model wrote it.
 * - It asks once: retries are up to the caller.
 */
export const make = (parts: Parts): Model => ({
  provider: parts.provider.name,
  model: parts.model,
  redact: parts.secrets.redact,
  unfulfilled: (wish) => Wishes.unfulfilled(parts.provider.wishes, parts.provider.name, parts.model, wish),
  turn: (request, onDelta, onUsage, hints) =>
    Effect.acquireUseRelease(
      Effect.sync(() => new AbortController()),
      (connection) => turn(parts, request, connection.signal, onDelta, onUsage, hints),
      (connection) => Effect.sync(() => connection.abort()),
    ),
})

const turn = (
  { provider, language, model, secrets, timeoutMs }: Parts,
  request: TurnRequest,
  abortSignal: AbortSignal,
  onDelta: (delta: Delta) => void,
  onUsage: (usage: ModelUsage) => void = () => {},
  { cache }: TurnHints = {},
): Effect.Effect<Turn, ModelCallFailed> => {
  const answer = Answer.empty(provider.raw, (index) => callIdOf(request, index), secrets.streamed)
  const failed = (failure: Failure): ModelCallFailed => {
    const [parts, usage] = [secrets.redactJson(answer.parts()), answer.usage()]
    return new ModelCallFailed({
      provider: provider.name,
      model,
      ...failure,
      ...(parts.length === 0 ? {} : { response: parts }),
      ...defined({ usage }),
    })
  }
  const classified = (error: unknown) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(failed(classify(error, secrets.redact, now))))
  const waited = <A>(steps: (progress: Silence.Progress) => Promise<Either.Either<A, unknown>>) =>
    Effect.catchAll(Silence.limited(steps, timeoutMs), ({ error }) => classified(error))
  const begun = async (options: LanguageModelV3CallOptions) => {
    try {
      return Either.right(await language.doStream(options))
    } catch (error) {
      return Either.left(error)
    }
  }
  const wished = Wishes.optionsFor(provider.wishes, provider.name, model, request)
  if (Either.isLeft(wished)) return Effect.fail(failed({ kind: "invalid-request", reason: wished.left }))
  const plain = Prompt.callOptions(request, provider, wished.right)
  const options = cache === undefined ? plain : (provider.caching?.(plain, cache) ?? plain)
  /** Hot path: no effect for each piece. */
  const reading = async (
    reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart>,
    progress: Silence.Progress,
  ): Promise<Either.Either<void, unknown>> => {
    let length = 0
    for (;;) {
      const read = await reader.read().then(Either.right, Either.left)
      if (Either.isLeft(read)) return read
      const { done, value } = read.right
      if (!progress() || done) return Either.void
      length += lengthOf(value)
      if (length > LONGEST_ANSWER) return Either.left(new AnswerTooLong("it", LONGEST_ANSWER, "characters"))
      const delta = answer.take(value)
      if (delta !== undefined) onDelta(delta)
      const usage = value.type === "raw" ? answer.usage() : undefined
      if (usage !== undefined) onUsage(usage)
    }
  }
  return Effect.gen(function* () {
    const { stream, response } = yield* waited(() => begun({ ...options, includeRawChunks: true, abortSignal }))
    const found = limitsIn(response?.headers, yield* Clock.currentTimeMillis)
    const limits = found && { ...found, heardAt: yield* MonotonicClock.now }
    yield* Effect.ensuring(
      waited((progress) => reading(stream.getReader(), progress)),
      Effect.sync(() => answer.rest().forEach(onDelta)),
    )
    const sent = answer.error()
    if (sent !== undefined && answer.hasBegun()) return yield* classified(sent.error)
    const ended = outcome(answer, request.maxOutputTokens)
    if ("kind" in ended) return yield* Effect.fail(failed({ ...ended, reason: reasonOf(ended.reason, secrets.redact) }))
    return { ...ended, parts: secrets.redactJson(ended.parts), ...defined({ limits }) }
  })
}

const lengthOf = (piece: LanguageModelV3StreamPart): number => {
  if (piece.type === "tool-call") return Math.max(0, piece.input.length - LONGEST_ANSWER)
  return "delta" in piece ? piece.delta.length : 0
}
