import { actuatorsOf, type Risk, sensorsOf } from "../../plugins/manifest/Manifest.ts"
import type { Level } from "../../plugins/manifest/Risk.ts"
import {
  type ActiveComponent,
  activeActuators,
  activeSensors,
  type PluginRegistry,
} from "../../projections/state/PluginRegistry.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { effectiveRisk } from "../gate/PluginRisk.ts"
import { manifestOf } from "../registry/Registry.ts"

/** An actuator that an agent can command. */
export interface Capability {
  /** `plugin/actuator` */
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments, where it declares one: a command that disagrees is denied. */
  readonly args?: JsonObject
  /** JSON Schema of its result, where it declares one. */
  readonly result?: JsonObject
  /** What its manifest says, where it says anything. */
  readonly risk?: Risk
  /** What the gate rules on: the highest of what its manifest says and of what its plugin was granted. */
  readonly effectiveRisk: Level
  /** Where that is more than the manifest says: the grants that make it so, in words. */
  readonly riskBecause?: ReadonlyArray<string>
  /** Whether commanding it twice is as good as once, where it says. */
  readonly idempotent?: boolean
}

/** A sensor that an agent is given readings of. */
export interface Sense {
  /** `plugin/sensor` */
  readonly name: string
  readonly description: string
  /** JSON Schema of its readings, where it declares one. */
  readonly reading?: JsonObject
}

/** What an agent can perceive and do: as its manifests describe it, by priority. */
export interface Capabilities {
  readonly sensors: ReadonlyArray<Sense>
  readonly actuators: ReadonlyArray<Capability>
}

/** What the active components of some plugins offer. Pure. */
export const offered = (registry: PluginRegistry, takesPart: (plugin: string) => boolean): Capabilities => {
  const manifest = (plugin: string) => {
    const found = SafeRecord.get(registry, plugin)
    return found === undefined ? [] : [manifestOf(found)]
  }
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
  return {
    sensors: described(
      activeSensors(registry),
      (plugin) => manifest(plugin).flatMap(sensorsOf),
      (name, { description, reading }): Sense => ({ name, description, ...(reading === undefined ? {} : { reading }) }),
    ),
    actuators: described(
      activeActuators(registry),
      (plugin) => manifest(plugin).flatMap(actuatorsOf),
      (name, { description, args, result, risk, idempotent }, plugin): Capability => ({
        ...{ name, description },
        ...(args === undefined ? {} : { args }),
        ...(result === undefined ? {} : { result }),
        ...(risk === undefined ? {} : { risk }),
        ...riskIn(registry, plugin, risk),
        ...(idempotent === undefined ? {} : { idempotent }),
      }),
    ),
  }
}

const riskIn = (registry: PluginRegistry, plugin: string, declared: Risk | undefined) => {
  // What is offered is of a plugin that is there.
  const { effective, because } = effectiveRisk(declared, SafeRecord.get(registry, plugin) ?? { grants: {} })
  return { effectiveRisk: effective, ...(because.length === 0 ? {} : { riskBecause: because }) }
}
