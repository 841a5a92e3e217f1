/** Records one observed request of a Node client and its answer. The client's own objects pass through unchanged. */

import * as Decoding from "../http/Decoding.ts"
import type { AnswerBody, AnswerEnd, Exchange } from "../http/Exchange.ts"
import type { AnswerHead } from "../http/ExchangeEvents.ts"
import type { SentRequest } from "../http/HttpMessage.ts"

export type Record = (sent: SentRequest) => Promise<Exchange>

/** The recorder of one request; call its methods in order. */
export interface ObservedExchange {
  /** The request and its body are known. Resolves once it is recorded. Later calls return the first result. */
  readonly begin: (sent: () => SentRequest) => Promise<Exchange>
  readonly head: (head: AnswerHead) => void
  readonly took: (piece: Uint8Array) => void
  /** The answer ended. Resolves once it is recorded. */
  readonly ended: (how: AnswerEnd, abortedBy?: unknown) => Promise<void>
  /** The request failed. Resolves once that is recorded. */
  readonly failed: (error: unknown) => Promise<void>
}

export const make = (record: Record): ObservedExchange => {
  let begun: Promise<Exchange> | undefined
  let answering: Promise<AnswerBody> | undefined
  let answer: AnswerBody | undefined
  /** Pieces that arrived before the request was recorded. */
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

/** Prevents an unhandled rejection while nobody awaits the promise. */
const handled = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(() => {})
  return promise
}

/** Records a compressed body decoded, as `fetch` returns it. */
const decoded = (answer: AnswerBody, { headers }: AnswerHead): AnswerBody => {
  const encoding = headers.get("content-encoding")
  return encoding === null ? answer : Decoding.decoding(encoding, answer)
}

/** Builds headers from alternating names and values, as text or bytes. */
export const headersOf = (raw: ReadonlyArray<string | Uint8Array>): Headers => {
  const headers = new Headers()
  for (let index = 0; index + 1 < raw.length; index += 2) {
    try {
      headers.append(text(raw[index]), text(raw[index + 1]))
    } catch {
      // An invalid header that the client let through.
    }
  }
  return headers
}

const text = (value: string | Uint8Array | undefined): string =>
  typeof value === "string" ? value : Buffer.from(value ?? []).toString("latin1")

export const bodyOf = (pieces: ReadonlyArray<Uint8Array>): Uint8Array | null =>
  pieces.length === 0 ? null : new Uint8Array(Buffer.concat(pieces))

/** Whether a response can have a body (RFC 9110, section 6.4.1). */
export const hasBody = (method: string, status: number): boolean =>
  method !== "HEAD" && status !== 204 && status !== 205 && status !== 304
