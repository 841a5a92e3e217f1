/**
 * PiaSE's `AbstractEnvironment` and `EnvironmentInterface`, field for field, over any environment. An action type is the
 * name of an actuator, and a key of `raw_observations` that of a sensor.
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
import { forAgent, secondsOf } from "./Fields.ts"
import { carryOut, statusOf } from "./PiaSEActions.ts"
import {
  ActionCommand,
  type ActionInput,
  type ActionResult,
  type EnvironmentInfo,
  type PerceptionData,
} from "./PiaSEData.ts"
import { at, type PerceptionFields, PiaSEOptions } from "./PiaSEOptions.ts"
import { passing } from "./Ticks.ts"

export { submitAll } from "./PiaSEActions.ts"
export * from "./PiaSEData.ts"
export type { PerceptionFields, PiaSEOptions } from "./PiaSEOptions.ts"

/** Ask for something else: agents are not told this. */
export class NotPublic extends Data.TaggedError("NotPublic")<{
  readonly environment: string
  readonly asked: string
  readonly allowed: ReadonlyArray<string>
}> {
  override get message() {
    const allowed = this.allowed.length === 0 ? "nothing" : `one of ${this.allowed.join(", ")}`
    return `${this.environment}: expected ${allowed}, found ${JSON.stringify(this.asked)}, which agents are not told.`
  }
}

/** Name a part that the state has. */
export class NoSuchScope extends Data.TaggedError("NoSuchScope")<{
  readonly environment: string
  readonly scope: string
  readonly found: ReadonlyArray<string>
}> {
  override get message() {
    return `The state of ${this.environment} has no ${JSON.stringify(this.scope)}: expected a JSON Pointer, or one of ${this.found.join(", ")}.`
  }
}

/** The events that an agent can subscribe to. They tell nothing of the environment's state that it is not shown. */
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

/** PiaSE's `EnvironmentInterface`: what an agent calls. */
export interface EnvironmentInterface {
  /** The environment's name, version, and schemas of actions and perceptions. */
  readonly get_environment_info: () => EnvironmentInfo
  /** What an agent perceives at this moment: all sensors are read. */
  readonly get_perceptions: (agent_id: string) => Effect.Effect<PerceptionData, WorldError>
  /** Fails with `InvalidOptions` for what is no `ActionCommand`. An action that the environment refuses is a `failure`. */
  readonly submit_action: (agent_id: string, action_command: ActionInput) => Effect.Effect<ActionResult, WorldError>
  /**
   * Delivers each event of a type (`EVENT_TYPES`) in the current task that is about the agent, or about nobody in
   * particular, to a URL, in order, until the task or the scope ends. How it is delivered is the program's `deliver`; without one, it fails with `NotPublic`.
   */
  readonly subscribe_to_event: (
    agent_id: string,
    event_type: string,
    callback_url: string,
  ) => Effect.Effect<void, NotPublic | WorldError, Scope.Scope>
  /** Answers `{ paths: ["/steps"] }` with the values there, by path, for paths within the public state. */
  readonly query_environment_state: (
    agent_id: string,
    query: JsonObject,
  ) => Effect.Effect<JsonObject, NotPublic | WorldError>
}

/** PiaSE's `AbstractEnvironment`: what an engine calls. */
export interface AbstractEnvironment {
  /** Sets the options of later resets. They are checked by the reset, which fails where the environment refuses them. */
  readonly load_configuration: (config_data: JsonObject) => Effect.Effect<boolean, WorldError>
  /** Lets a world that moves by itself move on, by `tickMs` of the options. Others have no dynamics of their own, and stay as they are. */
  readonly step: (current_time_step: number) => Effect.Effect<void, WorldError>
  /** The state; with a scope, the part of it at a key or a JSON Pointer. */
  readonly get_current_state_snapshot: (scope?: string) => Effect.Effect<Json, NoSuchScope | WorldError>
  /** Opens a new task. Answers true; an environment that refuses the options fails with `EnvironmentRefused`. */
  readonly reset_environment: (scenario_config?: JsonObject) => Effect.Effect<boolean, WorldError>
  /** What an agent perceives at this moment: all sensors are read. */
  readonly get_perceptual_data_for_agent: (agent_id: string) => Effect.Effect<PerceptionData, WorldError>
  /** As `submit_action` of `EnvironmentInterface`. */
  readonly apply_action_from_agent: (
    agent_id: string,
    action_command: ActionInput,
  ) => Effect.Effect<ActionResult, WorldError>
  /** The environment's name, version, and schemas of actions and perceptions. */
  readonly get_environment_info: () => EnvironmentInfo
}

/** An environment under PiaSE's names. It keeps nothing of its own. */
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

/** What the agent carries more and less than before; null if that is not known, or nothing changed. */
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
  { deliver }: PiaSEOptions,
  ...[agent, type, url]: readonly [agent: string, type: string, url: string]
) =>
  Effect.gen(function* () {
    const allowed = deliver === undefined ? [] : EVENT_TYPES
    if (deliver === undefined || !allowed.includes(type)) {
      return yield* new NotPublic({ environment: environment.name, asked: type, allowed })
    }
    yield* Options.decode("subscribe_to_event", CallbackUrl, url)
    const events = yield* environment.events(agent, [type])
    const delivering = Stream.runForEach(events, (event) => deliver(url, event))
    yield* Effect.forkScoped(
      Effect.catchAllCause(delivering, (cause) => ProgramLog.error(`the subscription to ${type} ended`, cause)),
    )
  })

const CallbackUrl = Schema.String.pipe(
  Schema.filter((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)),
  Schema.annotations({ description: "a URL of http or https" }),
)

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
