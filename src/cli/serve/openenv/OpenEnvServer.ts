/**
 * Serves a world to clients of OpenEnv: sessions over WebSocket at `/ws`, each with an environment of its own, and the
 * paths of HTTP, where every request gets a new one.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { Effect, Either, FiberSet, Schema, type Scope } from "effect"
import { siteRefusalOf } from "../../../platform/loopback/Access.ts"
import * as LoopbackServer from "../../../platform/loopback/LoopbackServer.ts"
import * as Answers from "../../../platform/loopback/Messages.ts"
import { type Failure, only, type Refusal, refuse, shown } from "../../../platform/loopback/Refusal.ts"
import * as WebSockets from "../../../platform/loopback/WebSockets.ts"
import type { JsonObject } from "../../../values/Json.ts"
import type { World } from "../../../worlds/handle/World.ts"
import { BadInput } from "../../command/BadInput.ts"
import * as ProtocolStreams from "../../command/ProtocolStreams.ts"
import * as OpenedWorlds from "../OpenedWorlds.ts"
import * as Messages from "./Messages.ts"
import * as OpenEnvSession from "./OpenEnvSession.ts"

/**
 * Serves until the scope closes, which ends the episodes of all sessions. Returns the port. Fails with `PortUnavailable`, and
 * as the opening of the world does.
 */
export const serve = (served: OpenEnvSession.Served, wanted: number): Effect.Effect<number, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const worlds = yield* OpenedWorlds.make
    // One that stays open keeps the log's kernel, and shows at once what is wrong with the world.
    const { world } = yield* worlds.open(served)
    if (world.mode() !== "single") {
      const expected = "a world for one agent"
      return yield* new BadInput({ input: "--openenv", expected, found: `${world.name}, for several` })
    }
    const runFork = yield* FiberSet.makeRuntime<never>()
    const open = new Set<WebSockets.WebSocketConnection>()
    let isClosing = false
    let port = wanted
    const upgraded = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (isClosing) return WebSockets.refuse(socket, "503 Service Unavailable")
      if (siteRefusalOf(request.headers, port) !== undefined) return WebSockets.refuse(socket, "403 Forbidden")
      if (request.url?.split("?")[0] !== "/ws") return WebSockets.refuse(socket, "404 Not Found")
      let waiting: string | undefined
      let wake: () => void = () => {}
      let isOver = false
      const connection = WebSockets.accept(request, socket, head, {
        onText: (text) => {
          waiting = text
          // One message waits at most; pings are answered until then.
          connection?.pause()
          wake()
        },
        onEnd: () => {
          isOver = true
          wake()
        },
      })
      if (connection === undefined) return
      open.add(connection)
      const taken = () => {
        const text = waiting
        waiting = undefined
        wake = () => {}
        connection.resume()
        return text
      }
      const next = Effect.async<string | undefined>((resume) => {
        wake = () => {
          if (isOver) resume(Effect.succeed(undefined))
          else if (waiting !== undefined) resume(Effect.sync(taken))
        }
        wake()
      })
      runFork(
        session(connection, next, OpenEnvSession.open(worlds, served)).pipe(
          Effect.ensuring(Effect.sync(() => open.delete(connection))),
        ),
      )
    }
    port = yield* LoopbackServer.serve({
      name: "OpenEnv",
      token: undefined,
      port: wanted,
      statusOf: () => 500,
      answer: answer(world, OpenEnvSession.open(worlds, served)),
      onUpgrade: upgraded,
    })
    // Precedes the end of the server, which waits for all connections.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosing = true
        for (const connection of open) connection.close(GOING_AWAY)
      }),
    )
    return port
  })

const [GOING_AWAY, INTERNAL_ERROR] = [1001, 1011]

const session = (
  connection: WebSockets.WebSocketConnection,
  next: Effect.Effect<string | undefined>,
  opening: Effect.Effect<OpenEnvSession.OpenEnvSession, Messages.Problem>,
): Effect.Effect<void> => {
  const send = (type: string, data: object) => connection.send(JSON.stringify({ type, data }))
  return Effect.acquireUseRelease(
    opening,
    (opened) =>
      Effect.gen(function* () {
        for (;;) {
          const text = yield* next
          if (text === undefined) return
          const decoded = Messages.decode(text)
          if (Either.isLeft(decoded)) {
            send("error", decoded.left)
            continue
          }
          const message = decoded.right
          if (message.type === "close") return
          const answered = yield* Effect.either(answerOf(opened, message))
          if (Either.isLeft(answered)) send("error", answered.left)
          else send(...answered.right)
        }
      }),
    ({ close }) => close,
  ).pipe(
    // No environment: the client gets one message that says why.
    Effect.catchAll((problem) => Effect.sync(() => send("error", problem))),
    Effect.catchAllDefect((defect) =>
      Effect.sync(() => {
        const message = defect instanceof Error ? defect.message : String(defect)
        ProtocolStreams.remark(`a session ended by an error of Hindcast: ${message}`)
        send("error", { code: "EXECUTION_ERROR", message })
        connection.close(INTERNAL_ERROR)
      }),
    ),
    Effect.ensuring(Effect.sync(() => connection.close())),
  )
}

const answerOf = (
  opened: OpenEnvSession.OpenEnvSession,
  message: Exclude<Messages.Message, { readonly type: "close" }>,
): Effect.Effect<readonly [type: string, data: JsonObject], Messages.Problem> => {
  const observed = (data: JsonObject) => ["observation", data] as const
  switch (message.type) {
    case "reset":
      return Effect.map(opened.reset(message.data ?? {}), observed)
    case "step":
      return Effect.map(opened.step(message.data), observed)
    case "mcp":
      return Effect.succeed(["mcp", Messages.noMcp(message.data)])
    default:
      return Effect.sync(() => ["state", opened.state()])
  }
}

const answer =
  (world: World, opening: Effect.Effect<OpenEnvSession.OpenEnvSession, Messages.Problem>) =>
  ({ request, response, path }: LoopbackServer.Exchange): Effect.Effect<void, Failure> => {
    const get = (body: Effect.Effect<object, Failure>) =>
      only(
        "GET",
        request.method,
        Effect.flatMap(body, (body) => Answers.answer(response, 200, body)),
      )
    const post = (body: Effect.Effect<object, Failure>) =>
      only(
        "POST",
        request.method,
        Effect.flatMap(body, (body) => Answers.answer(response, 200, body)),
      )
    const { info } = world
    switch (path) {
      case "/health":
        return get(Effect.succeed({ status: "healthy" }))
      case "/metadata":
        return get(
          Effect.sync(() => ({
            name: world.name,
            description: info.description === "" ? info.name : info.description,
            readme_content: null,
            version: info.version,
            author: null,
            documentation_url: null,
          })),
        )
      case "/schema":
        return get(Effect.sync(() => Messages.schemas(world.spaces())))
      case "/openapi.json":
        return get(Effect.succeed(Messages.openApi(info.name, info.version)))
      case "/list_environments":
        return get(Effect.succeed([world.name]))
      case "/state":
        return get(Effect.succeed({ episode_id: null, step_count: 0 }))
      case "/reset":
        return post(
          Effect.flatMap(bodyOr({}, request, Messages.Reset), (given) =>
            inNew(opening, (opened) => opened.reset(given)),
          ),
        )
      case "/step":
        return post(
          Effect.flatMap(bodyOf(request, Messages.Step), ({ action }) =>
            inNew(opening, (opened) => Effect.zipRight(opened.reset({}), opened.step(action))),
          ),
        )
      case "/mcp":
        return post(Effect.map(bodyOf(request, Schema.Unknown), Messages.noMcp))
      default:
        return refuse(404, "NotFound", "a path of OpenEnv", shown(path))
    }
  }

/** As in OpenEnv, a request without a session has an environment of its own. */
const inNew = (
  opening: Effect.Effect<OpenEnvSession.OpenEnvSession, Messages.Problem>,
  use: (opened: OpenEnvSession.OpenEnvSession) => Effect.Effect<JsonObject, Messages.Problem>,
): Effect.Effect<JsonObject, Failure> =>
  Effect.acquireUseRelease(opening, use, ({ close }) => close).pipe(
    Effect.mapError(
      ({ code, message }): Failure => (code === "VALIDATION_ERROR" ? invalid(message) : { _tag: code, message }),
    ),
  )

const invalid = (found: string): Refusal => ({
  status: 422,
  error: "VALIDATION_ERROR",
  expected: "a valid body",
  found,
})

/** As in OpenEnv, fields that nobody reads are dropped, and an invalid body is 422. */
const bodyOf = <A, I>(request: IncomingMessage, schema: Schema.Schema<A, I>): Effect.Effect<A, Refusal> =>
  Effect.flatMap(Answers.bodyOf(request, Schema.Unknown), (given) =>
    Effect.mapError(Schema.decodeUnknown(schema)(given), (error) => invalid(Messages.mistakesIn(error))),
  ).pipe(Effect.mapError((refused) => (refused.error === "InvalidBody" ? { ...refused, status: 422 } : refused)))

const bodyOr = <A, I>(none: A, request: IncomingMessage, schema: Schema.Schema<A, I>): Effect.Effect<A, Refusal> =>
  request.headers["content-type"] === undefined && (request.headers["content-length"] ?? "0") === "0"
    ? Effect.succeed(none)
    : bodyOf(request, schema)
