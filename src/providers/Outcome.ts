/**
 * Classifies a recorded answer as a turn or a failure. Unlike an agent that acts on the answer, a recording accepts
 * each one that the provider ended, also an empty one or one with unknown items.
 */

import { classify, type Failure, reasonOf } from "../agents/models/Failure.ts"
import type { AnswerPart } from "../agents/models/Message.ts"
import type { ModelUsage } from "../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../kernel/pricing/ProviderUsage.ts"
import { defined } from "../values/defined.ts"
import type { Json } from "../values/Json.ts"
import { fieldOf, textOf } from "../values/JsonObjects.ts"
import { jsonOf } from "./BodyPieces.ts"
import type { ProviderAnswer } from "./WireFormat.ts"

/** A response, or as much of it as arrived. */
export interface Came {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  /** The raw body, for the binary event stream of AWS. */
  readonly bytes?: () => Uint8Array
  /**
   * `clean`: complete; `cut`: the connection broke; `unfinished`: the compressed data ended early; `cancelled`: the
   * program stopped reading.
   */
  readonly end: "clean" | "cut" | "unfinished" | "cancelled"
  /** Whether the body is one JSON value rather than a stream. */
  readonly isWhole?: boolean
}

/** Items of one unknown type. */
export interface Unread {
  /** The provider's name for the type; empty if it has none. */
  readonly kind: string
  readonly count: number
}

/** An answer that its provider ended. Entries in `unread` mean that Hindcast understood it in part. */
export interface ReadTurn {
  readonly parts: ReadonlyArray<AnswerPart>
  /**
   * `calls`: the program runs tools next; `length`: the token limit was reached; `paused`: the provider continues the
   * answer on the next request, or by itself.
   */
  readonly finish: "stop" | "calls" | "length" | "paused"
  readonly usage: ModelUsage
  /** In US dollars, if the provider states it. */
  readonly cost?: number
  /** Unknown items, counted by type. `parts` holds their JSON. */
  readonly unread: ReadonlyArray<Unread>
  /** The provider's id, by which a later request may continue the answer. */
  readonly id?: string
  /** The model that the answer names. */
  readonly model?: string
}

/** A turn, or a failure with the parts that arrived before it. */
export type Answered =
  | { readonly turn: ReadTurn }
  | {
      readonly failure: Omit<Failure, "kind"> & { readonly kind: Failure["kind"] | "cancelled" }
      readonly parts: ReadonlyArray<AnswerPart>
      readonly usage: ModelUsage | undefined
      readonly cost?: number
    }

/**
 * Returns the outcome of an answer. An answer fails only if the provider reports an error, if the model refuses, or if
 * the answer does not reach its end.
 *
 * @param redact removes keys from a reason
 * @param now epoch milliseconds, for a `Retry-After` with a date
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
  // Clients reject a body that is shorter than its `Content-Length`. From a stream, the program may have read all it
  // needed.
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

/** A refused request in the shape of the AI SDK's errors. */
const refused = ({ status, headers, body }: Came) => {
  const data: Json | undefined = jsonOf(body)
  const error = fieldOf(data, "error") ?? fieldOf(fieldOf(data, "0"), "error")
  // AWS and Cohere put the message at the top level.
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
