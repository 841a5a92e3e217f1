/**
 * PiaSE's Environment Abstraction Layer (HAL), field for field, over any environment. An action type names an actuator;
 * a key of `sensor_data` names a sensor.
 */

import { Effect, Schema } from "effect"
import { defined } from "../../values/defined.ts"
import { JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"
import type { ActuatorDescription, Environment as Adapted, Ended, SensorDescription } from "../handle/Environment.ts"
import { AGENT } from "../handle/World.ts"
import type { WorldError } from "../handle/WorldError.ts"
import { type ActionOptions, actionFields, commandOf, messageOf, parametersOf } from "./Actions.ts"
import { forAgent, orNull, secondsOf, Timestamp } from "./Fields.ts"
import { passing, type TickOptions, tickFields } from "./Ticks.ts"

/** A perception of an agent. */
export const PerceptionData = Schema.Struct({
  timestamp: Timestamp,
  sensor_data: JsonObject,
  /** Messages to the agent since its last perception: `{ sender, content, timestamp }`. */
  messages: Schema.Array(JsonObject),
  /** The agent's status and return in a world; null in other environments. */
  agent_specific_data: orNull(JsonObject),
}).annotations({ identifier: "HalPerceptionData" })

export type PerceptionData = typeof PerceptionData.Type

/** An action of an agent. */
export const ActionCommand = Schema.Struct({
  action_type: Options.Text,
  parameters: JsonObject,
}).annotations({ identifier: "HalActionCommand" })

export type ActionCommand = typeof ActionCommand.Type

/** The result of an action. */
export const ActionResult = Schema.Struct({
  timestamp: Timestamp,
  /** `success`, `failure`, or `unknown` if the kernel ended before the outcome was recorded. */
  status: Schema.String,
  /** The action's own result, under its action type. Null if the result is not an object, or is the step of a world. */
  new_perception_snippet: orNull(PerceptionData),
  message: orNull(Schema.String),
  /** `command_id` and `result`, or `code` if the action did not succeed. */
  details: JsonObject,
}).annotations({ identifier: "HalActionResult" })

export type ActionResult = typeof ActionResult.Type

/**
 * Actions with the JSON Schemas of their parameters, in which `choices` replaces `enum`, and `optional` a missing
 * `required`.
 */
export interface ActionSpace {
  readonly [actionType: string]: { readonly description: string; readonly parameters: JsonObject }
}

/** The description of an environment. */
export interface EnvironmentInfo {
  readonly environment_name: string
  readonly description: string
  readonly version: string
  readonly action_schema: ActionSpace
  /** By key of `sensor_data`: the reading's JSON Schema, if it has one, and its description. */
  readonly perception_schema: JsonObject
}

/** HAL's `Environment`. */
export interface Environment {
  /** Opens a new task and returns the first agent's perception. */
  readonly reset: () => Effect.Effect<PerceptionData, WorldError>
  /**
   * Carries out an action. Fails with `InvalidOptions` if the value is not an `ActionCommand`; an action that the
   * environment refuses is a `failure`. In a world that moves by itself, `tickMs` of time pass afterwards.
   */
  readonly step: (agent_id: string, action: ActionCommand) => Effect.Effect<ActionResult, WorldError>
  /** Reads all sensors for an agent. */
  readonly get_observation: (agent_id: string) => Effect.Effect<PerceptionData, WorldError>
  /** The environment's document. */
  readonly get_state: () => Effect.Effect<JsonObject, WorldError>
  /** Whether an agent's episode is over. */
  readonly is_done: (agent_id: string) => Effect.Effect<boolean, WorldError>
  /** The actions of the environment, which are the same for every agent. */
  readonly get_action_space: (agent_id?: string) => Effect.Effect<ActionSpace, WorldError>
  /** The environment's name, description and schemas. */
  readonly get_environment_info: () => EnvironmentInfo
}

/** Options of `of`. */
export interface HalOptions extends ActionOptions, TickOptions {}

const HalOptions = Options.of<HalOptions>({ optional: { ...actionFields, ...tickFields } })

/** An environment under HAL's names. Stateless. */
export const of = (environment: Adapted, input: HalOptions = {}): Effect.Effect<Environment, Options.InvalidOptions> =>
  Effect.gen(function* () {
    const options = yield* Options.decode("Hal.of", HalOptions, input)
    const pass = yield* passing("Hal.of", environment, options)
    const { name, info } = environment
    const observe = (agent: string) =>
      Effect.gen(function* () {
        const { at, readings } = yield* environment.perceive(agent)
        const said = yield* environment.heard(agent)
        return {
          timestamp: secondsOf(at),
          sensor_data: readings,
          messages: said.map(({ sender, content, at }) => ({ sender, content, timestamp: secondsOf(at) })),
          agent_specific_data: yield* environment.own(agent),
        }
      })
    const actionSpace = actionSpaceOf(info.actuators, options)
    const hal: Environment = {
      reset: () =>
        Effect.zipRight(
          environment.reset(),
          Effect.suspend(() => observe(environment.agents()[0] ?? AGENT)),
        ),
      step: (agent_id, action) =>
        Effect.gen(function* () {
          const decoded = yield* Options.decode("step", ActionCommand, action)
          const acting = environment.act(agent_id, commandOf(name, decoded, options))
          return resultOf(yield* Effect.zipLeft(forAgent(environment, agent_id, acting), pass), info.spaces !== null)
        }),
      get_observation: (agent_id) => forAgent(environment, agent_id, observe(agent_id)),
      get_state: () => environment.state,
      is_done: (agent_id) =>
        forAgent(
          environment,
          agent_id,
          Effect.map(environment.status(agent_id), (status) => status !== "active"),
        ),
      get_action_space: (agent_id) =>
        agent_id === undefined
          ? Effect.succeed(actionSpace)
          : forAgent(environment, agent_id, Effect.succeed(actionSpace)),
      get_environment_info: () => ({
        environment_name: info.name,
        description: info.description,
        version: info.version,
        action_schema: actionSpace,
        perception_schema: perceptionSchemaOf(info.sensors),
      }),
    }
    return hal
  })

const resultOf = (ended: Ended, isWorld: boolean): ActionResult => {
  const { at, status, commandId, actuator, result, code } = ended
  const timestamp = secondsOf(at)
  return {
    timestamp,
    status: status === "succeeded" ? "success" : status === "unknown" ? "unknown" : "failure",
    new_perception_snippet:
      isObject(result) && !isWorld
        ? { timestamp, sensor_data: { [actuator]: result }, messages: [], agent_specific_data: null }
        : null,
    message: messageOf(ended),
    details: { command_id: commandId, ...(code === null ? { result } : { code }) },
  }
}

const actionSpaceOf = (actuators: ReadonlyArray<ActuatorDescription>, options: ActionOptions): ActionSpace =>
  Object.fromEntries(
    actuators.map((actuator) => [
      actuator.name,
      {
        description: actuator.description,
        parameters: Object.fromEntries(
          parametersOf(actuator, options).map(({ name, schema: { enum: choices, ...schema }, required }) => [
            name,
            {
              ...schema,
              ...defined({ choices }),
              ...(required ? {} : { optional: true }),
            },
          ]),
        ),
      },
    ]),
  )

const perceptionSchemaOf = (sensors: ReadonlyArray<SensorDescription>): JsonObject =>
  Object.fromEntries(sensors.map(({ name, description, reading }) => [name, { ...reading, description }]))
