/** What changes in an episode. A state is never modified: each round makes a new one. */
import { own } from "./names.ts"
import type { Place, Story, Thing } from "./story.ts"

export interface Heard {
  readonly from: string
  readonly text: string
}

export interface Member {
  readonly room: string
  readonly flags: ReadonlyArray<string>
  /** Hidden things that it brought to light. */
  readonly discovered: ReadonlyArray<string>
  /** What it was told after the last round: what came of its action, and what happened around it. */
  readonly messages: ReadonlyArray<string>
  /** What was said in its room in the last round. */
  readonly heard: ReadonlyArray<Heard>
  /** How often it spoke. */
  readonly said: number
}

export interface State {
  readonly round: number
  /** By name, in the names' order. */
  readonly members: { readonly [agent: string]: Member }
  readonly placed: Story["placed"]
  readonly lids: Story["lids"]
  /** How often the trigger of each happening was met. */
  readonly triggered: ReadonlyArray<number>
  /** How often an agent came too late for what another one took or did in the same round. */
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

/** The things at a place, in the order of their names. */
export const thingsAt = ({ placed }: Pick<State, "placed">, place: Place): ReadonlyArray<string> =>
  Object.keys(placed)
    .filter((name) => placed[name] === place)
    .sort()

/** What an agent carries in hand. */
export const inventoryOf = (state: State, agent: string): ReadonlyArray<string> => thingsAt(state, `agent:${agent}`)

/** Whether an agent sees a thing: in its room or carried by it, and neither hidden nor in something that is closed. */
export const sees = (state: State, agent: string, name: string): boolean => {
  const place = own(state.placed, name)
  const room = own(state.members, agent)?.room
  if (place === undefined) return false
  if (place === `room:${room}` || place === `agent:${agent}`) return true
  if (!place.startsWith("thing:")) return false
  const holder = place.slice("thing:".length)
  return (own(state.lids, holder)?.open ?? true) && sees(state, agent, holder)
}

/** All that an agent sees in its room, in the order of the names. What it carries is not among it. */
export const around = (state: State, agent: string): ReadonlyArray<string> =>
  Object.keys(state.placed)
    .filter((name) => sees(state, agent, name) && !isCarried(state, name))
    .sort()

/** Whether somebody carries a thing, itself or in another one. */
const isCarried = (state: State, name: string): boolean => {
  const place = own(state.placed, name) ?? ""
  return place.startsWith("agent:") || (place.startsWith("thing:") && isCarried(state, place.slice("thing:".length)))
}

/** The closed thing that bars an exit of a room, if there is one. */
export const barrier = (story: Story, state: State, room: string, direction: string): string | undefined =>
  thingsAt(state, `room:${room}`).find((name) => {
    const thing: Thing | undefined = own(story.things, name)
    return thing?.bars === direction && own(state.lids, name)?.open !== true
  })

/** The state with an agent changed. */
export const withMember = (state: State, agent: string, change: (member: Member) => Member): State => {
  const member = own(state.members, agent)
  return member === undefined ? state : { ...state, members: { ...state.members, [agent]: change(member) } }
}

/** The state after an agent is told something. */
export const told = (state: State, agent: string, message: string): State =>
  withMember(state, agent, (member) => ({ ...member, messages: [...member.messages, message] }))

/** The state after all in a room but one are told something. */
export const toldAround = (state: State, room: string, but: string, message: string): State =>
  Object.entries(state.members).reduce(
    (after, [agent, member]) => (member.room === room && agent !== but ? told(after, agent, message) : after),
    state,
  )
