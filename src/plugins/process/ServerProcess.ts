/** A plugin that is an MCP server, as a process of a plugin: the host's calls become calls of the server. */
import { Deferred, Effect, FiberSet, type Scope } from "effect"
import { birthOf } from "../../platform/ProcessIdentity.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import * as UserStore from "../../platform/user/UserStore.ts"
import * as Calls from "../channel/Calls.ts"
import * as EventRecorder from "../channel/EventRecorder.ts"
import type { OpenCall } from "../channel/OpenCall.ts"
import { OUTPUT_BYTES_PER_SECOND } from "../channel/OutputThrottle.ts"
import type { ProcessExit } from "../channel/Session.ts"
import { NO_GRANTS } from "../manifest/Grants.ts"
import * as Bridge from "../mcp/Bridge.ts"
import * as Connection from "../mcp/Connection.ts"
import * as ElicitationRequests from "../mcp/ElicitationRequests.ts"
import * as Listing from "../mcp/Listing.ts"
import * as ServerEntry from "../mcp/ServerEntry.ts"
import * as WatchedTools from "../mcp/WatchedTools.ts"
import { PluginFailedToLoad, PluginUnavailable } from "../PluginError.ts"
import type { Child, ChildExit } from "../sandbox/Child.ts"
import { limitsOf } from "../sandbox/Limits.ts"
import { tierOf } from "../sandbox/layers/Layer.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import * as ComponentSchemas from "../schemas/ComponentSchemas.ts"
import * as Components from "./Components.ts"
import type { PluginProcess } from "./PluginProcess.ts"
import type { ProcessSpec } from "./ProcessSpec.ts"
import { validatorsOf } from "./validatingCalls.ts"

/** From starting to the handshake, in milliseconds: `npx` may fetch the server first. */
export const HANDSHAKE_MS = 60_000

const STOP_MS = 2_000
const CALL_MS = 60_000
const CANCEL_MS = 1_000

/**
 * Starts or reaches the server, and compares its tools with those of the import. Closing the scope stops the server and
 * waits until the log has its events.
 *
 * @param confining undefined for a server at a URL
 */
export const make = (
  spec: ProcessSpec,
  confining: Sandbox.AvailableLayer | undefined,
): Effect.Effect<PluginProcess, PluginUnavailable | PluginFailedToLoad, Scope.Scope> =>
  Effect.gen(function* () {
    const { manifest, instance, directory, workspace, grants, record, limits, ask } = spec
    const plugin = manifest.name
    yield* ComponentSchemas.load
    const entry = yield* ServerEntry.read(plugin, directory, manifest.entry)
    const recorder = yield* EventRecorder.make(plugin, record, limits?.logLinesPerSecond)
    const fork = yield* FiberSet.makeRuntime<never>()
    const log = (message: string) => recorder.log("warn", message)
    const forbidden = yield* forbiddenTo(spec)
    /** Set when the server is ready; it says nothing of calls before. */
    const later: Later = {}
    const connection = yield* Connection.open({
      plugin,
      server: entry.server,
      grants,
      workspace,
      recorder,
      confine: confineWith(confining, forbidden, spec.denoDir),
      handshakeMs: limits?.handshakeMs ?? HANDSHAKE_MS,
      stopMs: limits?.stopMs ?? STOP_MS,
      outputBytesPerSecond: limits?.outputBytesPerSecond ?? OUTPUT_BYTES_PER_SECOND,
      onExit: (exit) => later.ended?.(exit),
      onToolsChanged: () => later.changed?.(),
      onElicitation: (params) => later.elicited?.(params) ?? Promise.resolve({ action: "cancel" }),
    })
    const { session, pid } = connection
    const tools = WatchedTools.make({
      plugin,
      entry,
      approved: spec.approvedTools,
      record,
      ask,
      log,
      fork,
      list: session.listTools,
      kill: connection.kill,
    })
    yield* Effect.mapError(
      tools.refresh,
      ({ message }) =>
        new PluginFailedToLoad({ plugin, reason: `its tools could not be listed: ${message}`, stderr: [] }),
    )
    later.changed = tools.changed

    const bridge = Bridge.make({
      session,
      entry,
      withheld: tools.withheld,
      answer: (frame) => calls.answer(frame),
      onProgress: (id, progress) => {
        const onProgress = calls.find(id)?.onProgress
        if (onProgress !== undefined) fork(onProgress(progress))
      },
    })
    const calls = Calls.make({ plugin, child: childOf(connection, bridge), cancelMs: limits?.cancelMs ?? CANCEL_MS })
    later.elicited = ElicitationRequests.make({
      plugin,
      record,
      ask,
      log,
      openCalls: () => bridge.open().flatMap((id) => openCall(calls.find(id))),
      fork,
      endWith: Calls.interruptWithCall,
    })
    const sandboxLimits = limitsOf(limits)
    const layer = confining?.layer ?? "none"
    const payload = {
      plugin,
      instance,
      pid,
      sandbox: tierOf(layer),
      layer,
      permissions: [],
      limits: sandboxLimits,
    }
    const birth = birthOf(pid)
    const { limits: _, ...started } = payload
    recorder.write({ type: "PluginStarted", payload: { ...started, ...(birth === undefined ? {} : { birth }) } })
    recorder.log("info", `connected to ${session.about} by MCP ${session.protocol}`)
    const exited = yield* Deferred.make<ProcessExit>()
    later.ended = (exit) => {
      const inFlight = calls.end(exit)
      recorder.write({ type: "PluginExited", payload: { plugin, instance, pid, ...exit, inFlight } })
      Deferred.unsafeDone(exited, Effect.succeed({ ...exit, inFlight }))
    }
    if (yield* connection.hasEnded)
      later.ended({ code: null, signal: null, reason: "it ended when it had just started" })
    yield* recorder.flushed
    return {
      ...payload,
      exited: Deferred.await(exited),
      // A server has no use for metadata.
      setMetadata: () => Effect.void,
      idleSince: calls.idleSince,
      ...validatorsOf(manifest).calls(Components.make(plugin, calls, limits?.callMs ?? CALL_MS)),
    }
  })

interface Later {
  ended?: (exit: ChildExit) => void
  changed?: () => void
  elicited?: ReturnType<typeof ElicitationRequests.make>
}

/** The server to list, and the bounds of the listing. */
export interface ListInput {
  readonly server: ServerEntry.Server
  readonly name: string
  readonly workspace: string
  /** Absolute paths that it must not touch. */
  readonly forbidden: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  /** A directory for its confinement. */
  readonly denoDir: string
  readonly handshakeMs?: number
}

/** Starts or reaches a server of the user's choice once, and lists its offers. */
export const list = (
  { server, name, workspace, forbidden, env, denoDir, handshakeMs = HANDSHAKE_MS }: ListInput,
  confining: Sandbox.AvailableLayer | undefined,
): Effect.Effect<Listing.Listing, PluginUnavailable | PluginFailedToLoad> =>
  Effect.gen(function* () {
    yield* ComponentSchemas.load
    const { permissions } = Listing.filesOf({ name, server, env, callMs: CALL_MS }, Listing.NOTHING).manifest
    const recorder = yield* EventRecorder.make(name, () => Effect.void)
    const { session } = yield* Connection.open({
      plugin: name,
      server,
      grants: { ...NO_GRANTS, run: permissions.run, net: permissions.net ?? [], env: permissions.env ?? [] },
      workspace,
      recorder,
      confine: confineWith(confining, forbidden, denoDir),
      handshakeMs,
      stopMs: STOP_MS,
      outputBytesPerSecond: OUTPUT_BYTES_PER_SECOND,
      onExit: () => {},
      onToolsChanged: () => {},
      onElicitation: () => Promise.resolve({ action: "cancel" }),
    })
    return yield* Effect.mapError(
      Listing.of(session),
      (reason) =>
        new PluginFailedToLoad({ plugin: name, reason: `its tools could not be listed: ${reason}`, stderr: [] }),
    )
  }).pipe(Effect.scoped)

/** As for a command that the host runs for a plugin. */
const confineWith = (
  confining: Sandbox.AvailableLayer | undefined,
  forbidden: ReadonlyArray<string>,
  denoDir: string,
): Connection.ConnectionInput["confine"] =>
  confining === undefined ? (line) => line : Sandbox.commandLine(confining, { forbidden, denoDir })

const forbiddenTo = ({ manifest, forbidden = [] }: ProcessSpec) => {
  const store = UserStore.directory()
  return Effect.tryPromise({
    try: () => Promise.all((store === undefined ? forbidden : [...forbidden, store]).map(realpathOfExisting)),
    catch: (cause) =>
      new PluginUnavailable({
        plugin: manifest.name,
        reason: `expected forbidden paths to be resolved, found ${String(cause)}`,
      }),
  })
}

const openCall = (call: OpenCall | undefined): ReadonlyArray<OpenCall> => (call === undefined ? [] : [call])

/** What `Calls` sees of the server. */
const childOf = ({ pid, kill }: Connection.Connection, { take }: Bridge.Bridge): Child => ({
  pid,
  send: take,
  deliver: (frames) => Effect.sync(() => take(frames)),
  pauseOutput: () => {},
  wasPausedSince: () => false,
  kill,
})
