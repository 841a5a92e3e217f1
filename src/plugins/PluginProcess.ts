import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Deferred, Effect, FiberSet, type Scope } from "effect"
import type { Json, JsonObject } from "../events/Json.ts"
import { realpathOfExisting } from "./broker/realpath.ts"
import type { Grants } from "./Grants.ts"
import { actuatorsOf, type Manifest, sensorsOf, variablesOf } from "./Manifest.ts"
import {
  AnswerInvalid,
  type CallError,
  ExportsDisagree,
  type PluginError,
  PluginFailedToLoad,
  PluginUnavailable,
} from "./PluginError.ts"
import { type Exports, encode, FRAME_LIMIT, type HostFrame } from "./Protocol.ts"
import * as Brokered from "./process/Brokered.ts"
import type { Calls } from "./process/Calls.ts"
import { spawnScoped } from "./process/Child.ts"
import * as Journal from "./process/Journal.ts"
import * as Session from "./process/Session.ts"
import * as Sandbox from "./Sandbox.ts"
import type { Tools } from "./Tools.ts"

/** Metadata as it stands when the process starts. */
export interface ProcessMetadata {
  /** The plugin's own; an environment's `reset` sees this. */
  readonly plugin: JsonObject
  /** By the component's name, without the plugin's. */
  readonly components: { readonly [component: string]: JsonObject }
}

/** Bounds of one process. */
export interface ProcessLimits {
  /** From spawning until the plugin is ready, in milliseconds. Default: 10 000, to be kind to loaded machines. */
  readonly handshakeMs?: number
  /** One call, in milliseconds, where the call does not say. Default: 30 000. */
  readonly callMs?: number
  /** How long a cancelled call may go unacknowledged before the process is killed. Default: 1 000. */
  readonly cancelMs?: number
  /** Each step of the stop ladder: shutdown, SIGTERM, SIGKILL. Default: 500. */
  readonly stopMs?: number
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
  readonly record: Journal.RecordEvent
}

/** Options of one call. */
export interface CallOptions {
  /** The event that made this call happen: brokered events carry it. */
  readonly causationId?: string
  /** The task that it serves: brokered events belong to it. */
  readonly taskId?: string
  /** Default: `limits.callMs`. */
  readonly timeoutMs?: number
}

/** What a command answered. */
export interface ActAnswer {
  readonly result: Json
  /** The environment's state afterwards, where the plugin has an environment. */
  readonly state?: Json
}

/** A running plugin: it lives as long as the scope that it was made in. */
export interface PluginProcess {
  readonly plugin: string
  readonly instance: string
  readonly pid: number
  /** The sandbox tier: `flags`. */
  readonly sandbox: string
  /** The permission flags it runs under. */
  readonly permissions: ReadonlyArray<string>
  /** Succeeds when the process has ended, however it did. */
  readonly exited: Effect.Effect<Session.ProcessExit>
  /** One reading of a sensor, by its name without the plugin's. */
  readonly read: (sensor: string, options?: CallOptions) => Effect.Effect<Json, CallError>
  /** One command to an actuator, by its name without the plugin's. */
  readonly act: (actuator: string, args: JsonObject, options?: CallOptions) => Effect.Effect<ActAnswer, CallError>
  /** Puts the environment in its first state and answers with that state. */
  readonly reset: (options: JsonObject, call?: CallOptions) => Effect.Effect<Json, CallError>
  /** Asks whether the process answers at all; succeeds with the milliseconds it took. */
  readonly ping: Effect.Effect<number, CallError>
}

/**
 * Starts a plugin's process and completes the handshake. Closing the scope stops the process for sure, and waits until
 * what it did is recorded.
 */
export const make = (spec: ProcessSpec, tools: Tools): Effect.Effect<PluginProcess, PluginError, Scope.Scope> =>
  Effect.gen(function* () {
    const { manifest, instance, directory, workspace, grants, record, limits } = spec
    const plugin = manifest.name
    const forbidden = yield* forbiddenPaths(spec)
    yield* prepareDenoDir(spec)
    const journal = yield* Journal.make(plugin, record)
    const runFork = yield* FiberSet.makeRuntime<never>()
    const carryOut = Brokered.make({ plugin, client: { grants, workspace, directory, forbidden }, record })
    const conversation: Session.Conversation = {
      plugin,
      instance,
      nonce: crypto.randomBytes(16).toString("hex"),
      cancelMs: limits?.cancelMs ?? CANCEL_MS,
      journal,
      onBrokered: (frame, bytes, call, child) => {
        const fiber = runFork(carryOut(frame, bytes, call, child))
        call?.brokered.add(fiber)
        fiber.addObserver(() => call?.brokered.delete(fiber))
      },
      handshake: yield* Deferred.make<Exports, PluginFailedToLoad>(),
      exited: yield* Deferred.make<Session.ProcessExit>(),
    }
    const sandboxed = Sandbox.command(tools, { runner: RUNNER, ...spec, forbidden }, process.env)
    const { child, attached } = yield* spawnScoped(sandboxed, (child) => Session.attach(conversation, child), {
      farewell: encode({ type: "shutdown" }),
      stopMs: limits?.stopMs ?? STOP_MS,
    }).pipe(Effect.mapError((reason) => new PluginUnavailable({ plugin, reason: `it cannot be spawned: ${reason}` })))
    child.send(encode(init(spec, conversation.nonce)))
    const exports = yield* awaitReady(conversation, limits?.handshakeMs ?? HANDSHAKE_MS)
    yield* agree(manifest, exports)
    const { tier, permissions } = sandboxed
    const payload = { plugin, instance, pid: child.pid, sandbox: tier, permissions }
    journal.write({ type: "PluginStarted", payload })
    yield* journal.flushed
    return {
      ...payload,
      exited: Deferred.await(conversation.exited),
      ...components(plugin, attached.calls, limits?.callMs ?? CALL_MS),
    }
  })

const HANDSHAKE_MS = 10_000
const CALL_MS = 30_000
const CANCEL_MS = 1_000
const STOP_MS = 500

/** The trusted main module: TypeScript beside the sources, JavaScript beside what was compiled. */
const RUNNER = fileURLToPath(new URL(`./runner/runner${path.extname(import.meta.url)}`, import.meta.url))

/**
 * Makes the process's own cache directory. A plain file where Deno would keep `localStorage` and the Cache API makes
 * both throw: they need no permission, and the runner's would be shared.
 */
const prepareDenoDir = ({ manifest, denoDir }: ProcessSpec): Effect.Effect<void, PluginUnavailable> =>
  Effect.tryPromise({
    try: async () => {
      await fs.mkdir(denoDir, { recursive: true })
      await fs.writeFile(path.join(denoDir, "location_data"), "")
    },
    catch: (cause) =>
      new PluginUnavailable({
        plugin: manifest.name,
        reason: `expected a directory for Deno's cache, found ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

/**
 * The real paths of what is forbidden, for whatever asks for them by another name. They go into permission flags, which a
 * comma would split in two, and there is no way to write one.
 */
const forbiddenPaths = ({ manifest, directory, forbidden = [] }: ProcessSpec) =>
  Effect.gen(function* () {
    const unavailable = (reason: string) => new PluginUnavailable({ plugin: manifest.name, reason })
    const places = yield* Effect.tryPromise({
      try: () => Promise.all(forbidden.map(realpathOfExisting)),
      catch: (cause) => unavailable(`expected paths that can be resolved, found ${String(cause)}`),
    })
    const unspeakable = [directory, ...places].find((place) => /[,\n\r]/.test(place))
    if (unspeakable === undefined) return places
    return yield* unavailable(
      `expected paths without commas and line breaks, found ${unspeakable}. Keep the log and plugins elsewhere`,
    )
  })

const init = ({ manifest, directory, metadata, seed, workspace }: ProcessSpec, nonce: string): HostFrame => ({
  type: "init",
  nonce,
  entry: pathToFileURL(path.join(directory, manifest.entry)).href,
  variables: variablesOf(manifest),
  metadata,
  seed,
  workspace,
  frameLimit: FRAME_LIMIT,
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

/** What the manifest declares and the entry exports must be the same. */
const agree = (manifest: Manifest, exports: Exports): Effect.Effect<void, ExportsDisagree> => {
  const declared = names({
    sensors: sensorsOf(manifest).map(({ name }) => name),
    actuators: actuatorsOf(manifest).map(({ name }) => name),
    environment: manifest.peas.environment !== undefined,
  })
  const exported = names(exports)
  const undeclared = exported.filter((name) => !declared.includes(name))
  const missing = declared.filter((name) => !exported.includes(name))
  return undeclared.length === 0 && missing.length === 0
    ? Effect.void
    : new ExportsDisagree({ plugin: manifest.name, undeclared, missing })
}

const names = ({ sensors, actuators, environment }: Exports): ReadonlyArray<string> => [
  ...sensors.map((name) => `sensor ${name}`),
  ...actuators.map((name) => `actuator ${name}`),
  ...(environment ? ["environment"] : []),
]

const components = (
  plugin: string,
  { call }: Calls,
  callMs: number,
): Pick<PluginProcess, "read" | "act" | "reset" | "ping"> => {
  const calling = (name: string, frame: (id: number, now: number) => HostFrame, options: CallOptions = {}) =>
    call({
      name,
      frame,
      timeoutMs: options.timeoutMs ?? callMs,
      causationId: options.causationId,
      taskId: options.taskId,
    })
  return {
    read: (sensor, options) =>
      Effect.map(
        calling(`read ${plugin}/${sensor}`, (id, now) => ({ type: "read", id, component: sensor, now }), options),
        ({ value }) => value,
      ),
    act: (actuator, args, options) =>
      Effect.map(
        calling(
          `act ${plugin}/${actuator}`,
          (id, now) => ({ type: "act", id, component: actuator, args, now }),
          options,
        ),
        ({ value, state }) => ({ result: value, ...(state === undefined ? {} : { state }) }),
      ),
    reset: (options, callOptions) => {
      const name = `reset ${plugin}`
      return Effect.flatMap(
        calling(name, (id, now) => ({ type: "reset", id, options, now }), callOptions),
        ({ state }) =>
          state === undefined
            ? new AnswerInvalid({ plugin, call: name, reason: "expected the environment's state, found none" })
            : Effect.succeed(state),
      )
    },
    ping: Effect.suspend(() => {
      const startedAt = performance.now()
      return Effect.map(
        calling(`ping ${plugin}`, (id) => ({ type: "ping", id })),
        () => performance.now() - startedAt,
      )
    }),
  }
}
