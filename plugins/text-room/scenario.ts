/** Reads a scenario into a story, and reports all its mistakes at once. */
import type { JsonObject } from "hindcast/plugin"
import { VERBS } from "./command.ts"
import { Cursor, type Mistake } from "./cursor.ts"
import { References } from "./references.ts"
import type { Happening, Lid, Response, Room, Story, Thing, Trigger, WinCondition } from "./story.ts"

/** A story, or every mistake of the scenario. */
export type CheckedScenario =
  | { readonly story: Story; readonly mistakes?: never }
  | { readonly mistakes: ReadonlyArray<Mistake>; readonly story?: never }

/**
 * Checks metadata, `initial_state` with `rooms`, `object_details` and `agent_setup`, conditions to win and lose, and
 * optional `events`. One pass finds every mistake, including references to missing rooms and things.
 */
export const checkScenario = (scenario: JsonObject): CheckedScenario => {
  const mistakes: Array<Mistake> = []
  const references = new References()
  const root = new Cursor("", scenario, mistakes).fields(...SCENARIO_FIELDS)
  const name = root.field("scenario_name").text()
  const type = root.field("environment_type")
  if (type.value !== "TextBasedRoom") type.mistake('"TextBasedRoom"')
  root.field("version").text()
  root.field("description").text()

  const initial = root.field("initial_state").fields("rooms", "object_details", "agent_setup")
  const rooms = readRooms(initial.field("rooms"), references)
  const detailed = readThings(initial.field("object_details"), references)
  const agent = readAgent(initial.field("agent_setup"), references)
  const winWhen = readWinConditions(root.field("win_conditions"), references)
  const maxSteps = readMaxSteps(root.field("lose_conditions"))
  const happenings = root
    .field("events")
    .items()
    .map((event) => readHappening(event, references))

  const { things, placed } = references.resolve({ rooms, detailed, agent: agent.id })
  if (mistakes.length > 0) return { mistakes }
  const { startRoom, flags } = agent
  return { story: { name, rooms, things, placed, startRoom, flags, winWhen, maxSteps, happenings } }
}

const SCENARIO_FIELDS = [
  "scenario_name",
  "environment_type",
  "version",
  "description",
  "initial_state",
  "win_conditions",
  "lose_conditions",
  "events",
]

const readRooms = (at: Cursor, references: References): Story["rooms"] => {
  const rooms = at.namedEntries().map(([name, room]) => [name, readRoom(name, room, references)] as const)
  if (rooms.length === 0) at.mistake("at least one room")
  return Object.fromEntries(rooms)
}

const readRoom = (name: string, at: Cursor, references: References): Room => {
  at.fields("description", "exits", "objects")
  for (const item of at.field("objects").items()) references.place(item, `room:${name}`)
  const exits = at.field("exits").namedEntries()
  return {
    description: at.field("description").text(),
    exits: Object.fromEntries(exits.map(([direction, to]) => [direction, references.room(to)])),
  }
}

const readThings = (at: Cursor, references: References): Story["things"] =>
  Object.fromEntries(at.namedEntries().map(([name, thing]) => [name, readThing(name, thing, references)]))

const readThing = (name: string, at: Cursor, references: References): Thing => {
  at.fields("description", "is_container", "is_open", "contains", "can_be_taken", "read_text", "custom_properties")
  references.detailed(name, at)
  // Ignores other custom properties.
  const properties = at.field("custom_properties")
  properties.entries()
  for (const item of at.field("contains").items()) references.place(item, `thing:${name}`)
  const hidden = properties.field("hidden_item")
  if (!hidden.isMissing) references.placeWithoutDetails(hidden, `hidden:${name}`)
  const text = at.field("read_text")
  return {
    description: at.field("description").text(),
    takeable: at.field("can_be_taken").boolean(false),
    text: text.isMissing ? null : text.text(),
    lid: readLid(at, properties, references),
  }
}

const readLid = (at: Cursor, properties: Cursor, references: References): Lid | null => {
  const open = at.field("is_open")
  const locked = properties.field("locked")
  const key = properties.field("key_required")
  const container = at.field("is_container")
  if (!container.boolean(false)) {
    const needless = [at.field("contains"), open, locked, key].find((part) => !part.isMissing)
    const isSaid = container.isMissing || container.value === false
    if (needless !== undefined && isSaid) container.mistake(`true (since ${needless.where} is given)`)
    return null
  }
  const lid = {
    open: open.boolean(false),
    locked: locked.boolean(false),
    key: key.isMissing ? null : references.thing(key),
  }
  if (lid.open && lid.locked) open.mistake(`false (since ${locked.where} is true)`)
  return lid
}

const readAgent = (at: Cursor, references: References) => {
  // `initial_agent_config` is for the agent, not the world.
  at.fields("agent_id", "start_room", "initial_inventory", "flags", "initial_agent_config")
  for (const item of at.field("initial_inventory").items()) references.placeWithoutDetails(item, "inventory")
  const flags = at.field("flags").namedEntries()
  return {
    id: at.field("agent_id").text(),
    startRoom: references.room(at.field("start_room")),
    flags: Object.fromEntries(flags.map(([flag, value]) => [flag, value.boolean(false)])),
  }
}

const readWinConditions = (at: Cursor, references: References): ReadonlyArray<WinCondition> => {
  const conditions = at.items()
  // If the text room knows none of the conditions, something else ends the story.
  if (at.isMissing) at.mistake("a list of at least one condition")
  return conditions.flatMap((condition): ReadonlyArray<WinCondition> => {
    const type = condition.field("type")
    references.agent(condition.field("agent_id"))
    switch (type.value) {
      case "item_in_inventory":
        condition.fields("type", "agent_id", "item_name")
        return [{ type: type.value, item: references.thing(condition.field("item_name")) }]
      case "flag_set":
        condition.fields("type", "agent_id", "flag_name")
        return [{ type: type.value, flag: condition.field("flag_name").name() }]
      default:
        type.mistake('"item_in_inventory" or "flag_set"')
        return []
    }
  })
}

const readMaxSteps = (at: Cursor): number | null => {
  const limits = at.items().flatMap((condition) => {
    const type = condition.field("type")
    if (type.value === "max_steps_reached") return [condition.fields("type", "steps").field("steps").count()]
    type.mistake('"max_steps_reached"')
    return []
  })
  return limits.length === 0 ? null : Math.min(...limits)
}

const readHappening = (at: Cursor, references: References): Happening => {
  at.fields("trigger", "response")
  return {
    trigger: readTrigger(at.field("trigger"), references),
    response: readResponse(at.field("response"), references),
  }
}

const readTrigger = (at: Cursor, references: References): Trigger => {
  const type = at.field("type")
  switch (type.value) {
    case "action_taken":
      return readActionTaken(at.fields("type", "action_type", "target", "count"), references)
    case "item_found":
      return { type: type.value, item: references.thing(at.fields("type", "item_name").field("item_name")) }
    default:
      type.mistake('"action_taken" or "item_found"')
      return { type: "item_found", item: "" }
  }
}

const readActionTaken = (at: Cursor, references: References): Trigger => {
  const action = at.field("action_type")
  // Looking at something examines it.
  const target = at.field("target")
  const named = VERBS.find((known) => known === action.value)
  const verb = named === "look" && !target.isMissing ? "examine" : named
  if (verb === undefined) action.mistake(`one of ${VERBS.join(", ")}`)
  const count = at.field("count")
  return {
    type: "action_taken",
    verb: verb ?? "examine",
    target: target.isMissing ? null : verb === "go" ? target.name() : references.thing(target),
    count: count.isMissing ? 1 : count.count(),
  }
}

const readResponse = (at: Cursor, references: References): Response => {
  const type = at.field("type")
  references.agent(at.field("agent_id"))
  switch (type.value) {
    case "log_milestone":
      at.fields("type", "agent_id", "milestone_name")
      return { type: type.value, milestone: at.field("milestone_name").name() }
    case "set_flag":
      at.fields("type", "agent_id", "flag_name")
      return { type: type.value, flag: at.field("flag_name").name() }
    case "message_to_agent":
      at.fields("type", "agent_id", "content")
      return { type: type.value, content: at.field("content").text() }
    default:
      type.mistake('"message_to_agent", "log_milestone" or "set_flag"')
      return { type: "message_to_agent", content: "" }
  }
}
