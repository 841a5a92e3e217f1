import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Cause, Clock, Effect, Either, Exit, Schema, Scope } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type { Signal } from "../author.ts"
import * as Grants from "../manifest/Grants.ts"
import * as Manifest from "../manifest/Manifest.ts"
import * as PluginHost from "../process/PluginHost.ts"
import type { CallOptions, PluginProcess, Progress } from "../process/PluginProcess.ts"
import { isShipped } from "../Shipped.ts"
import { SandboxConsentMissing } from "../sandbox/Consent.ts"
import { Wanted } from "../sandbox/Tier.ts"
import type { Verdict } from "../Verdict.ts"
import { type Answers, type BrokeredCall, intercepting } from "./Answers.ts"
import { type Files, makeDirectories } from "./directories.ts"
import { callOf, type GivenTask } from "./GivenTask.ts"

export type { Answers, BrokeredCall } from "./Answers.ts"
export type { Files } from "./directories.ts"
export type { GivenTask } from "./GivenTask.ts"

/** What a plugin is loaded with. */
export interface LoadPluginOptions {
  /**
   * The workspace: a directory, which is used as it stands, or files by their paths, which are put into a temporary one.
   * Default: an empty temporary one.
   */
  readonly workspace?: string | Files
  /** Answers what the plugin asks of the host, in the host's place. What they do not answer, the host does. */
  readonly answers?: Answers
  /** Seeds `context.random`. Default: 1. */
  readonly seed?: number
  /** What `context.now` says, in epoch milliseconds. Default: the time. */
  readonly now?: number
  /** Accept what `hindcast plugin add --lenient` accepts. Default: false. */
  readonly lenient?: boolean
  /** The sandbox tier. Default: the strongest that this machine has. */
  readonly sandbox?: Wanted
  /**
   * `flags` consents to running the plugin also where nothing but Deno's permissions confines it, as on macOS, on Windows and
   * on a Linux without a second layer. Say it of a plugin that you wrote or trust. Default: there it is not started.
   */
  readonly consent?: "flags"
}

/** How one call is made. */
export interface CallPluginOptions {
  /** Default: what the manifest says, else 30 000. */
  readonly timeoutMs?: number
  /** Cancels the call. */
  readonly signal?: Signal
  /** Is told what `context.progress` says. */
  readonly onProgress?: (progress: Progress) => void
}

const Scripts = Options.of<Answers>({
  optional: {
    run: Options.callable<NonNullable<Answers["run"]>>(),
    fetch: Options.callable<NonNullable<Answers["fetch"]>>(),
  },
}).annotations({ description: "an object with functions run or fetch" })

/** Their schema. */
const LoadPluginOptions = Options.of<LoadPluginOptions>({
  optional: {
    workspace: Schema.Union(Options.Path, Schema.Record({ key: Schema.String, value: Schema.String })).annotations({
      description: "a directory, or the texts of files by their paths",
    }),
    answers: Scripts,
    seed: Options.Seed,
    now: Options.wholeNumber(0),
    lenient: Schema.Boolean,
    sandbox: Wanted,
    consent: Schema.Literal("flags"),
  },
})

/** Their schema. */
const CallPluginOptions = Options.of<CallPluginOptions>({
  optional: {
    timeoutMs: Options.Milliseconds,
    signal: Options.kind<AbortSignal>("an AbortSignal", (value) => value instanceof AbortSignal),
    onProgress: Options.callable<(progress: Progress) => void>(),
  },
})

/** A line that the plugin wrote: by `context.log`, or by printing it. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
}

/** A reading that a sensor pushed by `context.emit`. */
export interface PushedReading {
  readonly sensor: string
  readonly reading: Json
}

/**
 * A plugin that runs in its real sandbox, with everything that its manifest asks for granted. A call rejects with what
 * went wrong, an error with a `_tag`: `CallFailed`, whose `error` is `{ code, message }` of what the plugin threw;
 * `AnswerInvalid` where the answer disagrees with the manifest; `CallTimedOut`, `PluginExited` and others.
 */
export interface TestPlugin extends Disposable {
  readonly manifest: Manifest.Manifest
  /** The workspace's absolute path. */
  readonly workspace: string
  /** Reads a sensor, by its name in the manifest. */
  readonly read: (sensor: string, options?: CallPluginOptions) => Promise<Json>
  /** Commands an actuator; answers with its result. */
  readonly act: (actuator: string, args?: JsonObject, options?: CallPluginOptions) => Promise<Json>
  /** Resets the environment; answers with its state. Default options: what the manifest's scenario says. */
  readonly reset: (options?: JsonObject) => Promise<Json>
  /** Has a measure's function judge a task; answers with its verdicts, of which only the shape is checked. */
  readonly judge: (measure: string, task: GivenTask, options?: CallPluginOptions) => Promise<ReadonlyArray<Verdict>>
  /** The environment's state as it was after the last reset or command; null where there was none yet. */
  readonly state: Json
  /** What the plugin logged and printed so far, oldest first. */
  readonly logs: ReadonlyArray<LogLine>
  /** What the plugin asked of the host so far, oldest first, with the answers. */
  readonly brokered: ReadonlyArray<BrokeredCall>
  /** The readings that were pushed so far, oldest first. */
  readonly pushed: ReadonlyArray<PushedReading>
  /** Every event that the log would have of it. */
  readonly events: ReadonlyArray<CoreNewEvent>
  /** Ends its process and removes what was temporary. */
  readonly close: () => Promise<void>
}

/** What `await using` asks for, where the compiler knows it: by the types of Node, or the library `esnext.disposable`. */
type Disposable = SymbolConstructor extends { readonly asyncDispose: infer Dispose extends symbol }
  ? { readonly [key in Dispose]: () => Promise<void> }
  : object

/**
 * Loads a plugin for a test, whatever runs the test: checks its manifest and starts it in its sandbox. Close it, or say
 * `await using`, or the test does not end.
 *
 * ```ts
 * await using plugin = await loadPlugin("./counter")
 * assert.equal(await plugin.act("add", { amount: 2 }), 2)
 * assert.deepEqual(await plugin.read("count"), { count: 2 })
 * ```
 *
 * @param directory the plugin's, from the working directory
 */
export const loadPlugin = async (directory: string, options: LoadPluginOptions = {}): Promise<TestPlugin> => {
  const scope = await run(Scope.make())
  const close = () => run(Scope.close(scope, Exit.void))
  try {
    return await run(Scope.extend(start(directory, options, close), scope))
  } catch (cause) {
    await close()
    throw cause
  }
}

const start = (directory: string, given: LoadPluginOptions, close: () => Promise<void>) =>
  Effect.gen(function* () {
    const options = yield* Options.decode("loadPlugin", LoadPluginOptions, given)
    const loaded = yield* Manifest.load(directory, { lenient: options.lenient ?? false })
    const { manifest } = loaded
    const { workspace, denoDir } = yield* makeDirectories(options.workspace)
    const grants = yield* grantsOf(loaded, workspace)
    const events: Array<CoreNewEvent> = []
    const brokered: Array<BrokeredCall> = []
    const pushed: Array<PushedReading> = []
    const { sandbox = "auto", consent } = options
    const host = PluginHost.layerOf({ sandbox, ...(consent === undefined ? {} : { consent }) })
    const { start } = yield* Effect.provide(PluginHost.PluginHost, host)
    const process = yield* start({
      ...{ manifest, directory: loaded.directory, grants, workspace, denoDir },
      seed: options.seed ?? 1,
      instance: "test",
      metadata: metadataOf(manifest),
      record: (event) => Effect.sync(() => events.push(event)),
      onEmit: (sensor, reading) => Effect.sync(() => pushed.push({ sensor, reading })),
      intercept: intercepting(grants, options.answers ?? {}, brokered),
      consent: (said) => Effect.succeed(said || isShipped(loaded.digest)),
    }).pipe(
      Effect.catchTag("SandboxConsentMissing", ({ plugin, version, why, improve }) => {
        const better = improve === undefined ? {} : { improve }
        return new SandboxConsentMissing({ plugin, version, why, ...better, say: SAY })
      }),
    )
    const calls = callsOf(loaded, process, options.now)
    return {
      ...{ manifest, workspace, events, brokered, pushed, close },
      ...{ read: calls.read, act: calls.act, reset: calls.reset, judge: calls.judge },
      get state() {
        return calls.state()
      },
      get logs() {
        return events.flatMap((event) =>
          event.type === "PluginLogged" ? [{ level: event.payload.level, message: event.payload.message }] : [],
        )
      },
      [Symbol.asyncDispose]: close,
    }
  })

/** What a test says of a plugin that its author wrote. */
const SAY = 'If you wrote it or trust it, say so in its test: `loadPlugin(directory, { consent: "flags" })`.'

/** Everything that the manifest asks for: an author's own plugin, in the author's own test. */
const grantsOf = ({ manifest, directory }: Manifest.LoadedPlugin, workspace: string) => {
  const { read, write, net, env, run } = Grants.requested(manifest)
  const inDirectory = (place: string) => path.resolve(directory, place)
  const extra = { read: read.map(inDirectory), write: write.map(inDirectory), net, env, run, runAny: true }
  const granted = Grants.resolve(manifest, { directory, workspace, extra })
  return Either.isRight(granted) ? Effect.succeed(granted.right) : Effect.fail(granted.left)
}

const metadataOf = (manifest: Manifest.Manifest) => ({
  plugin: manifest.metadata ?? {},
  components: Object.fromEntries(
    [...Manifest.sensorsOf(manifest), ...Manifest.actuatorsOf(manifest)].map(({ name, metadata = {} }) => [
      name,
      metadata,
    ]),
  ),
})

const callsOf = ({ manifest, directory }: Manifest.LoadedPlugin, process: PluginProcess, now: number | undefined) => {
  let state: Json = null
  const timeouts = new Map(
    [...Manifest.sensorsOf(manifest), ...Manifest.actuatorsOf(manifest)].map(({ name, timeout }) => [name, timeout]),
  )
  const call = <A>(
    component: string,
    given: CallPluginOptions,
    effect: (options: CallOptions) => Effect.Effect<A, unknown>,
  ) => {
    const decoded = Options.decode("this call", CallPluginOptions, given)
    if (Either.isLeft(decoded)) return Promise.reject(decoded.left)
    const { timeoutMs = timeouts.get(component), signal, onProgress } = decoded.right
    const told =
      onProgress === undefined ? {} : { onProgress: (progress: Progress) => Effect.sync(() => onProgress(progress)) }
    return run(at(now, effect({ ...told, ...(timeoutMs === undefined ? {} : { timeoutMs }) })), signal)
  }
  return {
    state: () => state,
    read: (sensor: string, options: CallPluginOptions = {}) =>
      call(sensor, options, (options) => process.read(sensor, options)),
    act: async (actuator: string, args: JsonObject = {}, options: CallPluginOptions = {}) => {
      const { result, state: after = state } = await call(actuator, options, (options) =>
        Effect.tapError(process.act(actuator, args, options), (error) =>
          Effect.sync(() => {
            if ("state" in error && error.state !== undefined) state = error.state
          }),
        ),
      )
      state = after
      return result
    },
    judge: (measure: string, given: GivenTask, options: CallPluginOptions = {}) => {
      const { task, readPage } = callOf(manifest, measure, given)
      return call(measure, options, (options) => process.judge(measure, task, { ...options, readPage }))
    },
    reset: async (options?: JsonObject) => {
      state = await run(at(now, process.reset(options ?? (await scenarioOf(directory, manifest)))))
      return state
    },
  }
}

const scenarioOf = async (directory: string, { peas }: Manifest.Manifest): Promise<JsonObject> => {
  const scenario = peas.environment?.scenario
  if (scenario === undefined) return {}
  const { default: yaml } = await import("yaml")
  // What it says is the plugin's own business: its `reset` refuses what it cannot use.
  return yaml.parse(await fs.readFile(path.join(directory, scenario), "utf8"))
}

/** Lets a call be made at a time of the test's choice. */
const at = <A, E>(now: number | undefined, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  if (now === undefined) return effect
  const clock = Clock.make()
  return Effect.withClock(effect, {
    ...clock,
    sleep: clock.sleep,
    unsafeCurrentTimeMillis: () => now,
    currentTimeMillis: Effect.succeed(now),
  })
}

/** Runs an effect; rejects with the failure itself, or with the reason of the signal that ended it. */
const run = async <A>(effect: Effect.Effect<A, unknown>, signal?: AbortSignal): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true && Cause.isInterrupted(exit.cause)) throw signal.reason
  throw Cause.squash(exit.cause)
}
