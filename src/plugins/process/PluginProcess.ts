import * as crypto from "node:crypto"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Deferred, Effect, FiberSet, Schedule, type Scope } from "effect"
import { birthOf } from "../../platform/ProcessIdentity.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Calls from "../channel/Calls.ts"
import * as EventRecorder from "../channel/EventRecorder.ts"
import * as HostRequests from "../channel/HostRequests.ts"
import type { OpenCall } from "../channel/OpenCall.ts"
import { OUTPUT_BYTES_PER_SECOND } from "../channel/OutputThrottle.ts"
import { type Exports, encode, FRAME_LIMIT, type HostFrame, READINGS_IN_FLIGHT } from "../channel/Protocol.ts"
import * as PushedReadings from "../channel/PushedReadings.ts"
import type { Ruling } from "../channel/RequestRuling.ts"
import * as Session from "../channel/Session.ts"
import * as TaskEventPages from "../channel/TaskEventPages.ts"
import type { Intercept } from "../hostapi/Client.ts"
import type { Grants } from "../manifest/Grants.ts"
import { type Manifest, sensorsOf, variablesOf } from "../manifest/Manifest.ts"
import type { ExportsDisagree } from "../PluginError.ts"
import { PluginFailedToLoad, PluginUnavailable } from "../PluginError.ts"
import { spawnScoped } from "../sandbox/Child.ts"
import type { MayStart, SandboxConsentMissing } from "../sandbox/Consent.ts"
import { type Limits, limitsOf, type SandboxLimits } from "../sandbox/Limits.ts"
import type { LinkLeaves, TooManyFiles } from "../sandbox/Links.ts"
import type { Layer, Tier } from "../sandbox/layers/Layer.ts"
import type { Found } from "../sandbox/Precomputed.ts"
import { prepare } from "../sandbox/Prepare.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/Tier.ts"
import * as Components from "./Components.ts"
import * as ReniceWhenBusy from "./ReniceWhenBusy.ts"
import { enforced } from "./validatingCalls.ts"

export type { Progress } from "../channel/CallProgress.ts"
export type { Page } from "../channel/OpenCall.ts"
export type { CallOptions, JudgeOptions } from "./Components.ts"

/** What people and the manifest say of a plugin and its components. */
export interface ProcessMetadata {
  /** The plugin's own; an environment's `reset` sees this. */
  readonly plugin: JsonObject
  /** By the component's name, without the plugin's. */
  readonly components: { readonly [component: string]: JsonObject }
}

/** Bounds of one process. */
export interface ProcessLimits extends SandboxLimits {
  /** From spawning until the plugin is ready, in milliseconds. Default: 10 000, to be kind to loaded machines. */
  readonly handshakeMs?: number
  /** One call, in milliseconds, where the call does not say. Default: 30 000. */
  readonly callMs?: number
  /** How long a cancelled call may go unacknowledged before the process is killed. Default: 1 000. */
  readonly cancelMs?: number
  /** Time between two pings; one that misses two of them is stuck, and is killed. Default: 5 000. */
  readonly pingMs?: number
  /** Each step of the stop ladder: shutdown, SIGTERM, SIGKILL. Default: 500. */
  readonly stopMs?: number
  /** Bytes that it may print, log or push in a second; beyond, it waits in its writes. Default: 4 MiB, twice as much at once. */
  readonly outputBytesPerSecond?: number
  /** Lines of its log and its outputs that are recorded in a second; the rest are counted. Default: 200. */
  readonly logLinesPerSecond?: number
}

/** What a process is started from. */
export interface ProcessSpec {
  readonly manifest: Manifest
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  readonly grants: Grants
  /**
   * Absolute paths of files and directories that no plugin may read or write, whatever it was granted: the log's
   * and what stands beside it. The plugin's own directory stays readable inside them. Default: none.
   */
  readonly forbidden?: ReadonlyArray<string>
  /** The workspace: an absolute, real path. */
  readonly workspace: string
  /** What `"."` in its permissions was bound to when it was imported, for messages. Default: not said. */
  readonly bound?: string
  /** Seeds the plugin's `random`. */
  readonly seed: number
  /** `kernel`, or the id of the task that it serves. */
  readonly instance: string
  /** The process's Deno cache: a directory of this plugin's own, made if missing. */
  readonly denoDir: string
  readonly metadata: ProcessMetadata
  readonly limits?: ProcessLimits
  /**
   * Where `PluginStarted`, `PluginExited`, `PluginLogged`, `BrokerRequested` and `BrokerAnswered` go, in order; what
   * happened on behalf of a call with its task. Where it fails, the host does not do what the plugin asked for; of what
   * has happened already, the failure is logged.
   */
  readonly record: EventRecorder.RecordEvent
  /**
   * Takes the readings that its sensors push (`context.emit`), one after the other: the next waits until the one before
   * was taken. At most 256 wait; what comes beyond is left out, and `PluginLogged` says how many. Default: they are refused.
   */
  readonly onEmit?: PushedReadings.OnEmit
  /**
   * Whether it may be started where nothing but Deno's permissions confines it; asked there alone. Default: only where the
   * host was told that it may.
   */
  readonly consent?: MayStart
  /** Rules on what it asks of the host, where that is granted. Default: what is granted is done. */
  readonly ruling?: Ruling
  /** Stands between what it asks of the host and the host. Default: nothing does. */
  readonly intercept?: Intercept
}

/** A running plugin: it lives as long as the scope that it was made in. */
export interface PluginProcess extends Components.Components {
  readonly plugin: string
  readonly instance: string
  readonly pid: number
  readonly sandbox: Tier
  /** What of the operating system confines it. */
  readonly layer: Layer
  /** What the operating system and V8 hold it to. */
  readonly limits: Limits
  /** The permission flags it runs under. */
  readonly permissions: ReadonlyArray<string>
  /** Succeeds when the process has ended, however it did. */
  readonly exited: Effect.Effect<Session.ProcessExit>
  /** Tells it its metadata as they are from now on: calls that follow see them. */
  readonly setMetadata: (metadata: ProcessMetadata) => Effect.Effect<void>
  /** When its last call ended or its last reading was pushed, by `performance.now`; undefined while a call is open. */
  readonly idleSince: () => number | undefined
}

/**
 * Starts a plugin's process and completes the handshake. Closing the scope stops the process for sure, and waits until
 * what it did is recorded.
 */
export const make = (
  spec: ProcessSpec,
  confining: Sandbox.Confining,
): Effect.Effect<PluginProcess, PluginError, Scope.Scope> =>
  Effect.gen(function* () {
    const { manifest, instance, directory, workspace, grants, record, limits } = spec
    const plugin = manifest.name
    const sandboxLimits = limitsOf(limits)
    const { command, forbidden, precomputed } = yield* prepare(confining, {
      ...{
        plugin,
        directory,
        entry: path.join(directory, manifest.entry),
        grants,
        denoDir: spec.denoDir,
      },
      ...{ forbidden: spec.forbidden ?? [], limits: sandboxLimits, precomputed: manifest.precomputed },
    })
    const journal = yield* EventRecorder.make(plugin, record, limits?.logLinesPerSecond)
    const runFork = yield* FiberSet.makeRuntime<never>()
    const confine = Sandbox.commandLine(confining, { forbidden, denoDir: command.env.DENO_DIR ?? spec.denoDir })
    const carryOut = HostRequests.make({
      plugin,
      client: { grants, workspace, bound: spec.bound, directory, forbidden, confine, intercept: spec.intercept },
      record,
      ruling: spec.ruling,
    })
    const sensors = new Set(sensorsOf(manifest).map(({ name }) => name))
    const schemas = enforced(manifest)
    const onEmit = spec.onEmit && schemas.pushed(spec.onEmit)
    const givePage = TaskEventPages.make()
    const takeReading = PushedReadings.make({ sensors, journal, onEmit })
    const serve = (call: OpenCall | undefined, effect: Effect.Effect<void>) => {
      const fiber = runFork(effect)
      if (call !== undefined) Calls.serve(call, fiber)
    }
    const conversation: Session.Conversation = {
      plugin,
      instance,
      nonce: crypto.randomBytes(16).toString("hex"),
      cancelMs: limits?.cancelMs ?? CANCEL_MS,
      pingMs: limits?.pingMs ?? PING_MS,
      outputBytesPerSecond: limits?.outputBytesPerSecond ?? OUTPUT_BYTES_PER_SECOND,
      journal,
      onBrokered: (frame, bytes, call, child) => {
        serve(call, carryOut(frame, bytes, call, child))
      },
      onEmitted: (frame, bytes, child, misbehaved) => {
        runFork(takeReading(frame, bytes, child, misbehaved))
      },
      onPage: (frame, call, child, misbehaved) => {
        serve(call, givePage(frame, call, child, misbehaved))
      },
      onProgress: ({ onProgress }, progress) => {
        if (onProgress !== undefined) runFork(onProgress(progress))
      },
      handshake: yield* Deferred.make<Exports, PluginFailedToLoad>(),
      exited: yield* Deferred.make<Session.ProcessExit>(),
    }
    const { child, attached } = yield* spawnScoped(command, (child) => Session.attach(conversation, child), {
      farewell: encode({ type: "shutdown" }),
      stopMs: limits?.stopMs ?? STOP_MS,
    }).pipe(Effect.mapError((reason) => new PluginUnavailable({ plugin, reason: `it cannot be spawned: ${reason}` })))
    child.send(encode(init(spec, conversation.nonce, precomputed)))
    const exports = yield* awaitReady(conversation, limits?.handshakeMs ?? HANDSHAKE_MS)
    yield* Components.agree(manifest, exports)
    const setNiceness = (niceness: number) => Sandbox.setNice(child.pid, niceness)
    yield* Effect.sync(() => setNiceness(sandboxLimits.niceness)).pipe(
      Effect.repeat({ while: (set) => set === "too often", schedule: STAND_BACK_AGAIN }),
      Effect.forkScoped,
    )
    const { idleSince, ping } = attached.calls
    const watching = { isBusy: () => idleSince() === undefined, ping, niceness: sandboxLimits.niceness, setNiceness }
    yield* Effect.acquireRelease(
      Effect.sync(() => ReniceWhenBusy.watch(watching)),
      (stop) => Effect.sync(stop),
    )
    const { tier, layer, permissions } = command
    const birth = birthOf(child.pid)
    const born = birth === undefined ? {} : { birth }
    const payload = {
      plugin,
      instance,
      pid: child.pid,
      ...born,
      sandbox: tier,
      layer,
      permissions,
      limits: sandboxLimits,
    }
    journal.write({ type: "PluginStarted", payload })
    if (precomputed !== undefined && "why" in precomputed) {
      journal.log("warn", `started without its precomputed bytes: ${precomputed.why}`)
    }
    yield* journal.flushed
    return {
      ...payload,
      exited: Deferred.await(conversation.exited),
      setMetadata: (metadata) => Effect.sync(() => child.send(encode({ type: "metadata", metadata }))),
      idleSince: attached.calls.idleSince,
      ...schemas.calls(Components.make(plugin, attached.calls, limits?.callMs ?? CALL_MS)),
    }
  })

const HANDSHAKE_MS = 10_000
const CALL_MS = 30_000
const CANCEL_MS = 1_000
const PING_MS = 5_000
const STOP_MS = 500

/** When a niceness is set again that was set too often: for some seconds, in which hundreds of plugins may start. */
const STAND_BACK_AGAIN = Schedule.intersect(Schedule.jittered(Schedule.spaced("150 millis")), Schedule.recurs(60))

const init = (
  { manifest, directory, metadata, seed, workspace }: ProcessSpec,
  nonce: string,
  precomputed: Found | undefined,
): HostFrame => ({
  type: "init",
  nonce,
  entry: pathToFileURL(path.join(directory, manifest.entry)).href,
  variables: variablesOf(manifest),
  metadata,
  seed,
  workspace,
  precomputed: precomputed !== undefined && "file" in precomputed ? precomputed.file : null,
  frameLimit: FRAME_LIMIT,
  readingsInFlight: READINGS_IN_FLIGHT,
})

/** Waits by Node's clock, like everything about a process; see `spawnScoped`. */
const awaitReady = ({ plugin, handshake }: Session.Conversation, handshakeMs: number) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      setTimeout(() => {
        const reason = `it was not ready within ${handshakeMs} ms`
        Deferred.unsafeDone(handshake, Effect.fail(new PluginFailedToLoad({ plugin, reason, stderr: [] })))
      }, handshakeMs),
    ),
    () => Deferred.await(handshake),
    (timer) => Effect.sync(() => clearTimeout(timer)),
  )

/** What can go wrong when a plugin is started. */
export type PluginError =
  | PluginUnavailable
  | PluginFailedToLoad
  | ExportsDisagree
  | SandboxUnavailable
  | SandboxConsentMissing
  | LinkLeaves
  | TooManyFiles
