/**
 * The world `chat-room`: agents say text and hear others. The topology defines who hears whom, the delay how many steps
 * later.
 */
import type { Json, JsonObject, MultiAgentWorld, Spaces, WorldPlugin } from "hindcast/plugin"
import { isTopology, listenersOf, SHAPES, type Topology } from "./hearing.ts"

/** Options of a reset. */
interface Settings {
  readonly topology: Topology
  /** In steps: with 1, the next observation has the message. */
  readonly delay: number
  readonly rounds: number
  /** Maximum characters per message. */
  readonly longest: number
}

type Message = {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly text: string
  /** The round of the message. */
  readonly round: number
}

type Member = {
  /** Counts of messages said and heard. */
  readonly said: number
  readonly heard: number
}

interface Room {
  readonly settings: Settings
  readonly round: number
  /** Sorted by name. */
  readonly members: ReadonlyMap<string, Member>
  /** Messages that nobody has heard yet. */
  readonly underway: ReadonlyArray<Message>
  /** Messages heard after the last round. */
  readonly heard: ReadonlyArray<Message>
}

const MOST_ROUNDS = 10_000
/** The limit of the manifest's action space. */
const LONGEST = 2_000
/** Maximum characters that an agent hears in one step: the first messages that fit. */
const MOST_HEARD = 20_000

let current: Room | undefined

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const talking = (): Room => {
  if (current === undefined) throw failure("no-room", "There is no room yet: the world was not reset.")
  return current
}

const settingsOf = (options: JsonObject): Settings => {
  const { topology = "all", delay = 1, rounds = 50, max_length: longest = LONGEST } = options
  if (!isTopology(topology))
    throw failure("bad-option", `The option topology: expected ${SHAPES.join(", ")}, or the listeners of each speaker.`)
  if (!isWithin(delay, 1, 1000))
    throw failure("bad-option", "The option delay: expected a whole number from 1 to 1000.")
  if (!isWithin(rounds, 1, MOST_ROUNDS))
    throw failure("bad-option", `The option rounds: expected a whole number from 1 to ${MOST_ROUNDS}.`)
  if (!isWithin(longest, 1, LONGEST))
    throw failure("bad-option", `The option max_length: expected a whole number from 1 to ${LONGEST}.`)
  return { topology, delay, rounds, longest }
}

const isWithin = (value: Json | undefined, least: number, most: number): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= least && value <= most

const spacesFor = ({ rounds, longest }: Settings): Spaces => ({
  observation: {
    type: "Dict",
    subspaces: {
      round: { type: "Discrete", n: rounds + 1 },
      present: { type: "Text", min_length: 0, max_length: MOST_HEARD },
      heard: { type: "Text", min_length: 0, max_length: MOST_HEARD },
    },
  },
  action: { type: "Text", min_length: 0, max_length: longest },
})

/** A round's messages, sorted by speaker. Empty text says nothing. */
const messagesOf = (room: Room, actions: JsonObject): ReadonlyArray<Message> => {
  const { members, settings, round } = room
  const agents = [...members.keys()]
  return Object.keys(actions)
    .sort()
    .flatMap((from) => {
      const text = actions[from]
      if (!members.has(from)) throw failure("no-such-member", `${from} is not in the room.`)
      if (typeof text !== "string" || [...text].length > settings.longest)
        throw failure("not-sayable", `Expected a text of at most ${settings.longest} characters.`)
      const to = listenersOf(settings.topology, agents, from)
      return text === "" ? [] : [{ from, to, text: oneLine(text), round: round + 1 }]
    })
}

/** Removes line breaks: each heard line is one message, so nobody can speak for another agent. */
const oneLine = (text: string): string => text.replace(/[\r\n\u2028\u2029]+/g, " ")

const counted = (
  members: Room["members"],
  said: ReadonlyArray<Message>,
  heard: ReadonlyArray<Message>,
): Room["members"] =>
  new Map(
    [...members].map(([name, member]) => [
      name,
      {
        said: member.said + said.filter(({ from }) => from === name).length,
        heard: member.heard + heard.filter(({ to }) => to.includes(name)).length,
      },
    ]),
  )

const cut = (text: string): string => [...text].slice(0, MOST_HEARD).join("")

const world: MultiAgentWorld = {
  mode: "parallel",
  spaces: (options) => spacesFor(settingsOf(options)),
  reset: ({ agents }, options) => {
    const members = new Map([...agents].sort().map((agent) => [agent, { said: 0, heard: 0 }]))
    current = { settings: settingsOf(options), round: 0, members, underway: [], heard: [] }
  },
  observe: ({ agent }) => {
    const { round, members, heard } = talking()
    const lines = heard.filter(({ to }) => to.includes(agent)).map(({ from, text }) => `${from}: ${text}`)
    return { round, present: cut([...members.keys()].join("\n")), heard: cut(lines.join("\n")) }
  },
  step: (_context, actions) => {
    const room = talking()
    const { settings } = room
    if (room.round >= settings.rounds) throw failure("room-closed", `The room closed after round ${room.round}.`)
    const said = messagesOf(room, actions)
    const round = room.round + 1
    const isDue = (message: Message) => message.round + settings.delay <= round + 1
    const pending = [...room.underway, ...said]
    const heard = pending.filter(isDue)
    const underway = pending.filter((message) => !isDue(message))
    current = { settings, round, members: counted(room.members, said, heard), underway, heard }
    const terminated = round >= settings.rounds
    return Object.fromEntries([...room.members.keys()].map((agent) => [agent, { reward: 0, terminated }]))
  },
  join: (_context, agent) => {
    const room = talking()
    if (room.members.has(agent)) throw failure("is-there-already", `${agent} is in the room already.`)
    const members = [...room.members, [agent, { said: 0, heard: 0 }] as const]
    current = { ...room, members: new Map(members.sort(([a], [b]) => (a < b ? -1 : 1))) }
  },
  leave: (_context, agent) => {
    const room = talking()
    current = { ...room, members: new Map([...room.members].filter(([name]) => name !== agent)) }
  },
  state: () => {
    const { settings, round, members, underway, heard } = talking()
    return { round, rounds: settings.rounds, members: Object.fromEntries(members), underway, heard }
  },
  restore: (_context, options, { round, members, underway, heard }) => {
    if (!isWithin(round, 0, MOST_ROUNDS) || !isRecord(members) || !Array.isArray(underway) || !Array.isArray(heard))
      throw failure("bad-state", "Expected the state of a room: round, members, underway, heard.")
    const entries = Object.keys(members)
      .sort()
      .map((name) => [name, memberOf(members[name])] as const)
    current = {
      settings: settingsOf(options),
      round,
      members: new Map(entries),
      underway: underway.map(messageOf),
      heard: heard.map(messageOf),
    }
  },
}

const isRecord = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const memberOf = (value: Json | undefined): Member => {
  const { said, heard } = isRecord(value) ? value : {}
  if (typeof said !== "number" || typeof heard !== "number")
    throw failure("bad-state", "Expected the state of a member: said, heard.")
  return { said, heard }
}

const messageOf = (value: Json): Message => {
  const { from, to, text, round } = isRecord(value) ? value : {}
  if (typeof from !== "string" || typeof text !== "string" || typeof round !== "number" || !Array.isArray(to))
    throw failure("bad-state", "Expected a message: from, to, text, round.")
  return { from, to: to.map(String), text, round }
}

export default { environment: world } satisfies WorldPlugin
