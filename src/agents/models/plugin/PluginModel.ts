/** A model of a plugin's provider, as agents use it. It answers only within a task, whose kernel runs the plugin. */

import { Clock, Deferred, Effect, FiberId } from "effect"
import type { ModelCost, ModelUsage } from "../../../events/vocabulary/Deciding.ts"
import { ModelCallFailed } from "../../../kernel/tasks/ModelCalls.ts"
import type { Generated, ProviderCapability } from "../../../kernel/tasks/providers/Generation.ts"
import type { Task } from "../../../kernel/tasks/Task.ts"
import type { Piece } from "../../../plugins/channel/OpenCall.ts"
import { similarNames } from "../../../values/DidYouMean.ts"
import { defined } from "../../../values/defined.ts"
import type { JsonObject } from "../../../values/Json.ts"
import { classify, type Failure, reasonOf } from "../Failure.ts"
import type { Model, Turn, TurnRequest } from "../Model.ts"
import { AnswerTooLong, LONGEST_ANSWER } from "../providers/AnswerLimit.ts"
import { outcome } from "../providers/outcome.ts"
import * as Secrets from "../secrets/Secrets.ts"
import { UnknownProvider } from "../UnusableModel.ts"
import * as PluginAnswer from "./PluginAnswer.ts"

/** A model of a plugin by its name; `inTask` finds it among the plugins of a task. */
export const named = (provider: string, model: string, known: ReadonlyArray<string>): Model => ({
  provider,
  model,
  inTask: (task) =>
    Effect.flatMap(task.capabilities(), ({ providers = [] }) => {
      const found = providers.find(({ name }) => name === `${provider}/${model}`)
      if (found !== undefined) return Effect.succeed(of(task, provider, model, found))
      const offered = providers.map(({ name }) => name)
      const [nearest] = similarNames(`${provider}/${model}`, offered)
      return new UnknownProvider({ found: `${provider}/${model}`, known, offered, ...defined({ nearest }) })
    }),
  turn: () =>
    new ModelCallFailed({ provider, model, kind: "unknown-model", reason: "a plugin's model answers only in a task" }),
})

const of = (
  task: Pick<Task, "generate">,
  provider: string,
  model: string,
  { price, version, env }: ProviderCapability,
): Model => {
  const secrets = Secrets.of(env.flatMap((name) => process.env[name]?.trim() ?? []))
  return {
    provider,
    model,
    redact: secrets.redact,
    costOf: price === undefined ? () => null : costBy(price, version),
    turn: (request, onDelta, _onUsage, { called } = {}) =>
      Effect.suspend(() => {
        const answer = PluginAnswer.empty(request, secrets, onDelta)
        const tooLong = Deferred.unsafeMake<never, ModelCallFailed>(FiberId.none)
        let length = 0
        const take = (piece: Piece) => {
          if (length > LONGEST_ANSWER) return
          length += piece.text.length
          answer.take(piece)
          if (length <= LONGEST_ANSWER) return
          const failure = classify(new AnswerTooLong("it", LONGEST_ANSWER, "characters"), secrets.redact, 0)
          Deferred.unsafeDone(tooLong, Effect.fail(failed(failure)))
        }
        const failed = (failure: Failure) => {
          const parts = answer.parts()
          const response = parts.length === 0 ? {} : { response: secrets.redactJson(parts) }
          const usage = answer.usage()
          return new ModelCallFailed({ provider, model, ...failure, ...response, ...defined({ usage }) })
        }
        return task
          .generate(
            { provider, model, ...asked(provider, request) },
            { onPiece: take, ...defined({ causationId: called }) },
          )
          .pipe(
            Effect.catchAll((error) =>
              Effect.fail(
                error._tag === "ModelCallFailed"
                  ? failed({ kind: error.kind, reason: reasonOf(error.reason, secrets.redact) })
                  : // Without the log, nothing can be recorded either: the task ends with the log's own error.
                    failed({ kind: "unreachable", reason: reasonOf(error.message, secrets.redact) }),
              ),
            ),
            Effect.raceFirst(Deferred.await(tooLong)),
            Effect.flatMap((generated) =>
              Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Turn, ModelCallFailed> => {
                const ended = endOf(generated, answer, request, secrets, now)
                if ("kind" in ended) return failed(ended)
                return Effect.succeed({ ...ended, parts: secrets.redactJson(ended.parts) })
              }),
            ),
            Effect.ensuring(Effect.sync(answer.end)),
          )
      }),
  }
}

const endOf = (
  generated: Generated,
  answer: PluginAnswer.PluginAnswer,
  { maxOutputTokens }: TurnRequest,
  { redact }: Secrets.Secrets,
  now: number,
): Turn | Failure => {
  if ("cut" in generated) {
    return { kind: "cut-off", reason: "The provider of the plugin ended its pieces without an answer" }
  }
  if ("thrown" in generated) return PluginAnswer.failureOf(generated.thrown, redact, now)
  answer.whole(generated.answer)
  const ended = outcome(answer, maxOutputTokens)
  return "kind" in ended ? { ...ended, reason: reasonOf(ended.reason, redact) } : ended
}

/** The request as `generate` gets it: the system prompt is the first message. */
const asked = (provider: string, { system, messages, tools, providerOptions = {}, ...wishes }: TurnRequest) => {
  const { temperature, maxOutputTokens, toolChoice, reasoning, serviceTier } = wishes
  const told = messages.map((message) => ({
    role: message.role,
    content: message.content.map(({ ...part }) => part),
  }))
  const first = system === "" ? [] : [{ role: "system", content: [{ type: "text", text: system }] }]
  const options = Object.hasOwn(providerOptions, provider) ? providerOptions[provider] : undefined
  return {
    history: [...first, ...told] as unknown as ReadonlyArray<JsonObject>,
    tools: tools as unknown as ReadonlyArray<JsonObject>,
    settings: defined({ temperature, maxOutputTokens, toolChoice, reasoning, serviceTier, options }) as JsonObject,
  }
}

const MILLION = 1_000_000

/** Cached tokens are part of the input. Unknown counts make the cost unknown. */
const costBy =
  ({ input, output, cached = input }: NonNullable<ProviderCapability["price"]>, prices: string) =>
  ({ inputTokens, outputTokens, cachedTokens = 0, unknown }: ModelUsage): ModelCost | null =>
    unknown !== undefined || inputTokens + outputTokens === 0 || cachedTokens > inputTokens
      ? null
      : {
          usd: ((inputTokens - cachedTokens) * input + cachedTokens * cached + outputTokens * output) / MILLION,
          prices,
          ...(cachedTokens === 0 ? {} : { savedUsd: (cachedTokens * (input - cached)) / MILLION }),
        }
