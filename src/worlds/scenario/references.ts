/** Finds what a scenario names and does not have, rules that do not compile, and conditions that are met at the start. */

import { Either } from "effect"
import { similarNames } from "../../values/DidYouMean.ts"
import { pointerToken } from "../../values/Json.ts"
import { agentsOf, type Condition, canonical, type Scenario } from "./Document.ts"
import * as Expressions from "./Expressions.ts"
import type { Flaw } from "./source.ts"

/** All flaws of a scenario that its schema accepts. */
export const flawsOf = (scenario: Scenario): ReadonlyArray<Flaw> => [
  ...agentFlaws(scenario),
  ...(isOfRooms(scenario) ? [...roomFlaws(scenario), ...thingFlaws(scenario)] : []),
  ...conditionsOf(scenario).flatMap(([path, condition]) => conditionFlaws(scenario, path, condition)),
  ...eventFlaws(scenario),
]

/** The conditions with their JSON Pointers. */
const conditionsOf = ({ win_conditions, lose_conditions = [] }: Scenario) => [
  ...win_conditions.map((condition, index) => [`/win_conditions/${index}`, condition] as const),
  ...lose_conditions.map((condition, index) => [`/lose_conditions/${index}`, condition] as const),
]

/** Whether the scenario says which rooms or things there are, so that others are not there. */
const isOfRooms = ({ initial_state = {} }: Scenario): boolean =>
  initial_state.rooms !== undefined || initial_state.object_details !== undefined

const oneOf = (known: ReadonlyArray<string>): string => known.join(", ") || "there is none"

/** The flaw of a name that is not among those that are known. */
const unknown = (path: string, what: string, name: string, known: ReadonlyArray<string>): ReadonlyArray<Flaw> => {
  if (known.some((one) => canonical(one) === canonical(name))) return []
  const [nearest] = similarNames(canonical(name), known)
  const found = `${JSON.stringify(name)}${nearest === undefined ? "" : ` (did you mean ${nearest}?)`}`
  return [{ path, expected: `${what} (${oneOf(known)})`, found }]
}

const agentFlaws = (scenario: Scenario): ReadonlyArray<Flaw> => {
  const agents = agentsOf(scenario)
  const rooms = Object.keys(scenario.initial_state?.rooms ?? {})
  const base = "/initial_state/agent_setup"
  const isList = Array.isArray(scenario.initial_state?.agent_setup)
  return agents.flatMap(({ agent_id, start_room }, index) => {
    const path = isList ? `${base}/${index}` : base
    const first = agents.findIndex((other) => other.agent_id === agent_id)
    return [
      ...(first < index
        ? [
            {
              path: `${path}/agent_id`,
              expected: "each agent to have an id of its own",
              found: JSON.stringify(agent_id),
            },
          ]
        : []),
      ...(start_room === undefined || !isOfRooms(scenario)
        ? []
        : unknown(`${path}/start_room`, "the name of a room", start_room, rooms)),
    ]
  })
}

const roomFlaws = ({ initial_state: { rooms = {}, object_details = {} } = {} }: Scenario): ReadonlyArray<Flaw> =>
  Object.entries(rooms).flatMap(([name, { exits = {}, objects = [] }]) => {
    const path = `/initial_state/rooms/${pointerToken(name)}`
    return [
      ...Object.entries(exits).flatMap(([direction, to]) =>
        unknown(`${path}/exits/${pointerToken(direction)}`, "the name of a room", to, Object.keys(rooms)),
      ),
      ...objects.flatMap((object, index) =>
        unknown(
          `${path}/objects/${index}`,
          "the name of a thing in object_details",
          object,
          Object.keys(object_details),
        ),
      ),
    ]
  })

const thingFlaws = (scenario: Scenario): ReadonlyArray<Flaw> => {
  const { object_details = {} } = scenario.initial_state ?? {}
  return Object.entries(object_details).flatMap(([name, { contains = [], custom_properties = {} }]) => {
    const path = `/initial_state/object_details/${pointerToken(name)}`
    const key = custom_properties.key_required
    return [
      ...contains.flatMap((inside, index) =>
        unknown(
          `${path}/contains/${index}`,
          "the name of a thing in object_details",
          inside,
          Object.keys(object_details),
        ),
      ),
      ...(typeof key === "string"
        ? unknown(`${path}/custom_properties/key_required`, "the name of a thing", key, itemsOf(scenario))
        : []),
    ]
  })
}

/** The names of all things: those with details, those that are hidden, and those that agents begin with. */
const itemsOf = (scenario: Scenario): ReadonlyArray<string> => {
  const { object_details = {} } = scenario.initial_state ?? {}
  const hidden = Object.values(object_details).flatMap(({ custom_properties = {} }) => custom_properties.hidden_item)
  return [
    ...Object.keys(object_details),
    ...hidden.filter((item) => typeof item === "string"),
    ...agentsOf(scenario).flatMap(({ initial_inventory = [] }) => initial_inventory),
  ]
}

/** The flaws of what a condition, a trigger or a response names. */
const nameFlaws = (
  scenario: Scenario,
  path: string,
  named: { readonly type: string; readonly agent_id?: string; readonly item_name?: string },
): ReadonlyArray<Flaw> => {
  const { agent_id, item_name } = named
  const agents = agentsOf(scenario).map((agent) => agent.agent_id)
  return [
    ...(agent_id === undefined || agents.includes(agent_id)
      ? []
      : [
          {
            path: `${path}/agent_id`,
            expected: `the id of an agent of agent_setup (${oneOf(agents)})`,
            found: JSON.stringify(agent_id),
          },
        ]),
    ...(item_name === undefined || !isOfRooms(scenario)
      ? []
      : unknown(`${path}/item_name`, "the name of a thing", item_name, itemsOf(scenario))),
  ]
}

/** The flaw of an expression that does not compile, or may take long. */
const expressionFlaws = (path: string, compiled: Either.Either<unknown, string>): ReadonlyArray<Flaw> =>
  Either.isRight(compiled) ? [] : [{ path, expected: "a CEL expression that is true or false", found: compiled.left }]

const conditionFlaws = (scenario: Scenario, path: string, condition: Condition): ReadonlyArray<Flaw> => {
  switch (condition.type) {
    case "rule":
      return expressionFlaws(`${path}/rule`, Expressions.rule(condition.rule))
    case "agent_state_condition":
      return [
        ...nameFlaws(scenario, path, condition),
        ...expressionFlaws(`${path}/condition`, Expressions.ofAgent(condition.condition)),
      ]
    case "max_steps_reached":
      return []
    default:
      return [...nameFlaws(scenario, path, condition), ...metAtStart(scenario, path, condition)]
  }
}

/** A condition that holds before anything was done. */
const metAtStart = (
  scenario: Scenario,
  path: string,
  condition: Extract<Condition, { readonly type: "item_in_inventory" | "flag_set" }>,
): ReadonlyArray<Flaw> => {
  const agents = agentsOf(scenario).filter(
    ({ agent_id }) => condition.agent_id === undefined || condition.agent_id === agent_id,
  )
  const isMet = agents.some(({ initial_inventory = [], flags = {} }) =>
    condition.type === "item_in_inventory"
      ? initial_inventory.some((item) => canonical(item) === canonical(condition.item_name))
      : Object.entries(flags).some(([flag, isSet]) => isSet && canonical(flag) === canonical(condition.flag_name)),
  )
  if (!isMet) return []
  const end = path.startsWith("/win") ? "won" : "lost"
  const found = `one that is met at the start, so that the scenario is ${end} before anything is done`
  return [{ path, expected: "a condition that is not met yet", found }]
}

const eventFlaws = (scenario: Scenario): ReadonlyArray<Flaw> =>
  (scenario.events ?? []).flatMap(({ name, trigger, response }, index, events) => {
    const path = `/events/${index}`
    const first = name === undefined ? -1 : events.findIndex((other) => other.name === name)
    const isList = !("type" in response)
    return [
      ...(first >= 0 && first < index
        ? [{ path: `${path}/name`, expected: "each event to have a name of its own", found: JSON.stringify(name) }]
        : []),
      ...(trigger.type === "rule" ? expressionFlaws(`${path}/trigger/rule`, Expressions.rule(trigger.rule)) : []),
      ...nameFlaws(scenario, `${path}/trigger`, trigger),
      ...[response].flat().flatMap((one, at) => nameFlaws(scenario, `${path}/response${isList ? `/${at}` : ""}`, one)),
    ]
  })
