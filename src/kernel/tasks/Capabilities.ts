/** The sensors and actuators of a task, from its plugins' manifests. */

import {
  actuatorsOf,
  type Guide,
  guidesOf,
  type Manifest,
  type Risk,
  STEP,
  sensorsOf,
  worldOf,
} from "../../plugins/manifest/Manifest.ts"
import type { Level } from "../../plugins/manifest/Risk.ts"
import {
  type ActiveComponent,
  activeActuators,
  activeSensors,
  type PluginRegistry,
} from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { effectiveRisk } from "../gate/PluginRisk.ts"
import { calledAgent } from "../registry/InProcess.ts"
import { manifestOf } from "../registry/Registry.ts"
import { offeredBy, type ProviderCapability } from "./providers/Generation.ts"

/** An actuator that an agent can command. */
export interface ActuatorCapability {
  /** `plugin/actuator` */
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. Commands that violate it are denied. */
  readonly args?: JsonObject
  /** JSON Schema of its result. */
  readonly result?: JsonObject
  /** The risk in its manifest. */
  readonly risk?: Risk
  /** The risk that the gate uses: the higher of the declared one and that of the plugin's grants. */
  readonly effectiveRisk: Level
  /** The grants that raise the risk, in words. */
  readonly riskBecause?: ReadonlyArray<string>
  /** Its result has the rewards and tells whether the episode is over. */
  readonly world?: true
  /** Repeating it has no further effect. */
  readonly idempotent?: boolean
  /** It may run concurrently with the other calls of one answer. */
  readonly concurrent?: boolean
  /** Its commands never run at the same time. */
  readonly sequential?: boolean
  /** Longest result that a model sees at once, in bytes. Agents that decide get whole results. */
  readonly maxResultBytes?: number
  /** The agent that it calls, as `name@version`: each call is a task of its own (`Agent.asTool`). */
  readonly agent?: string
}

/** A sensor whose readings an agent receives. */
export interface SensorCapability {
  /** `plugin/sensor` */
  readonly name: string
  readonly description: string
  /** JSON Schema of its readings. */
  readonly reading?: JsonObject
}

/** A guide of a plugin, from its manifest. */
export interface GuideCapability extends Omit<Guide, "file"> {
  /** `plugin/guide` */
  readonly name: string
}

/** A plugin, as its manifest describes it. */
export interface PluginDescription {
  readonly name: string
  readonly description: string
  readonly environment?: EnvironmentDescription
}

/** An environment, as its plugin's manifest describes it. */
export interface EnvironmentDescription {
  readonly name: string
  readonly description: string
  readonly rules: ReadonlyArray<string>
  readonly conventions: ReadonlyArray<string>
}

/** An agent's information from its plugins' manifests. Components are in order of priority. */
export interface Capabilities {
  /** The active plugins of the task, by name. */
  readonly plugins: ReadonlyArray<PluginDescription>
  readonly sensors: ReadonlyArray<SensorCapability>
  readonly actuators: ReadonlyArray<ActuatorCapability>
  /** The guides that agents may get by name. */
  readonly guides: ReadonlyArray<GuideCapability>
  /** The models of active plugins, also of those that do not take part. Absent if there are none. */
  readonly providers?: ReadonlyArray<ProviderCapability>
  /** The agent's setup in a scenario: its `initial_agent_config`. */
  readonly config?: JsonObject
}

/** `offered`, computed once per registry. Each call returns a copy. */
export const remembering = (takesPart: (plugin: string) => boolean): ((registry: PluginRegistry) => Capabilities) => {
  let known: { readonly registry: PluginRegistry; readonly text: string } | undefined
  return (registry) => {
    if (known?.registry !== registry) known = { registry, text: JSON.stringify(offered(registry, takesPart)) }
    // Manifests are JSON. Hot path: reading it takes half the time of a structured clone.
    return JSON.parse(known.text)
  }
}

/** The capabilities of the active components of some plugins. Pure. */
export const offered = (registry: PluginRegistry, takesPart: (plugin: string) => boolean): Capabilities => {
  const manifest = (plugin: string) => {
    const found = SafeRecord.get(registry, plugin)
    return found === undefined ? [] : [manifestOf(found)]
  }
  const isStep = (name: string, plugin: string) =>
    name === `${plugin}/${STEP}` && manifest(plugin).some((found) => worldOf(found) !== undefined)
  const described = <Declared extends { readonly name: string }, Offered>(
    components: ReadonlyArray<ActiveComponent>,
    declared: (plugin: string) => ReadonlyArray<Declared>,
    offer: (name: string, declared: Declared, plugin: string) => Offered,
  ) =>
    components
      .filter(({ plugin }) => takesPart(plugin))
      .flatMap(({ name, plugin, component }) =>
        declared(plugin)
          .filter((declared) => declared.name === component)
          .map((declared) => offer(name, declared, plugin)),
      )
  const active = Object.entries(registry).filter(([name, { active }]) => active && takesPart(name))
  const manifests = active.map(([, plugin]) => manifestOf(plugin)).sort((a, b) => (a.name < b.name ? -1 : 1))
  // Whoever names a model has chosen its plugin, which adds nothing to what the agent can do.
  const providers = Object.values(registry).flatMap((plugin) => (plugin.active ? offeredBy(plugin) : []))
  return {
    ...(providers.length === 0 ? {} : { providers }),
    plugins: manifests.map(descriptionIn),
    guides: manifests.flatMap((manifest) =>
      guidesOf(manifest).map(({ file: _, ...guide }) => ({ ...guide, name: `${manifest.name}/${guide.name}` })),
    ),
    sensors: described(
      activeSensors(registry),
      (plugin) => manifest(plugin).flatMap(sensorsOf),
      (name, { description, reading }): SensorCapability => ({
        name,
        description,
        ...defined({ reading }),
      }),
    ),
    actuators: described(
      activeActuators(registry),
      (plugin) => manifest(plugin).flatMap(actuatorsOf),
      (name, declared, plugin): ActuatorCapability => ({
        name,
        description: declared.description,
        ...defined({ args: declared.args, result: declared.result, risk: declared.risk }),
        ...riskIn(registry, plugin, declared.risk),
        ...(isStep(name, plugin) ? { world: true as const } : {}),
        ...defined({
          idempotent: declared.idempotent,
          concurrent: declared.concurrent,
          sequential: declared.sequential,
          maxResultBytes: declared.maxResultBytes,
          agent: agentBehind(registry, plugin, declared.name),
        }),
      }),
    ),
  }
}

const agentBehind = (registry: PluginRegistry, plugin: string, component: string) => {
  const found = SafeRecord.get(registry, plugin)
  return found === undefined ? undefined : calledAgent(found, component)
}

const descriptionIn = ({ name, description, peas: { environment } }: Manifest): PluginDescription => ({
  name,
  description,
  ...(environment === undefined
    ? {}
    : {
        environment: {
          name: environment.name,
          description: environment.description,
          rules: environment.rules ?? [],
          conventions: environment.conventions ?? [],
        },
      }),
})

const riskIn = (registry: PluginRegistry, plugin: string, declared: Risk | undefined) => {
  // An offered component belongs to a registered plugin.
  const { effective, because } = effectiveRisk(declared, SafeRecord.get(registry, plugin) ?? { grants: {} })
  return { effectiveRisk: effective, ...(because.length === 0 ? {} : { riskBecause: because }) }
}
