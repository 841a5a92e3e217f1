/** Receives OTLP over HTTP: answers a request with 200 once its contents are on the disk. */

import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect, type Scope } from "effect"
import { assertFew, TooManyValues } from "../importing/protobuf/Values.ts"
import { increase } from "../importing/runs/Tally.ts"
import { parsed } from "../importing/runs/Untrusted.ts"
import * as LoopbackServer from "../platform/loopback/LoopbackServer.ts"
import type { PortUnavailable } from "../platform/loopback/PortUnavailable.ts"
import { refusal, shown } from "../platform/loopback/Refusal.ts"
import * as Batch from "./Batch.ts"
import { BodyBudget, readBody } from "./Body.ts"
import { type Forwarding, TOKEN_HEADER } from "./Forwarding.ts"
import type { Inbox } from "./Inbox.ts"
import * as Signal from "./Signal.ts"

export interface Listening {
  readonly inbox: Inbox
  /** 0 for a free port. */
  readonly port: number
  readonly host: string | undefined
  readonly token: string | undefined
  readonly forwarding: Forwarding | undefined
  readonly counts: Counts
  /** The name in `Via` of this log's exports; undefined for an empty log. */
  readonly ownName: Effect.Effect<string | undefined>
  /** Called once for each reason for not recording something readable. */
  readonly onRemark: (remark: string) => void
}

/** Totals since the start. */
export interface Counts {
  readonly received: { spans: number; logRecords: number }
  /** New ones among them. */
  recorded: number
  rejected: number
  /** Requests answered with 429 or 503. */
  refused: number
  readonly leftOut: Map<string, number>
  /** The remarks so far. */
  readonly said: Set<string>
}

export const noCounts = (): Counts => ({
  received: { spans: 0, logRecords: 0 },
  recorded: 0,
  rejected: 0,
  refused: 0,
  leftOut: new Map(),
  said: new Set(),
})

/** Bytes of bodies in memory at the same time, as sent and decompressed. */
const MAX_BODIES_BYTES = 256 * 1024 * 1024

/** Maximum bytes that wait in the inbox. Above, the listener refuses requests until the log has caught up. */
const MAX_BACKLOG_BYTES = 2 * 1024 * 1024 * 1024

/** Seconds after which a refused client may try again. */
const RETRY_AFTER_S = 2

/** Codes of `google.rpc.Status`. */
const INVALID_ARGUMENT = 3
const RESOURCE_EXHAUSTED = 8
const UNAVAILABLE = 14

const METRICS = "metrics, which are accepted: a task has no use for them"

/**
 * Listens until the scope closes.
 *
 * @returns the port
 */
export const listen = (listening: Listening): Effect.Effect<number, PortUnavailable, Scope.Scope> => {
  const budget = new BodyBudget(MAX_BODIES_BYTES)
  return LoopbackServer.serve({
    name: "the receiver of telemetry",
    port: listening.port,
    host: listening.host,
    token: listening.token,
    tokenHeader: TOKEN_HEADER,
    statusOf: () => 503,
    answer: ({ request, response, path }) =>
      Effect.gen(function* () {
        const signal = Object.hasOwn(Signal.SIGNALS, path) ? Signal.SIGNALS[path] : undefined
        if (signal === undefined)
          return yield* Effect.fail(refusal(404, "UnknownPath", Signal.PATHS.join(", "), shown(path)))
        if (request.method !== "POST")
          return yield* Effect.fail(refusal(405, "WrongMethod", "POST", shown(request.method ?? ""), { allow: "POST" }))
        const type = request.headers["content-type"]
        const encoding = Signal.encodingOf(type)
        if (encoding === undefined) {
          const expected = Object.values(Signal.CONTENT_TYPES).join(" or ")
          return yield* Effect.fail(refusal(415, "UnsupportedMediaType", expected, shown(type ?? "none")))
        }
        yield* Effect.promise(() => take(listening, budget, { request, response, path, signal, encoding }))
      }),
  })
}

interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly signal: Signal.Signal
  readonly encoding: Signal.Encoding
}

const take = async (listening: Listening, budget: BodyBudget, asked: Asked): Promise<void> => {
  const { inbox, counts } = listening
  const { request, path, signal, encoding } = asked
  const { body, release } = await readBody(request, budget)
  try {
    if (body.kind === "refused") {
      if (body.status === 429) return await busy(listening, asked, 429, `it sends ${body.found}`)
      return await refuse(asked, body.status, INVALID_ARGUMENT, `Expected ${body.expected}, found ${body.found}.`)
    }
    if (inbox.backlog.bytes > MAX_BACKLOG_BYTES)
      return await busy(listening, asked, 429, "the log has not caught up with what arrived")
    if (signal.name === "metrics") {
      remark(listening, METRICS)
      listening.forwarding?.forward({ path, headers: request.headers, body: body.raw })
      return await answer(
        asked,
        200,
        await Signal.successBody(signal, encoding, { rejected: 0, message: `Hindcast does not record ${METRICS}` }),
      )
    }
    if (await isOwn(listening, request)) {
      remark(listening, OWN)
      return await refuse(asked, 409, INVALID_ARGUMENT, `Expected the spans of other programs, found ${OWN}.`)
    }
    const batch = await batchOf(signal, encoding, body.bytes)
    if ("status" in batch) return await refuse(asked, batch.status, INVALID_ARGUMENT, batch.message)
    const left = [...batch.leftOut.values()].reduce((sum, count) => sum + count, 0)
    const items = batch.received.length + batch.rejected + left
    try {
      // Not `+= await`, which would add to the count of before the wait.
      const added = await inbox.add(batch.received)
      counts.recorded += added
    } catch (cause) {
      // A client sends the same again after 503, and drops it after 500.
      const reason = cause instanceof Error ? cause.message : String(cause)
      listening.onRemark(`what arrives cannot be stored: ${reason}. Clients are told to send it again`)
      return await busy(listening, asked, 503, "it cannot be stored now")
    }
    counts.received[signal.name === "traces" ? "spans" : "logRecords"] += items
    counts.rejected += batch.rejected
    for (const [why, count] of batch.leftOut) {
      increase(counts.leftOut, why, count)
      remark(listening, why)
    }
    listening.forwarding?.forward({ path, headers: request.headers, body: body.raw })
    const message = batch.rejected === 0 ? "" : `${batch.rejected} of ${items} ${signal.items}: ${batch.why.join("; ")}`
    return await answer(asked, 200, await Signal.successBody(signal, encoding, { rejected: batch.rejected, message }))
  } finally {
    release()
  }
}

const OWN = "spans that this log exports: it has them"

/** Whether a request comes from the export of this receiver's own log. */
const isOwn = async ({ ownName }: Listening, { headers }: IncomingMessage): Promise<boolean> => {
  const via = headers.via ?? ""
  if (!via.includes("hindcast-log-")) return false
  const own = await Effect.runPromise(ownName)
  return own !== undefined && via.includes(own)
}

/** The reason for refusing a body, and the status that says so. */
interface Unreadable {
  readonly status: 400 | 413
  readonly message: string
}

const batchOf = async (
  signal: Signal.Signal,
  encoding: Signal.Encoding,
  bytes: Buffer,
): Promise<Batch.Batch | Unreadable> => {
  const isTraces = signal.name === "traces"
  const expected = `Expected a request for ${signal.name} in ${Signal.CONTENT_TYPES[encoding]}, found`
  try {
    const request = encoding === "json" ? jsonIn(bytes) : await messageIn(isTraces, bytes)
    const batch = isTraces ? Batch.ofTraces(request) : Batch.ofLogs(request)
    return batch ?? { status: 400, message: `${expected} something else.` }
  } catch (cause) {
    if (cause instanceof TooManyValues) return { status: 413, message: cause.message }
    if (!(cause instanceof NotProtobuf)) throw cause
    return { status: 400, message: `${expected} other bytes (${cause.message}).` }
  }
}

const jsonIn = (bytes: Buffer): unknown => {
  assertFew(bytes)
  return parsed(new TextDecoder().decode(bytes))
}

class NotProtobuf extends Error {}

const messageIn = async (isTraces: boolean, bytes: Buffer): Promise<object> => {
  const { decode } = await import("../importing/protobuf/Protobuf.ts")
  try {
    return decode(isTraces ? "TraceRequest" : "LogsRequest", bytes)
  } catch (cause) {
    if (cause instanceof TooManyValues) throw cause
    throw new NotProtobuf(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Maximum number of remembered remarks. */
const MAX_SAID = 200

/** Says something once. */
const remark = ({ counts, onRemark }: Listening, what: string): void => {
  if (counts.said.has(what) || counts.said.size >= MAX_SAID) return
  counts.said.add(what)
  onRemark(what)
}

const busy = async ({ counts }: Listening, asked: Asked, status: 429 | 503, why: string): Promise<void> => {
  counts.refused += 1
  const code = status === 429 ? RESOURCE_EXHAUSTED : UNAVAILABLE
  await refuse(asked, status, code, `Send it again in ${RETRY_AFTER_S} seconds: ${why}.`)
}

const refuse = async (asked: Asked, status: number, code: number, message: string): Promise<void> =>
  answer(asked, status, await Signal.refusalBody(asked.encoding, code, message))

const answer = async ({ response, encoding }: Asked, status: number, body: Uint8Array): Promise<void> => {
  if (response.destroyed) return
  const again = status === 429 || status === 503 ? { "retry-after": String(RETRY_AFTER_S) } : {}
  response.writeHead(status, {
    "content-type": Signal.CONTENT_TYPES[encoding],
    "content-length": body.length,
    "cache-control": "no-store",
    ...again,
  })
  response.end(body)
}
