import { Effect, Either, ParseResult, Schema } from "effect"
import type { AppendError, CoreNewEvent } from "../../events/log/EventLog.ts"
import { digest } from "../../values/Digest.ts"
import { type JsonObject, plainText } from "../../values/Json.ts"
import { measureName } from "../rules/Rubric.ts"
import { type Critic, type Judgement, type Target, unscored } from "./Critic.ts"
import { round } from "./Judgement.ts"
import * as Model from "./Model.ts"
import * as PromptTranscript from "./PromptTranscript.ts"
import * as TaskObservation from "./TaskObservation.ts"

/** A change of what is asked, or of what answers come to, is another version. */
const VERSION = "model@1"

/** How often the same is asked, where nobody says. */
export const REPEATS = 3

/** So many failures on end, and a model is asked no more. */
const FAILURES = 5

/** How many calls it takes to judge a task. */
export const callsFor = (targets: ReadonlyArray<Target>, { repeats = REPEATS }: Model.Asking): number =>
  targets.length * repeats

/** Records that a model was asked and what it answered; answers the event's id. */
export type RecordCall = (event: CoreNewEvent) => Effect.Effect<string, AppendError>

/** Its name in score sets, and the digest of all that its verdicts depend on but chance. */
export const identityOf = (asking: Model.Asking) => ({
  name: `model:${asking.model.provider}/${asking.model.model}`,
  digest: digest({ critic: VERSION, ...paramsOf(asking) }),
})

/** How it is asked, as a score set records it. */
export const paramsOf = ({ model: { provider, model }, repeats = REPEATS, settings = {} }: Model.Asking) => ({
  ...{ provider, model, repeats, settings },
})

/**
 * Judges by a language model: each reward of each task is asked about several times, and what the majority says counts. A
 * reward without a majority is unscored, and so is one whose answers cite what they were not shown.
 *
 * Each question and answer is recorded before it counts, so that the scoring can be made again without the model; see
 * `RecordedModel`. Nothing about it is exact: asked again, a model may say something else.
 */
export const make = (asking: Model.Asking, targets: ReadonlyArray<Target>, record: RecordCall): Critic => {
  const { model, repeats = REPEATS, settings = {} } = asking
  const ask = asker(model, record)
  return {
    ...identityOf(asking),
    exact: false,
    start: ({ taskId }) => {
      const seen = TaskObservation.make()
      const evidence = PromptTranscript.make()
      let opening: Model.ShownEvidence["payload"] | undefined
      return {
        see: (event) => {
          if (!seen.see(event)) return
          if (event.type === "TaskOpened") opening ??= PromptTranscript.shownOf(event).payload
          evidence.see(event)
        },
        decide: Effect.gen(function* () {
          const goal = typeof opening?.goal === "string" ? opening.goal : ""
          const shared = {
            task: { id: taskId, goal, agent: seen.agent(), outcome: seen.outcome() },
            ...{ evidence: evidence.shown(), omitted: evidence.omitted(), settings, repeats },
          }
          const judgements: Array<Judgement> = []
          for (const [place, target] of targets.entries()) {
            const votes: Array<Vote> = []
            for (let repeat = 1; repeat <= repeats; repeat++) {
              const question = { ...questionOf(target), ...shared, repeat }
              // The events are recorded once a task: a question holds what is new since the last one.
              votes.push(yield* ask(target, question, place === 0 && repeat === 1))
            }
            judgements.push(...counted(target, votes, `${model.provider}/${model.model}`))
          }
          return judgements
        }),
      }
    },
  }
}

const questionOf = ({ measure, kind, reward: { name, when, per = "task" } }: Target) => ({
  ...{ measure: measureName(measure), description: measure.description },
  reward: { kind, name, when, per },
})

/** What one answer says: how often the condition held, or why it does not count. */
type Vote =
  | { readonly occurrences: number; readonly because: ReadonlyArray<number>; readonly rationale: string }
  | { readonly reason: string }

/** Asks and records; what goes wrong with the model is a vote that does not count. */
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
      const called = yield* record({
        type: "ModelCalled",
        payload: { provider, model: model.model, requestDigest, request },
      })
      const startedAt = performance.now()
      const { answer, usage } = yield* model.ask(question, requestDigest)
      const latencyMs = performance.now() - startedAt
      yield* record({ type: "ModelResponded", causationId: called, payload: { response: answer, usage, latencyMs } })
      return answer
    })

  return (target: Target, question: Model.ModelRequest, whole: boolean): Effect.Effect<Vote, AppendError> => {
    if (failures >= FAILURES) return Effect.succeed({ reason: `it was given up: ${lastFailure}` })
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
    const [first] = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
    return { reason: plainText(`its answer, at /${first?.path.map(String).join("/") ?? ""}: ${first?.message}`) }
  }
  const { verdict, occurrences = 1, because, rationale } = decoded.right
  if (!verdict) return { occurrences: 0, because: [], rationale }
  if (because.length === 0) return { reason: "it cited nothing that made it true" }
  const foreign = because.find((position) => !evidence.some(({ at }) => at === position))
  if (foreign !== undefined) return { reason: `it cited @${foreign}, which it was not shown` }
  if (reward.per !== "occurrence" && occurrences > 1) {
    return { reason: `it found ${occurrences} times what counts once a task` }
  }
  return { occurrences, because, rationale }
}

/** What the majority of all that were asked says. */
const counted = (target: Target, votes: ReadonlyArray<Vote>, who: string): ReadonlyArray<Judgement> => {
  const valid = votes.flatMap((vote) => ("reason" in vote ? [] : [vote]))
  const agreeing = valid
    .map(({ occurrences }) => valid.filter((other) => other.occurrences === occurrences))
    .find(({ length }) => length > votes.length / 2)
  const [first] = agreeing ?? []
  if (agreeing === undefined || first === undefined) {
    const said = votes.map((vote) => ("reason" in vote ? vote.reason : `found it ${vote.occurrences} times`))
    return [unscored(target, `${who}: no majority in ${votes.length}: ${[...new Set(said)].join("; ")}`)]
  }
  const { occurrences } = first
  if (occurrences === 0) return []
  const because = [...new Set(first.because)].sort((a, b) => a - b)
  const { measure, kind, reward } = target
  return [
    {
      ...{ measure: measureName(measure), name: reward.name, kind, weight: reward.weight, because },
      amount: round(reward.weight * occurrences),
      ...(occurrences === because.length ? {} : { occurrences }),
      rationale: plainText(`${agreeing.length} of ${votes.length}: ${first.rationale}`),
    },
  ]
}

/** A question is plain JSON by its type. */
const asJson = (question: object): JsonObject => JSON.parse(JSON.stringify(question))
