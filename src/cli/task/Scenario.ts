/** Loads the scenarios and environment options of `--scenario`, and finds the agents that play. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import type * as Agent from "../../kernel/agents/Agent.ts"
import { isGroup } from "../../kernel/agents/Agent.ts"
import { Registry } from "../../kernel/registry/Registry.ts"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import { JsonObject } from "../../values/Json.ts"
import { groupOf } from "../../worlds/scenario/Cast.ts"
import * as Scenarios from "../../worlds/scenario/Scenario.ts"
import { BadInput } from "../command/BadInput.ts"
import * as AgentModule from "./AgentModule.ts"
import * as AgentOption from "./AgentOption.ts"

export interface LoadedScenarios {
  readonly environment: { readonly [plugin: string]: JsonObject }
  /** The scenario to play; undefined if there are only options. */
  readonly played: PlayedFile | undefined
}

export interface PlayedFile extends Scenarios.Played {
  readonly file: string
}

/**
 * Loads environment options and the scenario to play. A `FILE` with `scenario_name` and `environment_type` is a
 * scenario, which finds its world by itself. Any other `FILE` holds the options of the only plugin with an environment;
 * `plugin=FILE` names the plugin.
 *
 * @param plugins the plugins that take part
 */
export const load = (scenarios: ReadonlyArray<string>, plugins: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const options: Record<string, JsonObject> = {}
    let played: PlayedFile | undefined
    if (scenarios.length === 0) return { environment: options, played } satisfies LoadedScenarios
    const withEnvironment = yield* environments(plugins)
    for (const scenario of scenarios) {
      if (isPlayed(scenario, withEnvironment)) {
        if (played !== undefined) {
          return yield* new BadInput({ input: "--scenario", expected: "one scenario to play", found: "several" })
        }
        const registry = yield* (yield* Registry).state
        const inWorld = yield* Scenarios.inWorld(yield* Scenarios.load(scenario), registry, plugins)
        played = { ...inWorld, file: scenario }
        continue
      }
      const { plugin, file } = yield* assign(scenario, withEnvironment)
      if (Object.hasOwn(options, plugin)) {
        return yield* new BadInput({ input: "--scenario", expected: `one for ${plugin}`, found: "several" })
      }
      options[plugin] = yield* readOptions(file)
    }
    return { environment: { ...options, ...played?.environment }, played } satisfies LoadedScenarios
  })

/** Whether a file is a scenario with metadata of its own, rather than the options of a named plugin. */
const isPlayed = (scenario: string, withEnvironment: ReadonlyArray<string>): boolean => {
  const named = scenario.slice(0, Math.max(0, scenario.indexOf("=")))
  if (withEnvironment.length === 0 || withEnvironment.includes(named)) return false
  // The reader of the file reports its mistakes.
  return Scenarios.isOne(scenario)
}

const namesIn = (agent: Agent.Agent): ReadonlyArray<string> | undefined =>
  isGroup(agent) ? Object.keys(agent.agents).sort() : undefined

const environments = (plugins: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const registry = yield* Registry
    const manifests = yield* Effect.forEach(plugins, (plugin) => registry.manifest(plugin))
    return manifests.flatMap(({ manifest }) => (manifest.peas.environment === undefined ? [] : [manifest.name]))
  })

/**
 * The plugin and the file of one `--scenario`. A file name may contain "=", so a prefix counts only if it is a plugin's
 * name.
 */
const assign = (scenario: string, withEnvironment: ReadonlyArray<string>) => {
  const equals = scenario.indexOf("=")
  const named = scenario.slice(0, Math.max(0, equals))
  if (withEnvironment.includes(named)) return Effect.succeed({ plugin: named, file: scenario.slice(equals + 1) })
  const [only, ...others] = withEnvironment
  if (only !== undefined && others.length === 0) return Effect.succeed({ plugin: only, file: scenario })
  const several = `one plugin with an environment, or --scenario plugin=FILE`
  const found = only === undefined ? "none with an environment" : `several: ${withEnvironment.join(", ")}`
  return new BadInput({ input: `--scenario ${scenario}`, expected: several, found })
}

/**
 * Assembles the working agent from the typed agents and those that the scenario names. Several form a group, with
 * `names`. An agent typed without a name plays all parts that no other agent plays.
 *
 * @param maxRounds maximum rounds of a group
 */
export const cast = (
  { named, other }: AgentOption.LoadedAgents,
  played: PlayedFile | undefined,
  typed: AgentOption.TypedModel,
  maxRounds: number | undefined,
): Effect.Effect<Cast, CastError> =>
  Effect.gen(function* () {
    const setups = played?.agents ?? []
    const names = setups.map(({ agent_id }) => agent_id)
    const strangers = Object.keys(named).filter((name) => names.length > 0 && !names.includes(name))
    if (strangers.length > 0) {
      const expected = `agents of the scenario (${names.join(", ")})`
      return yield* new BadInput({ input: "--agent, --model", expected, found: strangers.join(", ") })
    }
    const agents: { [name: string]: Agent.Agent } = { ...named }
    for (const setup of setups) {
      const agent = named[setup.agent_id] ?? (yield* ownPlayer(setup, played?.file ?? "", typed)) ?? other
      if (agent !== undefined) agents[setup.agent_id] = agent
    }
    const missing = names.filter((name) => !Object.hasOwn(agents, name))
    if (missing.length > 0 || (names.length === 0 && other === undefined && Object.keys(named).length === 0)) {
      const each = names.length > 1 ? `an agent for each of ${names.join(", ")}: NAME=FILE` : "one of them"
      const found = names.length > 1 && missing.length < names.length ? `none for ${missing.join(", ")}` : "neither"
      return yield* new BadInput({ input: "--agent, --model", expected: each, found })
    }
    const [only] = names
    if (names.length === 1 && only !== undefined) return { agent: agents[only] ?? groupOf(agents), names: undefined }
    if (names.length === 0 && other !== undefined) {
      return Object.keys(named).length === 0 ? { agent: other, names: namesIn(other) } : yield* AgentOption.unnamed
    }
    return { agent: groupOf(agents, { maxRounds }), names: Object.keys(agents).sort() }
  })

export interface Cast {
  readonly agent: Agent.Agent
  readonly names: ReadonlyArray<string> | undefined
}

type CastError =
  | Effect.Effect.Error<ReturnType<typeof AgentModule.load> | ReturnType<typeof AgentOption.loadModel>>
  | BadInput

/** The agent that a scenario names for a part, if any: a module below the scenario's directory, or a model. */
const ownPlayer = (
  { agent_id, program, model }: Scenarios.AgentSetup,
  file: string,
  typed: AgentOption.TypedModel,
): Effect.Effect<Agent.Agent | undefined, CastError> =>
  Effect.gen(function* () {
    if (model !== undefined) return yield* AgentOption.loadModel(model, typed, "live")
    if (program === undefined) return undefined
    return yield* AgentModule.load(yield* programBelow(file, "scenario", agent_id, program))
  })

/**
 * The path of a program that a file names for an agent. It must be in the file's directory or below it.
 *
 * @param kind the kind of file, for the message
 */
export const programBelow = (
  file: string,
  kind: string,
  agent: string,
  program: string,
): Effect.Effect<string, BadInput> => {
  const directory = path.dirname(path.resolve(file))
  const found = path.resolve(directory, program)
  const inside = path.relative(real(directory), real(found))
  if (!inside.startsWith("..") && !path.isAbsolute(inside)) return Effect.succeed(found)
  const expected = `a module in the ${kind}'s directory, or below it`
  return new BadInput({ input: `the program of ${agent}`, expected, found: program })
}

const real = (file: string): string => {
  try {
    return fs.realpathSync(file)
  } catch {
    // Loading reports a missing file.
    return file
  }
}

export const readOptions = (file: string) =>
  Effect.flatMap(Rubric.readYaml(file), (value) =>
    Schema.is(JsonObject)(value)
      ? Effect.succeed(value)
      : new Rubric.FileUnreadable({ file, reason: "expected a mapping of options, found another value" }),
  )
