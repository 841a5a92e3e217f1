/**
 * An ACP agent, version 1, over an agent of the kernel: a session is a task. An editor learns of an event only once
 * the log has it, so a killed agent loses nothing that it showed.
 */

import { Effect, Scope } from "effect"
import { newId } from "../../events/vocabulary/Event.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import { VERSION } from "../../kernel/versions.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { Unread } from "../Outlet.ts"
import * as EditorSession from "./EditorSession.ts"
import * as Params from "./Params.ts"
import * as Peer from "./Peer.ts"
import { failed, type Refused, refused } from "./Refused.ts"
import * as SessionList from "./SessionList.ts"
import type { Workbench } from "./Workbench.ts"

export interface AgentOptions {
  readonly streams: Peer.Streams
  /** The agent's name for people, such as its model. */
  readonly title: string
  /**
   * Starts the kernel for a project's directory, or returns the running one. Fails if it works in another directory, or
   * if another process works on the log.
   */
  readonly open: (cwd: string) => Effect.Effect<Workbench, Refused>
  /** The sessions of a directory's log, without starting its kernel. */
  readonly list: (cwd: string | undefined, cursor: string | undefined) => Effect.Effect<JsonObject, Refused>
}

/** Maximum number of sessions of a connection. */
const MAX_SESSIONS = 1_000

type Answer = Effect.Effect<Json, Refused>

/**
 * Serves an editor until it closes the connection. Open tasks then stay open in the log, with their questions, and a
 * later connection may load them.
 */
export const serve = ({ streams, title, open, list }: AgentOptions): Effect.Effect<void, Unread, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const sessions = new Map<string, EditorSession.EditorSession>()
    const benches = new Set<Workbench>()
    let isInitialized = false

    const handlers = (peer: Peer.Peer): Peer.Handlers => {
      const begin = (sessionId: string, origin: "new" | "recorded", bench: Workbench) =>
        Effect.gen(function* () {
          if (sessions.size >= MAX_SESSIONS) {
            return yield* refused("request", `Expected at most ${MAX_SESSIONS} sessions of a connection, found more.`)
          }
          const session = yield* EditorSession.make({ sessionId, origin, peer, bench }).pipe(
            Effect.provide(bench.services),
            Scope.extend(scope),
          )
          sessions.set(sessionId, session)
          return session
        })

      const bench = (cwd: string, mcpServers: ReadonlyArray<{ readonly name: string }> | null | undefined) =>
        Effect.gen(function* () {
          const unused = (mcpServers ?? []).map(({ name }) => name)
          if (unused.length > 0) yield* ProgramLog.warning(unusedServers(unused))
          const opened = yield* open(cwd)
          benches.add(opened)
          return opened
        })

      const loaded = (method: string, params: JsonObject) =>
        Effect.gen(function* () {
          const { sessionId, cwd, mcpServers } = yield* Params.decode(Params.LoadSession, method, params)
          const known = sessions.get(sessionId)
          if (known !== undefined) return known
          const opened = yield* bench(cwd, mcpServers)
          const isKnown = yield* SessionList.has(sessionId).pipe(
            Effect.provide(opened.services),
            Effect.mapError(failed),
          )
          return isKnown ? yield* begin(sessionId, "recorded", opened) : yield* unknown(sessionId)
        })

      const named = (method: string, params: JsonObject) =>
        Effect.flatMap(Params.decode(Params.OfSession, method, params), ({ sessionId }) =>
          Effect.fromNullable(sessions.get(sessionId)).pipe(Effect.mapError(() => unknown(sessionId))),
        )

      const methods: { readonly [method: string]: (params: JsonObject) => Effect.Effect<Answer, Refused> } = {
        initialize: (params) =>
          Effect.map(Params.decode(Params.Initialize, "initialize", params), () => {
            isInitialized = true
            return Effect.succeed(initialized(title))
          }),
        "session/new": (params) =>
          Effect.succeed(
            Effect.gen(function* () {
              const { cwd, mcpServers } = yield* Params.decode(Params.NewSession, "session/new", params)
              const sessionId = newId()
              yield* begin(sessionId, "new", yield* bench(cwd, mcpServers))
              return { sessionId }
            }),
          ),
        "session/load": (params) =>
          Effect.succeed(
            Effect.as(
              Effect.flatMap(loaded("session/load", params), ({ replay }) => replay),
              {},
            ),
          ),
        "session/resume": (params) => Effect.succeed(Effect.as(loaded("session/resume", params), {})),
        "session/list": (params) =>
          Effect.map(Params.decode(Params.ListSessions, "session/list", params), ({ cwd, cursor }) =>
            list(cwd ?? undefined, cursor ?? undefined),
          ),
        "session/prompt": (params) =>
          Effect.gen(function* () {
            const session = yield* named("session/prompt", params)
            const { prompt } = yield* Params.decode(Params.Prompt, "session/prompt", params)
            return Effect.map(yield* session.prompt(prompt), (stopReason) => ({ stopReason }))
          }),
        "session/close": (params) =>
          Effect.flatMap(named("session/close", params), ({ cancel }) => Effect.as(cancel, Effect.succeed({}))),
      }

      return {
        request: (method, params) => {
          const handle = Object.hasOwn(methods, method) ? methods[method] : undefined
          if (handle === undefined) return refused("method", `There is no method ${method.slice(0, MAX_SHOWN)} here.`)
          if (!isInitialized && method !== "initialize") {
            return refused("request", `Expected initialize before ${method}, found none.`)
          }
          return handle(params)
        },
        notification: (method, params) =>
          method === "session/cancel"
            ? Effect.ignore(Effect.flatMap(named(method, params), ({ cancel }) => cancel))
            : Effect.void,
      }
    }

    // Before the agents' fibers end: an interrupted agent would close its task.
    const suspend = Effect.suspend(() =>
      Effect.forEach(
        benches,
        ({ services }) =>
          Effect.provide(
            Effect.flatMap(Kernel, ({ tasks }) => tasks.suspend),
            services,
          ),
        {
          discard: true,
        },
      ),
    )
    yield* Effect.ensuring(Peer.serve(streams, handlers), suspend)
  })

const MAX_SHOWN = 100

const unknown = (sessionId: string) =>
  refused(
    "notFound",
    `Expected a session of this log, found none of the id ${sessionId.slice(0, MAX_SHOWN)}. A session without a prompt is not kept.`,
  )

const unusedServers = (names: ReadonlyArray<string>): string =>
  `The editor's MCP servers (${names.join(", ")}) are not used: the agent's tools are those of its plugins.`

const initialized = (title: string): JsonObject => ({
  protocolVersion: 1,
  agentInfo: { name: "hindcast", title, version: VERSION },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: true, embeddedContext: true },
    sessionCapabilities: { list: {}, resume: {}, close: {} },
  },
  authMethods: [],
})
