/** Starts or reaches an MCP server, and opens a session with it. Closing the scope ends both. */
import { Deferred, Effect, type Scope } from "effect"
import type { JsonObject } from "../../values/Json.ts"
import type { EventRecorder } from "../channel/EventRecorder.ts"
import { environment } from "../hostapi/run.ts"
import type { Grants } from "../manifest/Grants.ts"
import { PluginFailedToLoad, PluginUnavailable } from "../PluginError.ts"
import { type ChildExit, spawnScoped } from "../sandbox/Child.ts"
import type { CommandLine } from "../sandbox/Sandbox.ts"
import { onPath } from "../sandbox/Tools.ts"
import * as ChildTransport from "./ChildTransport.ts"
import type { ElicitationAnswer } from "./Elicitation.ts"
import * as GrantedFetch from "./GrantedFetch.ts"
import * as ServerEntry from "./ServerEntry.ts"
import * as ServerHeaders from "./ServerHeaders.ts"
import * as ServerSession from "./ServerSession.ts"

export interface Connection {
  readonly session: ServerSession.ServerSession
  /** The server's process; the host's own if the server is elsewhere. */
  readonly pid: number
  readonly hasEnded: Effect.Effect<boolean>
  /** Ends the server, or the session if the server is elsewhere. */
  readonly kill: (reason: string) => void
}

export interface ConnectionInput {
  readonly plugin: string
  readonly server: ServerEntry.Server
  readonly grants: Grants
  /** The working directory of a local server. An absolute, real path. */
  readonly workspace: string
  /** Confines a local server. */
  readonly confine: (commandLine: CommandLine, cwd: string) => CommandLine
  readonly recorder: EventRecorder
  /** Time to start and to answer the handshake, in milliseconds. */
  readonly handshakeMs: number
  /** Wait after each step of stopping, in milliseconds. */
  readonly stopMs: number
  readonly outputBytesPerSecond: number
  /** Called once, at the end of the server. */
  readonly onExit: (exit: ChildExit) => void
  readonly onToolsChanged: () => void
  readonly onElicitation: (params: JsonObject) => Promise<ElicitationAnswer>
}

type ConnectionError = PluginUnavailable | PluginFailedToLoad

export const open = (input: ConnectionInput): Effect.Effect<Connection, ConnectionError, Scope.Scope> =>
  ServerEntry.isLocal(input.server) ? openLocal(input, input.server) : openRemote(input, input.server)

const openLocal = (
  input: ConnectionInput,
  { command, args }: ServerEntry.LocalServer,
): Effect.Effect<Connection, ConnectionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { plugin, grants, workspace, recorder, outputBytesPerSecond, stopMs } = input
    const unavailable = (reason: string) => new PluginUnavailable({ plugin, reason })
    if (!grants.runAny && !grants.run.includes(command)) {
      return yield* unavailable(`expected a grant to run ${command}, found none`)
    }
    const found = command.includes("/") ? command : onPath(command)
    if (found === undefined) return yield* unavailable(`expected ${command} on the PATH, found no such program`)
    const line = yield* Effect.try({
      try: () => input.confine({ command: found, args }, workspace),
      catch: (cause) => unavailable(`it cannot be confined: ${cause instanceof Error ? cause.message : String(cause)}`),
    })
    const exited = yield* Deferred.make<ChildExit>()
    const end = endOnce(input, exited)
    const { child, attached } = yield* spawnScoped(
      { ...line, env: { ...granted(grants), ...environment() }, cwd: workspace },
      (child) => ChildTransport.attach({ recorder, outputBytesPerSecond, onExit: end }, child),
      { lastInput: "", stopMs },
    ).pipe(Effect.mapError((reason) => unavailable(`it cannot be spawned: ${reason}`)))
    const failed = (reason: string) => new PluginFailedToLoad({ plugin, reason, stderr: attached.stderr() })
    const ended = Effect.flatMap(Deferred.await(exited), ({ code, signal, reason }) => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`
      return failed(`its process ended ${how} before it was ready${reason === undefined ? "" : `: ${reason}`}`)
    })
    const session = yield* Effect.raceFirst(ended, sessionOf(input, attached.transport, failed))
    return { session, pid: child.pid, hasEnded: Deferred.isDone(exited), kill: child.kill }
  })

const openRemote = (
  input: ConnectionInput,
  { url, headers: variables = {} }: ServerEntry.RemoteServer,
): Effect.Effect<Connection, ConnectionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { plugin, grants } = input
    const host = GrantedFetch.hostOf(url)
    if (host === undefined || !grants.net.includes(host)) {
      const reason = `expected a grant to reach the host of ${url}, found ${grants.net.join(", ") || "none"}`
      return yield* new PluginUnavailable({ plugin, reason })
    }
    const refused = ServerHeaders.refusalOf(new URL(url), Object.keys(variables))
    if (refused !== undefined) {
      const reason = `its headers are not sent: expected ${refused.expected}, found ${refused.found}`
      return yield* new PluginUnavailable({ plugin, reason })
    }
    const values = granted(grants)
    const missing = Object.values(variables).find((name) => values[name] === undefined)
    if (missing !== undefined) {
      const found = grants.env.includes(missing) ? "none in the environment" : "no grant to read it"
      const reason = `expected the variable ${missing} with the value of a header, found ${found}`
      return yield* new PluginUnavailable({ plugin, reason })
    }
    const headers = Object.fromEntries(Object.entries(variables).map(([name, from]) => [name, values[from] ?? ""]))
    const exited = yield* Deferred.make<ChildExit>()
    const failed = (reason: string) => new PluginFailedToLoad({ plugin, reason, stderr: [] })
    const endFor = endOnce(input, exited)
    const end = (reason: string) => endFor({ code: null, signal: null, reason })
    const transport = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const { StreamableHTTPClientTransport } = await ServerSession.sdk()
          return new StreamableHTTPClientTransport(new URL(url), {
            fetch: GrantedFetch.make(grants.net),
            requestInit: { headers },
          })
        },
        catch: (cause) => failed(cause instanceof Error ? cause.message : String(cause)),
      }),
      // Ending a session that has ended fails, and nothing is left to end.
      (open) => Effect.ignore(Effect.tryPromise(() => open.close())),
    )
    const session = yield* sessionOf(input, transport, failed)
    yield* Effect.addFinalizer(() => Effect.sync(() => end("stopped")))
    const kill = (reason: string) => {
      end(reason)
      session.close().catch(() => {})
    }
    return { session, pid: process.pid, hasEnded: Deferred.isDone(exited), kill }
  })

const endOnce =
  ({ onExit }: ConnectionInput, exited: Deferred.Deferred<ChildExit>) =>
  (exit: ChildExit): void => {
    if (Effect.runSync(Deferred.isDone(exited))) return
    Deferred.unsafeDone(exited, Effect.succeed(exit))
    onExit(exit)
  }

const sessionOf = (
  { handshakeMs, onToolsChanged, onElicitation }: ConnectionInput,
  transport: Parameters<typeof ServerSession.open>[0]["transport"],
  failed: (reason: string) => PluginFailedToLoad,
) =>
  Effect.tryPromise({
    try: () => ServerSession.open({ transport, timeoutMs: handshakeMs, onToolsChanged, onElicitation }),
    catch: (cause) => failed(`expected an MCP server, found ${cause instanceof Error ? cause.message : String(cause)}`),
  }).pipe(
    Effect.timeoutFail({
      duration: handshakeMs,
      onTimeout: () => failed(`it was not ready within ${handshakeMs} ms`),
    }),
  )

/** The granted variables of the host's environment. */
const granted = ({ env }: Grants): { readonly [name: string]: string } =>
  Object.fromEntries(
    env.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
