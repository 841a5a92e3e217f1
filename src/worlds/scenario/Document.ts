/** The schema of a scenario: the format of seed 002, section 6.6, with Hindcast's additions. */

import { Schema } from "effect"
import * as Guide from "../../agents/Guide.ts"
import { optional } from "../../events/vocabulary/EventType.ts"
import { Text } from "../../plugins/manifest/fields.ts"
import { Json, JsonObject } from "../../values/Json.ts"

/** Any JSON value. JSON Schema needs the list of types. */
const Anything = Json.annotations({
  jsonSchema: { type: ["null", "boolean", "number", "string", "array", "object"] },
})

const Count = Schema.Int.pipe(
  Schema.greaterThanOrEqualTo(1),
  Schema.annotations({ description: "a whole number, 1 or more" }),
)

const Names = Schema.Array(Text).annotations({ description: "a list of names" })

/** Maximum length of a CEL expression, in characters. */
const MAX_EXPRESSION = 10_000

const expression = (description: string) =>
  Text.pipe(
    Schema.maxLength(MAX_EXPRESSION),
    Schema.annotations({ description: `${description}, of at most ${MAX_EXPRESSION} characters` }),
  )

const Rule = expression("a rule: a CEL expression over state, event, task, command and count")

const agent_id = optional(Text.annotations({ description: "the id of an agent of agent_setup; default: any" }))

const addressee = optional(Text.annotations({ description: "the id of an agent of agent_setup; default: all" }))

const whose = {
  agent_id,
  every_agent: optional(
    Schema.Boolean.annotations({ description: "whether every agent has to meet it; default: one is enough" }),
  ),
}

const Room = Schema.Struct({
  description: Text,
  exits: optional(
    Schema.Record({ key: Schema.String, value: Text }).annotations({ description: "room names by direction" }),
  ),
  objects: optional(Names),
}).annotations({ identifier: "Room", description: "a room: an object with description, exits and objects" })

const Thing = Schema.Struct({
  description: Text,
  is_container: optional(Schema.Boolean),
  is_open: optional(Schema.Boolean),
  contains: optional(Names),
  can_be_taken: optional(Schema.Boolean),
  read_text: optional(Text),
  custom_properties: optional(
    JsonObject.annotations({ description: "an object: locked, key_required, hidden_item, and what the world knows" }),
  ),
}).annotations({ identifier: "Thing", description: "a thing: an object with description and its properties" })

/** The initial configuration of an agent. Other fields, such as the seed's `self_model`, also reach the agent. */
const AgentConfig = Schema.Struct(
  {
    guide: optional(Guide.Guide),
    goals: optional(Schema.Array(Anything).annotations({ description: "a list of goals: text or objects" })),
    settings: optional(JsonObject),
  },
  Schema.Record({ key: Schema.String, value: Anything }),
).annotations({ identifier: "AgentConfig", description: "an object with guide, goals, settings and more" })

const AgentSetup = Schema.Struct({
  agent_id: Text,
  start_room: optional(Text),
  initial_inventory: optional(Names),
  flags: optional(
    Schema.Record({ key: Schema.String, value: Schema.Boolean }).annotations({ description: "true or false by flag" }),
  ),
  initial_agent_config: optional(AgentConfig),
  program: optional(
    Text.annotations({
      description: "the agent that plays it: a JavaScript module in the scenario's directory or below it",
    }),
  ),
  model: optional(
    Text.annotations({ description: "instead of a program: the language model that plays it, as provider/model" }),
  ),
}).annotations({ identifier: "AgentSetup", description: "an agent: an object with agent_id" })

/** The setup of one agent. */
export type AgentSetup = typeof AgentSetup.Type

/** A condition that wins or loses the scenario. One is enough. */
export const Condition = Schema.Union(
  Schema.Struct({ type: Schema.Literal("item_in_inventory"), ...whose, item_name: Text }),
  Schema.Struct({ type: Schema.Literal("flag_set"), ...whose, flag_name: Text }),
  Schema.Struct({ type: Schema.Literal("max_steps_reached"), agent_id, steps: Count }),
  Schema.Struct({
    type: Schema.Literal("agent_state_condition"),
    ...whose,
    condition: expression('a CEL expression over the agent\'s state, such as "energy <= 0"'),
  }),
  Schema.Struct({ type: Schema.Literal("rule"), rule: Rule }),
).annotations({
  identifier: "Condition",
  description:
    "a condition: an object of the type item_in_inventory, flag_set, max_steps_reached, agent_state_condition or rule",
})

export type Condition = typeof Condition.Type

/** The trigger of an event of a scenario. */
export const Trigger = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("action_taken"),
    agent_id,
    action_type: Text.annotations({ description: "an actuator's name, or the action of a world with numbered ones" }),
    target: optional(Text.annotations({ description: "one of the command's arguments" })),
    count: optional(Count),
  }),
  Schema.Struct({ type: Schema.Literal("item_found"), agent_id, item_name: Text }),
  Schema.Struct({ type: Schema.Literal("flag_set"), agent_id, flag_name: Text }),
  Schema.Struct({ type: Schema.Literal("step_reached"), agent_id, steps: Count }),
  Schema.Struct({ type: Schema.Literal("rule"), rule: Rule }),
).annotations({
  identifier: "Trigger",
  description: "a trigger: an object of the type action_taken, item_found, flag_set, step_reached or rule",
})

export type Trigger = typeof Trigger.Type

/** The response to a trigger. */
export const Response = Schema.Union(
  Schema.Struct({ type: Schema.Literal("message_to_agent"), agent_id: addressee, content: Text }),
  Schema.Struct({ type: Schema.Literal("log_milestone"), agent_id, milestone_name: Text }),
  Schema.Struct({ type: Schema.Literal("set_flag"), agent_id: addressee, flag_name: Text }),
  Schema.Struct({
    type: Schema.Literal("command"),
    agent_id: optional(
      Text.annotations({
        description: "the id of the agent in whose name it is given, which a world of several has to know",
      }),
    ),
    actuator: Text.annotations({ description: "an actuator of the environment, or plugin/actuator" }),
    args: optional(JsonObject),
  }),
  Schema.Struct({
    type: Schema.Literal("reward"),
    agent_id,
    amount: Schema.Finite.pipe(
      Schema.between(-1, 1),
      Schema.filter((amount) => amount !== 0),
      Schema.annotations({ description: "a number from -1 to 1 that is not 0; below 0 it is a punishment" }),
    ),
    name: optional(Text),
  }),
).annotations({
  identifier: "Response",
  description: "a response: an object of the type message_to_agent, log_milestone, set_flag, command or reward",
})

export type Response = typeof Response.Type

const Happening = Schema.Struct({
  name: optional(Text),
  trigger: Trigger,
  response: Schema.Union(Response, Schema.NonEmptyArray(Response)).annotations({
    description: "a response, or a list of responses",
  }),
  repeat: optional(Schema.Boolean.annotations({ description: "whether it happens each time; default: once" })),
}).annotations({ identifier: "Event", description: "an event: an object with trigger and response" })

/** Maximum numbers of events and conditions, which are all evaluated after each command. */
const MAX_EVENTS = 1_000
const MAX_CONDITIONS = 100

const MAX_AGENTS = 1_000

const InitialState = Schema.Struct({
  rooms: optional(Schema.Record({ key: Schema.String, value: Room }).annotations({ description: "rooms by name" })),
  object_details: optional(
    Schema.Record({ key: Schema.String, value: Thing }).annotations({ description: "things by name" }),
  ),
  agent_setup: optional(
    Schema.Union(AgentSetup, Schema.NonEmptyArray(AgentSetup).pipe(Schema.maxItems(MAX_AGENTS))).annotations({
      description: `an agent, or a list of at most ${MAX_AGENTS} agents`,
    }),
  ),
}).annotations({
  identifier: "InitialState",
  description: "an object with rooms, object_details and agent_setup",
})

/** The schema of a scenario. Encoded and decoded form are equal. */
export const Scenario = Schema.Struct({
  scenario_name: Text,
  environment_type: Text.annotations({
    description: "the world: a plugin's name, its environment's name, or its scenarioType",
  }),
  version: Text.annotations({ description: "text: the scenario's version, in quotes" }),
  description: Text,
  configuration: optional(JsonObject.annotations({ description: "options of the environment" })),
  initial_state: optional(InitialState),
  win_conditions: Schema.NonEmptyArray(Condition).pipe(
    Schema.maxItems(MAX_CONDITIONS),
    Schema.annotations({ description: `a list of at least one condition, and at most ${MAX_CONDITIONS}` }),
  ),
  lose_conditions: optional(
    Schema.Array(Condition).pipe(
      Schema.maxItems(MAX_CONDITIONS),
      Schema.annotations({ description: `a list of at most ${MAX_CONDITIONS} conditions` }),
    ),
  ),
  events: optional(
    Schema.Array(Happening).pipe(
      Schema.maxItems(MAX_EVENTS),
      Schema.annotations({ description: `a list of at most ${MAX_EVENTS} events` }),
    ),
  ),
  /** A JSON Schema for editors. Hindcast ignores it. */
  $schema: optional(Text.annotations({ description: "the place of a JSON Schema, for editors" })),
}).annotations({ identifier: "Scenario", description: "a scenario: an object" })

export type Scenario = typeof Scenario.Type

/** The agents of a scenario, in its order. */
export const agentsOf = ({ initial_state }: Scenario): ReadonlyArray<AgentSetup> => {
  const setup = initial_state?.agent_setup
  return setup === undefined ? [] : "agent_id" in setup ? [setup] : setup
}

/** The names of its agents if it has several; otherwise empty. */
export const namesOf = (scenario: Scenario): ReadonlyArray<string> => {
  const agents = agentsOf(scenario)
  return agents.length < 2 ? [] : agents.map(({ agent_id }) => agent_id)
}

export const responsesOf = ({ response }: { readonly response: Response | ReadonlyArray<Response> }) =>
  "type" in response ? [response] : response

/** The initial configuration of an agent, as JSON. */
export const configOf = (agent: AgentSetup | undefined): JsonObject | undefined =>
  agent?.initial_agent_config === undefined ? undefined : decodeObject(agent.initial_agent_config)

const decodeObject = Schema.decodeUnknownSync(JsonObject)

/** A scenario as JSON. The schema guarantees it; decoding proves it to the compiler. */
export const asJson = (scenario: Scenario): JsonObject => decodeObject(scenario)

/**
 * The canonical form of a name, the same as in the text room: `brass_key` for `Brass Key`, `the brass-key` and
 * `brass_key`.
 */
export const canonical = (name: string): string =>
  name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\s_-]+/g, "_")
    .replace(/^_|_$/g, "")
    .replace(/^(the|an|a)_(?=.)/, "")
