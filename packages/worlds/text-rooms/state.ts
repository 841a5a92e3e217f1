/** The state of an episode. It is immutable: each round makes a new one. */
import { own } from "./names.ts"
import type { Place, Story, Thing } from "./story.ts"

export interface Heard {
  readonly from: string
  readonly text: string
}

export interface Member {
  readonly room: string
  readonly flags: ReadonlyArray<string>
  /** Hidden things that the agent has found. */
  readonly discovered: ReadonlyArray<string>
  /** Messages after the last round: the result of its action, and what happened around it. */
  readonly messages: ReadonlyArray<string>
  /** Speech in its room in the last round. */
  readonly heard: ReadonlyArray<Heard>
  /** Number of times that it spoke. */
  readonly said: number
}

export interface State {
  readonly round: number
  /** Sorted by name. */
  readonly members: { readonly [agent: string]: Member }
  readonly placed: Story["placed"]
  readonly lids: Story["lids"]
  /** By happening: how often its trigger fired. */
  readonly triggered: ReadonlyArray<number>
  /** Number of actions that came too late because another agent acted in the same round. */
  readonly conflicts: number
  readonly won: boolean
}

/** The first state of a story. */
export const begin = (story: Story, agents: ReadonlyArray<string>): State => ({
  round: 0,
  members: Object.fromEntries([...agents].sort().map((agent) => [agent, newcomer(story, agent)])),
  placed: story.placed,
  lids: story.lids,
  triggered: story.happenings.map(() => 0),
  conflicts: 0,
  won: false,
})

/** An agent as it begins. */
export const newcomer = (story: Story, agent: string): Member => {
  const start = own(story.starts, agent)
  const room = start?.room ?? Object.keys(story.rooms)[0] ?? ""
  return { room, flags: start?.flags ?? [], discovered: [], messages: [], heard: [], said: 0 }
}

/** Sorted by name. */
export const thingsAt = ({ placed }: Pick<State, "placed">, place: Place): ReadonlyArray<string> =>
  Object.keys(placed)
    .filter((name) => placed[name] === place)
    .sort()

/** The things that the agent carries directly. */
export const inventoryOf = (state: State, agent: string): ReadonlyArray<string> => thingsAt(state, `agent:${agent}`)

/** Whether a thing is in the agent's room or inventory, and neither hidden nor in a closed thing. */
export const sees = (state: State, agent: string, name: string): boolean => {
  const place = own(state.placed, name)
  const room = own(state.members, agent)?.room
  if (place === undefined) return false
  if (place === `room:${room}` || place === `agent:${agent}`) return true
  if (!place.startsWith("thing:")) return false
  const holder = place.slice("thing:".length)
  return (own(state.lids, holder)?.open ?? true) && sees(state, agent, holder)
}

/** Visible things of the agent's room, sorted by name, without its inventory. */
export const around = (state: State, agent: string): ReadonlyArray<string> =>
  Object.keys(state.placed)
    .filter((name) => sees(state, agent, name) && !isCarried(state, name))
    .sort()

/** Whether an agent carries a thing, directly or inside another one. */
const isCarried = (state: State, name: string): boolean => {
  const place = own(state.placed, name) ?? ""
  return place.startsWith("agent:") || (place.startsWith("thing:") && isCarried(state, place.slice("thing:".length)))
}

/** The closed thing that bars a room's exit, if any. */
export const barrier = (story: Story, state: State, room: string, direction: string): string | undefined =>
  thingsAt(state, `room:${room}`).find((name) => {
    const thing: Thing | undefined = own(story.things, name)
    return thing?.bars === direction && own(state.lids, name)?.open !== true
  })

/** The state with a changed agent. */
export const withMember = (state: State, agent: string, change: (member: Member) => Member): State => {
  const member = own(state.members, agent)
  return member === undefined ? state : { ...state, members: { ...state.members, [agent]: change(member) } }
}

/** The state with a message to an agent. */
export const told = (state: State, agent: string, message: string): State =>
  withMember(state, agent, (member) => ({ ...member, messages: [...member.messages, message] }))

/** The state with a message to everybody in a room but one. */
export const toldAround = (state: State, room: string, but: string, message: string): State =>
  Object.entries(state.members).reduce(
    (after, [agent, member]) => (member.room === room && agent !== but ? told(after, agent, message) : after),
    state,
  )
