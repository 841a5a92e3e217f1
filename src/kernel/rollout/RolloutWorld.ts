/**
 * A world's process for a rollout: one process with many episodes, which the gate allows once for all their steps. Only a
 * world for one agent that needs no grants has such a process.
 */

import * as path from "node:path"
import { Data, Effect, type Scope } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Spaces } from "../../plugins/author.ts"
import { NO_GRANTS } from "../../plugins/manifest/Grants.ts"
import { actuatorsOf, type Manifest, STEP, worldOf } from "../../plugins/manifest/Manifest.ts"
import { ACTION_MASK, OBSERVATION } from "../../plugins/manifest/world.ts"
import type { ProcessCalls } from "../../plugins/process/ComponentCalls.ts"
import type { PluginHost } from "../../plugins/process/PluginHost.ts"
import type { Plugin, PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Gate from "../gate/Gate.ts"
import { effectiveRisk } from "../gate/PluginRisk.ts"
import type { InstanceError } from "../instances/Instance.ts"
import { filesOf, recordAs } from "../instances/ManagedProcess.ts"
import * as SandboxConsents from "../instances/SandboxConsents.ts"
import { manifestOf, type Registry } from "../registry/Registry.ts"
import * as Rubric from "../rules/Rubric.ts"
import * as Environments from "../tasks/Environments.ts"

/** The world cannot be stepped in a rollout. Use another world, or record each step by itself. */
export class RolloutRefused extends Data.TaggedError("RolloutRefused")<{
  readonly world: string
  readonly reason: string
}> {
  override get message() {
    return `${this.world} cannot be stepped in a rollout: ${this.reason}`
  }
}

/** A world's process for a rollout. Its scope's end stops it. */
export interface RolloutWorld {
  readonly plugin: string
  readonly version: string
  readonly name: string
  readonly spaces: Spaces
  /** The step at which an episode is truncated; null without a limit. */
  readonly maxEpisodeSteps: number | null
  /** `plugin/measure` of each measure that an episode can be scored by. */
  readonly measures: ReadonlyArray<string>
  /** The validated options. */
  readonly options: JsonObject
  /** The priority of each sensor, by its own name. */
  readonly priorities: { readonly [sensor: string]: number }
  /** The gate's rule that allows all steps. */
  readonly rule: string
  /** Calls of the process. */
  readonly slots: ProcessCalls["slotRows"]
  /** The log, in which this kernel writes as long as it holds the lease. */
  readonly log: EventLog.Service
}

/** Why a rollout's process cannot start. */
export type RolloutWorldError =
  | RolloutRefused
  | Environments.EnvironmentRefused
  | Rubric.FileUnreadable
  | InstanceError
  | AppendError
  | LogError

/** The parts of a kernel that it needs. */
export interface RolloutKernel {
  readonly log: EventLog.Service
  readonly registry: Registry.Service
  readonly host: PluginHost.Service
  readonly gate: Gate.GateConfig
  readonly directory: string
  readonly workspace: string
  /** The identity of the kernel, which owns the process. */
  readonly identity: string
}

/** The world of a rollout. */
export interface RolloutWorldOptions {
  readonly rolloutId: string
  readonly plugin: string
  /** Default: those of the file that the manifest names, or none. */
  readonly options?: JsonObject | undefined
  readonly seed: number
}

/** Asks the gate, and starts the process. */
export const open = (
  kernel: RolloutKernel,
  { rolloutId, plugin, options: given, seed }: RolloutWorldOptions,
): Effect.Effect<RolloutWorld, RolloutWorldError, Scope.Scope> =>
  Effect.gen(function* () {
    const { log, registry } = kernel
    const refused = (reason: string) => new RolloutRefused({ world: plugin, reason })
    const { found, manifest, environment, facts } = yield* worldIn(yield* registry.state, plugin, refused)
    if (facts.maxAgents > 1) {
      return yield* refused(
        `expected a world for one agent, found one for ${facts.maxAgents}; record its steps in full`,
      )
    }
    if (hasGrants(found)) {
      return yield* refused(
        "expected a plugin without grants, found one that was granted something; record its steps in full",
      )
    }
    const rule = yield* allowed(kernel.gate, plugin, found, refused)
    const options = yield* Environments.optionsOf(
      registry,
      plugin,
      environment,
      given === undefined ? {} : { [plugin]: given },
    )
    const process = yield* processOf(kernel, found, manifest, seed, `rollout/${rolloutId}`)
    return {
      plugin,
      version: manifest.version,
      name: environment.name,
      spaces: facts.spaces,
      maxEpisodeSteps: facts.maxSteps,
      measures: Rubric.ofManifests([manifest]).measures.map(Rubric.measureName),
      options,
      priorities: prioritiesOf(found),
      rule,
      slots: process.slotRows,
      log,
    }
  })

/** The active world of this name. Fails with what `refused` makes of the reason. */
export const worldIn = <E>(registry: PluginRegistry, plugin: string, refused: (reason: string) => E) =>
  Effect.gen(function* () {
    const found = SafeRecord.get(registry, plugin)
    if (found?.active !== true)
      return yield* Effect.fail(refused("expected an active plugin of this name in the registry"))
    const manifest = manifestOf(found)
    const { environment } = manifest.peas
    const facts = worldOf(manifest)
    if (environment === undefined || facts === undefined) {
      return yield* Effect.fail(refused("expected a world, found a plugin without steps"))
    }
    return { found, manifest, environment, facts }
  })

/** Starts a process of its own for many episodes. `instance` names it in the log, where its events form a stream. */
export const processOf = (
  { log, registry, host, directory, workspace, identity }: RolloutKernel,
  found: Plugin,
  manifest: Manifest,
  seed: number,
  instance: string,
) =>
  Effect.gen(function* () {
    const plugin = manifest.name
    const { directory: copy } = yield* registry.installed(plugin)
    const record = recordAs(log, plugin, manifest.version, instance, identity)
    return yield* host.start({
      manifest,
      grants: NO_GRANTS,
      directory: copy,
      workspace,
      seed,
      instance,
      forbidden: [...(yield* filesOf(log.name, plugin)), directory],
      denoDir: path.join(directory, `${plugin}.deno`),
      metadata: { plugin: found.metadata, components: {} },
      record: (event) => record(event, null),
      consent: SandboxConsents.mayStart(log, { plugin, version: manifest.version, digest: found.digest }),
    })
  })

/** Whether a plugin was granted anything, so that its calls may have effects outside of its world. */
export const hasGrants = ({ grants, manifest }: Plugin): boolean =>
  Object.values(grants).some((grant) => (Array.isArray(grant) ? grant.length > 0 : grant === true)) ||
  manifest.runtime === "mcp"

const prioritiesOf = ({ components }: Plugin) =>
  Object.fromEntries(
    Object.entries(components).flatMap(([name, { kind, priority }]) =>
      kind === "sensor" && WORLD_SENSORS.includes(name) ? [[name, priority]] : [],
    ),
  )

const WORLD_SENSORS: ReadonlyArray<string> = [OBSERVATION, ACTION_MASK]

/** Asks the gate once, without arguments: a rule about arguments then applies if it denies or asks. */
export const allowed = <E>(
  gate: Gate.GateConfig,
  plugin: string,
  found: Plugin,
  refused: (reason: string) => E,
): Effect.Effect<string, E> => {
  const step = actuatorsOf(manifestOf(found)).find(({ name }) => name === STEP)
  const { effective, because } = effectiveRisk(step?.risk, found)
  const { decision, rule, reason } = Gate.decide(gate, { actuator: `${plugin}/${STEP}`, risk: effective, because })
  return decision === "allow"
    ? Effect.succeed(rule)
    : Effect.fail(refused(`the gate is asked once for all steps, and its rule ${rule} says ${decision}: ${reason}`))
}
