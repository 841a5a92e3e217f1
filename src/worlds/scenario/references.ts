/** Finds a scenario's unknown names, invalid rules, and conditions that hold at the start. */

import { Either, Schema } from "effect"
import { AgentName } from "../../kernel/tasks/OpenOptions.ts"
import { pointerToken } from "../../values/Json.ts"
import { describeValue } from "../../values/OptionIssues.ts"
import { agentsOf, type Condition, canonical, responsesOf, type Scenario } from "./Document.ts"
import * as Expressions from "./Expressions.ts"
import * as KnownNames from "./KnownNames.ts"
import type { Flaw } from "./source.ts"

/** Returns all flaws of a scenario that its schema accepts. */
export const flawsOf = (scenario: Scenario): ReadonlyArray<Flaw> => {
  const known = knownOf(scenario)
  return [
    ...agentFlaws(scenario, known),
    ...(known.isOfRooms ? [...roomFlaws(scenario, known), ...thingFlaws(scenario, known)] : []),
    ...conditionsOf(scenario).flatMap(([path, condition]) => conditionFlaws(scenario, known, path, condition)),
    ...eventFlaws(scenario, known),
  ]
}

interface Known {
  /** Whether the scenario lists its rooms or things, so that other names are unknown. */
  readonly isOfRooms: boolean
  readonly rooms: KnownNames.KnownNames
  /** Those in `object_details`. */
  readonly details: KnownNames.KnownNames
  /** All things: those with details, hidden ones, and those in initial inventories. */
  readonly things: KnownNames.KnownNames
  readonly agents: KnownNames.KnownNames
}

const knownOf = (scenario: Scenario): Known => {
  const { rooms, object_details } = scenario.initial_state ?? {}
  const details = Object.keys(object_details ?? {})
  const hidden = Object.values(object_details ?? {}).flatMap(
    ({ custom_properties = {} }) => custom_properties.hidden_item,
  )
  const agents = agentsOf(scenario)
  const carried = agents.flatMap(({ initial_inventory = [] }) => initial_inventory)
  return {
    isOfRooms: rooms !== undefined || object_details !== undefined,
    rooms: KnownNames.of(Object.keys(rooms ?? {}), canonical),
    details: KnownNames.of(details, canonical),
    things: KnownNames.of([...details, ...hidden.filter((item) => typeof item === "string"), ...carried], canonical),
    agents: KnownNames.of(
      agents.map(({ agent_id }) => agent_id),
      (name) => name,
    ),
  }
}

/** The conditions with their JSON Pointers. */
const conditionsOf = ({ win_conditions, lose_conditions = [] }: Scenario) => [
  ...win_conditions.map((condition, index) => [`/win_conditions/${index}`, condition] as const),
  ...lose_conditions.map((condition, index) => [`/lose_conditions/${index}`, condition] as const),
]

const ROOM = "the name of a room"
const DETAILED = "the name of a thing in object_details"
const THING = "the name of a thing"

const agentFlaws = (scenario: Scenario, { rooms, isOfRooms }: Known): ReadonlyArray<Flaw> => {
  const agents = agentsOf(scenario)
  const base = "/initial_state/agent_setup"
  const isList = Array.isArray(scenario.initial_state?.agent_setup)
  const seen = new Set<string>()
  return agents.flatMap(({ agent_id, start_room, program, model }, index) => {
    const path = isList ? `${base}/${index}` : base
    const at = `${path}/agent_id`
    const isTwice = seen.has(agent_id)
    seen.add(agent_id)
    return [
      ...(isTwice ? [{ path: at, expected: "a unique id for each agent", found: describeValue(agent_id) }] : []),
      // With several agents, ids become keys of documents and parts of actors.
      ...(agents.length > 1 && !isAgentName(agent_id)
        ? [{ path: at, expected: AGENT_NAME, found: describeValue(agent_id) }]
        : []),
      ...(start_room === undefined || !isOfRooms ? [] : rooms.unknown(`${path}/start_room`, ROOM, start_room)),
      ...(program !== undefined && model !== undefined
        ? [{ path: `${path}/model`, expected: "either a program or a model", found: "both" }]
        : []),
    ]
  })
}

const isAgentName = Schema.is(AgentName)

const AGENT_NAME =
  "an id of letters, digits, '.', '_', ':' and '-' that starts with a letter or digit, required for several agents"

const roomFlaws = ({ initial_state }: Scenario, { rooms, details }: Known): ReadonlyArray<Flaw> =>
  Object.entries(initial_state?.rooms ?? {}).flatMap(([name, { exits = {}, objects = [] }]) => {
    const path = `/initial_state/rooms/${pointerToken(name)}`
    return [
      ...Object.entries(exits).flatMap(([direction, to]) =>
        rooms.unknown(`${path}/exits/${pointerToken(direction)}`, ROOM, to),
      ),
      ...objects.flatMap((object, index) => details.unknown(`${path}/objects/${index}`, DETAILED, object)),
    ]
  })

const thingFlaws = ({ initial_state }: Scenario, { details, things }: Known): ReadonlyArray<Flaw> =>
  Object.entries(initial_state?.object_details ?? {}).flatMap(([name, { contains = [], custom_properties = {} }]) => {
    const path = `/initial_state/object_details/${pointerToken(name)}`
    const key = custom_properties.key_required
    return [
      ...contains.flatMap((inside, index) => details.unknown(`${path}/contains/${index}`, DETAILED, inside)),
      ...(typeof key === "string" ? things.unknown(`${path}/custom_properties/key_required`, THING, key) : []),
    ]
  })

const nameFlaws = (
  { agents, things, isOfRooms }: Known,
  path: string,
  named: { readonly type: string; readonly agent_id?: string; readonly item_name?: string },
): ReadonlyArray<Flaw> => {
  const { agent_id, item_name } = named
  return [
    ...(agent_id === undefined
      ? []
      : agents.unknown(`${path}/agent_id`, "the id of an agent of agent_setup", agent_id)),
    ...(item_name === undefined || !isOfRooms ? [] : things.unknown(`${path}/item_name`, THING, item_name)),
  ]
}

const expressionFlaws = (path: string, compiled: Either.Either<unknown, string>): ReadonlyArray<Flaw> =>
  Either.isRight(compiled) ? [] : [{ path, expected: "a CEL expression that is true or false", found: compiled.left }]

const conditionFlaws = (scenario: Scenario, known: Known, path: string, condition: Condition): ReadonlyArray<Flaw> => {
  switch (condition.type) {
    case "rule":
      return expressionFlaws(`${path}/rule`, Expressions.rule(condition.rule))
    case "agent_state_condition":
      return [
        ...nameFlaws(known, path, condition),
        ...eachFlaws(path, condition),
        ...expressionFlaws(`${path}/condition`, Expressions.ofAgent(condition.condition)),
      ]
    case "max_steps_reached":
      return nameFlaws(known, path, condition)
    default:
      return [
        ...nameFlaws(known, path, condition),
        ...eachFlaws(path, condition),
        ...metAtStart(scenario, path, condition),
      ]
  }
}

/** The flaw of a condition that sets both `agent_id` and `every_agent`. */
const eachFlaws = (
  path: string,
  { agent_id, every_agent }: { readonly agent_id?: string; readonly every_agent?: boolean },
): ReadonlyArray<Flaw> =>
  agent_id !== undefined && every_agent === true
    ? [{ path: `${path}/every_agent`, expected: "either agent_id or every_agent", found: "both" }]
    : []

const metAtStart = (
  scenario: Scenario,
  path: string,
  condition: Extract<Condition, { readonly type: "item_in_inventory" | "flag_set" }>,
): ReadonlyArray<Flaw> => {
  const agents = agentsOf(scenario).filter(
    ({ agent_id }) => condition.agent_id === undefined || condition.agent_id === agent_id,
  )
  const isMetBy = ({ initial_inventory = [], flags = {} }: (typeof agents)[number]) =>
    condition.type === "item_in_inventory"
      ? initial_inventory.some((item) => canonical(item) === canonical(condition.item_name))
      : Object.entries(flags).some(([flag, isSet]) => isSet && canonical(flag) === canonical(condition.flag_name))
  const isMet = condition.every_agent === true ? agents.length > 0 && agents.every(isMetBy) : agents.some(isMetBy)
  if (!isMet) return []
  const end = path.startsWith("/win") ? "won" : "lost"
  const found = `one that already holds at the start: the scenario would be ${end} before the first step`
  return [{ path, expected: "a condition that does not hold yet", found }]
}

const eventFlaws = ({ events = [] }: Scenario, known: Known): ReadonlyArray<Flaw> => {
  const seen = new Set<string>()
  return events.flatMap((event, index) => {
    const { name, trigger, response } = event
    const path = `/events/${index}`
    const isTwice = name !== undefined && seen.has(name)
    if (name !== undefined) seen.add(name)
    const isList = !("type" in response)
    return [
      ...(isTwice
        ? [{ path: `${path}/name`, expected: "a unique name for each event", found: describeValue(name) }]
        : []),
      ...(trigger.type === "rule" ? expressionFlaws(`${path}/trigger/rule`, Expressions.rule(trigger.rule)) : []),
      ...nameFlaws(known, `${path}/trigger`, trigger),
      ...responsesOf(event).flatMap((one, at) => nameFlaws(known, `${path}/response${isList ? `/${at}` : ""}`, one)),
    ]
  })
}
