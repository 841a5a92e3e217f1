/**
 * One plugin process from start to stop: prepares the sandbox, spawns the runner, completes the handshake, and connects
 * calls, host requests and pushed readings.
 */
import * as crypto from "node:crypto"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Deferred, Effect, FiberSet, Schedule, type Scope } from "effect"
import { birthOf } from "../../platform/ProcessIdentity.ts"
import * as UserStore from "../../platform/user/UserStore.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Calls from "../channel/Calls.ts"
import * as EventRecorder from "../channel/EventRecorder.ts"
import * as HostRequests from "../channel/HostRequests.ts"
import type { OpenCall } from "../channel/OpenCall.ts"
import { OUTPUT_BYTES_PER_SECOND } from "../channel/OutputThrottle.ts"
import { type Exports, encode, FRAME_LIMIT, type HostFrame, READINGS_IN_FLIGHT } from "../channel/Protocol.ts"
import * as PushedReadings from "../channel/PushedReadings.ts"
import * as Session from "../channel/Session.ts"
import * as TaskEventPages from "../channel/TaskEventPages.ts"
import { make as connections } from "../hostapi/connections.ts"
import { type Manifest, sensorsOf, variablesOf, worldOf } from "../manifest/Manifest.ts"
import type { ExportsDisagree } from "../PluginError.ts"
import { PluginFailedToLoad, PluginUnavailable } from "../PluginError.ts"
import { spawnScoped } from "../sandbox/Child.ts"
import type { SandboxConsentMissing } from "../sandbox/Consent.ts"
import { type Limits, limitsOf } from "../sandbox/Limits.ts"
import type { LinkLeaves, TooManyFiles } from "../sandbox/Links.ts"
import type { Layer, Tier } from "../sandbox/layers/Layer.ts"
import type { Found } from "../sandbox/Precomputed.ts"
import { prepare } from "../sandbox/Prepare.ts"
import { preparePython } from "../sandbox/PreparePython.ts"
import * as Sandbox from "../sandbox/Sandbox.ts"
import type { SandboxUnavailable } from "../sandbox/Tier.ts"
import type { ProcessCalls } from "./ComponentCalls.ts"
import * as Components from "./Components.ts"
import type { ProcessMetadata, ProcessSpec } from "./ProcessSpec.ts"
import * as ReniceWhenBusy from "./ReniceWhenBusy.ts"
import { validatorsOf } from "./validatingCalls.ts"

export type { Progress } from "../channel/CallProgress.ts"
export type { EventBatch } from "../channel/OpenCall.ts"
export type { CallOptions, JudgeOptions } from "./ComponentCalls.ts"

/** A running plugin process. Its scope's end stops it. */
export interface PluginProcess extends ProcessCalls {
  readonly plugin: string
  readonly instance: string
  readonly pid: number
  readonly sandbox: Tier
  /** The operating-system layer that confines it. */
  readonly layer: Layer
  /** The limits that the operating system and V8 enforce. */
  readonly limits: Limits
  /** Deno's permission flags. */
  readonly permissions: ReadonlyArray<string>
  /** Completes when the process has ended, for any reason. */
  readonly exited: Effect.Effect<Session.ProcessExit>
  /** Replaces the metadata for later calls. */
  readonly setMetadata: (metadata: ProcessMetadata) => Effect.Effect<void>
  /** When the last call ended or the last reading was pushed, by `performance.now`. Undefined while a call is open. */
  readonly idleSince: () => number | undefined
}

/** Paths that no plugin may touch: the caller's, and the store of the user's trust. */
const forbiddenTo = ({ forbidden = [] }: ProcessSpec): ReadonlyArray<string> => {
  const store = UserStore.directory()
  return store === undefined ? forbidden : [...forbidden, store]
}

/**
 * Starts a plugin's process and completes the handshake. Closing the scope stops the process and waits until the log
 * has its events.
 */
export const make = (
  spec: ProcessSpec,
  confining: Sandbox.AvailableLayer,
): Effect.Effect<PluginProcess, PluginError, Scope.Scope> =>
  Effect.gen(function* () {
    const { manifest, instance, directory, workspace, grants, record, limits } = spec
    const plugin = manifest.name
    const sandboxLimits = limitsOf(limits)
    const recorder = yield* EventRecorder.make(plugin, record, limits?.logLinesPerSecond)
    const prepared = yield* prepareFor(spec, confining, recorder, sandboxLimits)
    const { command, forbidden, precomputed } = prepared
    const runFork = yield* FiberSet.makeRuntime<never>()
    const confine = Sandbox.commandLine(confining, { forbidden, denoDir: command.env.DENO_DIR ?? spec.denoDir })
    const handleRequest = HostRequests.make({
      plugin,
      client: {
        ...{ grants, workspace, bound: spec.bound, directory, forbidden, confine, intercept: spec.intercept },
        connections: yield* connections,
      },
      record,
      ruling: spec.ruling,
    })
    const sensors = new Set(sensorsOf(manifest).map(({ name }) => name))
    const validators = validatorsOf(manifest)
    const onEmit = spec.onEmit && validators.pushed(spec.onEmit)
    const serveChunk = TaskEventPages.make()
    const takeReading = PushedReadings.make({ sensors, recorder, onEmit })
    const serve = (call: OpenCall | undefined, effect: Effect.Effect<void>) => {
      const fiber = runFork(effect)
      if (call !== undefined) Calls.interruptWithCall(call, fiber)
    }
    const sessionInput: Session.SessionInput = {
      plugin,
      instance,
      nonce: crypto.randomBytes(16).toString("hex"),
      cancelMs: limits?.cancelMs ?? CANCEL_MS,
      pingMs: limits?.pingMs ?? PING_MS,
      outputBytesPerSecond: limits?.outputBytesPerSecond ?? OUTPUT_BYTES_PER_SECOND,
      recorder,
      onHostRequest: (frame, bytes, call, child) => {
        serve(call, handleRequest(frame, bytes, call, child))
      },
      onPushedReading: (frame, bytes, child, misbehaved) => {
        runFork(takeReading(frame, bytes, child, misbehaved))
      },
      onPage: (frame, call, child, misbehaved) => {
        serve(call, serveChunk(frame, call, child, misbehaved))
      },
      onProgress: ({ onProgress }, progress) => {
        if (onProgress !== undefined) runFork(onProgress(progress))
      },
      handshake: yield* Deferred.make<Exports, PluginFailedToLoad>(),
      exited: yield* Deferred.make<Session.ProcessExit>(),
    }
    const { child, attached } = yield* spawnScoped(command, (child) => Session.attach(sessionInput, child), {
      lastInput: encode({ type: "shutdown" }),
      stopMs: limits?.stopMs ?? STOP_MS,
    }).pipe(Effect.mapError((reason) => new PluginUnavailable({ plugin, reason: `it cannot be spawned: ${reason}` })))
    child.send(encode({ ...init(spec, sessionInput.nonce, precomputed), ...prepared.init }))
    const handshakeMs = manifest.runtime === "python" ? PYTHON_HANDSHAKE_MS : HANDSHAKE_MS
    const exports = yield* awaitReady(sessionInput, limits?.handshakeMs ?? handshakeMs)
    yield* Components.assertExports(manifest, exports)
    const setNiceness = (niceness: number) => Sandbox.setNice(child.pid, niceness)
    yield* Effect.sync(() => setNiceness(sandboxLimits.niceness)).pipe(
      Effect.repeat({ while: (set) => set === "too often", schedule: RENICE_RETRY }),
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
    const birthField = birth === undefined ? {} : { birth }
    const payload = {
      plugin,
      instance,
      pid: child.pid,
      ...birthField,
      sandbox: tier,
      layer,
      permissions,
      limits: sandboxLimits,
    }
    recorder.write({ type: "PluginStarted", payload })
    if (precomputed !== undefined && "why" in precomputed) {
      recorder.log("warn", `started without its precomputed bytes: ${precomputed.why}`)
    }
    yield* recorder.flushed
    return {
      ...payload,
      exited: Deferred.await(sessionInput.exited),
      setMetadata: (metadata) => Effect.sync(() => child.send(encode({ type: "metadata", metadata }))),
      idleSince: attached.calls.idleSince,
      ...validators.calls(Components.make(plugin, attached.calls, limits?.callMs ?? CALL_MS, exports.settles)),
    }
  })

const HANDSHAKE_MS = 10_000

/** Packages of Python, such as those for physics, take seconds to import. */
const PYTHON_HANDSHAKE_MS = 60_000
const CALL_MS = 30_000
const CANCEL_MS = 1_000
const PING_MS = 5_000
const STOP_MS = 500

/** Retries a rate-limited change of niceness for several seconds, in which hundreds of plugins may start. */
const RENICE_RETRY = Schedule.intersect(Schedule.jittered(Schedule.spaced("150 millis")), Schedule.recurs(60))

/** The command line of a plugin's process, and what its first frame adds to the manifest. */
const prepareFor = (
  spec: ProcessSpec,
  confining: Sandbox.AvailableLayer,
  recorder: EventRecorder.EventRecorder,
  limits: Limits,
) => {
  const { manifest, directory, grants, denoDir, record } = spec
  const plugin = manifest.name
  const request = { plugin, directory, grants, denoDir, forbidden: forbiddenTo(spec), limits }
  if (manifest.runtime === "python") {
    return Effect.map(
      preparePython(confining, { ...request, python: manifest.python ?? ANY_PYTHON }),
      ({ command, forbidden, interpreter, guard }) => {
        recorder.log("info", `Python ${interpreter.version} (${interpreter.program})`)
        const python = { directory, path: interpreter.path, guard }
        return { command, forbidden, precomputed: undefined, init: { entry: manifest.entry, python } }
      },
    )
  }
  return Effect.map(
    prepare(confining, {
      ...request,
      entry: path.join(directory, manifest.entry),
      precomputed: manifest.precomputed,
      // The bytes serve every later start, whatever this process serves.
      precomputing: {
        started: (payload) => record({ type: "PrecomputeStarted", payload: { plugin, ...payload } }, null),
        printed: (line) => recorder.log("info", line, null),
      },
    }),
    (prepared) => ({ ...prepared, init: {} }),
  )
}

/** The manifest's check requires a version. */
const ANY_PYTHON = ">=3.9"

const init = (
  { manifest, directory, metadata, seed, workspace }: ProcessSpec,
  nonce: string,
  precomputed: Found | undefined,
): Extract<HostFrame, { readonly type: "init" }> => ({
  type: "init",
  nonce,
  entry: pathToFileURL(path.join(directory, manifest.entry)).href,
  variables: variablesOf(manifest),
  metadata,
  seed,
  workspace,
  frameLimit: FRAME_LIMIT,
  readingsInFlight: READINGS_IN_FLIGHT,
  precomputed: precomputed !== undefined && "file" in precomputed ? precomputed.file : null,
  ...worldIn(manifest),
})

const worldIn = (manifest: Manifest) => {
  const world = worldOf(manifest)
  if (world === undefined) return {}
  const { spaces, maxSteps, maxAgents } = world
  // A space that the manifest's schema accepted is JSON.
  return { world: { spaces: spaces as unknown as JsonObject, maxSteps, maxAgents } }
}

/** Uses Node's timers, as all process time-outs do; see `spawnScoped`. */
const awaitReady = ({ plugin, handshake }: Session.SessionInput, handshakeMs: number) =>
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

/** The ways in which a plugin fails to start. */
export type PluginError =
  | PluginUnavailable
  | PluginFailedToLoad
  | ExportsDisagree
  | SandboxUnavailable
  | SandboxConsentMissing
  | LinkLeaves
  | TooManyFiles
