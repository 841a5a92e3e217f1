/** Sends the spans of a log to an OTLP receiver while tasks run, each once, also over restarts. */

import { Data, Effect, Queue, type Scope } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import { inPlaceOf } from "../../events/read/ExpandedRecords.ts"
import { type DecodedEvent, Records } from "../../events/read/Records.ts"
import { traces } from "../../importing/otlp/Otlp.ts"
import { field, parsed } from "../../importing/runs/Untrusted.ts"
import * as OtlpTraces from "../../projections/exports/OtlpTraces.ts"
import { LogSpans } from "../../projections/exports/otlp/LogSpans.ts"
import { sha256 } from "../../values/Digest.ts"
import * as Delivery from "./Delivery.ts"
import * as Position from "./Position.ts"

/** The receiver refuses all requests. */
export class ExportRefused extends Data.TaggedError("ExportRefused")<{ readonly reason: string }> {
  override get message() {
    return `${this.reason}: expected a receiver of OTLP/HTTP at /v1/traces that takes spans. Check --to and OTEL_EXPORTER_OTLP_HEADERS. What was not sent is sent by the next start.`
  }
}

export interface LiveExport {
  /** The receiver's base address, such as `http://127.0.0.1:4318`. */
  readonly to: URL
  /** For the receiver, such as its key. */
  readonly headers: Headers
  readonly origin: OtlpTraces.Origin
  /** The file that says how far the export has come. */
  readonly file: string
  readonly onSent: (sent: Sent) => void
  readonly onRemark: (remark: string) => void
}

export interface Sent {
  readonly spans: number
  /** The last position whose spans the receiver has. */
  readonly position: number
}

/** Maximum spans and bytes of a request; a larger span is a request of its own. */
const MAX_SPANS = 512
const MAX_BYTES = 1024 * 1024

/** Spans that end within this time share a request. */
const GATHER_MS = 1_000

/** Pause before the second attempt; it doubles with each further one. */
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
/** A receiver may ask for more, up to ten minutes, and not for less than the first pause. */
const MAX_ASKED_MS = 600_000

/** Maximum bytes to read of an answer. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Answers that concern the spans of a request, not the receiver or its address. */
const REFUSES_SPANS: ReadonlySet<number> = new Set([400, 413, 422])

/** The name of a log among receivers that pass spans on (RFC 9110 §7.6.3), by its first event. */
export const viaOf = (log: EventLog.Service): Effect.Effect<string | undefined, LogError> =>
  Effect.map(log.readPage({}, 1), ([first]) =>
    first === undefined ? undefined : `hindcast-log-${sha256(first.id).slice(0, 16)}`,
  )

/**
 * Works until interrupted. Each start reads the log from its beginning, because spans begin there, and sends what ended
 * after the saved position. It retries a busy or absent receiver without end; memory holds one request.
 * It leaves out personal fields.
 *
 * It does not send tasks that came as OTLP spans: their programs can send them, and two logs that export to each other
 * would do so without end.
 */
export const run = (
  exporting: LiveExport,
): Effect.Effect<never, ExportRefused | Position.PositionUnusable | LogError, EventLog | Records | Scope.Scope> =>
  Effect.gen(function* () {
    const [log, records] = [yield* EventLog, yield* Records]
    const commits = yield* Queue.sliding<void>(1)
    yield* Effect.acquireRelease(
      Effect.sync(() => log.onCommit(() => void commits.unsafeOffer())),
      (stop) => Effect.sync(stop),
    )
    const reached = yield* Position.read(exporting.file)
    const sender = new Sender(exporting, log)
    const spans = new LogSpans(null)
    const fromSpans = new Set<string>()
    let at = 0
    const take = (event: DecodedEvent, inside: ReadonlyArray<DecodedEvent>) => {
      const { position, id, taskId, actor, type } = event.link
      at = position
      if (type === "TaskOpened" && taskId !== null && actor === `import:${traces.name}`) fromSpans.add(taskId)
      const ended = taskId !== null && fromSpans.has(taskId) ? [] : inside.flatMap((one) => spans.take(one))
      if (reached === undefined || position > reached.position) return sender.add(ended, { position, event: id })
      return position === reached.position && id !== reached.event
        ? new Position.PositionUnusable({ file: exporting.file, reason: "a position of another log" })
        : undefined
    }
    const takePage = (page: ReadonlyArray<DecodedEvent>) =>
      Effect.gen(function* () {
        for (const event of page) {
          const work = take(event, yield* inPlaceOf(log.name, event))
          if (work !== undefined) yield* work
        }
      })
    while (true) {
      const { position: head } = yield* log.head
      if (reached !== undefined && head < reached.position)
        return yield* new Position.PositionUnusable({ file: exporting.file, reason: "a position after the log's end" })
      if (head > at) {
        yield* records.decoded({ after: at, until: head }, { decrypted: false }, takePage)
        // Skips a position without an event from now on.
        at = head
        yield* sender.flush
      }
      yield* commits.take
      yield* Effect.sleep(GATHER_MS)
    }
  })

/** Gathers spans to requests and delivers them in order. */
class Sender {
  readonly #exporting: LiveExport
  readonly #log: EventLog.Service
  #texts: Array<string> = []
  #bytes = 0
  #reached: Position.Reached | undefined

  constructor(exporting: LiveExport, log: EventLog.Service) {
    this.#exporting = exporting
    this.#log = log
  }

  /** Adds the spans of the next event. Returns work if requests are full. */
  add(spans: ReadonlyArray<object>, reached: Position.Reached) {
    const isNew = spans.length > 0
    for (const span of spans) {
      const text = JSON.stringify(span)
      this.#texts.push(text)
      this.#bytes += Buffer.byteLength(text)
    }
    if (isNew) this.#reached = reached
    return this.#texts.length >= MAX_SPANS || this.#bytes >= MAX_BYTES ? this.flush : undefined
  }

  /** Delivers the added spans, then saves the position. */
  get flush() {
    return Effect.gen(this, function* () {
      const reached = this.#reached
      if (reached === undefined) return
      const texts = this.#texts
      this.#texts = []
      this.#bytes = 0
      this.#reached = undefined
      for (const request of requestsOf(texts)) yield* this.#deliver(request)
      yield* Position.write(this.#exporting.file, reached)
      this.#exporting.onSent({ spans: texts.length, position: reached.position })
    })
  }

  #deliver(texts: ReadonlyArray<string>): Effect.Effect<void, ExportRefused | LogError> {
    return Effect.gen(this, function* () {
      const { to, origin, onRemark } = this.#exporting
      const headers = new Headers(this.#exporting.headers)
      headers.set("content-type", "application/json")
      const via = yield* viaOf(this.#log)
      if (via !== undefined) headers.set("via", `1.1 ${via}`)
      const body = Buffer.from(OtlpTraces.documentOf(origin, texts))
      const url = Delivery.addressOf(to, "/v1/traces")
      for (let attempt = 0; ; attempt++) {
        const delivered = yield* Effect.promise((ending) =>
          Delivery.attempt({ url, headers, body, ending, keeps: MAX_ANSWER_BYTES }),
        )
        if (delivered.kind === "taken") return remarkRejected(delivered.answer, onRemark)
        if (delivered.kind === "refused") return yield* this.#refused(texts, delivered)
        onRemark(`${delivered.reason}. The spans are sent again until it takes them`)
        const backOff = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt, 10))
        yield* Effect.sleep(Math.min(MAX_ASKED_MS, Math.max(FIRST_PAUSE_MS, delivered.afterMs ?? backOff)))
      }
    })
  }

  /** One span that the receiver does not take must not stop the others: finds it by halves. */
  #refused(
    texts: ReadonlyArray<string>,
    { reason, status }: { readonly reason: string; readonly status: number },
  ): Effect.Effect<void, ExportRefused | LogError> {
    if (!REFUSES_SPANS.has(status)) return new ExportRefused({ reason })
    if (texts.length === 1)
      return Effect.sync(() => this.#exporting.onRemark(`${reason} to a span, which is left out there`))
    const half = Math.ceil(texts.length / 2)
    return Effect.zipRight(this.#deliver(texts.slice(0, half)), this.#deliver(texts.slice(half)))
  }
}

const requestsOf = function* (texts: ReadonlyArray<string>): Iterable<ReadonlyArray<string>> {
  let from = 0
  let bytes = 0
  for (const [index, text] of texts.entries()) {
    const isFull = index - from >= MAX_SPANS || bytes + text.length > MAX_BYTES
    if (isFull && index > from) {
      yield texts.slice(from, index)
      from = index
      bytes = 0
    }
    bytes += text.length
  }
  yield texts.slice(from)
}

const remarkRejected = (answer: string, onRemark: LiveExport["onRemark"]): void => {
  const partial = field(parsed(answer), "partialSuccess")
  const rejected = Number(field(partial, "rejectedSpans") ?? 0)
  const why = field(partial, "errorMessage")
  if (rejected > 0) onRemark(`the receiver left out ${rejected} spans${typeof why === "string" ? `: ${why}` : ""}`)
}
