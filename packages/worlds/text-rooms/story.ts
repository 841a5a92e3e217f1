/** The constant part of an episode, from the options: rooms, things, starts and happenings. */
import type { Json, JsonObject } from "hindcast/plugin"
import { canonical, own } from "./names.ts"

export interface Room {
  readonly description: string
  /** By direction. */
  readonly exits: { readonly [direction: string]: string }
}

export interface Thing {
  readonly description: string
  readonly takeable: boolean
  readonly text: string | undefined
  /** Whether it opens and closes, like a container or a door. */
  readonly opens: boolean
  /** The thing that unlocks it. */
  readonly key: string | undefined
  /** The flag that opening it requires. */
  readonly needs: string | undefined
  /** The flag that using, reading or opening it sets. */
  readonly sets: string | undefined
  /** The exit that it bars while closed. */
  readonly bars: string | undefined
}

/** A thing's place: `room:hall`, `thing:desk` (in it), `hidden:clock` (until somebody examines it) or `agent:ann`. */
export type Place = `room:${string}` | `thing:${string}` | `hidden:${string}` | `agent:${string}`

export interface Start {
  readonly room: string
  readonly items: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
}

/** An effect that happens once, when an agent does something, finds something or has a flag. */
export interface Happening {
  readonly trigger:
    | {
        readonly type: "action_taken"
        readonly verb: string
        readonly target: string | undefined
        readonly count: number
      }
    | { readonly type: "item_found"; readonly item: string }
    | { readonly type: "flag_set"; readonly flag: string }
  readonly response:
    | { readonly type: "message_to_agent"; readonly content: string; readonly all: boolean }
    | { readonly type: "set_flag"; readonly flag: string; readonly all: boolean }
    | { readonly type: "reward"; readonly amount: number; readonly all: boolean }
}

/** Reaching it ends the episode. */
export interface Goal {
  readonly item: string | undefined
  readonly flag: string | undefined
  readonly room: string | undefined
  /** Whether every agent must reach it; otherwise one suffices. */
  readonly every: boolean
}

export interface Story {
  readonly rooms: { readonly [name: string]: Room }
  readonly things: { readonly [name: string]: Thing }
  readonly placed: { readonly [thing: string]: Place }
  readonly lids: { readonly [thing: string]: { readonly open: boolean; readonly locked: boolean } }
  /** By agent. Other agents start in the first room. */
  readonly starts: { readonly [agent: string]: Start }
  readonly happenings: ReadonlyArray<Happening>
  readonly goal: Goal | undefined
  /** The round that truncates the episode. */
  readonly rounds: number | undefined
  /** Whether observations list admissible commands. */
  readonly lists: boolean
}

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

/** Builds the story for these agents. Throws an error that lists every mistake in the options. */
export const storyOf = (options: JsonObject, agents: ReadonlyArray<string>): Story => {
  const mistakes: Array<string> = []
  const isOwn = options.rooms !== undefined
  const source = isOwn ? options : { ...HOUSE, ...options }
  const rooms = entriesOf(source.rooms).map(([name, room]) => [canonical(name), roomOf(room)] as const)
  const details = entriesOf(source.object_details).map(([name, thing]) => [canonical(name), objectOf(thing)] as const)
  const things: { [name: string]: Thing } = {}
  const placed: { [thing: string]: Place } = {}
  const place = (name: Json, at: Place) => {
    const item = canonical(String(name))
    if (own(placed, item) !== undefined)
      mistakes.push(`${item}: expected one place for it, found ${placed[item]} and ${at}`)
    else placed[item] = at
  }
  for (const [name, room] of entriesOf(source.rooms)) {
    for (const object of listOf(objectOf(room).objects)) place(object, `room:${canonical(name)}`)
  }
  for (const [name, thing] of details) {
    things[name] = thingOf(thing)
    for (const item of listOf(thing.contains)) place(item, `thing:${name}`)
    const { hidden_item: hidden } = objectOf(thing.custom_properties)
    if (typeof hidden === "string") place(hidden, `hidden:${name}`)
  }
  const starts = startsOf(source.agents, rooms[0]?.[0] ?? "")
  for (const [agent, { items }] of Object.entries(starts)) {
    if (agents.includes(agent)) for (const item of items) place(item, `agent:${agent}`)
  }
  const story: Story = {
    rooms: Object.fromEntries(rooms),
    things: { ...Object.fromEntries(Object.keys(placed).map((name) => [name, trinket(name)])), ...things },
    placed,
    lids: Object.fromEntries(
      details.flatMap(([name, thing]) => (things[name]?.opens === true ? [[name, lidOf(thing)] as const] : [])),
    ),
    starts,
    happenings: listOf(source.events).map(happeningOf),
    goal: source.goal === undefined ? undefined : goalOf(objectOf(source.goal)),
    rounds: typeof source.rounds === "number" ? source.rounds : undefined,
    lists: source.admissible_commands === true,
  }
  mistakes.push(...missingIn(story))
  if (mistakes.length > 0)
    throw failure("bad-option", `The rooms cannot be played:\n- ${mistakes.slice(0, 20).join("\n- ")}`)
  return story
}

/** Names that do not resolve, and things without a place. */
const missingIn = ({ rooms, things, placed, starts, happenings, goal }: Story): ReadonlyArray<string> => {
  const isRoom = (name: string | undefined) => name === undefined || own(rooms, name) !== undefined
  const isThing = (name: string | undefined) => name === undefined || own(things, name) !== undefined
  const wrong = (where: string, what: string, name: string | undefined) =>
    `${where}: expected the name of a ${what}, found ${name}`
  return [
    ...Object.entries(rooms).flatMap(([name, { exits }]) =>
      Object.values(exits).flatMap((to) => (isRoom(to) ? [] : [wrong(`an exit of ${name}`, "room", to)])),
    ),
    ...Object.entries(things).flatMap(([name, { key }]) =>
      isThing(key) ? [] : [wrong(`the key of ${name}`, "thing", key)],
    ),
    ...Object.keys(things).flatMap((name) =>
      isPlaced(name, placed) ? [] : [`${name}: expected a place in a room, found none`],
    ),
    ...Object.entries(starts).flatMap(([agent, { room }]) =>
      isRoom(room) ? [] : [wrong(`the start of ${agent}`, "room", room)],
    ),
    ...happenings.flatMap(({ trigger }, index) =>
      trigger.type === "item_found" && !isThing(trigger.item) ? [wrong(`event ${index}`, "thing", trigger.item)] : [],
    ),
    ...(isThing(goal?.item) ? [] : [wrong("goal.item", "thing", goal?.item)]),
    ...(isRoom(goal?.room) ? [] : [wrong("goal.room", "room", goal?.room)]),
  ]
}

/** Whether a thing ends up in a room or with an agent, and not inside itself. */
const isPlaced = (name: string, placed: Story["placed"]): boolean => {
  const seen = new Set<string>()
  for (let at: string | undefined = name; at !== undefined && !seen.has(at); ) {
    seen.add(at)
    const [kind, holder]: ReadonlyArray<string> = own(placed, at)?.split(":") ?? []
    if (kind === "room" || kind === "agent") return true
    at = holder
  }
  return false
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const entriesOf = (value: Json | undefined) => Object.entries(objectOf(value))
const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
const nameOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? canonical(value) : undefined

const roomOf = (value: Json): Room => {
  const { description, exits } = objectOf(value)
  return {
    description: String(description ?? ""),
    exits: Object.fromEntries(entriesOf(exits).map(([direction, to]) => [canonical(direction), canonical(String(to))])),
  }
}

const thingOf = (thing: JsonObject): Thing => {
  const { key_required, needs_flag, sets_flag, blocks } = objectOf(thing.custom_properties)
  return {
    description: String(thing.description ?? ""),
    takeable: thing.can_be_taken === true,
    text: typeof thing.read_text === "string" ? thing.read_text : undefined,
    opens: thing.is_container === true || typeof blocks === "string",
    key: nameOf(key_required),
    needs: nameOf(needs_flag),
    sets: nameOf(sets_flag),
    bars: nameOf(blocks),
  }
}

/** A small, portable thing without details. */
const trinket = (name: string): Thing => ({
  description: `a ${name.replaceAll("_", " ")}.`,
  takeable: true,
  text: undefined,
  opens: false,
  key: undefined,
  needs: undefined,
  sets: undefined,
  bars: undefined,
})

const lidOf = ({ is_open, custom_properties }: JsonObject) => {
  const locked = objectOf(custom_properties).locked === true
  return { open: is_open === true && !locked, locked }
}

const startsOf = (agents: Json | undefined, first: string): Story["starts"] =>
  Object.fromEntries(
    listOf(agents).map((agent) => {
      const { agent_id, start_room, initial_inventory, flags } = objectOf(agent)
      const start: Start = {
        room: nameOf(start_room) ?? first,
        items: listOf(initial_inventory).map((item) => canonical(String(item))),
        flags: entriesOf(flags).flatMap(([flag, isSet]) => (isSet === true ? [canonical(flag)] : [])),
      }
      return [String(agent_id), start]
    }),
  )

const happeningOf = (value: Json): Happening => {
  const { trigger, response } = objectOf(value)
  return { trigger: triggerOf(objectOf(trigger)), response: responseOf(objectOf(response)) }
}

const triggerOf = ({ type, action_type, target, count, item_name, flag_name }: JsonObject): Happening["trigger"] => {
  if (type === "item_found") return { type, item: nameOf(item_name) ?? "" }
  if (type === "flag_set") return { type, flag: nameOf(flag_name) ?? "" }
  const times = typeof count === "number" ? count : 1
  return { type: "action_taken", verb: String(action_type ?? ""), target: nameOf(target), count: times }
}

const responseOf = ({ type, content, flag_name, amount, to }: JsonObject): Happening["response"] => {
  const all = to === "all"
  if (type === "set_flag") return { type, flag: nameOf(flag_name) ?? "", all }
  if (type === "reward") return { type, amount: typeof amount === "number" ? amount : 0, all }
  return { type: "message_to_agent", content: String(content ?? ""), all }
}

const goalOf = ({ item, flag, room, every_agent }: JsonObject): Goal => ({
  item: nameOf(item),
  flag: nameOf(flag),
  room: nameOf(room),
  every: every_agent === true,
})

/** The default rooms. */
const HOUSE: JsonObject = {
  rooms: {
    hall: {
      description: "A hall with a clock that has stopped.",
      exits: { north: "study", down: "cellar" },
      objects: ["clock", "trapdoor"],
    },
    study: { description: "A study that smells of paper.", exits: { south: "hall" }, objects: ["desk", "book"] },
    cellar: { description: "A cellar, cold and dry.", exits: { up: "hall" }, objects: ["chest"] },
  },
  object_details: {
    clock: { description: "Its pendulum hangs still.", custom_properties: { hidden_item: "brass key" } },
    trapdoor: {
      description: "A trapdoor of oak.",
      custom_properties: { blocks: "down", locked: true, key_required: "brass key" },
    },
    desk: { description: "A desk with one drawer.", is_container: true, contains: ["lamp"] },
    lamp: { description: "A small lamp.", can_be_taken: true },
    book: {
      description: "A book of riddles.",
      can_be_taken: true,
      read_text: "Where time stands still.",
      custom_properties: { sets_flag: "knows the riddle" },
    },
    chest: { description: "A chest without a lock.", is_container: true, contains: ["letter"] },
    letter: { description: "A sealed letter.", can_be_taken: true, read_text: "You have found it." },
  },
  goal: { item: "letter" },
}
