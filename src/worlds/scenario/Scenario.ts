/** Scenarios: reading them, and playing them in a task. */

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
          reason: `expected a file that can be read, found ${cause instanceof Error ? cause.message : String(cause)}`,
          missing: SmallFile.isMissing(cause),
        }),
    }),
    (text) => decode(text, file),
  )

/** Most bytes of a file that is read: the longest text of a scenario, in the widest characters, and one more. */
const MAX_BYTES = 4 * MAX_LENGTH + 1

/** The text of a file, and no more than is needed to see that it is too long. */
const readText = (file: string): string => SmallFile.readUpTo(file, MAX_BYTES).toString("utf8")

/** Whether a file is meant as a scenario: its text has the fields `scenario_name` and `environment_type`. */
export const isOne = (file: string): boolean => {
  try {
    return isText(readText(file))
  } catch {
    return false
  }
}

/** Whether a text is meant as a scenario. */
export const isText = (text: string): boolean => FIELDS.every((field) => field.test(text))

const FIELDS = ["scenario_name", "environment_type"].map(
  (field) => new RegExp(`(?:^\uFEFF?|[{,])[ \\t]*["']?${field}["']?[ \\t]*:`, "m"),
)

/** A scenario in its world: what a task is opened with, and what conducts its agent. */
export interface Played {
  readonly playing: Playing
  /** The options of the task's environments, by plugin. */
  readonly environment: { readonly [plugin: string]: JsonObject }
  /** The scenario's description. */
  readonly goal: string
  /** The steps after which the scenario is lost, and some more; undefined if it has no such condition. */
  readonly maxSteps: number | undefined
  /** Its agents, in its order: their names, and who plays them if it says so. */
  readonly agents: ReadonlyArray<AgentSetup>
}

/**
 * Puts a scenario in the world that it names, one of the active plugins that take part. It fails with all that the
 * scenario names and the world does not have.
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

/** The names of the agents that a scenario has, in its order; none if it does not say. */
export const agentsIn = ({ scenario }: Loaded): ReadonlyArray<string> =>
  agentsOf(scenario).map(({ agent_id }) => agent_id)

/** Steps beyond the scenario's own limit, such as messages, so that it is the scenario that ends the run. */
const SPARE_STEPS = 100

/** Options of a run of a scenario. `maxSteps` of several agents are rounds, or turns where one acts after the other. */
export interface PlayOptions extends Omit<RunOptions, "goal" | "environment" | "agents"> {
  /** Default: the scenario's description. */
  readonly goal?: string
  /** Options of other environments, by plugin. */
  readonly environment?: { readonly [plugin: string]: JsonObject }
}

/**
 * Plays a scenario in a new task: opens it in the scenario's world, looks at the scenario's triggers and conditions after
 * each command, and closes the task as `achieved` where it is won, as `failed` where it is lost. Otherwise the task ends
 * as the agent ends it, or as `truncated`.
 *
 * A scenario of several agents is played by agents by their names, or by a group of them (`AgentGroup`). It fails with
 * `InvalidOptions` where they are not those of the scenario. Worlds that are for fewer agents take no part.
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
 * The rewards and punishments of a scenario's events as a rubric, for `rescore`: each response of the type `reward`
 * counts each time its trigger fired. Undefined if the scenario gives none.
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
  // Equal rewards are one of the rubric, which counts each time that one of them was given.
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
