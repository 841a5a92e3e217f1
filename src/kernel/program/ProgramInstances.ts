/** Serves the plugin of the embedding program next to plugins with processes. */

import { Clock, Effect, Scope } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import * as EventRecorder from "../../plugins/channel/EventRecorder.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import { CallFailed } from "../../plugins/PluginError.ts"
import type { CallOptions, Components } from "../../plugins/process/ComponentCalls.ts"
import { settleAnswerOf } from "../../plugins/process/Components.ts"
import { type Validators, validatorsOf } from "../../plugins/process/validatingCalls.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"
import { sha256 } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import * as Pcg32 from "../../values/random/Pcg32.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Instance } from "../instances/Instance.ts"
import { servedBy } from "../instances/InstanceName.ts"
import type { Instances, RequestingTask } from "../instances/Instances.ts"
import { recordAs } from "../instances/ManagedProcess.ts"
import * as InProcess from "../registry/InProcess.ts"
import { manifestOf } from "../registry/Registry.ts"
import type { CallAgent } from "./AgentCall.ts"
import { declaresAlike, type ProgramFunction, type ProgramPlugin } from "./Program.ts"
import * as ProgramCalls from "./ProgramCalls.ts"

/**
 * Calls the program's functions for an in-process plugin, and `processes` for any other. A recorded plugin whose
 * functions the program does not declare is `PluginUnavailable`.
 *
 * @param callAgent carries out tools that call agents
 */
export const around = (
  processes: Instances,
  program: ProgramPlugin | undefined,
  log: EventLog.Service,
  callAgent: CallAgent,
): Instances => {
  const validators = program === undefined ? undefined : validatorsIn(program)
  const served = new Map<string, ServedTask>()
  const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)

  const serve = (plugin: string, found: Plugin, task: RequestingTask) =>
    oneAtATime(
      Effect.suspend(() => {
        const known = served.get(task.instanceName)
        if (known !== undefined) return Effect.succeed(known)
        return Effect.gen(function* () {
          const record = recordAs(log, plugin, found.version, task.instanceName)
          const recorder = yield* Scope.extend(EventRecorder.make(plugin, record), task.scope)
          yield* Scope.addFinalizer(
            task.scope,
            Effect.sync(() => served.delete(task.instanceName)),
          )
          const made: ServedTask = {
            ...servedBy(task.instanceName),
            log: recorder.log,
            random: randomOf(task.seed),
            instances: new WeakMap(),
          }
          served.set(task.instanceName, made)
          return made
        })
      }),
    )

  return {
    running: (plugin, found, task) => {
      if (!InProcess.isInProcess(found)) return processes.running(plugin, found, task)
      const serving = served.get(task.instanceName)
      return serving?.instances.get(found)
    },
    get: (plugin, registry, task) => {
      const found = SafeRecord.get(registry, plugin)
      if (found === undefined || !InProcess.isInProcess(found)) return processes.get(plugin, registry, task)
      if (program === undefined || validators === undefined) return InProcess.notDeclared(plugin)
      return Effect.map(serve(plugin, found, task), (serving) => {
        const instance =
          serving.instances.get(found) ?? instanceOf({ program, callAgent }, validators(), plugin, found, serving)
        serving.instances.set(found, instance)
        return instance
      })
    },
  }
}

const validatorsIn = (program: ProgramPlugin): (() => Validators) => {
  let made = { manifest: program.manifest, validators: validatorsOf(program.manifest) }
  return () => {
    const { manifest } = program
    if (made.manifest !== manifest) made = { manifest, validators: validatorsOf(manifest) }
    return made.validators
  }
}

interface ServedTask {
  readonly taskId: string
  readonly timeline: string
  readonly log: EventRecorder.EventRecorder["log"]
  readonly random: (component: string) => () => number
  readonly instances: WeakMap<Plugin, Instance>
}

/** One generator for each component of a task, so that calls of one do not change the numbers of another. */
const randomOf = (seed: number): ServedTask["random"] => {
  const generators = new Map<string, Pcg32.Pcg32>()
  return (component) => {
    const known =
      generators.get(component) ?? Pcg32.make(Number.parseInt(sha256(`${seed}/${component}`).slice(0, 8), 16))
    generators.set(component, known)
    return () => known.number()
  }
}

/** The default time-out of a call in milliseconds, the same as for other plugins. */
const CALL_MS = 30_000

const instanceOf = (
  { program, callAgent }: { readonly program: ProgramPlugin; readonly callAgent: CallAgent },
  validators: Validators,
  plugin: string,
  found: Plugin,
  task: ServedTask,
): Instance => {
  const manifest = manifestOf(found)

  const find = (verb: string, component: string) =>
    functionOf(program, plugin, manifest, `${verb} ${plugin}/${component}`, component)

  const call = (verb: string, component: string, args: Json, options?: CallOptions) =>
    Effect.flatMap(find(verb, component), (declared) => callOf(verb, component, declared, args, options))

  const callOf = (
    verb: string,
    component: string,
    declared: ProgramFunction,
    args: Json,
    { commandId = "", timeoutMs, attempt = 1, onProgress, causationId, budget, onChild = () => {} }: CallOptions = {},
  ) =>
    Effect.gen(function* () {
      const name = `${verb} ${plugin}/${component}`
      const command = { taskId: task.taskId, timeline: task.timeline, commandId }
      const { calls } = declared
      const now = yield* Clock.currentTimeMillis
      return yield* ProgramCalls.call({
        plugin,
        call: name,
        component:
          calls === undefined
            ? declared
            : { ...declared, run: (args) => callAgent(calls, args, { ...command, causationId, budget, onChild }) },
        args,
        services: program.services,
        timeoutMs: timeoutMs ?? CALL_MS,
        command,
        context: (signal, idempotencyKey) => ({
          taskId: task.taskId,
          timeline: task.timeline,
          commandId,
          idempotencyKey,
          attempt,
          progress: (report) => {
            if (onProgress !== undefined && !signal.aborted) Effect.runSync(onProgress(report))
          },
          signal,
          now,
          random: task.random(component),
          metadata: SafeRecord.get(found.components, component)?.metadata ?? {},
          log: (message, level = "info") => task.log(level, String(message)),
        }),
      })
    })

  const none = (verb: string) => {
    const error = { code: "NotDeclared", message: "the embedding program has tools and sensors only" }
    return new CallFailed({ plugin, call: `${verb} ${plugin}`, error })
  }
  const functions: Components = {
    read: (sensor, options) => call("read", sensor, null, options),
    act: (tool, args, options) => Effect.map(call("act", tool, args, options), (result) => ({ result })),
    settle: (tool, args, options) =>
      Effect.flatMap(find("settle", tool), (declared) => {
        const asking = ProgramCalls.asking(declared)
        if (asking === undefined) return Effect.succeed(undefined)
        return Effect.flatMap(callOf("settle", tool, asking, args, options), (answer) =>
          settleAnswerOf(plugin, `settle ${plugin}/${tool}`, answer),
        )
      }),
    reset: () => none("reset"),
    round: () => none("round"),
    changeAgents: (change) => none(change),
    tick: () => none("tick"),
    restore: () => none("restore"),
    judge: () => none("judge"),
    hear: () => none("hear"),
    ping: Effect.succeed(0),
  }
  return { manifest, process: validators.calls(functions), use: (effect) => effect }
}

/**
 * The function behind a task's component. The code of a changed declaration is gone; a component with an unchanged
 * declaration is served.
 */
const functionOf = (
  program: ProgramPlugin,
  plugin: string,
  manifest: Manifest,
  call: string,
  component: string,
): Effect.Effect<ProgramFunction, CallFailed> => {
  const found = program.functions.get(component)
  if (found !== undefined && declaresAlike(manifest, program.manifest, component)) return Effect.succeed(found)
  const what = found === undefined ? "does not declare" : "declares otherwise"
  const message = `${plugin}/${component} is of version ${manifest.version} of the embedding program's tools and sensors, which this program ${what} (its version is ${program.manifest.version}). Code is not copied, so that the one of then is gone; open a new task`
  return new CallFailed({ plugin, call, error: { code: "PluginUnavailable", message } })
}
