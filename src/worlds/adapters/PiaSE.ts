/**
 * PiaSE's `AbstractEnvironment` and `EnvironmentInterface`, field for field, over any environment. An action type names
 * an actuator; a key of `raw_observations` names a sensor.
 */

import { Data, Effect, Schema, type Scope, Stream } from "effect"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as JsonPatch from "../../projections/patch/JsonPatch.ts"
import { type Json, JsonObject, pointerKeys, pointerToken, valueAt } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import * as Options from "../../values/Options.ts"
import type { Environment } from "../handle/Environment.ts"
import type { WorldError } from "../handle/WorldError.ts"
import { messageOf, parametersOf } from "./Actions.ts"
import * as Callbacks from "./Callbacks.ts"
import { forAgent, secondsOf } from "./Fields.ts"
import { carryOut, statusOf } from "./PiaSEActions.ts"
import {
  ActionCommand,
  type ActionInput,
  type ActionResult,
  type EnvironmentInfo,
  type PerceptionData,
} from "./PiaSEData.ts"
import { at, type PerceptionFields, PiaSEOptions, WebUrl } from "./PiaSEOptions.ts"
import { passing } from "./Ticks.ts"

export { submitAll } from "./PiaSEActions.ts"
export * from "./PiaSEData.ts"
export type { PerceptionFields, PiaSEOptions } from "./PiaSEOptions.ts"

/** An agent asked for something that the environment does not show to agents. */
export class NotPublic extends Data.TaggedError("NotPublic")<{
  readonly environment: string
  readonly asked: string
  readonly allowed: ReadonlyArray<string>
}> {
  override get message() {
    const allowed = this.allowed.length === 0 ? "nothing" : `one of ${this.allowed.join(", ")}`
    return `${this.environment}: expected ${allowed}, found ${JSON.stringify(this.asked)}, which agents may not see.`
  }
}

/** The state has no part at this scope. */
export class NoSuchScope extends Data.TaggedError("NoSuchScope")<{
  readonly environment: string
  readonly scope: string
  readonly found: ReadonlyArray<string>
}> {
  override get message() {
    return `The state of ${this.environment} has no ${JSON.stringify(this.scope)}: expected a JSON Pointer, or one of ${this.found.join(", ")}.`
  }
}

/**
 * The types of events that an agent can subscribe to. They reveal none of the state that the agent does not perceive.
 */
export const EVENT_TYPES: ReadonlyArray<string> = [
  "SensorRead",
  "SensorFailed",
  "ActuatorCommanded",
  "CommandSucceeded",
  "CommandFailed",
  "CommandDenied",
  "InputReceived",
  "MessageSent",
  "TaskClosed",
]

/** PiaSE's `EnvironmentInterface`: the calls of an agent. */
export interface EnvironmentInterface {
  /** The environment's name, version, and schemas of actions and perceptions. */
  readonly get_environment_info: () => EnvironmentInfo
  /** Reads all sensors for an agent. */
  readonly get_perceptions: (agent_id: string) => Effect.Effect<PerceptionData, WorldError>
  /**
   * Carries out an action. Fails with `InvalidOptions` if the value is not an `ActionCommand`; an action that the
   * environment refuses is a `failure`.
   */
  readonly submit_action: (agent_id: string, action_command: ActionInput) => Effect.Effect<ActionResult, WorldError>
  /**
   * Passes each event of one type (`EVENT_TYPES`) in the current task to the program's `deliver`, or posts it to the
   * URL, in order, until the task or the scope ends. Covers events about this agent and about no agent in particular.
   * Fails with `NotPublic` if the program has neither `deliver` nor `callbacks`, or if the URL is not below one of these.
   */
  readonly subscribe_to_event: (
    agent_id: string,
    event_type: string,
    callback_url: string,
  ) => Effect.Effect<void, NotPublic | WorldError, Scope.Scope>
  /** Takes `{ paths: ["/steps"] }` and returns the values by path. Each path must be within the public state. */
  readonly query_environment_state: (
    agent_id: string,
    query: JsonObject,
  ) => Effect.Effect<JsonObject, NotPublic | WorldError>
}

/** PiaSE's `AbstractEnvironment`: the calls of an engine. */
export interface AbstractEnvironment {
  /** Sets the options of later resets. The reset checks them, and fails if the environment refuses them. */
  readonly load_configuration: (config_data: JsonObject) => Effect.Effect<boolean, WorldError>
  /** Lets `tickMs` of time pass in a world that moves by itself. Other environments do not change. */
  readonly step: (current_time_step: number) => Effect.Effect<void, WorldError>
  /** The whole state, or the part at a key or a JSON Pointer. */
  readonly get_current_state_snapshot: (scope?: string) => Effect.Effect<Json, NoSuchScope | WorldError>
  /** Opens a new task and returns true. Fails with `EnvironmentRefused` if the environment refuses the options. */
  readonly reset_environment: (scenario_config?: JsonObject) => Effect.Effect<boolean, WorldError>
  /** Reads all sensors for an agent. */
  readonly get_perceptual_data_for_agent: (agent_id: string) => Effect.Effect<PerceptionData, WorldError>
  /** As `submit_action` of `EnvironmentInterface`. */
  readonly apply_action_from_agent: (
    agent_id: string,
    action_command: ActionInput,
  ) => Effect.Effect<ActionResult, WorldError>
  /** The environment's name, version, and schemas of actions and perceptions. */
  readonly get_environment_info: () => EnvironmentInfo
}

/** An environment under PiaSE's names. Stateless. */
export const of = (
  environment: Environment,
  input: PiaSEOptions = {},
): Effect.Effect<AbstractEnvironment & EnvironmentInterface, Options.InvalidOptions> =>
  Effect.gen(function* () {
    const options = yield* Options.decode("PiaSE.of", PiaSEOptions, input)
    const pass = yield* passing("PiaSE.of", environment, options)
    const get_environment_info = () => infoOf(environment, options)
    const perceptions = (agent: string) => forAgent(environment, agent, perceive(environment, options, agent))
    const submit = (agent: string, command: ActionInput) =>
      Effect.flatMap(Options.decode("submit_action", ActionCommand, command), (decoded) =>
        forAgent(environment, agent, carryOut(environment, options, agent, decoded)),
      )
    const adapted: AbstractEnvironment & EnvironmentInterface = {
      get_environment_info,
      get_perceptions: perceptions,
      get_perceptual_data_for_agent: perceptions,
      submit_action: submit,
      apply_action_from_agent: submit,
      load_configuration: (config) =>
        Effect.as(
          Effect.flatMap(Options.decode("load_configuration", JsonObject, config), environment.configure),
          true,
        ),
      step: (timeStep) => Effect.flatMap(Options.decode("step", Options.wholeNumber(0), timeStep), () => pass),
      reset_environment: (scenario) =>
        Effect.as(environment.reset(scenario === undefined ? {} : { options: scenario }), true),
      get_current_state_snapshot: (scope) =>
        Effect.flatMap(environment.state, (state) => partOf(environment, state, scope)),
      subscribe_to_event: (agent, type, url) =>
        forAgent(environment, agent, subscribe(environment, options, agent, type, url)),
      query_environment_state: (agent, query) => forAgent(environment, agent, answer(environment, options, query)),
    }
    return adapted
  })

const perceive = (environment: Environment, { fields = {} }: PiaSEOptions, agent: string) =>
  Effect.gen(function* () {
    const perceived = yield* environment.perceive(agent)
    const said = yield* environment.heard(agent)
    const last = environment.lastEnded(agent)
    const { readings, before } = perceived
    return {
      timestamp: secondsOf(perceived.at),
      raw_observations: readings,
      messages: said.map(({ sender, content, at }) => ({
        sender,
        content: typeof content === "string" ? content : JSON.stringify(content),
        timestamp: secondsOf(at),
      })),
      ...namedFields(readings, fields),
      inventory_update: inventoryUpdate(before, readings, fields),
      last_action_result:
        last === null ? null : { action_type: last.actuator, status: statusOf(last), message: messageOf(last) },
    }
  })

const namedFields = (readings: JsonObject, fields: PerceptionFields) => {
  const text = at(readings, fields.visible_text)
  const stats = at(readings, fields.self_stats_feedback)
  const entities = at(readings, fields.visible_entities)
  return {
    visible_text: typeof text === "string" ? text : null,
    self_stats_feedback: isObject(stats) ? stats : null,
    visible_entities: Array.isArray(entities) ? entities.filter(isObject) : null,
  }
}

/** The items that the agent gained and lost since its last perception; null if unknown or none. */
const inventoryUpdate = (
  before: JsonObject | null,
  readings: JsonObject,
  { inventory }: PerceptionFields,
): JsonObject | null => {
  const now = at(readings, inventory)
  const then = before === null ? [] : at(before, inventory)
  if (!Array.isArray(now) || !Array.isArray(then)) return null
  const without = (items: ReadonlyArray<Json>, others: ReadonlyArray<Json>) =>
    items.filter((item) => !others.some((other) => JsonPatch.equal(item, other)))
  const [added, removed] = [without(now, then), without(then, now)]
  return added.length + removed.length === 0 ? null : { added, removed }
}

const subscribe = (
  environment: Environment,
  { deliver: own, callbacks = [] }: PiaSEOptions,
  ...[agent, type, url]: readonly [agent: string, type: string, url: string]
) =>
  Effect.gen(function* () {
    const deliver = own ?? (callbacks.length === 0 ? undefined : Callbacks.post)
    const allowed = deliver === undefined ? [] : EVENT_TYPES
    if (deliver === undefined || !allowed.includes(type)) {
      return yield* new NotPublic({ environment: environment.name, asked: type, allowed })
    }
    yield* Options.decode("subscribe_to_event", WebUrl, url)
    if (own === undefined && !Callbacks.isAllowed(url, callbacks))
      return yield* new NotPublic({ environment: environment.name, asked: url, allowed: callbacks })
    const events = yield* environment.events(agent, [type])
    const delivering = Stream.runForEach(events, (event) => deliver(url, event))
    yield* Effect.forkScoped(
      Effect.catchAllCause(delivering, (cause) => ProgramLog.error(`The subscription to ${type} ended`, cause)),
    )
  })

const Query = Schema.Struct({ paths: Schema.Array(Schema.String) })

const answer = (environment: Environment, { publicState = [] }: PiaSEOptions, query: JsonObject) =>
  Effect.gen(function* () {
    const { paths } = yield* Options.decode("query_environment_state", Query, query)
    const hidden = paths.find((path) => !publicState.some((open) => path === open || path.startsWith(`${open}/`)))
    if (hidden !== undefined) {
      return yield* new NotPublic({ environment: environment.name, asked: hidden, allowed: publicState })
    }
    const state = yield* environment.state
    return Object.fromEntries(paths.map((path) => [path, at(state, path)] as const))
  })

const partOf = (environment: Environment, state: JsonObject, scope: string | undefined) => {
  if (scope === undefined) return Effect.succeed<Json>(state)
  const found = valueAt(state, pointerKeys(scope.startsWith("/") ? scope : `/${pointerToken(scope)}`))
  return found === undefined
    ? new NoSuchScope({ environment: environment.name, scope, found: Object.keys(state) })
    : Effect.succeed(found)
}

const infoOf = ({ info }: Environment, options: PiaSEOptions): EnvironmentInfo => ({
  environment_name: info.name,
  description: info.description,
  version: info.version,
  action_schema: Object.fromEntries(
    info.actuators.map((actuator) => [
      actuator.name,
      {
        description: actuator.description,
        parameters: Object.fromEntries(parametersOf(actuator, options).map(({ name, schema }) => [name, schema])),
      },
    ]),
  ),
  perception_schema: Object.fromEntries(
    info.sensors.map(({ name, description, reading }) => [
      name,
      { type: typeof reading?.type === "string" ? reading.type : "any", description, is_optional: true },
    ]),
  ),
  max_agents: info.maxAgents,
  time_model: info.timeModel,
  custom_properties: { rules: info.rules, conventions: info.conventions },
})
