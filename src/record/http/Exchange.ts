/**
 * One HTTP request and its answer in progress. Every recorder of requests (`fetch`, Node's clients, the proxy) reports
 * its steps here, in order.
 */

import { type BodyPiece, pieceOf } from "../../agents/models/Cassette.ts"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as RunningTool from "../RunningTool.ts"
import * as ExchangeEvents from "./ExchangeEvents.ts"
import { MOST_KEPT } from "./HttpMessage.ts"
import type { ReportedCall } from "./ObservedCalls.ts"

export interface ExchangeParts extends ExchangeEvents.EventsParts {
  /** Answers in progress. The end of the run records each as far as it arrived. */
  readonly open: Set<AnswerBody>
}

/** A request whose beginning is recorded. Call one of the two methods, once. */
export interface Exchange {
  readonly isModel: boolean
  readonly answering: (head: ExchangeEvents.AnswerHead) => AnswerBody
  /** The program's framework runs a tool call of the answer. Undefined if the program records the tool itself. */
  readonly runsTool: (call: ReportedCall) => RunningTool.RunningTool | undefined
  /** The request failed. Resolves once that is recorded. */
  readonly failed: (error: unknown) => Promise<void>
}

export interface AnswerBody {
  readonly took: (piece: Uint8Array) => void
  /**
   * The body ended. Resolves once the answer is recorded. Only the first end counts; later calls wait for its
   * recording.
   *
   * @param how `none`: no body; `cut`: the connection broke; `unfinished`: the connection ended cleanly but the
   *   compressed data did not; `cancelled`: the program stopped reading; `open`: the run ended first
   * @param abortedBy the reason of the program's abort signal
   */
  readonly ended: (how: AnswerEnd, abortedBy?: unknown) => Promise<void>
}

export type AnswerEnd = "none" | ExchangeEvents.KeptBody["end"]

/**
 * Records the beginning of a request before it is made. A request to a model has no side effects, so it may be
 * committed together with its answer. All others are on the disk first.
 */
export const begin = async (parts: ExchangeParts, request: ExchangeEvents.ReadExchange): Promise<Exchange> => {
  const { log } = parts
  const events = ExchangeEvents.of(parts, request)
  await (events.isModel ? ExchangeEvents.tell(parts, events) : log.tell(events.called))
  const startedAt = performance.now()
  return {
    isModel: events.isModel,
    runsTool: (call) => RunningTool.begin(parts, events.id, call),
    answering: (head) =>
      answerBody(parts, events.mostRead ?? MOST_KEPT, (kept) =>
        events.answered(head, kept, MonotonicClock.elapsedSince(startedAt)),
      ),
    failed: (error) => events.failed(error, MonotonicClock.elapsedSince(startedAt)),
  }
}

const answerBody = (
  { log, open }: ExchangeParts,
  mostRead: number,
  keep: (kept: ExchangeEvents.KeptBody | undefined) => Promise<void>,
): AnswerBody => {
  const startedAt = performance.now()
  const chunks: Array<BodyPiece> = []
  let size = 0
  let recorded: Promise<void> | undefined
  const body: AnswerBody = {
    took: (piece) => {
      // The recording holds these pieces; a program may read on after the end of its run.
      if (recorded !== undefined) return
      size += piece.byteLength
      if (size <= mostRead) chunks.push(pieceOf(Math.round(performance.now() - startedAt), piece))
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
