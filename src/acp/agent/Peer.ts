/**
 * The agent's side of a JSON-RPC connection over two streams: a line is a message. Reads with bounded memory, and
 * answers every request exactly once.
 */

import type { Buffer } from "node:buffer"
import type { Readable, Writable } from "node:stream"
import { Cause, Data, Deferred, Effect, FiberSet, Stream } from "effect"
import type { Json, JsonObject } from "../../values/Json.ts"
import { asObject, isObject } from "../../values/JsonObjects.ts"
import * as Lines from "../Lines.ts"
import * as Message from "../Message.ts"
import * as Outlet from "../Outlet.ts"
import { CODES, failed, Refused, refused } from "./Refused.ts"

/** The editor answered a request with an error. */
export class EditorRefused extends Data.TaggedError("EditorRefused")<{
  readonly method: string
  readonly reason: string
}> {
  override get message() {
    return `The editor answered ${this.method} with an error: ${this.reason}`
  }
}

export interface Peer {
  /** Asks the editor. An interrupt tells the editor that the answer is no longer needed. */
  readonly request: (method: string, params: JsonObject) => Effect.Effect<Json, EditorRefused>
  readonly notify: (method: string, params: JsonObject) => Effect.Effect<void>
}

export interface Handlers {
  /**
   * Accepts a request. The outer effect runs in the order of the messages, before the next one is read; the inner one
   * runs on its own, and its result is the answer.
   */
  readonly request: (method: string, params: JsonObject) => Effect.Effect<Effect.Effect<Json, Refused>, Refused>
  /** Takes a notification, in the order of the messages. */
  readonly notification: (method: string, params: JsonObject) => Effect.Effect<void>
}

export interface Streams {
  readonly from: Readable
  readonly to: Writable
  /** See `OutletOptions`. */
  readonly unreadMs?: number | undefined
}

/** Maximum number of the editor's requests that wait for an answer. It refuses further ones. */
const MAX_REQUESTS = 256

/**
 * Serves an editor until its stream ends. Requests in progress are then interrupted. Fails if the editor does not read.
 */
export const serve = (
  { from, to, unreadMs }: Streams,
  handlersOf: (peer: Peer) => Handlers,
): Effect.Effect<void, Outlet.Unread> =>
  Effect.gen(function* () {
    const outlet = Outlet.make(to, { reader: "editor", unreadMs })
    const waiting = new Map<string, Deferred.Deferred<Json, EditorRefused>>()
    let asked = 0
    const send = (message: JsonObject) =>
      Effect.promise(() => outlet.line(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
    const notify: Peer["notify"] = (method, params) => send({ method, params })
    const request: Peer["request"] = (method, params) =>
      Effect.gen(function* () {
        const id = asked++
        const key = Message.keyOf(id)
        const answer = yield* Deferred.make<Json, EditorRefused>()
        waiting.set(key, answer)
        return yield* send({ id, method, params }).pipe(
          Effect.zipRight(Deferred.await(answer)),
          Effect.onInterrupt(() => notify("$/cancel_request", { requestId: id })),
          Effect.ensuring(Effect.sync(() => waiting.delete(key))),
        )
      })
    const handlers = handlersOf({ request, notify })
    const working = yield* FiberSet.make<void>()
    const refuse = (id: Message.Id | null, { code, reason }: Refused) => send({ id, error: { code, message: reason } })

    const answer = (id: Message.Id, work: Effect.Effect<Json, Refused>) =>
      work.pipe(
        // A defect is this program's mistake; the editor still gets an answer.
        Effect.sandbox,
        Effect.flatMap((result) => send({ id, result })),
        Effect.catchAll((cause) =>
          Cause.isInterruptedOnly(cause) ? Effect.interrupt : refuse(id, failed(Cause.squash(cause))),
        ),
      )

    const take = (message: Message.Message): Effect.Effect<void> => {
      if (message.kind === "notification") return handlers.notification(message.method, message.params)
      if (message.kind === "response") {
        const found = waiting.get(Message.keyOf(message.id))
        if (found === undefined) return Effect.void
        return Effect.asVoid(
          message.error === undefined
            ? Deferred.succeed(found, message.result ?? null)
            : Deferred.fail(found, new EditorRefused({ method: "a request", reason: reasonIn(message.error) })),
        )
      }
      const { id, method, params } = message
      return Effect.gen(function* () {
        if ((yield* FiberSet.size(working)) >= MAX_REQUESTS) {
          return yield* refused("request", `Expected at most ${MAX_REQUESTS} requests without an answer, found more.`)
        }
        const work = yield* handlers.request(method, params)
        yield* FiberSet.run(working, answer(id, work))
      }).pipe(Effect.catchAll((error) => refuse(id, error)))
    }

    const read = ({ bytes, kind }: Lines.Piece): Effect.Effect<void> => {
      if (kind === "part") return Effect.void
      if (kind === "last") return refuse(null, refused("parse", TOO_LONG))
      if (bytes.toString("utf8").trim() === "") return Effect.void
      const message = Message.read(bytes)
      return message === undefined ? refuse(null, unreadable(bytes)) : take(message)
    }

    const lines = Lines.make()
    // A stream that breaks ends the connection, as its end does.
    yield* Stream.fromAsyncIterable(interruptible(from), (cause) => cause).pipe(
      Stream.runForEach((chunk) => Effect.forEach(lines.push(chunk), read, { discard: true })),
      Effect.ignore,
      Effect.raceFirst(Effect.flatten(Effect.promise(() => outlet.stuck))),
    )
  }).pipe(Effect.scoped)

/** A stream's own iterator returns only after its next chunk, which may never come: an interrupt would wait for it. */
const interruptible = (from: Readable): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]: () => {
    const chunks: AsyncIterator<Buffer> = from[Symbol.asyncIterator]()
    return {
      next: () => chunks.next(),
      return: async () => {
        from.destroy()
        return { done: true, value: undefined }
      },
    }
  },
})

const TOO_LONG = `Expected a message of at most ${Lines.MAX_LINE_BYTES / 1024 / 1024} MiB, found a longer one. Nothing of it was read.`

const unreadable = (line: Buffer): Refused => {
  try {
    JSON.parse(line.toString("utf8"))
    return refused("request", "Expected one JSON-RPC message a line, found other JSON.")
  } catch {
    return new Refused({
      code: CODES.parse,
      reason: "Expected one JSON-RPC message a line, found text that is no JSON.",
    })
  }
}

const reasonIn = (error: Json): string => {
  const { message } = asObject(error)
  return typeof message === "string" ? message : isObject(error) ? JSON.stringify(error) : String(error)
}
