/** Chooses the plugins of a task, and sets up their environments. */

import { Data, Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Environment } from "../../plugins/manifest/Manifest.ts"
import type { Components } from "../../plugins/process/ComponentCalls.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as WorldRewards from "../acting/WorldRewards.ts"
import { failureOf, onPluginFailure } from "../instances/PluginFailure.ts"
import * as DefaultOptions from "../registry/DefaultOptions.ts"
import { manifestOf, type Registry } from "../registry/Registry.ts"
import * as Rubric from "../rules/Rubric.ts"
import type { OpenOptions } from "./OpenOptions.ts"
import type { KernelContext, OpenTask } from "./OpenTask.ts"

/** An environment could not be set up, or refused a request. Fix the options or the plugin. */
export class EnvironmentRefused extends Data.TaggedError("EnvironmentRefused")<{
  readonly plugin: string
  readonly reason: string
  /** The request. Default: its set-up. */
  readonly asked?: string
}> {
  override get message() {
    const { plugin, reason, asked } = this
    return asked === undefined
      ? `The environment of ${plugin} could not be set up: ${reason}`
      : `The environment of ${plugin} refused ${asked}: ${reason}`
  }
}

export interface Participants {
  /** By name. */
  readonly plugins: ReadonlyArray<string>
  readonly takesPart: (plugin: string) => boolean
  /** Their measures. */
  readonly rubric: Rubric.Rubric
  /** The registry at the opening: the task keeps these versions. */
  readonly registry: PluginRegistry
}

/** The active plugins among those that a task names; by default, all active ones. */
export const participants = (
  kernel: KernelContext,
  plugins: ReadonlyArray<string> | undefined,
): Effect.Effect<Participants, LogError> =>
  Effect.gen(function* () {
    const registry = yield* kernel.registry.state
    const names = Object.keys(registry).filter((name) => plugins === undefined || plugins.includes(name))
    const active = names.filter((name) => SafeRecord.get(registry, name)?.active === true)
    const manifests = active.flatMap((name) => SafeRecord.get(registry, name) ?? []).map(manifestOf)
    // The opening fixes them: nothing resets a later plugin for this task.
    return {
      plugins: active,
      takesPart: (plugin) => active.includes(plugin),
      rubric: Rubric.ofManifests(manifests),
      registry,
    }
  })

/** Fails if the options name a plugin that the registry lacks. */
export const allKnown = (
  registry: PluginRegistry,
  { plugins = [], environment = {} }: Pick<OpenOptions, "plugins" | "environment">,
): Effect.Effect<void, Options.InvalidOptions> => {
  const problems = Options.unknownNames("plugin", Object.keys(registry), [
    ...plugins.map((name, index) => ({ name, keys: ["plugins", index] })),
    ...Object.keys(environment).map((name) => ({ name, keys: ["environment", name] })),
  ])
  return problems.length === 0 ? Effect.void : new Options.InvalidOptions({ of: "a task", problems })
}

/** Options of environments, by plugin. */
export interface OptionsByPlugin {
  readonly [plugin: string]: JsonObject
}

/** The given options, otherwise those of the file that the manifest names. Fails if they do not fit the schema. */
export const optionsOf = (
  registry: Registry.Service,
  plugin: string,
  environment: Environment,
  given: OptionsByPlugin,
): Effect.Effect<JsonObject, EnvironmentRefused | Rubric.FileUnreadable | LogError> =>
  Effect.gen(function* () {
    const refused = (reason: string) => new EnvironmentRefused({ plugin, reason })
    const options = SafeRecord.get(given, plugin)
    if (options !== undefined) {
      const wrong = ComponentSchemas.validationError("options", environment.options, options)
      return wrong === undefined ? options : yield* refused(wrong)
    }
    if (environment.scenario === undefined && environment.configuration === undefined) return {}
    const { directory } = yield* registry.installed(plugin).pipe(onPluginFailure(({ message }) => refused(message)))
    return yield* DefaultOptions.read(directory, environment)
  })

/** The reset options of all environments. Fails before the task records anything. */
export const optionsOfAll = (
  { registry }: KernelContext,
  participants: Participants,
  given: OptionsByPlugin,
): Effect.Effect<OptionsByPlugin, EnvironmentRefused | Rubric.FileUnreadable | LogError> =>
  Effect.gen(function* () {
    let all: OptionsByPlugin = {}
    for (const plugin of participants.plugins) {
      const found = SafeRecord.get(participants.registry, plugin)
      const environment = found === undefined ? undefined : manifestOf(found).peas.environment
      if (environment === undefined) continue
      all = { ...all, [plugin]: yield* optionsOf(registry, plugin, environment, given) }
    }
    return all
  })

/** Starts and resets each environment, and records its first state. */
export const reset = (
  task: OpenTask,
  options: OptionsByPlugin,
): Effect.Effect<void, EnvironmentRefused | Rubric.FileUnreadable | AppendError | LogError> =>
  Effect.gen(function* () {
    const registry = yield* task.kernel.registry.state
    for (const [plugin, found] of Object.entries(registry)) {
      if (!found.active || !task.takesPart(plugin)) continue
      const { environment } = manifestOf(found).peas
      if (environment === undefined) continue
      yield* resetOne(task, plugin, environment, options)
    }
  })

export const resetOne = (
  task: OpenTask,
  plugin: string,
  environment: Environment,
  options: OptionsByPlugin,
): Effect.Effect<void, EnvironmentRefused | Rubric.FileUnreadable | AppendError | LogError> =>
  Effect.gen(function* () {
    const settings = yield* optionsOf(task.kernel.registry, plugin, environment, options)
    const process = yield* processOf(task, plugin)
    const state = yield* process
      .reset(settings, {
        taskId: task.instanceName,
        causationId: task.openedBy,
        ...defined({ agents: task.agents }),
      })
      .pipe(refusedBy(plugin))
    task.documents.set(plugin, state)
    const described = yield* task.record(
      {
        type: "EnvironmentDescribed",
        causationId: task.openedBy,
        payload: {
          plugin,
          name: environment.name,
          description: environment.description,
          rules: environment.rules ?? [],
          conventions: environment.conventions ?? [],
        },
      },
      {
        type: "EnvironmentReset",
        causationId: task.openedBy,
        payload: {
          plugin,
          seed: task.seed,
          options: settings,
          state,
          ...defined({ agents: task.agents }),
        },
      },
    )
    if (environment.spaces === undefined) return
    // Of several starts of one score set, the first counts.
    yield* task.record({ ...WorldRewards.started(task.id, described.position + 1), causationId: task.openedBy })
  })

export const processOf = (task: OpenTask, plugin: string): Effect.Effect<Components, EnvironmentRefused | LogError> =>
  Effect.flatMap(task.kernel.registry.state, (registry) => task.instance(plugin, registry)).pipe(
    Effect.map(({ process }) => process),
    refusedBy(plugin),
  )

/**
 * Turns a plugin's failure into `EnvironmentRefused`.
 *
 * @param asked the request (default: its set-up)
 */
export const refusedBy = (plugin: string, asked?: string) =>
  onPluginFailure((failure) => {
    const { code, message } = failureOf(failure)
    const reason = `${code}: ${message}`
    return new EnvironmentRefused({ plugin, reason, ...defined({ asked }) })
  })
