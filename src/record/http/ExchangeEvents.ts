/** The events of a request and its answer: of a model's as a turn, of all others as they are. */

import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { ContinuingRule, Inferred } from "../../events/vocabulary/Inference.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { type Asked, askedBy, type Came } from "../../providers/wires.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { NewMessages } from "../conversations/Conversations.ts"
import { recordableRequest } from "../Recordable.ts"
import { causeOf, failureOf } from "../Thrown.ts"
import type { Attempts } from "./Attempts.ts"
import type { Batches, BatchResult } from "./Batches.ts"
import * as HttpMessage from "./HttpMessage.ts"
import type { LaterAnswers } from "./LaterAnswers.ts"
import * as ModelAnswer from "./ModelAnswer.ts"
import type { Prompts } from "./Prompts.ts"
import { type AnswerHead, cameOf, type KeptBody, recordedResponse, tooLarge } from "./RecordedAnswer.ts"
import type { Redaction } from "./Redaction.ts"
import { remembered } from "./Remembered.ts"

export type { AnswerHead, KeptBody } from "./RecordedAnswer.ts"

/** What recording a request needs. */
export interface EventsParts extends ModelAnswer.AnswerParts {
  readonly prompts: Prompts
  readonly attempts: Attempts
  readonly later: LaterAnswers
  readonly batches: Batches
}

/** What is recorded of a request. */
export interface ExchangeEvents {
  /** The events that it begins with. */
  readonly called: readonly [CoreNewEvent, ...ReadonlyArray<CoreNewEvent>]
  readonly isModel: boolean
  /** Records the answer. There is no `kept` where it has no body. */
  readonly answered: (head: AnswerHead, kept: KeptBody | undefined, latencyMs: number) => Promise<void>
  readonly failed: (error: unknown, latencyMs: number) => Promise<void>
}

/** A request with what it asks of a model; undefined where it asks none. */
export interface ReadExchange {
  readonly read: HttpMessage.ReadRequest
  readonly asked: Asked | undefined
  /** By which rule it was found to be one of this run; undefined where that is known, and where it begins the run. */
  readonly placedBy?: ContinuingRule | undefined
}

/** Reads a request, and learns the keys in it. */
export const read = (sent: HttpMessage.SentRequest, redaction: Redaction): ReadExchange => {
  const read = HttpMessage.read(sent, redaction)
  return { read, asked: askedBy(sent.method, addressOf(sent.url), read.body) }
}

/** What is recorded of a request. */
export const of = (parts: EventsParts, exchange: ReadExchange): ExchangeEvents => {
  const id = newId()
  const { asked } = exchange
  return asked === undefined ? otherExchange(parts, id, exchange) : modelExchange(parts, id, exchange, asked)
}

/** The part of a payload that says what was inferred; none where nothing was. */
const inferring = (inferred: Inferred) => (Object.keys(inferred).length === 0 ? {} : { inferred })

const addressOf = remembered((url) => {
  const { host, pathname: path } = new URL(url)
  return { host, path }
})

/** What is recorded of a request. A short one is not measured. */
const fitted = ({ isLong }: HttpMessage.ReadRequest, request: JsonObject): JsonObject =>
  isLong ? recordableRequest(request) : request

/**
 * The events that a request to a model begins with.
 *
 * @param retryOf the first attempt at the call, if it is another one
 * @param batch the batch that the call is a part of; undefined for a request of its own
 */
const callingOf = (
  { conversations, calls, prompts }: EventsParts,
  id: string,
  { read, placedBy }: ReadExchange,
  asked: Asked,
  { retryOf, batch }: { readonly retryOf?: string | undefined; readonly batch?: BatchResult["batch"] },
): ExchangeEvents["called"] => {
  const { provider, model, system, tools, settings, thread } = asked.request
  const http = { method: read.method, url: read.url }
  // Tools are JSON.
  const prompt = prompts(id, { system, tools: tools as unknown as Json, settings })
  // Messages are JSON.
  const isConversation = asked.wire.isConversation !== false
  const { by, ...news }: NewMessages = isConversation
    ? conversations.asked(id, asked.request)
    : { messages: asked.request.messages }
  const kept = thread === undefined ? {} : { thread }
  const whole = { ...news, ...prompt, ...kept, http } as unknown as JsonObject
  const request = fitted(read, whole)
  const occurredAt = Date.now()
  const results = calls.told(tellingOf(news, asked.request.messages), occurredAt)
  const cause = results.at(-1)
  const asking: CoreNewEvent = {
    type: "ModelCalled",
    id,
    occurredAt,
    ...(cause === undefined ? {} : { causationId: cause.id }),
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
  const [first = asking, ...others] = [...results, asking]
  return [first, ...others]
}

/** A request to a model. */
const modelExchange = (parts: EventsParts, id: string, exchange: ReadExchange, asked: Asked): ExchangeEvents => {
  const { log, redaction, conversations, attempts, later } = parts
  const sent = exchange.read
  const retryOf = attempts.asked(sent)
  return {
    isModel: true,
    called: callingOf(parts, id, exchange, asked, { retryOf }),
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

/** The messages that may tell results. A conversation that is held a second time, word for word, tells them again for calls of its own. */
const tellingOf = <News extends NewMessages>(news: News, all: NewMessages["messages"]): News => {
  if (news.messages.length > 0) return news
  const answer = all.findLastIndex(({ role }) => role === "assistant")
  return { ...news, messages: all.slice(answer + 1) }
}

/** A request to anything else. */
const otherExchange = (parts: EventsParts, id: string, { read, placedBy }: ReadExchange): ExchangeEvents => ({
  isModel: false,
  called: [
    {
      type: "IoCalled",
      id,
      payload: {
        io: "fetch",
        requestDigest: read.digest,
        request: fitted(read, read.recorded()),
        ...inferring(defined({ task: placedBy })),
      },
    },
  ],
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
      // Of a batch without an end, what came would count as all.
      if (kept?.end === "clean") await tellBatch(parts, read, came.text)
    }
  },
  failed: async (error, latencyMs) => {
    await parts.log.tell(ioFailed(id, failureOfRequest(error, parts.redaction), latencyMs))
  },
})

/** Records what a response says of a call that was made before. */
const tellLater = async (parts: EventsParts, { method, url }: HttpMessage.ReadRequest, came: Came): Promise<void> => {
  const waiting = parts.later.asked(method, url)
  if (waiting === undefined) return
  const { call, askedAt } = waiting
  const read = ModelAnswer.read(parts, call.asked, came)
  if (!parts.later.isAnswered(waiting, read)) return
  await ModelAnswer.tell(parts, call, read, MonotonicClock.elapsedSince(askedAt))
}

/** Records the results of a batch in a response: each as a call of its own with its answer. */
const tellBatch = async (parts: EventsParts, request: HttpMessage.ReadRequest, text: string): Promise<void> => {
  const { redaction, batches, log } = parts
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
      await log.tellSoon(...callingOf(parts, id, exchange, asked, { batch: safe }))
      const came = { status, headers: {}, body: answer, end: "clean" } as const
      await ModelAnswer.tell(parts, { id, asked, tier: "batch" }, ModelAnswer.read(parts, asked, came), tookMs)
    })
  await Promise.all(telling)
}

/** The failure of a request. Its message has that of its cause: `fetch failed` alone says nothing. */
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
