/**
 * What a recorded answer comes to. A recording asks other questions than an agent that acts on the answer: whatever the
 * provider ended is an answer, also an empty one and one that the reader does not understand to its end.
 */

import { classify, type Failure, reasonOf } from "../agents/models/Failure.ts"
import type { AnswerPart } from "../agents/models/Message.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import { jsonOf } from "./pieces.ts"
import type { ProviderAnswer } from "./Wire.ts"

/** A response as it came, as far as it came. */
export interface Came {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** The same, for a body that is no text: the event stream of AWS. */
  readonly bytes?: () => Uint8Array
  /** `clean`: to its end; `cut`: it broke off; `unfinished`: its encoding did; `cancelled`: the program did not want the rest. */
  readonly end: "clean" | "cut" | "unfinished" | "cancelled"
  /** Whether the body is one JSON value, and no stream. */
  readonly isWhole?: boolean
}

/** Items of one type that the reader does not know. */
export interface Unread {
  /** The provider's name of the type; empty where it has none. */
  readonly kind: string
  readonly count: number
}

/** An answer that its provider ended: understood, or understood in part where something is `unread`. */
export interface ReadTurn {
  readonly parts: ReadonlyArray<AnswerPart>
  /**
   * `calls`: the program is to run tools; `length`: the limit of tokens was reached; `paused`: the provider continues the
   * answer when it is asked again, or by itself.
   */
  readonly finish: "stop" | "calls" | "length" | "paused"
  readonly usage: ModelUsage
  /** In US dollars, where the provider says it. */
  readonly cost?: number
  /** What the reader does not know, by type. The parts hold it as it is. */
  readonly unread: ReadonlyArray<Unread>
  /** The provider's id of the answer, by which a later request may continue it. */
  readonly id?: string
  /** The model that answered, by the provider's own word. */
  readonly model?: string
}

/** An answer: a turn, or why it is none with what had come of it. */
export type Answered =
  | { readonly turn: ReadTurn }
  | {
      readonly failure: Omit<Failure, "kind"> & { readonly kind: Failure["kind"] | "cancelled" }
      readonly parts: ReadonlyArray<AnswerPart>
      readonly usage: ModelUsage | undefined
      readonly cost?: number
    }

/**
 * What an answer comes to. It failed only where the provider says so, where the model refused, or where it did not come
 * to its end.
 *
 * @param redact removes keys from a reason
 * @param now the time in milliseconds, for a `Retry-After` that is a date
 */
export const outcomeOf = (
  answer: ProviderAnswer,
  came: Came,
  redact: (text: string) => string,
  now: number,
): Answered => {
  const { parts, usage, refusal, finish, error } = answer
  const cost = answer.cost === undefined ? {} : { cost: answer.cost }
  const failed = (failure: Failure | { readonly kind: "cancelled"; readonly reason: string }): Answered => ({
    failure,
    parts,
    usage,
    ...cost,
  })
  const because = (kind: Failure["kind"], reason: string) => failed({ kind, reason: reasonOf(reason, redact) })
  if (came.status < 200 || came.status > 299) return failed(classify(refused(came), redact, now))
  if (error !== undefined) return failed(classify(error.error, redact, now))
  if (refusal !== "") return because("refused", `The model refused: ${refusal}`)
  // No client takes a body for whole that is shorter than its head says. Of a stream it may have what it waited for.
  const isBroken = came.end === "cut" && came.isWhole === true
  if (finish === undefined || isBroken) return failed(unended(answer, came))
  switch (finish.unified) {
    case "content-filter":
      return because("refused", `The provider or the model refused to answer${said(parts)}`)
    case "error":
      return because("cut-off", `The provider could not end the answer${named(finish.raw)}`)
    default: {
      const { id, model } = answer
      const hasCalls = parts.some(({ type }) => type === "call")
      return {
        turn: {
          parts,
          usage: usage ?? ProviderUsage.UNKNOWN,
          unread: unreadIn(parts),
          ...cost,
          finish: finish.unified === "stop" && hasCalls ? "calls" : finish.unified,
          ...defined({ id, model }),
        },
      }
    }
  }
}

/** Why an answer that its provider did not end is none. */
const unended = ({ hasBegun }: ProviderAnswer, { end }: Came) => {
  if (end === "cancelled") {
    return { kind: "cancelled", reason: "the program did not read the answer to its end" } as const
  }
  if (end === "cut") return { kind: "cut-off", reason: "The answer broke off: the connection was lost" } as const
  if (end === "unfinished") {
    return { kind: "cut-off", reason: "The answer broke off: what it was compressed in ended early" } as const
  }
  return hasBegun
    ? ({ kind: "cut-off", reason: "The answer ended without saying that it is whole" } as const)
    : ({ kind: "unreadable", reason: "The server sent no answer in this format" } as const)
}

const named = (raw: string | undefined): string => (raw === undefined ? "" : ` (it names the reason ${raw})`)

const said = (parts: ReadonlyArray<AnswerPart>): string => {
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ")
  return text === "" ? "" : `: ${text}`
}

const unreadIn = (parts: ReadonlyArray<AnswerPart>): ReadonlyArray<Unread> => {
  const counts = new Map<string, number>()
  for (const part of parts) {
    if (part.type === "item" && part.unread === true) counts.set(part.kind, (counts.get(part.kind) ?? 0) + 1)
  }
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

/** A refused request as the errors of providers' packages describe one. */
const refused = ({ status, headers, body }: Came) => {
  const data: Json | undefined = jsonOf(body)
  const error = fieldOf(data, "error") ?? fieldOf(fieldOf(data, "0"), "error")
  // AWS and Cohere have the message at the top.
  const message = textOf(fieldOf(error, "message")) ?? textOf(error) ?? textOf(fieldOf(data, "message"))
  return {
    name: "AI_APICallError",
    statusCode: status,
    responseHeaders: headers,
    responseBody: body,
    message: message ?? `status ${status}`,
    ...(message === undefined ? {} : { data }),
  }
}
