/** Judges tasks by a language model: a majority of repeated answers counts. */

import { Effect, Either, Schema } from "effect"
import type { AppendError, CoreNewEvent } from "../../events/log/EventLog.ts"
import { digest } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import { mistakesOf } from "../../values/schema/Mistakes.ts"
import { costOf } from "../pricing/Prices.ts"
import { measureName } from "../rules/Rubric.ts"
import { type Critic, type Target, unscored, type Verdict } from "./Critic.ts"
import * as Model from "./Model.ts"
import * as PromptTranscript from "./PromptTranscript.ts"
import * as TaskObservation from "./TaskObservation.ts"
import { due, isRepeatable } from "./Verdict.ts"

/** Must change with the content of questions and the interpretation of answers. */
const VERSION = "model@1"

export const REPEATS = 3

/** Consecutive failures after which the critic gives a model up. */
const MAX_FAILURES = 5

export const callsFor = (targets: ReadonlyArray<Target>, { repeats = REPEATS }: Model.ModelOptions): number =>
  targets.length * repeats

export type RecordCall = (event: CoreNewEvent, taskId: string) => Effect.Effect<string, AppendError>

/** The critic's name in score sets, and the digest of everything that determines its verdicts, apart from chance. */
export const identityOf = (asking: Model.ModelOptions) => ({
  name: `model:${asking.model.provider}/${asking.model.model}`,
  digest: digest({ critic: VERSION, ...paramsOf(asking) }),
})

export const paramsOf = ({ model: { provider, model }, repeats = REPEATS, settings = {} }: Model.ModelOptions) => ({
  provider,
  model,
  repeats,
  settings,
})

/**
 * Asks a model about each reward of each task several times; the majority counts. An answer that cites events outside
 * its question is invalid. Without a majority, the reward is unscored.
 *
 * Each question and answer is recorded before it counts, so that `RecordedModel` can repeat a scoring without the
 * model. The critic is not exact, because a model may answer differently the next time.
 */
export const make = (asking: Model.ModelOptions, targets: ReadonlyArray<Target>, record: RecordCall): Critic => {
  const { model, repeats = REPEATS, settings = {} } = asking
  const ask = asker(model, record)
  return {
    ...identityOf(asking),
    exact: false,
    start: ({ taskId }) => {
      const observation = TaskObservation.make()
      const transcript = PromptTranscript.make()
      let opening: Model.ShownEvidence["payload"] | undefined
      return {
        observe: (event) => {
          if (!observation.observe(event)) return
          if (event.type === "TaskOpened") opening ??= PromptTranscript.shownOf(event).payload
          transcript.observe(event)
        },
        decide: Effect.gen(function* () {
          const goal = typeof opening?.goal === "string" ? opening.goal : ""
          const shared = {
            task: { id: taskId, goal, agent: observation.agent(), outcome: observation.outcome() },
            evidence: transcript.shown(),
            omitted: transcript.omitted(),
            settings,
            repeats,
          }
          const verdicts: Array<Verdict> = []
          for (const [index, target] of targets.entries()) {
            const votes: Array<Vote> = []
            for (let repeat = 1; repeat <= repeats; repeat++) {
              const question = { ...questionOf(target), ...shared, repeat }
              // The first question of a task records its events; later questions record only their differences.
              votes.push(yield* ask(target, question, index === 0 && repeat === 1))
            }
            verdicts.push(...majorityOf(target, votes, `${model.provider}/${model.model}`, observation.steps()))
          }
          return verdicts
        }),
      }
    },
  }
}

const questionOf = ({ measure, kind, reward }: Target) => ({
  measure: measureName(measure),
  description: measure.description,
  reward: { kind, name: reward.name, when: reward.when, per: isRepeatable(reward) ? "occurrence" : "task" } as const,
})

type Vote =
  | { readonly occurrences: number; readonly because: ReadonlyArray<number>; readonly rationale: string }
  | { readonly reason: string }

/** Asks and records. A failure of the model is an invalid vote. */
const asker = (model: Model.Model, record: RecordCall) => {
  let failures = 0
  let lastFailure = ""
  const { provider } = model

  const call = (question: Model.ModelRequest, whole: boolean) =>
    Effect.gen(function* () {
      const requestDigest = digest(asJson(question))
      if (model.recorded) return (yield* model.ask(question, requestDigest)).answer
      const { task, evidence: _evidence, settings: _settings, omitted: _omitted, ...news } = question
      const request = whole ? asJson(question) : asJson({ ...news, task: { id: task.id } })
      const payload = { provider, model: model.model, requestDigest, request }
      const called = yield* record({ type: "ModelCalled", payload }, task.id)
      const startedAt = performance.now()
      const latency = () => ({ latencyMs: performance.now() - startedAt })
      const { answer, usage, cost } = yield* model.ask(question, requestDigest).pipe(
        Effect.tapError((error) =>
          error._tag === "ModelFailed"
            ? record(
                {
                  type: "ModelFailed",
                  causationId: called,
                  payload: {
                    kind: error.kind ?? "unreachable",
                    reason: plainText(error.reason),
                    ...latency(),
                    ...defined({ usage: error.usage }),
                  },
                },
                task.id,
              )
            : Effect.void,
        ),
      )
      const priced = cost ?? (yield* costOf(provider, model.model, usage)) ?? undefined
      const responded = { response: answer, usage, ...latency(), ...defined({ cost: priced }) }
      yield* record({ type: "ModelResponded", causationId: called, payload: responded }, task.id)
      return answer
    })

  return (target: Target, question: Model.ModelRequest, whole: boolean): Effect.Effect<Vote, AppendError> => {
    if (failures >= MAX_FAILURES) return Effect.succeed({ reason: `it was given up: ${lastFailure}` })
    return call(question, whole).pipe(
      Effect.map((answer) => {
        failures = 0
        return voteOf(target, question, answer)
      }),
      Effect.catchTags({
        NoRecording: ({ message }) => Effect.succeed({ reason: message }),
        ModelFailed: ({ reason }) =>
          Effect.sync(() => {
            failures++
            lastFailure = plainText(reason)
            return { reason: lastFailure }
          }),
      }),
    )
  }
}

const decodeAnswer = Schema.decodeUnknownEither(Model.ModelAnswer)

const voteOf = ({ reward }: Target, { evidence }: Model.ModelRequest, answer: unknown): Vote => {
  const decoded = decodeAnswer(answer)
  if (Either.isLeft(decoded)) {
    const [first] = mistakesOf(decoded.left)
    return { reason: plainText(`its answer, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message}`) }
  }
  const { verdict, occurrences = 1, because, rationale } = decoded.right
  if (!verdict) return { occurrences: 0, because: [], rationale }
  if (because.length === 0) return { reason: "it cited nothing that made it true" }
  const foreign = because.find((position) => !evidence.some(({ at }) => at === position))
  if (foreign !== undefined) return { reason: `it cited @${foreign}, which it was not shown` }
  if (!isRepeatable(reward) && occurrences > 1) {
    return { reason: `it found ${occurrences} times what counts once a task` }
  }
  return { occurrences, because, rationale }
}

const majorityOf = (target: Target, votes: ReadonlyArray<Vote>, who: string, steps: number): ReadonlyArray<Verdict> => {
  const valid = votes.flatMap((vote) => ("reason" in vote ? [] : [vote]))
  const agreeing = valid
    .map(({ occurrences }) => valid.filter((other) => other.occurrences === occurrences))
    .find(({ length }) => length > votes.length / 2)
  const [first] = agreeing ?? []
  if (agreeing === undefined || first === undefined) {
    const answers = votes.map((vote) => ("reason" in vote ? vote.reason : `found it ${vote.occurrences} times`))
    return [unscored(target, `${who}: no majority in ${votes.length}: ${[...new Set(answers)].join("; ")}`)]
  }
  const { occurrences, because, rationale } = first
  return due(target, {
    occurrences,
    because,
    rationale: `${agreeing.length} of ${votes.length}: ${rationale}`,
    steps,
  })
}

const asJson = (question: object): JsonObject => JSON.parse(JSON.stringify(question))
