/** Reads a model's answer and records it as a turn, or as a failure with the parts that arrived. */

import { Effect } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { newId } from "../../events/vocabulary/Event.ts"
import { costOf, costOfSource } from "../../kernel/pricing/Prices.ts"
import { type Answered, type Asked, answeredBy, type Came } from "../../providers/WireFormats.ts"
import { defined } from "../../values/defined.ts"
import { type Json, plainText } from "../../values/Json.ts"
import type { RunConversations } from "../conversations/Conversations.ts"
import type { RunLog } from "../log/RunLog.ts"
import type { ObservedCalls } from "./ObservedCalls.ts"
import type * as RecordedAnswer from "./RecordedAnswer.ts"
import type { Redaction } from "./Redaction.ts"

export interface AnswerParts {
  readonly log: RunLog
  readonly redaction: Redaction
  readonly conversations: RunConversations
  readonly calls: ObservedCalls
}

export interface Call {
  readonly id: string
  readonly asked: Asked
  /** The service tier, if it has prices of its own. */
  readonly tier?: string
  readonly onFailed?: () => void
}

export interface ReadAnswer {
  readonly answered: Answered
  readonly parts: Json
  readonly hasKey: boolean
}

export const read = ({ redaction }: AnswerParts, asked: Asked, came: Came): ReadAnswer => {
  const answered = answeredBy(asked, came, redaction.text, Date.now())
  const said = ("turn" in answered ? answered.turn.parts : answered.parts) as unknown as Json
  const parts = redaction.json(said)
  return { answered, parts, hasKey: parts !== said }
}

export const cameOf = (status: number, { headers, text, bytes, kept }: RecordedAnswer.Came): Came => ({
  status,
  headers,
  body: text,
  bytes,
  end: kept === undefined ? "clean" : kept.end === "open" ? "cancelled" : kept.end,
})

/**
 * Records an answer.
 *
 * @param beside returns events with the raw response for the same commit; without its body if it is too large for an
 * event
 */
export const tell = async (
  { log, redaction, conversations, calls }: AnswerParts,
  { id, asked, tier, onFailed }: Call,
  { answered, parts }: ReadAnswer,
  latencyMs: number,
  beside: (isTooLarge: boolean) => ReadonlyArray<CoreNewEvent> = () => [],
): Promise<void> => {
  const { provider, model } = asked.request
  const counted = "turn" in answered ? answered.turn.usage : answered.usage
  const usage = counted === undefined || tier === undefined ? counted : { ...counted, serviceTier: tier }
  const named = "turn" in answered ? answered.turn.cost : answered.cost
  const isPriced = asked.isOfficial && usage !== undefined
  const cost = costOfSource(named) ?? (isPriced ? await Effect.runPromise(costOf(provider, model, usage)) : null)
  const priced = cost === null ? {} : { cost }
  const occurredAt = Date.now()
  const told = { causationId: id, id: newId(), occurredAt }
  const append = (event: (parts: Json) => CoreNewEvent) =>
    log.append([event(parts), ...beside(false)], { otherwise: () => [event(TOO_LARGE), ...beside(true)] })
  if ("turn" in answered) {
    const { usage: counted, unread } = answered.turn
    const by = namesOf(answered.turn, redaction)
    const kinds = unread.map(({ kind, count }) => ({ kind: redaction.text(kind), count }))
    // Parts are JSON, so the cast is safe.
    const safe = parts as unknown as typeof answered.turn.parts
    conversations.answered({ id: told.id, request: id, parts: safe, answerId: by.id })
    const [first, ...others] = calls.called({ id: told.id, request: id, parts: safe }, occurredAt)
    const recording = append((parts) => ({
      ...told,
      type: "ModelResponded",
      payload: {
        response: { parts, finish: answered.turn.finish, ...by },
        usage: usage ?? counted,
        latencyMs,
        ...priced,
        ...(kinds.length === 0 ? {} : { unread: kinds }),
      },
    }))
    // Committed right after the answer; the program does not wait for them.
    if (first !== undefined) await log.tellSoon(first, ...others)
    await recording
    return
  }
  conversations.failed(id)
  onFailed?.()
  const { kind, reason, retryAfterMs } = answered.failure
  const payload = {
    kind,
    reason: plainText(reason),
    latencyMs,
    ...priced,
    ...defined({ usage, retryAfterMs }),
  }
  const hasParts = answered.parts.length > 0
  await append((parts) => ({
    ...told,
    type: "ModelFailed",
    payload: { ...payload, ...(hasParts ? { response: parts } : {}) },
  }))
}

const namesOf = ({ id, model }: { readonly id?: string; readonly model?: string }, redaction: Redaction) =>
  defined({
    id: id === undefined ? undefined : redaction.text(id),
    model: model === undefined ? undefined : redaction.text(model),
  })

const TOO_LARGE: Json = [{ type: "text", text: "[the answer is too large to be recorded]" }]
