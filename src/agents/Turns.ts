/** Asks a model for one turn: records the request and the answer, retries, and counts the usage. */

import { Effect, Runtime, Schema } from "effect"
import type { AppendError } from "../events/log/EventLog.ts"
import type { ModelCost } from "../events/vocabulary/Deciding.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { AgentTask } from "../kernel/agents/Agent.ts"
import type { TaskClosed } from "../kernel/context/TaskLifecycle.ts"
import { costOfSource } from "../kernel/pricing/Prices.ts"
import type { Spent } from "../kernel/tasks/calls/ModelCall.ts"
import { isTransient, ModelCallFailed, type ModelCallResponse } from "../kernel/tasks/ModelCalls.ts"
import * as ProgramLog from "../platform/ProgramLog.ts"
import * as RequestDigest from "../projections/request/RequestDigest.ts"
import type * as Spending from "../projections/tree/Spending.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import { fieldOf } from "../values/JsonObjects.ts"
import { inWords } from "../values/time/Wait.ts"
import { RecordedAnswer } from "./Conversation.ts"
import { type ModelsInTurn, nameOf } from "./Fallbacks.ts"
import { answeredBy, inTime, isOutOfTime, unasked } from "./LimitedTurn.ts"
import { LONGEST_GRANTED_MS, LONGEST_WAIT_MS } from "./models/Backoff.ts"
import { LONGEST_RETRY_AFTER_MS } from "./models/Failure.ts"
import { type AnswerPart, FilePart, type Message } from "./models/Message.ts"
import type { Delta, Model, Turn, TurnHints, TurnRequest } from "./models/Model.ts"

/** A piece of an answer for a listener. The log records only the whole answer. */
export interface AgentDelta extends Delta {
  readonly taskId: string
  /** The id of the request's `ModelCalled` event. */
  readonly request: string
}

export interface Asking {
  readonly models: ModelsInTurn
  readonly interruptible: boolean
  /** Whether the agent records its decision at once after an answer, whose commit then brings the answer. */
  readonly soon: boolean
  readonly onDelta?: (delta: AgentDelta) => void
  /** Default: none. */
  readonly hints?: TurnHints
  /** Default: none. */
  readonly hedge?: { readonly afterMs: number; readonly to?: "same" | "fallback" }
  readonly retries: number
  readonly backoffMs: (attempt: number, failure: ModelCallFailed, random: number) => number
  /** The cost of an answer; null if unknown. */
  readonly costOf: (model: Model, usage: Turn["usage"]) => Effect.Effect<ModelCost | null>
  /** Counts what an answer used. */
  readonly countAnswer: (answer: Pick<ModelCallResponse, "usage" | "cost">) => void
  /** Counts what a request without a whole answer used. */
  readonly countFailure: (failure: Spent) => void
  /**
   * The most that a request may use, from an estimate of its tokens; undefined without a budget of tokens or money. Default:
   * undefined.
   */
  readonly reserved?: ((model: Model, tokens: () => number) => Effect.Effect<Spending.Reserved | undefined>) | undefined
  /** Whether the budget allows another request after this many milliseconds. */
  readonly mayAsk: (afterMs: number) => Effect.Effect<boolean>
  /** Why the model must not be asked, or undefined. The log records the request as failed. */
  readonly refusal: (model: Model) => Effect.Effect<string | undefined>
  readonly leftMs: Effect.Effect<number>
  /** Milliseconds that the agent has worked on its task. */
  readonly workedMs: Effect.Effect<number>
}

/** The record of a request: its news in the first attempt and in retries. */
export interface RecordedAs {
  readonly first: Json
  readonly again: Json
}

export interface Asked {
  readonly answer: RecordedAnswer
  readonly tokens: number
}

/**
 * Asks for one turn. Retries transient failures up to `retries` times, within the budget; then the next model takes
 * over, if one does after such a failure. Each attempt is a recorded request of its own, and each failure records what
 * follows it.
 */
export const ask = (
  task: AgentTask,
  asking: Asking,
  request: TurnRequest,
  recorded: RecordedAs,
): Effect.Effect<Asked, ModelCallFailed | TaskClosed | AppendError> => {
  const { models, retries, backoffMs, countAnswer, countFailure, mayAsk, interruptible } = asking
  const requestDigest = RequestDigest.of(request)
  let estimated: number | undefined
  const tokens = () => {
    estimated ??= tokensIn(request)
    return estimated
  }
  let isFirst = true
  const attempt = (
    number: number,
    afterMs: number,
  ): Effect.Effect<Asked, ModelCallFailed | TaskClosed | AppendError> => {
    const model = models.current()
    const { provider, model: name } = model
    const told = isFirst ? recorded.first : recorded.again
    isFirst = false
    let isCounted = false
    const countFailed = (failure: ModelCallFailed) => {
      if (isCounted) return
      for (const other of failure.lost ?? []) countFailure(other)
      countFailure(failure)
      isCounted = true
    }
    let chosen: Wait | undefined
    // Chosen once, before the failure is recorded. A replay reads it from the record and draws the same random numbers.
    const waitAfter = (failure: ModelCallFailed): Effect.Effect<Wait> =>
      Effect.gen(function* () {
        if (chosen !== undefined) return chosen
        countFailed(failure)
        chosen = { again: false }
        if (isOutOfTime(failure)) return chosen
        const next = models.next(failure)
        if (isTransient(failure.kind) && number < retries) {
          const ms = backoffMs(number, failure, task.random())
          const isWorthIt = next === undefined || ms <= LONGEST_WAIT_MS
          const again = failure.retryInMs !== undefined || (isWorthIt && (yield* mayAsk(ms)))
          if (again || next === undefined) chosen = { again, ms }
          if (again) return chosen
        }
        // An agent that is led over a recording follows it, also without fallbacks of its own.
        if (failure.fallbackTo !== undefined || (next !== undefined && (yield* mayAsk(0)))) {
          chosen = { again: true, to: next ?? model }
        }
        return chosen
      })
    return Effect.gen(function* () {
      const first = callOf(task, asking, request, model)
      const response = yield* task
        .ask({ provider, model: name, request: told, requestDigest }, first.answering, {
          afterMs,
          partial: first.partial,
          interruptible,
          soon: asking.soon,
          workedMs: asking.workedMs,
          retryInMs: (failure) => Effect.map(waitAfter(failure), ({ again, ms }) => (again ? ms : undefined)),
          fallbackTo: (failure) => Effect.map(waitAfter(failure), ({ to }) => to && nameOf(to)),
          paced: { tokens, longestMs: longestPaceMs(asking) },
          ...reserving(asking, model, tokens),
          ...hedging(task, asking, request, recorded.again, tokens),
        })
        .pipe(Effect.tapErrorTag("ModelCallFailed", (failure) => Effect.sync(() => countFailed(failure))))
      for (const other of response.lost ?? []) countFailure(other)
      countAnswer(response)
      isCounted = true
      const answer = yield* Schema.decodeUnknown(RecordedAnswer)(response.response).pipe(
        Effect.mapError(
          ({ message }) =>
            new ModelCallFailed({
              provider,
              model: name,
              kind: "unreadable",
              reason: `its answer in the log: ${message}`,
            }),
        ),
      )
      return { answer, tokens: response.usage.inputTokens + response.usage.outputTokens }
    }).pipe(
      Effect.catchTag("ModelCallFailed", (failure) =>
        Effect.gen(function* () {
          const { again, ms, to } = yield* waitAfter(failure)
          if (to !== undefined) {
            models.use(to)
            return yield* attempt(0, 0)
          }
          if (again) return yield* attempt(number + 1, ms ?? 0)
          const left = yield* asking.leftMs
          return yield* ms === undefined || left === 0 || ms < left ? failure : tooLong(failure, ms)
        }),
      ),
    )
  }
  return attempt(0, 0)
}

/** A call of a model: how it answers, and what has come of it. */
const callOf = (task: AgentTask, asking: Asking, request: TurnRequest, model: Model) => {
  const { costOf } = asking
  const come: Array<AnswerPart> = []
  let usage: Turn["usage"] | undefined
  const answering = (called: Event) =>
    Effect.gen(function* () {
      const tell = yield* teller(asking, task.id, called.id)
      const refused = yield* asking.refusal(model)
      if (refused !== undefined) return yield* unasked(model, refused)
      const onDelta = (delta: Delta) => {
        gather(come, delta)
        tell(delta)
      }
      const onUsage = (known: Turn["usage"]) => {
        usage = known
      }
      const turn = yield* withCost(
        { model, costOf },
        inTime(
          { model, leftMs: asking.leftMs },
          answeredBy(model, request, onDelta, onUsage, { ...asking.hints, called: called.id }),
          () => ({
            parts: cleanedAll(model, come),
            usage,
          }),
        ),
      )
      const cost = costOfSource(turn.cost) ?? (yield* costOf(model, turn.usage))
      const answer: RecordedAnswer = { parts: withOwnIds(turn.parts, request.messages), finish: turn.finish }
      // Readers decode answers by `AnswerPart`; they are JSON.
      return {
        response: answer as unknown as Json,
        usage: turn.usage,
        ...(cost === null ? {} : { cost }),
        ...defined({ limits: turn.limits }),
      }
    })
  const partial = Effect.gen(function* () {
    const cost = usage === undefined ? null : yield* costOf(model, usage)
    return {
      response: { parts: cleanedAll(model, come) },
      ...defined({ usage }),
      ...(cost === null ? {} : { cost }),
    }
  })
  return { answering, partial }
}

/** The second request for an answer, which has no news for the log. */
const hedging = (task: AgentTask, asking: Asking, request: TurnRequest, again: Json, tokens: () => number) => {
  const { models, hedge, mayAsk, refusal } = asking
  if (hedge === undefined) return {}
  const model = (hedge.to === "fallback" ? models.following() : undefined) ?? models.current()
  const { provider, model: name } = model
  const { answering, partial } = callOf(task, asking, request, model)
  const isAllowed = Effect.flatMap(refusal(model), (refused) =>
    refused === undefined ? mayAsk(0) : Effect.succeed(false),
  )
  return {
    hedge: {
      ...{ afterMs: hedge.afterMs, provider, model: name, request: again, mayAsk: isAllowed, answering, partial },
      ...reserving(asking, model, tokens),
    },
  }
}

const reserving = ({ reserved }: Asking, model: Model, tokens: () => number) =>
  reserved === undefined ? {} : { reserves: reserved(model, tokens) }

/** What follows a failure: a retry after so many milliseconds, another model, or nothing. */
interface Wait {
  readonly again: boolean
  readonly ms?: number
  readonly to?: Model
}

/** Characters of a token, roughly. The provider's answer corrects the estimate. */
const CHARACTERS_A_TOKEN = 4

/** An estimate. The length of a file says nothing about its tokens, so files are left out. */
const tokensIn = (request: TurnRequest): number =>
  Math.ceil(
    JSON.stringify(request, (_, value: unknown) => (fieldOf(value, "type") === "file" && isFile(value) ? null : value))
      .length / CHARACTERS_A_TOKEN,
  )

const isFile = Schema.is(FilePart)

/** A request waits for its turn as long as for a provider that asks for a wait, within the budget of time. */
const longestPaceMs = ({ leftMs }: Asking): Effect.Effect<number> =>
  Effect.map(leftMs, (left) => Math.min(left, LONGEST_GRANTED_MS))

const tooLong = ({ provider, model, kind, reason }: ModelCallFailed, ms: number) =>
  new ModelCallFailed({
    provider,
    model,
    kind,
    reason: `${reason}; to ask again it would have to wait ${inWords(ms)}, which is longer than its budget of time (wallMs) lasts`,
  })

const withCost = (
  { model, costOf }: Pick<Asking, "costOf"> & { readonly model: Model },
  turn: Effect.Effect<Turn, ModelCallFailed>,
) =>
  Effect.catchTag(turn, "ModelCallFailed", (failure) =>
    Effect.gen(function* () {
      const cost = failure.usage === undefined ? null : yield* costOf(model, failure.usage)
      const { provider, model: name, kind, reason, response, usage, limits } = failure
      const retryAfterMs = believedWait(failure.retryAfterMs)
      return yield* new ModelCallFailed({
        provider,
        model: name,
        kind,
        reason,
        ...defined({ response, usage }),
        ...(cost === null ? {} : { cost }),
        ...defined({ retryAfterMs, limits }),
      })
    }),
  )

/** A program's model may ask for any wait; undefined for one that means nothing, such as NaN. */
const believedWait = (ms: number | undefined): number | undefined =>
  ms !== undefined && Number.isFinite(ms) && ms >= 0 ? Math.min(ms, LONGEST_RETRY_AFTER_MS) : undefined

/** Drops holes: parts without a piece. */
const cleanedAll = (model: Model, come: ReadonlyArray<AnswerPart>): Json =>
  come.filter(() => true).map((part) => cleaned(model, part)) as unknown as Json

/** Removes the key and lone surrogates from a part of a cancelled answer. */
const cleaned = ({ redact = (text) => text }: Model, part: AnswerPart): AnswerPart =>
  part.type === "call"
    ? { ...part, args: typeof part.args === "string" ? redact(part.args.toWellFormed()) : part.args }
    : part.type === "text" || part.type === "reasoning"
      ? { ...part, text: redact(part.text.toWellFormed()) }
      : part

/** A listener that throws receives no more pieces of this answer. */
const teller = ({ onDelta }: Asking, taskId: string, request: string) =>
  Effect.map(Effect.runtime(), (runtime) => {
    let listens = onDelta !== undefined
    return (delta: Delta): void => {
      if (!listens) return
      try {
        onDelta?.({ ...delta, taskId, request })
      } catch (cause) {
        listens = false
        Runtime.runFork(runtime)(ProgramLog.warning(`a listener to an answer threw: ${String(cause)}`))
      }
    }
  })

const gather = (come: Array<AnswerPart>, { index, kind, text }: Delta): void => {
  const before = come[index]
  if (kind === "call") {
    const args = before?.type === "call" && typeof before.args === "string" ? before.args + text : text
    come[index] = { type: "call", callId: `incomplete-${index}`, tool: "", args, invalid: true }
  } else {
    come[index] = { type: kind, text: (before !== undefined && before.type === kind ? before.text : "") + text }
  }
}

const LONGEST_ID = 60

/**
 * Makes call ids unique in the conversation and valid for every provider: some models use one id twice, and a fork may
 * send the ids of one provider to another.
 */
const withOwnIds = (
  parts: ReadonlyArray<AnswerPart>,
  conversation: ReadonlyArray<Message>,
): ReadonlyArray<AnswerPart> => {
  const taken = new Set(
    conversation.flatMap(({ role, content }) => (role === "tool" ? content.map(({ callId }) => callId) : [])),
  )
  return parts.map((part) => {
    if (part.type !== "call") return part
    const plain = part.callId.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, LONGEST_ID)
    let callId = plain
    for (let number = 2; taken.has(callId); number++) callId = `${plain}-${number}`
    taken.add(callId)
    return callId === part.callId ? part : { ...part, callId }
  })
}
