/** Chooses the plugins that take part in a task, and sets up their environments. */

import * as path from "node:path"
import { Data, Effect, Schema } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { Environment } from "../../plugins/manifest/Manifest.ts"
import type { Components } from "../../plugins/process/Components.ts"
import * as ComponentSchemas from "../../plugins/schemas/ComponentSchemas.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as WorldRewards from "../acting/WorldRewards.ts"
import { failureOf, onPluginFailure } from "../instances/PluginFailure.ts"
import { manifestOf } from "../registry/Registry.ts"
import * as Rubric from "../rules/Rubric.ts"
import type { OpenOptions } from "./OpenOptions.ts"
import type { KernelContext, OpenTask } from "./OpenTask.ts"

/** Fix the options or the plugin: an environment could not be set up, or refused what was asked of it. */
export class EnvironmentRefused extends Data.TaggedError("EnvironmentRefused")<{
  readonly plugin: string
  readonly reason: string
  /** What was asked of it. Default: to be set up. */
  readonly asked?: string
}> {
  override get message() {
    const { plugin, reason, asked } = this
    return asked === undefined
      ? `The environment of ${plugin} could not be set up: ${reason}`
      : `The environment of ${plugin} refused ${asked}: ${reason}`
  }
}

/** The plugins that take part in a task, and the rubric that it is scored by. */
export interface Participants {
  /** The plugins that take part, by name. */
  readonly plugins: ReadonlyArray<string>
  readonly takesPart: (plugin: string) => boolean
  /** The measures of the plugins that take part. */
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
    // Fixed when the task is opened: a plugin that is imported later was not reset for it.
    return {
      plugins: active,
      takesPart: (plugin) => active.includes(plugin),
      rubric: Rubric.ofManifests(manifests),
      registry,
    }
  })

/** Fails if the options name a plugin that the registry lacks. It would otherwise be ignored silently. */
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

/**
 * Starts and resets each environment that takes part, and records its first state. Its options are those that the
 * task was opened with, otherwise those of the scenario that its manifest names.
 */
export const reset = (
  task: OpenTask,
  options: { readonly [plugin: string]: JsonObject },
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

/** Starts and resets the environment of one plugin. */
export const resetOne = (
  task: OpenTask,
  plugin: string,
  environment: Environment,
  options: { readonly [plugin: string]: JsonObject },
): Effect.Effect<void, EnvironmentRefused | Rubric.FileUnreadable | AppendError | LogError> =>
  Effect.gen(function* () {
    const file = environment.scenario ?? environment.configuration
    const settings = SafeRecord.get(options, plugin) ?? (yield* scenarioOf(task, plugin, file))
    const wrong = ComponentSchemas.validationError("options", environment.options, settings)
    if (wrong !== undefined) return yield* new EnvironmentRefused({ plugin, reason: wrong })
    const process = yield* processOf(task, plugin)
    const state = yield* process
      .reset(settings, {
        ...{ taskId: task.instanceName, causationId: task.openedBy },
        ...(task.agents === undefined ? {} : { agents: task.agents }),
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
          ...{ plugin, seed: task.seed, options: settings, state },
          ...(task.agents === undefined ? {} : { agents: task.agents }),
        },
      },
    )
    if (environment.spaces === undefined) return
    // Of several starts of one score set, the first counts.
    yield* task.record({ ...WorldRewards.started(task.id, described.position + 1), causationId: task.openedBy })
  })

/** The process that runs a plugin's environment for a task. */
export const processOf = (task: OpenTask, plugin: string): Effect.Effect<Components, EnvironmentRefused | LogError> =>
  Effect.flatMap(task.kernel.registry.state, (registry) => task.instance(plugin, registry)).pipe(
    Effect.map(({ process }) => process),
    refusedBy(plugin),
  )

/**
 * Turns a plugin's failure into `EnvironmentRefused`.
 *
 * @param asked what was asked of it. Default: to be set up
 */
export const refusedBy = (plugin: string, asked?: string) =>
  onPluginFailure((failure) => {
    const { code, message } = failureOf(failure)
    const reason = `${code}: ${message}`
    return new EnvironmentRefused({ plugin, reason, ...(asked === undefined ? {} : { asked }) })
  })

/** The options in the manifest's scenario file, read from the plugin's copy; empty if it names none. */
const scenarioOf = (task: OpenTask, plugin: string, scenario: string | undefined) =>
  Effect.gen(function* () {
    if (scenario === undefined) return {}
    const { directory } = yield* task.kernel.registry
      .installed(plugin)
      .pipe(onPluginFailure(({ message }) => new EnvironmentRefused({ plugin, reason: message })))
    const file = path.join(directory, scenario)
    return yield* Effect.flatMap(Rubric.readYaml(file), (value) =>
      Schema.is(JsonObject)(value)
        ? Effect.succeed(value)
        : new Rubric.FileUnreadable({ file, reason: "expected a mapping of options, found another value" }),
    )
  })
