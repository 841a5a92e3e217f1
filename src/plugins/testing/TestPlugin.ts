/** The test kit for plugin authors: loads a plugin in its real sandbox and calls its components. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Cause, Clock, Effect, Either, Exit, Scope } from "effect"
import type { CoreNewEvent } from "../../events/log/EventLog.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import type * as Manifest from "../manifest/Manifest.ts"
import { actuatorsOf, sensorsOf } from "../manifest/Manifest.ts"
import type { PluginVerdict } from "../PluginVerdict.ts"
import type { CallOptions, PluginProcess, Progress } from "../process/PluginProcess.ts"
import type { Settled } from "../Settled.ts"
import type { BrokeredCall } from "./Answers.ts"
import { callOf, type GivenTask } from "./GivenTask.ts"
import { CallPluginOptions, LoadPluginOptions } from "./TestOptions.ts"
import * as TestProcess from "./TestProcess.ts"

export type { Answers, BrokeredCall } from "./Answers.ts"
export type { Files } from "./directories.ts"
export type { GivenTask } from "./GivenTask.ts"
export type { PushedReading } from "./TestProcess.ts"

/** A line from `context.log`, or printed. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly message: string
}

/**
 * A plugin in its real sandbox, with every permission that its manifest requests. A failed call rejects with an error
 * that has a `_tag`: `CallFailed` (`error` is the thrown `{ code, message }`), `AnswerInvalid` if the answer does not
 * match the manifest, `CallTimedOut`, `PluginExited` and others.
 */
export interface TestPlugin extends Disposable {
  readonly manifest: Manifest.Manifest
  /** An absolute path. */
  readonly workspace: string
  /** Reads a sensor. */
  readonly read: (sensor: string, options?: CallPluginOptions) => Promise<Json>
  /** Sends a command to an actuator and returns its result. */
  readonly act: (actuator: string, args?: JsonObject, options?: CallPluginOptions) => Promise<Json>
  /**
   * Asks an actuator how a command ended, as a kernel does after a crash. Undefined without a `settle`. To ask in a new
   * process, as a kernel does, load the plugin a second time with the same workspace.
   */
  readonly settle: (
    actuator: string,
    commandId: string,
    args?: JsonObject,
    options?: Omit<CallPluginOptions, "commandId">,
  ) => Promise<Settled | undefined>
  /** Resets the environment and returns its state. Default options: the manifest's scenario. */
  readonly reset: (options?: JsonObject) => Promise<Json>
  /** Calls a measure's function and returns its verdicts. Only their form is checked. */
  readonly judge: (
    measure: string,
    task: GivenTask,
    options?: CallPluginOptions,
  ) => Promise<ReadonlyArray<PluginVerdict>>
  /** After the last reset or command; null before the first. */
  readonly state: Json
  /** Logged and printed lines, oldest first. */
  readonly logs: ReadonlyArray<LogLine>
  /** The plugin's host requests with their results, oldest first. */
  readonly brokered: ReadonlyArray<BrokeredCall>
  /** Pushed readings, oldest first. */
  readonly pushed: ReadonlyArray<TestProcess.PushedReading>
  /** The events that a kernel would record for the plugin. */
  readonly events: ReadonlyArray<CoreNewEvent>
  /** Ends the process and removes temporary files. */
  readonly close: () => Promise<void>
}

/** The method that `await using` calls, if the compiler knows `Symbol.asyncDispose` (Node's types or `esnext.disposable`). */
type Disposable = SymbolConstructor extends { readonly asyncDispose: infer Dispose extends symbol }
  ? { readonly [key in Dispose]: () => Promise<void> }
  : object

/**
 * Loads a plugin for a test, in any test runner: checks its manifest and starts it in its sandbox. Declare the plugin
 * with `await using`, or close it; otherwise the test does not end.
 *
 * ```ts
 * await using plugin = await loadPlugin("./counter")
 * assert.equal(await plugin.act("add", { amount: 2 }), 2)
 * assert.deepEqual(await plugin.read("count"), { count: 2 })
 * ```
 *
 * @param directory the plugin's directory, relative to the working directory
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
    const { loaded, process, ...recorded } = yield* TestProcess.start(directory, options, HOW_TO_CONSENT)
    const { events, ...others } = recorded
    const calls = callsOf(loaded, process, options.now)
    return {
      manifest: loaded.manifest,
      events,
      ...others,
      close,
      read: calls.read,
      act: calls.act,
      settle: calls.settle,
      reset: calls.reset,
      judge: calls.judge,
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

const HOW_TO_CONSENT = 'If you wrote it or trust it, say so in its test: `loadPlugin(directory, { consent: "flags" })`.'

const callsOf = ({ manifest, directory }: Manifest.LoadedPlugin, process: PluginProcess, now: number | undefined) => {
  let state: Json = null
  const timeouts = new Map(
    [...sensorsOf(manifest), ...actuatorsOf(manifest)].map(({ name, timeout }) => [name, timeout]),
  )
  const call = <A>(
    component: string,
    given: CallPluginOptions,
    effect: (options: CallOptions) => Effect.Effect<A, unknown>,
  ) => {
    const decoded = Options.decode("this call", CallPluginOptions, given)
    if (Either.isLeft(decoded)) return Promise.reject(decoded.left)
    const { timeoutMs = timeouts.get(component), commandId, signal, onProgress } = decoded.right
    const commandOption = commandId === undefined ? {} : { commandId }
    const progressOption =
      onProgress === undefined ? {} : { onProgress: (progress: Progress) => Effect.sync(() => onProgress(progress)) }
    return run(withClockAt(now, effect({ ...progressOption, ...commandOption, ...defined({ timeoutMs }) })), signal)
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
    settle: async (
      actuator: string,
      commandId: string,
      args: JsonObject = {},
      options: Omit<CallPluginOptions, "commandId"> = {},
    ) => {
      const asked = await call(actuator, options, (options) =>
        process.settle(actuator, args, { ...options, commandId }),
      )
      return asked?.settled
    },
    judge: (measure: string, given: GivenTask, options: CallPluginOptions = {}) => {
      const { task, readPage } = callOf(manifest, measure, given)
      return call(measure, options, (options) => process.judge(measure, task, { ...options, readPage }))
    },
    reset: async (options?: JsonObject) => {
      state = await run(withClockAt(now, process.reset(options ?? (await scenarioOf(directory, manifest)))))
      return state
    },
  }
}

const scenarioOf = async (directory: string, { peas }: Manifest.Manifest): Promise<JsonObject> => {
  const scenario = peas.environment?.scenario
  if (scenario === undefined) return {}
  const { default: yaml } = await import("yaml")
  // The content is the plugin's business: its `reset` refuses what it cannot use.
  return yaml.parse(await fs.readFile(path.join(directory, scenario), "utf8"))
}

/** Fixes the clock if the test sets a time. */
const withClockAt = <A, E>(now: number | undefined, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  if (now === undefined) return effect
  const clock = Clock.make()
  return Effect.withClock(effect, {
    ...clock,
    sleep: clock.sleep,
    unsafeCurrentTimeMillis: () => now,
    currentTimeMillis: Effect.succeed(now),
  })
}

/** Rejects with the failure itself, or with the signal's reason. */
const run = async <A>(effect: Effect.Effect<A, unknown>, signal?: AbortSignal): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect, signal === undefined ? {} : { signal })
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true && Cause.isInterrupted(exit.cause)) throw signal.reason
  throw Cause.squash(exit.cause)
}
