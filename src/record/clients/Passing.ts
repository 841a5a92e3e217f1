/** A request of one of Node's clients and its answer, which are observed as they pass: nothing of them is made anew. */

import * as Decoding from "../http/Decoding.ts"
import type { AnswerBody, AnswerEnd, Exchange } from "../http/Exchange.ts"
import type { AnswerHead } from "../http/ExchangeEvents.ts"
import type { SentRequest } from "../http/HttpMessage.ts"

/** Records that a request begins. */
export type Record = (sent: SentRequest) => Promise<Exchange>

/** What comes of a request, told in the order in which it comes. */
export interface Passing {
  /** The request is known, with its body. Resolves once it is recorded. Only the first one counts. */
  readonly begin: (sent: () => SentRequest) => Promise<Exchange>
  /** The head of its answer came. */
  readonly head: (head: AnswerHead) => void
  /** A piece of the answer's body was passed on. */
  readonly took: (piece: Uint8Array) => void
  /** The answer ended. Resolves once it is recorded. */
  readonly ended: (how: AnswerEnd, abortedBy?: unknown) => Promise<void>
  /** There is no answer. Resolves once that is recorded. */
  readonly failed: (error: unknown) => Promise<void>
}

export const make = (record: Record): Passing => {
  let begun: Promise<Exchange> | undefined
  let answering: Promise<AnswerBody> | undefined
  let answer: AnswerBody | undefined
  /** What came before the request was recorded. */
  const early: Array<Uint8Array> = []
  const take = (piece: Uint8Array) => (answer === undefined ? early.push(piece) : answer.took(piece))
  return {
    begin: (sent) => {
      begun ??= handled(recorded(record, sent))
      return begun
    },
    head: (head) => {
      if (begun === undefined || answering !== undefined) return
      answering = handled(
        begun.then((exchange) => {
          answer = decoded(exchange.answering(head), head)
          for (const piece of early.splice(0)) answer.took(piece)
          return answer
        }),
      )
    },
    took: take,
    ended: async (how, abortedBy) => (await answering)?.ended(how, abortedBy),
    failed: async (error) => (await begun)?.failed(error),
  }
}

const recorded = async (record: Record, sent: () => SentRequest) => record(sent())

/** A promise that fails unheard as long as nobody waits for it. */
const handled = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(() => {})
  return promise
}

/** What is encoded for its way is recorded as what it says, as a `fetch` gives it. */
const decoded = (answer: AnswerBody, { headers }: AnswerHead): AnswerBody => {
  const encoding = headers.get("content-encoding")
  return encoding === null ? answer : Decoding.decoding(encoding, answer)
}

/** Headers as they came: names and values by turns, as text or bytes. */
export const headersOf = (raw: ReadonlyArray<string | Uint8Array>): Headers => {
  const headers = new Headers()
  for (let index = 0; index + 1 < raw.length; index += 2) {
    try {
      headers.append(text(raw[index]), text(raw[index + 1]))
    } catch {
      // A header that HTTP does not allow, which the client let through.
    }
  }
  return headers
}

const text = (value: string | Uint8Array | undefined): string =>
  typeof value === "string" ? value : Buffer.from(value ?? []).toString("latin1")

/** The pieces of a body, joined: text where it is UTF-8, as a `fetch` has it. Null without a body. */
export const bodyOf = (pieces: ReadonlyArray<Uint8Array>): Uint8Array | null =>
  pieces.length === 0 ? null : new Uint8Array(Buffer.concat(pieces))

/** Whether a response may have a body (RFC 9110, section 6.4.1). */
export const hasBody = (method: string, status: number): boolean =>
  method !== "HEAD" && status !== 204 && status !== 205 && status !== 304
