/** Finds the world of a scenario, and its options. */

import { Either } from "effect"
import { manifestOf } from "../../kernel/registry/Registry.ts"
import { actuatorsOf, type Manifest, STEP, worldOf } from "../../plugins/manifest/Manifest.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { agentsOf, asJson, responsesOf, type Scenario } from "./Document.ts"
import type { Flaw } from "./source.ts"

export interface World {
  readonly plugin: string
  readonly options: JsonObject
}

/**
 * Finds the world of a scenario among the active plugins that take part: by the plugin's name, its environment's name
 * or its `scenarioType`. Fails with the flaws, including actuators that the world does not have.
 *
 * @param plugins the plugins that take part. Default: all active ones
 */
export const of = (
  scenario: Scenario,
  registry: PluginRegistry,
  plugins?: ReadonlyArray<string>,
): Either.Either<World, ReadonlyArray<Flaw>> => {
  const manifests = Object.entries(registry)
    .filter(([name, { active }]) => active && (plugins === undefined || plugins.includes(name)))
    .map(([, plugin]) => manifestOf(plugin))
  const worlds = manifests.filter(({ peas }) => peas.environment !== undefined)
  const [found, ...others] = worlds.filter((manifest) => namesOf(manifest).includes(scenario.environment_type))
  if (found === undefined || others.length > 0) {
    const known = worlds.map((manifest) => namesOf(manifest).join(" or "))
    const expected = `the world of one active plugin that takes part (${known.join("; ") || "none"})`
    const several = `${JSON.stringify(scenario.environment_type)}, which matches several: ${[found, ...others].map((one) => one?.name).join(", ")}`
    const flaw = { path: "/environment_type", expected }
    return Either.left([{ ...flaw, found: found === undefined ? JSON.stringify(scenario.environment_type) : several }])
  }
  const flaws = [...crowdFlaws(scenario, found), ...actuatorFlaws(scenario, found, manifests)]
  return flaws.length === 0
    ? Either.right({ plugin: found.name, options: optionsFor(scenario, found) })
    : Either.left(flaws)
}

/** Drops worlds that are for fewer agents from the plugins of a task. */
export const plugins = (
  registry: PluginRegistry,
  agents: number,
  asked?: ReadonlyArray<string>,
): ReadonlyArray<string> | undefined => {
  if (agents < 2) return asked
  const all = asked ?? Object.keys(registry).filter((name) => registry[name]?.active === true)
  return all.filter((name) => {
    const found = SafeRecord.get(registry, name)
    const world = found === undefined ? undefined : worldOf(manifestOf(found))
    return world === undefined || world.maxAgents >= agents
  })
}

const namesOf = ({ name, peas: { environment } }: Manifest): ReadonlyArray<string> => [
  ...new Set([name, environment?.name, environment?.scenarioType].filter((named) => named !== undefined)),
]

/** The options of a world for a scenario. Pure. */
export const optionsFor = (scenario: Scenario, { peas }: Manifest): JsonObject =>
  peas.environment?.scenarioType === scenario.environment_type ? whole(scenario) : parts(scenario)

/**
 * The whole scenario, for a world that plays scenarios of this type. Leaves out the events, which Hindcast carries out,
 * conditions of types that such a world does not know, and the agents' own configuration.
 */
const whole = (scenario: Scenario): JsonObject => {
  const { $schema: _, events: __, configuration, initial_state, ...rest } = asJson(scenario)
  const agents = agentsOf(scenario).map(bare)
  const [agent] = agents
  return {
    ...rest,
    ...asObject(configuration),
    ...(initial_state === undefined
      ? {}
      : {
          initial_state: {
            ...asObject(initial_state),
            ...(agent === undefined ? {} : { agent_setup: agents.length > 1 ? agents : agent }),
          },
        }),
    win_conditions: [...scenario.win_conditions.filter(({ type }) => WORLDLY.has(type))],
    lose_conditions: [...(scenario.lose_conditions ?? []).filter(({ type }) => type === "max_steps_reached")],
  }
}

/** Conditions that a text room evaluates itself, so that its document tells whether it is won. */
const WORLDLY: ReadonlySet<string> = new Set(["item_in_inventory", "flag_set"])

/** The options of any other world: the configuration, and the given parts of the initial state. */
const parts = (scenario: Scenario): JsonObject => {
  const { configuration, initial_state } = asJson(scenario)
  const { rooms, object_details } = asObject(initial_state)
  const agents = agentsOf(scenario).map(bare)
  const isPlaced = agents.some((agent) => Object.keys(agent).length > 1)
  return {
    ...asObject(configuration),
    ...defined({ rooms, object_details }),
    ...(isPlaced ? { agents } : {}),
  }
}

/** An agent's setup, without the parts that its world must not see. */
const bare = ({
  initial_agent_config: _,
  program: _program,
  model: _model,
  ...agent
}: ReturnType<typeof agentsOf>[number]): JsonObject => ({ ...agent })

/** A JSON object; `{}` for any other value. */
export const asObject = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

const crowdFlaws = (scenario: Scenario, manifest: Manifest): ReadonlyArray<Flaw> => {
  const most = worldOf(manifest)?.maxAgents ?? 1
  const count = agentsOf(scenario).length
  if (count <= most) return []
  const expected =
    most === 1 ? "one agent, the maximum of its world" : `at most ${most} agents, the maximum of its world`
  return [{ path: "/initial_state/agent_setup", expected, found: `${count} agents` }]
}

/** The actuators that a scenario names and its world does not have. */
const actuatorFlaws = (
  scenario: Scenario,
  world: Manifest,
  manifests: ReadonlyArray<Manifest>,
): ReadonlyArray<Flaw> => {
  const own = actuatorsOf(world).map(({ name }) => name)
  const all = manifests.flatMap((manifest) => actuatorsOf(manifest).map(({ name }) => `${manifest.name}/${name}`))
  const missing = (path: string, name: string) =>
    own.includes(name) || all.includes(name)
      ? []
      : [{ path, expected: `an actuator of ${world.name} (${own.join(", ")})`, found: JSON.stringify(name) }]
  const isOfSeveral = agentsOf(scenario).length > 1
  return (scenario.events ?? []).flatMap((event, index) => {
    const { trigger, response } = event
    const path = `/events/${index}`
    const pathOf = (at: number) => `${path}/response${"type" in response ? "" : `/${at}`}`
    // In a stepped world, action types are actions, not actuators.
    const isStepped = own.includes("step") || own.length === 0
    return [
      ...(trigger.type === "action_taken" && !isStepped
        ? missing(`${path}/trigger/action_type`, trigger.action_type)
        : []),
      ...responsesOf(event).flatMap((one, at) => {
        if (one.type !== "command") return []
        const isStep = fullName(world.name, one.actuator) === fullName(world.name, STEP)
        if (isOfSeveral && isStep && one.agent_id === undefined) {
          const expected = "the agent_id of the agent that takes the step: several agents take part"
          return [{ path: pathOf(at), expected, found: "none" }]
        }
        return missing(`${pathOf(at)}/actuator`, one.actuator)
      }),
    ]
  })
}

/** The full name of an actuator: `plugin/actuator`. */
export const fullName = (plugin: string, actuator: string): string =>
  actuator.includes("/") ? actuator : `${plugin}/${actuator}`
