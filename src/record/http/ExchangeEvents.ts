/** The events of a request and its answer: of a model's as a turn, of all others as they are. */

import { Effect } from "effect"
import type { Chunk } from "../../agents/models/Cassette.ts"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import type { ContinuingRule, Inferred } from "../../events/vocabulary/Inference.ts"
import { costOf, costOfSource } from "../../kernel/pricing/Prices.ts"
import { type Asked, answeredBy, askedBy } from "../../providers/wires.ts"
import { defined } from "../../values/defined.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import type { NewMessages, RunConversations } from "../conversations/Conversations.ts"
import type { RunLog } from "../log/RunLog.ts"
import { recordableRequest } from "../Recordable.ts"
import { causeOf, failureOf } from "../Thrown.ts"
import type { Attempts } from "./Attempts.ts"
import * as HttpMessage from "./HttpMessage.ts"
import type { ObservedCalls } from "./ObservedCalls.ts"
import type { Prompts } from "./Prompts.ts"
import type { Redaction } from "./Redaction.ts"
import { remembered } from "./Remembered.ts"

/** What recording a request needs. */
export interface EventsParts {
  readonly log: RunLog
  readonly redaction: Redaction
  readonly conversations: RunConversations
  readonly calls: ObservedCalls
  readonly prompts: Prompts
  readonly attempts: Attempts
}

/** An answer without its body. */
export interface AnswerHead {
  /** Where it came from; empty where nothing says so. */
  readonly url: string
  readonly status: number
  readonly statusText: string
  /** Whether the request was redirected to the URL. */
  readonly redirected: boolean
  readonly headers: Headers
  /** Whether the body comes as its `content-encoding` has it, since it could not be decoded. */
  readonly isEncoded?: boolean
}

/** A body as far as it came. */
export interface KeptBody {
  readonly chunks: ReadonlyArray<Chunk>
  readonly end: "clean" | "cut" | "unfinished" | "cancelled" | "open"
  /** What the program's signal ended it with. */
  readonly abortedBy?: unknown
  readonly isTooLarge: boolean
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

/** A request to a model. */
const modelExchange = (
  { log, redaction, conversations, calls, prompts, attempts }: EventsParts,
  id: string,
  { read, placedBy }: ReadExchange,
  asked: Asked,
): ExchangeEvents => {
  const { provider, model, system, tools, settings, thread } = asked.request
  const retryOf = attempts.asked(read)
  const sent = read
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
      ...defined({ retryOf }),
      ...inferring(
        defined({ task: placedBy, after: by, retryOf: retryOf === undefined ? undefined : ("same-request" as const) }),
      ),
    },
  }
  const [first = asking, ...others] = [...results, asking]
  return {
    isModel: true,
    called: [first, ...others],
    answered: async (response, kept, latencyMs) => {
      const came = cameOf(response, kept, redaction)
      const read = {
        status: response.status,
        headers: came.headers,
        body: came.text,
        bytes: came.bytes,
        end: kept === undefined ? "clean" : kept.end === "open" ? "cancelled" : kept.end,
      } as const
      const answered = answeredBy(asked, read, redaction.text, Date.now())
      const said = ("turn" in answered ? answered.turn.parts : answered.parts) as unknown as Json
      const parts = redaction.json(said)
      const recorded = recordedResponse(response, came, redaction, parts !== said)
      const usage = "turn" in answered ? answered.turn.usage : answered.usage
      const named = "turn" in answered ? answered.turn.cost : answered.cost
      const table = asked.isOfficial && usage !== undefined ? costOf(provider, model, usage) : Effect.succeed(null)
      const cost = costOfSource(named) ?? (await Effect.runPromise(table))
      const priced = cost === null ? {} : { cost }
      const told = { causationId: id, id: newId() }
      const raw = (result: HttpMessage.RecordedResponse): CoreNewEvent => ({
        ...told,
        id: newId(),
        type: "IoAnswered",
        payload: { io: "fetch", result },
      })
      const tell = (event: (parts: Json) => CoreNewEvent) =>
        log.append([event(parts), raw(recorded)], {
          otherwise: () => [event(TOO_LARGE), raw(tooLarge(recorded))],
        })
      if ("turn" in answered) {
        const { finish, usage, unread, id: answerId, model: answerer } = answered.turn
        const by = {
          ...(answerId === undefined ? {} : { id: redaction.text(answerId) }),
          ...(answerer === undefined ? {} : { model: redaction.text(answerer) }),
        }
        const kinds = unread.map(({ kind, count }) => ({ kind: redaction.text(kind), count }))
        // Parts are JSON.
        const safe = parts as unknown as typeof answered.turn.parts
        conversations.answered({ id: told.id, request: id, parts: safe, answerId: by.id })
        const [first, ...others] = calls.called({ id: told.id, request: id, parts: safe })
        const recording = tell((parts) => ({
          ...told,
          type: "ModelResponded",
          payload: {
            response: { parts, finish, ...by },
            usage,
            latencyMs,
            ...priced,
            ...(kinds.length === 0 ? {} : { unread: kinds }),
          },
        }))
        // They are committed right after the answer, whose end does not wait for them to reach the disk.
        if (first !== undefined) await log.tellSoon(first, ...others)
        await recording
        return
      }
      conversations.failed(id)
      const { kind, reason, retryAfterMs } = answered.failure
      attempts.failed(id, sent, retryOf)
      const payload = {
        kind,
        reason: plainText(reason),
        latencyMs,
        ...priced,
        ...defined({ usage, retryAfterMs }),
      }
      const hasParts = answered.parts.length > 0
      await tell((parts) => ({
        ...told,
        type: "ModelFailed",
        payload: { ...payload, ...(hasParts ? { response: parts } : {}) },
      }))
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
const otherExchange = (
  { log, redaction }: EventsParts,
  id: string,
  { read, placedBy }: ReadExchange,
): ExchangeEvents => ({
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
    const recorded = recordedResponse(response, cameOf(response, kept, redaction), redaction)
    const event = (result: HttpMessage.RecordedResponse): CoreNewEvent => ({
      type: "IoAnswered",
      causationId: id,
      payload: { io: "fetch", result, latencyMs },
    })
    await log.append([event(recorded)], { otherwise: () => [event(tooLarge(recorded))] })
  },
  failed: async (error, latencyMs) => {
    await log.tell(ioFailed(id, failureOfRequest(error, redaction), latencyMs))
  },
})

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

const abortedBy = (error: unknown, redaction: Redaction) => {
  const { code: name, message } = failureOf(error, redaction)
  return { name, message }
}

/** What came of a response. */
interface Came {
  readonly kept: KeptBody | undefined
  readonly text: string
  /** The same, where it may be no text. */
  readonly bytes: () => Uint8Array
  readonly headers: HttpMessage.RecordedResponse["headers"]
}

/** Reads what came, and learns the keys in it first. */
const cameOf = (response: AnswerHead, kept: KeptBody | undefined, redaction: Redaction): Came => {
  const chunks = kept?.chunks ?? []
  const text = HttpMessage.joinedText(chunks)
  redaction.learnGiven(response, text)
  const encoding = response.isEncoded === true ? response.headers.get("content-encoding") : null
  const headers = HttpMessage.responseHeaders(response.headers, redaction)
  return {
    kept,
    text,
    bytes: () => HttpMessage.joined(chunks),
    headers: encoding === null ? headers : { ...headers, "content-encoding": encoding },
  }
}

/**
 * A response as it is recorded, without keys: a body with keys is one piece without them. A model may also spell a key
 * out over several pieces, of which no single one holds it; such a body is not kept.
 *
 * @param hasToldKey whether a key occurs in what was read of the body
 */
const recordedResponse = (
  response: AnswerHead,
  { kept, text, headers }: Came,
  redaction: Redaction,
  hasToldKey = false,
): HttpMessage.RecordedResponse => {
  const { url, status, statusText, redirected } = response
  const hasKeys = redaction.isIn(text)
  // The text of what is no text cannot stand for it.
  const isHeld = hasToldKey || (hasKeys && !HttpMessage.isText(kept?.chunks ?? []))
  const omitted: HttpMessage.RecordedResponse["omitted"] =
    kept?.isTooLarge === true ? "it is too large" : isHeld ? "a key occurs in it" : undefined
  const chunks = hasKeys ? [[0, redaction.text(text)] as const] : (kept?.chunks ?? [])
  return {
    url: url === "" ? "" : redaction.url(url),
    status,
    statusText: redaction.text(statusText),
    ...(redirected ? { redirected } : {}),
    headers,
    chunks: omitted === undefined ? chunks : [],
    ...endOf(response, kept),
    ...(kept?.abortedBy === undefined ? {} : { aborted: abortedBy(kept.abortedBy, redaction) }),
    ...defined({ omitted }),
    ...(hasKeys ? { redacted: true as const } : {}),
  }
}

/** How a body ended. */
const endOf = (
  { headers }: AnswerHead,
  kept: KeptBody | undefined,
): Pick<HttpMessage.RecordedResponse, "end" | "cutWithin"> =>
  kept?.end === "unfinished"
    ? { end: "clean", cutWithin: headers.get("content-encoding") ?? "" }
    : { end: kept?.end ?? "none" }

/** A response whose body makes an event that is too large, as one of many characters that JSON escapes does. */
const tooLarge = (response: HttpMessage.RecordedResponse): HttpMessage.RecordedResponse => ({
  ...response,
  chunks: [],
  omitted: "it is too large",
})

/** What stands for the parts of such an answer. */
const TOO_LARGE: Json = [{ type: "text", text: "[the answer is too large to be recorded]" }]
