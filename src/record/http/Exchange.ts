/**
 * One request over HTTP and its answer while they pass: every recorder of requests (`fetch`, Node's clients, the proxy)
 * says here what comes, in the order in which it comes.
 */

import { type Chunk, chunkOf } from "../../agents/models/Cassette.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ExchangeEvents from "./ExchangeEvents.ts"
import { MOST_KEPT } from "./HttpMessage.ts"

/** What recording requests needs. */
export interface ExchangeParts extends ExchangeEvents.EventsParts {
  /** The answers that are still coming: the end of a run keeps each as far as it came. */
  readonly open: Set<AnswerBody>
}

/** A request that was recorded as begun. Call one of the two, once. */
export interface Exchange {
  readonly isModel: boolean
  /** The head of its answer came. */
  readonly answering: (head: ExchangeEvents.AnswerHead) => AnswerBody
  /** There is no answer. Resolves once that is recorded. */
  readonly failed: (error: unknown) => Promise<void>
}

/** The body of an answer, as it comes. */
export interface AnswerBody {
  /** Takes note of a piece that was passed on. */
  readonly took: (piece: Uint8Array) => void
  /**
   * The body ended. Resolves once the answer is recorded. Only the first end counts; later calls wait for its recording.
   *
   * @param how `none`: the answer has no body; `cut`: the connection broke off; `unfinished`: the connection ended as if the body were
   * whole, and what the body is encoded in did not; `cancelled`: the program did not want the rest; `open`: the run ended first
   * @param abortedBy what the program's signal ended it with
   */
  readonly ended: (how: AnswerEnd, abortedBy?: unknown) => Promise<void>
}

/** How a body ended. */
export type AnswerEnd = "none" | ExchangeEvents.KeptBody["end"]

/**
 * Records that a request begins, before it is made. A request to a model changes nothing: what it asked may be committed with
 * its answer. All others are on the disk first.
 */
export const begin = async (parts: ExchangeParts, request: ExchangeEvents.ReadExchange): Promise<Exchange> => {
  const { log } = parts
  const events = ExchangeEvents.of(parts, request)
  await (events.isModel ? log.tellSoon(...events.called) : log.tell(...events.called))
  const startedAt = performance.now()
  return {
    isModel: events.isModel,
    answering: (head) =>
      answerBody(parts, (kept) => events.answered(head, kept, MonotonicClock.elapsedSince(startedAt))),
    failed: (error) => events.failed(error, MonotonicClock.elapsedSince(startedAt)),
  }
}

/** @param keep called once, when the body ends; without a body, with nothing */
const answerBody = (
  { log, open }: ExchangeParts,
  keep: (kept: ExchangeEvents.KeptBody | undefined) => Promise<void>,
): AnswerBody => {
  const startedAt = performance.now()
  const chunks: Array<Chunk> = []
  let size = 0
  let recorded: Promise<void> | undefined
  const body: AnswerBody = {
    took: (piece) => {
      size += piece.byteLength
      if (size <= MOST_KEPT) chunks.push(chunkOf(Math.round(performance.now() - startedAt), piece))
      else chunks.length = 0
    },
    ended: (how, abortedBy) => {
      if (recorded !== undefined) return recorded
      open.delete(body)
      const isTooLarge = size > MOST_KEPT
      const aborted = abortedBy === undefined ? {} : { abortedBy }
      recorded = keep(how === "none" ? undefined : { chunks, end: how, isTooLarge, ...aborted })
      log.inBackground(recorded)
      return recorded
    },
  }
  open.add(body)
  return body
}
