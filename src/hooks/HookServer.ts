/** Answers coding agents' hooks over HTTP on a socket, for this user's programs with its token. */

import type { IncomingMessage } from "node:http"
import { Effect, type Scope } from "effect"
import * as LoopbackServer from "../platform/loopback/LoopbackServer.ts"
import * as Messages from "../platform/loopback/Messages.ts"
import type { SocketUnavailable } from "../platform/loopback/PortUnavailable.ts"
import { refusal, shown } from "../platform/loopback/Refusal.ts"
import type { Json } from "../values/Json.ts"
import { isTooDeep } from "../values/Json.ts"
import * as Client from "./clients/Client.ts"
import * as Clients from "./clients/Clients.ts"
import { isGate } from "./clients/Gates.ts"
import type { Sessions } from "./Sessions.ts"

export interface Serving {
  readonly sessions: Sessions
  readonly token: string
  readonly socket: string
  readonly onRequest?: () => void
}

/** Maximum body in bytes: a 3 MB file that an agent writes comes twice, and once more with its earlier content. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

export const pathOf = (client: string): string => `/hooks/${client}`

/** For the request only: a person may think as long as the client waits. */
const TIMEOUTS = { requestMs: 60_000 }

/** Serves until the scope closes. */
export const serve = ({
  sessions,
  token,
  socket,
  onRequest = () => {},
}: Serving): Effect.Effect<void, SocketUnavailable, Scope.Scope> =>
  LoopbackServer.serveSocket(socket, {
    name: "the hook server",
    token,
    statusOf: () => 500,
    timeouts: TIMEOUTS,
    answer: ({ request, response, path }) =>
      Effect.gen(function* () {
        onRequest()
        const name = path.startsWith("/hooks/") ? path.slice("/hooks/".length) : undefined
        const client = name === undefined ? undefined : Clients.named(name)
        if (client === undefined) {
          const expected = Clients.all.map((one) => pathOf(one.name)).join(", ")
          return yield* Effect.fail(refusal(404, "UnknownClient", expected, shown(path)))
        }
        if (request.method !== "POST")
          return yield* Effect.fail(refusal(405, "WrongMethod", "POST", shown(request.method ?? "")))
        const payload = yield* payloadOf(request)
        return yield* Messages.answer(
          response,
          200,
          yield* Effect.promise((left) => answerOf(sessions, client, payload, left)),
        )
      }),
  })

/**
 * Answers a payload. Refuses a waiting tool if it cannot read or record the payload: an agent must not run unrecorded
 * calls.
 *
 * @param left aborts when the client no longer waits for the answer
 */
const answerOf = async (
  sessions: Sessions,
  client: Client.Client,
  payload: Json,
  left: AbortSignal,
): Promise<Client.Answer> => {
  const hookEvent = client.read(payload)
  if (hookEvent === undefined) {
    return Client.refusal(`Hindcast cannot read this call of ${client.title}'s hook, so it is refused`)
  }
  try {
    return client.answer(hookEvent.event, await sessions.take(client, hookEvent, left))
  } catch (error) {
    const reason = `Hindcast could not record this: ${error instanceof Error ? error.message : String(error)}`
    return isGate(hookEvent.event) ? Client.refusal(reason) : { stdout: "", stderr: `${reason}\n`, exitCode: 1 }
  }
}

const payloadOf = (request: IncomingMessage) =>
  Effect.flatMap(
    Effect.tryPromise({
      try: async () => {
        const pieces: Array<Buffer> = []
        let size = 0
        for await (const piece of request) {
          size += piece.length
          if (size <= MAX_BODY_BYTES) pieces.push(piece)
        }
        return size > MAX_BODY_BYTES ? undefined : Buffer.concat(pieces)
      },
      catch: () => refusal(400, "InvalidBody", "a complete body", "a truncated one"),
    }),
    (bytes) => {
      if (bytes === undefined)
        return Effect.fail(refusal(413, "BodyTooLarge", `at most ${MAX_BODY_BYTES} bytes`, "more"))
      try {
        const payload: Json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
        return isTooDeep(payload)
          ? Effect.fail(refusal(400, "InvalidBody", "JSON with fewer levels of nesting", "more"))
          : Effect.succeed(payload)
      } catch {
        return Effect.fail(refusal(400, "InvalidBody", "JSON in UTF-8", "something else"))
      }
    },
  )
