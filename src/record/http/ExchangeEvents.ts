/** The events of a request and its answer: a turn for a model, an io call for anything else. */

import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { ContinuingRule, Inferred } from "../../events/vocabulary/Inference.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { type Asked, askedBy, type Came } from "../../providers/WireFormats.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { NewMessages } from "../conversations/Conversations.ts"
import { recordableRequest } from "../Recordable.ts"
import type { RunFiles } from "../RunFiles.ts"
import { causeOf, failureOf } from "../Thrown.ts"
import { type Batches, type BatchResult, resultsAt } from "./Batches.ts"
import * as HttpMessage from "./HttpMessage.ts"
import type { LaterAnswers } from "./LaterAnswers.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import type { Prompts } from "./Prompts.ts"
import { type AnswerHead, cameOf, type KeptBody, recordedResponse, tooLarge } from "./RecordedAnswer.ts"
import type { Redaction } from "./Redaction.ts"
import { remembered } from "./Remembered.ts"
import type { Retries } from "./Retries.ts"

export type { AnswerHead, KeptBody } from "./RecordedAnswer.ts"

export interface EventsParts extends ModelAnswer.AnswerParts {
  readonly prompts: Prompts
  readonly attempts: Retries
  readonly later: LaterAnswers
  readonly batches: Batches
  readonly files?: RunFiles | undefined
}

export interface ExchangeEvents {
  /** The id of the event with the request. */
  readonly id: string
  /** The outcomes that the request tells. */
  readonly outcomes: ReadonlyArray<CoreNewEvent>
  readonly called: CoreNewEvent
  readonly isModel: boolean
  /** Maximum number of bytes to read of its answer, if it is not that of a recorded body. */
  readonly mostRead?: number
  /** Records the answer. `kept` is undefined if it has no body. */
  readonly answered: (head: AnswerHead, kept: KeptBody | undefined, latencyMs: number) => Promise<void>
  readonly failed: (error: unknown, latencyMs: number) => Promise<void>
}

/** A request, with its question to a model if it is one. */
export interface ReadExchange {
  readonly read: HttpMessage.ReadRequest
  readonly asked: Asked | undefined
  /** The rule that placed it in this run; undefined if it names or begins the run. */
  readonly placedBy?: ContinuingRule | undefined
}

/** Reads a request, and teaches the redaction its keys. */
export const read = (sent: HttpMessage.SentRequest, redaction: Redaction): ReadExchange => {
  const read = HttpMessage.read(sent, redaction)
  return { read, asked: askedBy(sent.method, addressOf(sent.url), read.body) }
}

export const of = (parts: EventsParts, exchange: ReadExchange): ExchangeEvents => {
  const id = newId()
  const { asked } = exchange
  return asked === undefined ? otherExchange(parts, id, exchange) : modelExchange(parts, id, exchange, asked)
}

const inferring = (inferred: Inferred) => (Object.keys(inferred).length === 0 ? {} : { inferred })

const addressOf = remembered((url) => {
  const { host, pathname: path } = new URL(url)
  return { host, path }
})

const fitted = ({ isLong }: HttpMessage.ReadRequest, request: JsonObject): JsonObject =>
  isLong ? recordableRequest(request) : request

/**
 * The first events of a request to a model.
 *
 * @param retryOf id of the call's first attempt, for a retry
 * @param batch the batch that the call is part of
 */
const callingOf = (
  { conversations, calls, prompts }: EventsParts,
  id: string,
  { read, placedBy }: ReadExchange,
  asked: Asked,
  { retryOf, batch }: { readonly retryOf?: string | undefined; readonly batch?: BatchResult["batch"] },
): Pick<ExchangeEvents, "outcomes" | "called"> => {
  const { provider, model, system, tools, settings, thread } = asked.request
  const http = { method: read.method, url: read.url }
  // Tools are JSON, so the cast is safe.
  const prompt = prompts(id, { system, tools: tools as unknown as Json, settings })
  // Messages are JSON, so the cast below is safe.
  const isConversation = asked.wire.isConversation !== false
  const { by, ...news }: NewMessages = isConversation
    ? conversations.asked(id, asked.request)
    : { messages: asked.request.messages }
  const kept = thread === undefined ? {} : { thread }
  const whole = { ...news, ...prompt, ...kept, http } as unknown as JsonObject
  const request = fitted(read, whole)
  const occurredAt = Date.now()
  const telling = tellingOf(news, asked.request.messages)
  const results = calls.told(telling, occurredAt)
  const cause = results.at(-1)?.id ?? calls.causeOf(telling)
  const asking: CoreNewEvent = {
    type: "ModelCalled",
    id,
    occurredAt,
    ...(cause === undefined ? {} : { causationId: cause }),
    payload: {
      provider,
      model,
      requestDigest: read.digest,
      request,
      ...defined({ retryOf, batch }),
      ...inferring(
        defined({ task: placedBy, after: by, retryOf: retryOf === undefined ? undefined : ("same-request" as const) }),
      ),
    },
  }
  return { outcomes: results, called: asking }
}

/**
 * Records a request to a model after the outcomes that it reports, and the changes of their calls. It has no side
 * effects, so it may be committed together with its answer.
 */
export const tell = async (
  { log, files }: Pick<EventsParts, "log" | "files">,
  { outcomes, called }: Pick<ExchangeEvents, "outcomes" | "called">,
): Promise<void> => {
  const [first, ...others] = outcomes
  if (first === undefined) return log.tellSoon(called)
  if (files === undefined) return log.tellSoon(first, ...others, called)
  await log.tell(first, ...others)
  await files.told(outcomes)
  await log.tellSoon(called)
}

const modelExchange = (parts: EventsParts, id: string, exchange: ReadExchange, asked: Asked): ExchangeEvents => {
  const { log, redaction, conversations, attempts, later } = parts
  const sent = exchange.read
  const retryOf = attempts.asked(sent)
  return {
    id,
    isModel: true,
    ...callingOf(parts, id, exchange, asked, { retryOf }),
    answered: async (response, kept, latencyMs) => {
      const came = cameOf(response, kept, redaction)
      const read = ModelAnswer.read(parts, asked, ModelAnswer.cameOf(response.status, came))
      const recorded = recordedResponse(response, came, redaction, read.hasKey)
      const rawId = newId()
      const raw = (isTooLarge: boolean): CoreNewEvent => ({
        type: "IoAnswered",
        causationId: id,
        id: rawId,
        payload: { io: "fetch", result: isTooLarge ? tooLarge(recorded) : recorded },
      })
      const call = { id, asked, onFailed: () => attempts.failed(id, sent, retryOf) }
      if (later.wait({ call, sofar: read, askedAt: performance.now() - latencyMs })) {
        await log.append([raw(false)], { otherwise: () => [raw(true)] })
      } else await ModelAnswer.tell(parts, call, read, latencyMs, (isTooLarge) => [raw(isTooLarge)])
    },
    failed: async (error, latencyMs) => {
      conversations.failed(id)
      const failure = failureOfRequest(error, redaction)
      const kind = HttpMessage.isAbort(failure.code) ? "cancelled" : "unreachable"
      await log.tell(
        { type: "ModelFailed", causationId: id, payload: { kind, reason: failure.message, latencyMs } },
        ioFailed(id, failure, latencyMs),
      )
    },
  }
}

/**
 * The messages that may hold results. An identical conversation run a second time holds the results of its own calls.
 */
const tellingOf = <News extends NewMessages>(news: News, all: NewMessages["messages"]): News => {
  if (news.messages.length > 0) return news
  const answer = all.findLastIndex(({ role }) => role === "assistant")
  return { ...news, messages: all.slice(answer + 1) }
}

const otherExchange = (parts: EventsParts, id: string, { read, placedBy }: ReadExchange): ExchangeEvents => ({
  id,
  isModel: false,
  ...(resultsAt(read.method, read.url) === undefined ? {} : { mostRead: HttpMessage.MOST_RESULTS }),
  outcomes: [],
  called: {
    type: "IoCalled",
    id,
    payload: {
      io: "fetch",
      requestDigest: read.digest,
      request: fitted(read, read.recorded()),
      ...inferring(defined({ task: placedBy })),
    },
  },
  answered: async (response, kept, latencyMs) => {
    const { log, redaction } = parts
    const came = cameOf(response, kept, redaction)
    const recorded = recordedResponse(response, came, redaction)
    const event = (result: HttpMessage.RecordedResponse): CoreNewEvent => ({
      type: "IoAnswered",
      causationId: id,
      payload: { io: "fetch", result, latencyMs },
    })
    await log.append([event(recorded)], { otherwise: () => [event(tooLarge(recorded))] })
    if (response.status >= 200 && response.status <= 299) {
      await tellLater(parts, read, ModelAnswer.cameOf(response.status, came))
      // An incomplete file of results would count as complete.
      if (kept?.end === "clean" && kept.chunks.length > 0) await tellBatch(parts, read, came.text)
    }
  },
  failed: async (error, latencyMs) => {
    await parts.log.tell(ioFailed(id, failureOfRequest(error, parts.redaction), latencyMs))
  },
})

const tellLater = async (parts: EventsParts, { method, url }: HttpMessage.ReadRequest, came: Came): Promise<void> => {
  const waiting = parts.later.asked(method, url)
  if (waiting === undefined) return
  const { call, askedAt } = waiting
  const read = ModelAnswer.read(parts, call.asked, came)
  if (!parts.later.isAnswered(waiting, read)) return
  await ModelAnswer.tell(parts, call, read, MonotonicClock.elapsedSince(askedAt))
}

const tellBatch = async (parts: EventsParts, request: HttpMessage.ReadRequest, text: string): Promise<void> => {
  const { redaction, batches } = parts
  const telling = batches
    .take(request, text)
    .map(async ({ batch, request: { path, body }, status, answer, tookMs = 0 }) => {
      const url = new URL(path, request.url).href
      const sent = { method: "POST", url, headers: new Headers(), body: JSON.stringify(body).toWellFormed() }
      const exchange = read(sent, redaction)
      const { asked } = exchange
      if (asked === undefined) return
      const id = newId()
      const safe = { ...batch, customId: redaction.text(batch.customId) }
      await tell(parts, callingOf(parts, id, exchange, asked, { batch: safe }))
      const came = { status, headers: {}, body: answer, end: "clean" } as const
      await ModelAnswer.tell(parts, { id, asked, tier: "batch" }, ModelAnswer.read(parts, asked, came), tookMs)
    })
  await Promise.all(telling)
}

/** The failure of a request, with the message of its cause: `fetch failed` alone explains nothing. */
const failureOfRequest = (error: unknown, redaction: Redaction): Failure => {
  const failure = failureOf(error, redaction)
  const cause = causeOf(failure)
  return cause === undefined ? failure : { ...failure, message: `${failure.message}: ${cause}` }
}

const ioFailed = (causationId: string, error: Failure, latencyMs: number): CoreNewEvent => ({
  type: "IoFailed",
  causationId,
  payload: { io: "fetch", error, latencyMs },
})
