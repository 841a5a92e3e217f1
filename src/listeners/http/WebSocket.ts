/** Listeners that take WebSockets: each message is a signal, and gets an answer. */

import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Effect, Either, FiberSet, Schema } from "effect"
import { tokenRefusalOf } from "../../platform/loopback/Access.ts"
import * as WebSockets from "../../platform/loopback/WebSockets.ts"
import { Json, parseJson } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { type Listener, ListenerName } from "../Listener.ts"
import type { Received, ReceiveError, Signal } from "../Signal.ts"
import { hosted } from "./HostedContext.ts"
import { RoutePath } from "./HttpHost.ts"

/** Options of `webSocket`. */
export interface WebSocketOptions {
  readonly name: string
  /** Default: `/` and the name. */
  readonly path?: string
  /** The clients show it as `Authorization: Bearer …`. At least 16 characters. Default: none, which only the loopback allows. */
  readonly token?: string
  /** The longest message, in bytes. A longer one ends the connection (1009). Default: 1 MiB. */
  readonly maxBytes?: number
}

/** Schema of `WebSocketOptions`. No message about a wrong token shows it. */
export const WebSocketOptions = Options.checking(
  Options.of<WebSocketOptions>({
    required: { name: ListenerName },
    optional: {
      path: RoutePath,
      token: Schema.String,
      maxBytes: Options.wholeNumber(1, WebSockets.MAX_MESSAGE_BYTES),
    },
  }),
  (value) => {
    const token: unknown = Reflect.get(Object(value), "token")
    return typeof token !== "string" || /^[\x21-\x7e]{16,}$/.test(token) ? [] : [BAD_TOKEN]
  },
)

const BAD_TOKEN = {
  keys: ["token"],
  expected: "at least 16 printable ASCII characters without spaces",
  found: "other text (not shown)",
}

const DEFAULT_MAX_BYTES = 1024 * 1024

const Message = Options.of<Pick<Signal, "content" | "id">>({
  required: { content: Json },
  optional: { id: Schema.String },
})

/**
 * A listener for WebSockets. A message is JSON, `{ content, id? }`. The answer is `{ id, position, duplicate }` once the
 * signal is on the disk, or `{ error, message }`; the next message is read after it. Throws `InvalidOptions`.
 */
export const webSocket = (input: WebSocketOptions): Listener => {
  const options = Either.getOrThrowWith(
    Options.decode("Listener.webSocket", WebSocketOptions, input),
    (invalid) => invalid,
  )
  const { name, path = `/${name}`, token, maxBytes = DEFAULT_MAX_BYTES } = options
  return {
    name,
    kind: "websocket",
    usesPort: true,
    onStart: (context) =>
      Effect.gen(function* () {
        const runFork = yield* FiberSet.makeRuntime<never>()
        const open = new Set<WebSockets.WebSocketConnection>()
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            for (const connection of open) connection.close(GOING_AWAY)
          }),
        )
        const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
          if (token !== undefined && tokenRefusalOf(request.headers, token) !== undefined) {
            return WebSockets.refuse(socket, "401 Unauthorized", "www-authenticate: Bearer\r\n")
          }
          const onText = (text: string) => {
            connection?.pause()
            const answering = Effect.map(answerTo(context.emitInput, text), (answer) => {
              connection?.send(JSON.stringify(answer))
              connection?.resume()
            })
            runFork(answering)
          }
          const onEnd = () => void (connection !== undefined && open.delete(connection))
          const connection = WebSockets.accept(request, socket, head, { onText, onEnd }, maxBytes)
          if (connection !== undefined) open.add(connection)
        }
        yield* hosted(context).serve({ path, isSigned: token !== undefined, upgrade })
      }),
  }
}

/** The server ends (RFC 6455 §7.4.1). */
const GOING_AWAY = 1001

interface Problem {
  readonly error: string
  readonly message: string
}

const answerTo = (
  emitInput: (signal: Signal) => Effect.Effect<Received, ReceiveError>,
  text: string,
): Effect.Effect<Received | Problem> =>
  Effect.try({ try: () => parseJson(text), catch: () => NOT_JSON }).pipe(
    Effect.flatMap((json) => Options.decode("a message", Message, json)),
    Effect.flatMap(emitInput),
    Effect.catchAll((error) =>
      Effect.succeed("error" in error ? error : { error: error._tag, message: error.message }),
    ),
    Effect.catchAllDefect(() => Effect.succeed({ error: "Defect", message: "The signal could not be received." })),
  )

const NOT_JSON: Problem = { error: "InvalidMessage", message: "Expected a message that is JSON, found other text." }
