/**
 * Serves channels over HTTP on the loopback: server-sent events for front ends, and inputs as JSON. Every request
 * carries the server's token.
 */

import { Context, Effect, Layer, Schema, type Scope, Stream } from "effect"
import { EventLog, type LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import { InputDelivery } from "../../events/vocabulary/Deciding.ts"
import { Sha256 } from "../../events/vocabulary/EventType.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { Confirmations } from "../../kernel/gate/Confirmations.ts"
import { newToken } from "../../platform/loopback/Access.ts"
import * as LoopbackServer from "../../platform/loopback/LoopbackServer.ts"
import * as Messages from "../../platform/loopback/Messages.ts"
import type { PortUnavailable } from "../../platform/loopback/PortUnavailable.ts"
import { only, type Refusal, refusal, refuse } from "../../platform/loopback/Refusal.ts"
import * as ServerSentEvents from "../../platform/loopback/ServerSentEvents.ts"
import { defined } from "../../values/defined.ts"
import * as Options from "../../values/Options.ts"
import { ContentPart } from "../models/Message.ts"
import * as Channel from "./Channel.ts"
import * as Deltas from "./Deltas.ts"

/** Options of `serve` and `layer`. */
export interface ServeOptions {
  /** Default: a free port. */
  readonly port?: number
  /** Each request's token, at least 16 characters. Default: 256 random bits. */
  readonly token?: string
  /** The person behind inputs and answers: the actor is `human:<by>`. Default: `channel`. */
  readonly by?: string
  /** Streams answers. Default: none. */
  readonly deltas?: Deltas.Deltas
  /** Milliseconds between heartbeats of a connection. Default: 15 s. */
  readonly heartbeatMs?: number
}

const ServeOptions = Options.of<ServeOptions>({
  optional: {
    port: Options.wholeNumber(0, 65_535),
    token: Schema.String.pipe(
      Schema.pattern(/^[\x21-\x7e]{16,}$/),
      Schema.annotations({ description: "at least 16 printable ASCII characters without spaces" }),
    ),
    by: Options.Name,
    deltas: Options.kind<Deltas.Deltas>("a hub of `Deltas.make`", Options.has("piecesOf", "listen")),
    heartbeatMs: Options.Milliseconds,
  },
})

/** A running server. */
export interface Served {
  /** Such as `http://127.0.0.1:40213`. */
  readonly url: string
  readonly port: number
  /** Keep it secret: its holder may answer questions. */
  readonly token: string
}

const DEFAULT_HEARTBEAT_MS = 15_000

/**
 * Serves the tasks of the log until the scope closes. Listens on 127.0.0.1 only.
 *
 * - `GET /tasks`: the tasks, newest last
 * - `GET /tasks/:id/events`: server-sent events of a task; `Last-Event-ID` or `?after=` resumes after a cursor or a
 *   position, `?timeline=` selects a fork
 * - `POST /tasks/:id/input`: `{ content, delivery?, timeline? }`
 * - `POST /confirmations/:id`: `{ approved, shownDigest?, reason? }`; an approval needs the digest
 */
export const serve = (
  options: ServeOptions = {},
): Effect.Effect<Served, Options.InvalidOptions | PortUnavailable, EventLog | Confirmations | Scope.Scope> =>
  Effect.gen(function* () {
    const decoded = yield* Options.decode("Channel.serve", ServeOptions, options)
    const { port: wanted = 0, by = "channel", heartbeatMs = DEFAULT_HEARTBEAT_MS } = decoded
    const token = decoded.token ?? newToken()
    const deltas = decoded.deltas ?? Deltas.make()
    const port = yield* LoopbackServer.serve({
      name: "the channel",
      port: wanted,
      token,
      statusOf: (tag) => STATUS[tag] ?? 500,
      answer: (exchange) => route({ ...exchange, by, deltas, heartbeatMs }),
    })
    return { url: `http://127.0.0.1:${port}`, port, token }
  })

/** The running server of `layer`. */
export class Server extends Context.Tag("hindcast/Channel/Server")<Server, Served>() {}

/**
 * Serves the tasks of the context's log, like `serve`, until the layer's scope closes.
 *
 * @example Layer.provideMerge(Channel.layer({ by: "ada" }), Hindcast.layer({ log: "agent.db" }))
 */
export const layer = (
  options: ServeOptions = {},
): Layer.Layer<Server, Options.InvalidOptions | PortUnavailable, EventLog | Confirmations> =>
  Layer.scoped(Server, serve(options))

interface Exchange extends LoopbackServer.Exchange {
  readonly by: string
  readonly deltas: Deltas.Deltas
  readonly heartbeatMs: number
}

const STATUS: { readonly [tag: string]: number } = {
  InvalidOptions: 400,
  InvalidEvent: 400,
  TaskNotFound: 404,
  TimelineNotFound: 404,
  TaskClosed: 409,
  NotPending: 409,
  NotAsShown: 409,
  LogBusy: 503,
  DiskFull: 507,
}

const route = (exchange: Exchange) =>
  Effect.gen(function* () {
    const { request, path, parameters } = exchange
    const [family, id, what, ...more] = path.split("/").slice(1)
    if (more.length === 0 && family === "tasks") {
      if (id === undefined) return yield* only("GET", request.method, listTasks(exchange))
      const taskId = decoded(id)
      if (what === "events") return yield* only("GET", request.method, tellEvents(exchange, taskId, parameters))
      if (what === "input") return yield* only("POST", request.method, takeInput(exchange, taskId))
    }
    if (family === "confirmations" && id !== undefined && what === undefined) {
      return yield* only("POST", request.method, takeAnswer(exchange, decoded(id)))
    }
    return yield* refuse(404, "NotFound", PATHS, `${request.method} ${path}`.slice(0, MAX_SHOWN))
  })

const PATHS = "GET /tasks, GET /tasks/:id/events, POST /tasks/:id/input or POST /confirmations/:id"

const MAX_SHOWN = 200

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const listTasks = ({ response }: Exchange) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const tasks = new Map<string, { taskId: string; goal: string; agent: string; outcome: string | null }>()
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, types: ["TaskOpened", "TaskClosed"] }, (page) => {
      for (const event of page) {
        const { taskId } = event
        if (taskId === null) continue
        if (is(event, "TaskOpened")) {
          const { goal, agent } = event.payload
          tasks.set(taskId, { taskId, goal, agent, outcome: null })
        } else if (is(event, "TaskClosed")) {
          const task = tasks.get(taskId)
          if (task !== undefined) task.outcome = event.payload.outcome
        }
      }
    })
    yield* Messages.answer(response, 200, { tasks: [...tasks.values()] })
  })

const tellEvents = ({ request, response, deltas, heartbeatMs }: Exchange, taskId: string, query: URLSearchParams) =>
  Effect.gen(function* () {
    const timeline = query.get("timeline")
    const channel = yield* Channel.make({ taskId, deltas, ...(timeline === null ? {} : { timeline }) })
    const last = request.headers["last-event-id"]
    const after = typeof last === "string" && last !== "" ? last : (query.get("after") ?? 0)
    yield* Channel.checkedCursor(after)
    const events = Stream.map(channel.events({ after }), (event) => ({
      id: event.cursor,
      type: event.type,
      data: event,
    }))
    yield* ServerSentEvents.write(response, events, heartbeatMs)
  })

const InputBody = Schema.Struct({
  content: Schema.Union(Schema.String, Schema.Array(ContentPart)),
  delivery: Schema.optionalWith(InputDelivery, { exact: true }),
  timeline: Schema.optionalWith(Schema.String, { exact: true }),
}).annotations({ [Messages.FORM]: "{ content, delivery?, timeline? }" })

const takeInput = ({ request, response, by }: Exchange, taskId: string) =>
  Effect.gen(function* () {
    const { content, delivery, timeline } = yield* Messages.bodyOf(request, InputBody)
    const channel = yield* Channel.make({ taskId, by, ...defined({ timeline }) })
    const { position } = yield* channel.submitUserInput(content, {
      source: "http",
      ...defined({ delivery }),
    })
    yield* Messages.answer(response, 202, { position })
  })

const AnswerBody = Schema.Struct({
  approved: Schema.Boolean,
  shownDigest: Schema.optionalWith(Sha256, { exact: true }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
}).annotations({ [Messages.FORM]: "{ approved, shownDigest?, reason? }" })

const takeAnswer = ({ request, response, by }: Exchange, confirmationId: string) =>
  Effect.gen(function* () {
    const { approved, ...answer } = yield* Messages.bodyOf(request, AnswerBody)
    if (approved && answer.shownDigest === undefined) {
      return yield* refuse(400, "InvalidBody", "the digest of what was shown, with an approval", "none")
    }
    const { decide } = yield* Confirmations
    const { position } = yield* decide(confirmationId, { approved, by, channel: "http", ...answer }).pipe(
      Effect.catchTag("NotPending", (failure) =>
        Effect.flatMap(endOf(confirmationId), (refused) => Effect.fail(refused ?? failure)),
      ),
    )
    yield* Messages.answer(response, 200, { position })
  })

const endOf = (confirmationId: string): Effect.Effect<Refusal | undefined, LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [asked, last] = yield* log.readPage({ stream: `confirmation/${confirmationId}` }, 2)
    if (asked === undefined) return refusal(404, "NotFound", "a confirmation that was asked for", "none of this id")
    if (last === undefined || !is(last, "ConfirmationDecided")) return undefined
    const { approved, by } = last.payload
    const found = `one that was already ${approved ? "approved" : "rejected"} by ${by} (@${last.position})`
    return refusal(409, "NotPending", "a confirmation that waits", found)
  })
