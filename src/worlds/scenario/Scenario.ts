/** Reads scenarios and plays them in tasks. */

import { Effect, Either } from "effect"
import { Kernel, type RunError, type RunOptions } from "../../kernel/Kernel.ts"
import * as Rubric from "../../kernel/rules/Rubric.ts"
import * as SmallFile from "../../platform/SmallFile.ts"
import type * as TaskAudit from "../../projections/audit/TaskAudit.ts"
import type { PluginRegistry } from "../../projections/state/PluginRegistry.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Cast from "./Cast.ts"
import { conducted, type Playing } from "./Conducting.ts"
import { type AgentSetup, agentsOf } from "./Document.ts"
import { decode, invalid, type Loaded, type ScenarioInvalid } from "./decode.ts"
import { MAX_LENGTH } from "./source.ts"
import * as World from "./World.ts"

export type { Players } from "./Cast.ts"
export * as Conditions from "./Conditions.ts"
export { conducted, type Playing } from "./Conducting.ts"
export * as Course from "./Course.ts"
export { type AgentSetup, Scenario } from "./Document.ts"
export { decode, type Loaded, ScenarioInvalid } from "./decode.ts"
export { jsonSchema } from "./jsonSchema.ts"
export * as Triggers from "./Triggers.ts"
export { plugins as pluginsFor } from "./World.ts"

/** Reads a scenario from a YAML or JSON file; see `decode`. */
export const load = (file: string): Effect.Effect<Loaded, ScenarioInvalid | Rubric.FileUnreadable> =>
  Effect.flatMap(
    Effect.try({
      try: () => readText(file),
      catch: (cause) =>
        new Rubric.FileUnreadable({
          file,
          reason: `expected a readable file, found ${cause instanceof Error ? cause.message : String(cause)}`,
          missing: SmallFile.isMissing(cause),
        }),
    }),
    (text) => decode(text, file),
  )

/**
 * Maximum number of bytes that are read: the longest scenario in 4-byte characters, plus one to detect a longer file.
 */
const MAX_BYTES = 4 * MAX_LENGTH + 1

const readText = (file: string): string => SmallFile.readUpTo(file, MAX_BYTES).toString("utf8")

/** Whether a file looks like a scenario: its text has the fields `scenario_name` and `environment_type`. */
export const isOne = (file: string): boolean => {
  try {
    return isText(readText(file))
  } catch {
    return false
  }
}

/** Whether a text looks like a scenario. */
export const isText = (text: string): boolean => FIELDS.every((field) => field.test(text))

const FIELDS = ["scenario_name", "environment_type"].map(
  (field) => new RegExp(`(?:^\uFEFF?|[{,])[ \\t]*["']?${field}["']?[ \\t]*:`, "m"),
)

/** A scenario in its world: the options of its task, and the scenario to play. */
export interface Played {
  readonly playing: Playing
  /** The options of the task's environments, by plugin. */
  readonly environment: { readonly [plugin: string]: JsonObject }
  readonly goal: string
  /** The number of steps that loses the scenario, with a margin; undefined without such a condition. */
  readonly maxSteps: number | undefined
  /** The scenario's agents, in its order, with the programs or models that play them. */
  readonly agents: ReadonlyArray<AgentSetup>
}

/**
 * Finds the scenario's world among the active plugins that take part. Fails with everything that the scenario names and
 * the world lacks.
 */
export const inWorld = (
  loaded: Loaded,
  registry: PluginRegistry,
  plugins?: ReadonlyArray<string>,
): Either.Either<Played, ScenarioInvalid> => {
  const { scenario, digest } = loaded
  return Either.mapBoth(World.of(scenario, registry, plugins), {
    onLeft: (flaws) => invalid(loaded, flaws),
    onRight: ({ plugin, options }) => {
      const limits = (scenario.lose_conditions ?? []).flatMap((condition) =>
        condition.type === "max_steps_reached" ? [condition.steps] : [],
      )
      return {
        playing: { scenario, digest, plugin },
        environment: { [plugin]: options },
        goal: scenario.description.trim(),
        maxSteps: limits.length === 0 ? undefined : Math.min(...limits) + SPARE_STEPS,
        agents: agentsOf(scenario),
      }
    },
  })
}

/** The names of a scenario's agents, in its order; empty if it names none. */
export const agentsIn = ({ scenario }: Loaded): ReadonlyArray<string> =>
  agentsOf(scenario).map(({ agent_id }) => agent_id)

/** Steps beyond the scenario's own limit, for example for messages, so that the scenario ends the run first. */
const SPARE_STEPS = 100

/** Options of `run`. For several agents, `maxSteps` counts rounds, or turns in a turn-based world. */
export interface PlayOptions extends Omit<RunOptions, "goal" | "environment" | "agents"> {
  /** Default: the scenario's description. */
  readonly goal?: string
  /** Options of other environments, by plugin. */
  readonly environment?: { readonly [plugin: string]: JsonObject }
}

/**
 * Plays a scenario in a new task. Closes the task as `achieved` if the scenario is won and as `failed` if it is lost;
 * otherwise the agent ends the task, or it ends as `truncated`.
 *
 * A scenario of several agents takes agents by name, or a group (`AgentGroup`). Fails with `InvalidOptions` if they are
 * not the scenario's. Worlds for fewer agents do not take part.
 */
export const run = (
  players: Cast.Players,
  loaded: Loaded,
  options: PlayOptions = {},
): Effect.Effect<TaskAudit.TaskAudit, RunError | ScenarioInvalid, Kernel> =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const { plugins: asked, maxSteps: given, ...rest } = options
    const registry = yield* kernel.plugins.state
    const { playing, environment, goal, maxSteps } = yield* inWorld(loaded, registry, asked)
    const names = agentsOf(loaded.scenario).map(({ agent_id }) => agent_id)
    const { agent, agents } = yield* Cast.of(players, {
      names,
      world: playing.plugin,
      maxRounds: given ?? (maxSteps === undefined ? undefined : maxSteps * Math.max(1, names.length)),
    })
    const steps = given ?? maxSteps
    const plugins = World.plugins(registry, agents?.length ?? 1, asked)
    return yield* kernel.tasks.run(conducted(agent, playing), {
      goal,
      ...rest,
      ...defined({ agents, plugins, maxSteps: steps }),
      environment: { ...options.environment, ...environment },
    })
  })

/**
 * Converts the rewards of a scenario's events to a rubric for `rescore`: each `reward` response counts each time its
 * trigger fired. Undefined if the scenario has no rewards.
 */
export const rubricOf = ({
  scenario_name,
  description,
  events = [],
}: Loaded["scenario"]): Rubric.Rubric | undefined => {
  const given = events.flatMap(({ name, response }, index) =>
    ("type" in response ? [response] : response).flatMap((one) =>
      one.type === "reward" ? [{ trigger: name ?? `events/${index}`, amount: one.amount, name: one.name }] : [],
    ),
  )
  if (given.length === 0) return undefined
  // Equal rewards share one entry of the rubric, which counts all of them.
  const distinct = [...new Map(given.map((one) => [JSON.stringify([one.trigger, one.amount, one.name]), one])).values()]
  const named = distinct.map((one) => ({ ...one, called: one.name ?? one.trigger }))
  const measured = named.map(({ trigger, amount, name, called }, index) => {
    const before = named.slice(0, index).filter((other) => other.called === called).length
    const isNamed =
      name === undefined
        ? "!has(event.payload.response.name)"
        : `has(event.payload.response.name) && event.payload.response.name == ${JSON.stringify(name)}`
    return {
      positive: amount > 0,
      reward: {
        name: `${called}${before === 0 ? "" : ` (${before + 1})`}`,
        when: `The event ${trigger} of the scenario happened.`,
        weight: Math.abs(amount),
        rule: `event.type == "TriggerFired" && event.payload.trigger == ${JSON.stringify(trigger)} && event.payload.response.type == "reward" && double(event.payload.response.amount) == double(${amount}) && ${isNamed}`,
        per: "occurrence" as const,
      },
    }
  })
  const listed = (positive: boolean) => measured.filter((one) => one.positive === positive).map(({ reward }) => reward)
  return {
    name: "scenario",
    measures: [{ name: scenario_name, description, rewards: listed(true), punishments: listed(false) }],
  }
}
