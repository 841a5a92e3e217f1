/**
 * The world `text-rooms`: agents walk through rooms described in words, find and use things, and talk to others in the
 * same room.
 */
import type { Json, JsonObject, MultiAgentWorld, Space, Spaces, Step, WorldPlugin } from "hindcast/plugin"
import { type Command, carried, described, perform, read } from "./actions.ts"
import { admissible, LONGEST_ACTION } from "./admissible.ts"
import { generated, type Wanted } from "./generate.ts"
import { happen } from "./happenings.ts"
import { asText, own } from "./names.ts"
import { begin, inventoryOf, newcomer, type State, told, toldAround } from "./state.ts"
import { type Goal, type Story, storyOf } from "./story.ts"

/** Maximum length of an observation's field, in characters; the rest is cut. */
const LONGEST = 4_000

interface Playing {
  readonly story: Story
  readonly state: State
  /** The rooms, things and goal that were drawn; undefined if the options have them. */
  readonly drawn: JsonObject | undefined
}

let current: Playing | undefined

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const playing = () => {
  if (current === undefined) throw failure("no-rooms", "There are no rooms yet: the world was not reset.")
  return current
}

const cut = (text: string): string => [...text].slice(0, LONGEST).join("")

const lines = (texts: ReadonlyArray<string>): string => cut(texts.join("\n"))

const observe = ({ story, state }: ReturnType<typeof playing>, agent: string): Json => {
  const member = own(state.members, agent)
  const room = own(story.rooms, member?.room ?? "")
  const people = Object.keys(state.members).filter(
    (name) => name !== agent && state.members[name]?.room === member?.room,
  )
  return {
    room: cut(asText(member?.room ?? "")),
    description: cut(room?.description ?? ""),
    exits: lines(Object.keys(room?.exits ?? {}).map(asText)),
    things: cut(described(story, state, agent)),
    people: lines(people),
    inventory: cut(carried(state, agent)),
    messages: lines(member?.messages ?? []),
    heard: lines((member?.heard ?? []).map(({ from, text }) => `${from}: ${text}`)),
    ...(story.lists ? { admissible_commands: admissible(story, state, agent).slice(0, MOST_COMMANDS) } : {}),
  }
}

/** Fields of every observation. */
const FIELDS = ["room", "description", "exits", "things", "people", "inventory", "messages", "heard"]

/** The maximum of a Sequence. */
const MOST_COMMANDS = 65_536

/** The spaces with command lists; the manifest has those without. */
const LISTING: Spaces = {
  observation: {
    type: "Dict",
    subspaces: {
      ...Object.fromEntries(
        FIELDS.map((name): [string, Space] => [name, { type: "Text", min_length: 0, max_length: LONGEST }]),
      ),
      admissible_commands: { type: "Sequence", feature_space: { type: "Text", max_length: LONGEST_ACTION } },
    },
  },
  action: { type: "Text", min_length: 0, max_length: LONGEST_ACTION },
}

/**
 * The order of acting: speakers first, so that everybody hears them who was in the room when the round began. Each
 * round begins with another agent.
 */
const inOrder = (state: State, commands: ReadonlyMap<string, Command | undefined>): ReadonlyArray<string> => {
  const names = [...commands.keys()].sort()
  const first = names.length === 0 ? 0 : state.round % names.length
  const turned = [...names.slice(first), ...names.slice(0, first)]
  const speaks = (name: string) => commands.get(name)?.verb === "say"
  return [...turned.filter(speaks), ...turned.filter((name) => !speaks(name))]
}

const isReached = (goal: Goal, state: State, agent: string): boolean => {
  const member = own(state.members, agent)
  return (
    (goal.item === undefined || inventoryOf(state, agent).includes(goal.item)) &&
    (goal.flag === undefined || member?.flags.includes(goal.flag) === true) &&
    (goal.room === undefined || member?.room === goal.room)
  )
}

const isWon = ({ goal }: Story, state: State): boolean => {
  const agents = Object.keys(state.members)
  if (goal === undefined || agents.length === 0) return false
  return goal.every
    ? agents.every((agent) => isReached(goal, state, agent))
    : agents.some((agent) => isReached(goal, state, agent))
}

const step = (story: Story, before: State, actions: JsonObject): { state: State; steps: { [agent: string]: Step } } => {
  const commands = new Map(Object.keys(actions).map((agent) => [agent, read(String(actions[agent]))] as const))
  const fresh: State = {
    ...before,
    round: before.round + 1,
    members: Object.fromEntries(
      Object.entries(before.members).map(([name, member]) => [name, { ...member, messages: [], heard: [] }]),
    ),
  }
  const refused: { [agent: string]: boolean } = {}
  const earned: { [agent: string]: number } = {}
  let state = fresh
  for (const agent of inOrder(before, commands)) {
    const command = commands.get(agent)
    if (command === undefined) {
      state = told(
        state,
        agent,
        "That is not understood. Say what to do: look, examine, go, take, drop, give, open, close, use, read, say.",
      )
      refused[agent] = true
      continue
    }
    const outcome = perform(story, state, agent, command)
    if (outcome.refused === undefined) {
      const happened = happen(story, state, outcome.state, agent, command)
      state = happened.state
      for (const [name, amount] of Object.entries(happened.earned)) earned[name] = (own(earned, name) ?? 0) + amount
      continue
    }
    refused[agent] = true
    const isLate = perform(story, fresh, agent, command).refused === undefined
    state = told(state, agent, `${isLate ? "You come too late. " : ""}${outcome.refused}`)
    if (isLate) state = { ...state, conflicts: state.conflicts + 1 }
  }
  const won = isWon(story, state)
  const steps = Object.keys(state.members).map((agent): [string, Step] => [
    agent,
    {
      reward: { goal: won ? 1 : 0, events: own(earned, agent) ?? 0 },
      terminated: won,
      truncated: !won && state.round >= (story.rounds ?? Number.POSITIVE_INFINITY),
      info: { refused: own(refused, agent) === true },
    },
  ])
  return { state: { ...state, won }, steps: Object.fromEntries(steps) }
}

/** Refuses invalid actions before anything changes. */
const check = (state: State, actions: JsonObject): void => {
  if (state.won) throw failure("over", "The goal is reached.")
  for (const [agent, action] of Object.entries(actions)) {
    if (own(state.members, agent) === undefined) throw failure("no-such-agent", `${agent} is not here.`)
    if (typeof action !== "string") throw failure("not-text", "Expected a line of text.")
  }
}

/** The rooms to draw, if the options have none of their own. */
const wantedOf = ({ generate, rooms }: JsonObject): Wanted | undefined => {
  if (generate === undefined) return undefined
  if (rooms !== undefined) throw failure("bad-option", "Expected `rooms` or `generate`, found both.")
  const wanted = { rooms: 6, doors: 1, things: 3, ...objectOf(generate) }
  if (wanted.doors >= wanted.rooms) {
    throw failure("bad-option", `Expected fewer locked doors than rooms, found ${wanted.doors} for ${wanted.rooms}.`)
  }
  return wanted
}

const world: MultiAgentWorld = {
  mode: "parallel",
  spaces: ({ admissible_commands: lists }) => (lists === true ? LISTING : undefined),
  reset: ({ agents, rng }, options) => {
    const wanted = wantedOf(options)
    const drawn = wanted === undefined ? undefined : generated(rng, wanted)
    const story = storyOf({ ...drawn, ...options }, agents)
    current = { story, state: begin(story, agents), drawn }
  },
  observe: ({ agent }) => observe(playing(), agent),
  step: (_context, actions) => {
    const { story, state, drawn } = playing()
    check(state, actions)
    const next = step(story, state, actions)
    current = { story, state: next.state, drawn }
    return next.steps
  },
  join: (_context, agent) => {
    const { story, state, drawn } = playing()
    const member = newcomer(story, agent)
    const names = [...Object.entries(state.members), [agent, member] as const].sort(([a], [b]) => (a < b ? -1 : 1))
    const joined = { ...state, members: Object.fromEntries(names) }
    current = { story, state: toldAround(joined, member.room, agent, `${agent} comes in.`), drawn }
  },
  leave: (_context, agent) => {
    const { story, state, drawn } = playing()
    const room = own(state.members, agent)?.room ?? ""
    const dropped = Object.fromEntries(inventoryOf(state, agent).map((name) => [name, `room:${room}` as const]))
    const { [agent]: _gone, ...members } = state.members
    const left = { ...state, members, placed: { ...state.placed, ...dropped } }
    current = { story, state: toldAround(left, room, agent, `${agent} is gone.`), drawn }
  },
  state: () => {
    const { state, drawn } = playing()
    const { members, ...rest } = state
    const agents = Object.entries(members).map(([name, { flags, ...member }]) => [
      name,
      { ...member, inventory: inventoryOf(state, name), flags: Object.fromEntries(flags.map((flag) => [flag, true])) },
    ])
    return { ...rest, agents: Object.fromEntries(agents), ...(drawn === undefined ? {} : { generated: drawn }) }
  },
  restore: ({ agents: names }, options, document) => {
    const { episode: _, agents, generated: kept, ...rest } = document
    const members = Object.entries(objectOf(agents)).map(([name, member]) => {
      const { inventory: _carried, flags, ...others } = objectOf(member)
      return [name, { ...others, flags: Object.keys(objectOf(flags)) }] as const
    })
    const drawn = wantedOf(options) === undefined ? undefined : objectOf(kept)
    const story = storyOf({ ...drawn, ...options }, names)
    const first = begin(story, [])
    const isWhole = Object.keys(first).every((key) => key === "members" || key in rest)
    if (!isWhole || agents === undefined) throw failure("bad-state", "Expected the state of rooms and their agents.")
    // `state` wrote this document.
    current = { story, state: { ...rest, members: Object.fromEntries(members) } as unknown as State, drawn }
  },
}

const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

export default { environment: world } satisfies WorldPlugin
