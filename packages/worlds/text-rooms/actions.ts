/** What agents do: an action is a line of text, and what comes of it a new state, or the reason why nothing does. */
import { asText, canonical, own } from "./names.ts"
import { around, barrier, inventoryOf, type State, sees, thingsAt, told, toldAround, withMember } from "./state.ts"
import type { Story } from "./story.ts"

/** An action that was read: its verb, what it is done to, and with whom or what. Names are canonical. */
export interface Command {
  readonly verb: Verb
  readonly target: string
  readonly other: string
  /** What is said. */
  readonly text: string
}

const VERBS = ["look", "examine", "go", "take", "drop", "give", "open", "close", "use", "read", "say", "wait"] as const

export type Verb = (typeof VERBS)[number]

/** What came of an action. A refusal is told to the agent alone. */
export type Outcome = { readonly state: State; readonly refused?: never } | { readonly refused: string }

/** Reads an action; undefined if it has no verb that is known. */
export const read = (action: string): Command | undefined => {
  const line = action.replace(/\s+/g, " ").trim()
  if (line === "") return { verb: "wait", target: "", other: "", text: "" }
  const [first = "", ...rest] = line.split(" ")
  const verb = VERBS.find((known) => known === first.toLowerCase())
  if (verb === undefined) return undefined
  const text = rest.join(" ")
  const [target = "", other = ""] = text.split(BETWEEN[verb] ?? /$^/)
  return {
    verb: verb === "look" && text !== "" ? "examine" : verb,
    target: canonical(target),
    other: canonical(other),
    text,
  }
}

const BETWEEN: { readonly [verb: string]: RegExp } = { use: / (?:on|with) /i, give: / to /i }

/** Carries out an action of an agent, or says why it cannot be. */
export const perform = (story: Story, state: State, agent: string, command: Command): Outcome => {
  const { verb, target } = command
  switch (verb) {
    case "wait":
      return { state }
    case "look":
      return { state: told(state, agent, "You look around.") }
    case "say":
      return say(state, agent, command.text)
    case "go":
      return go(story, state, agent, target)
    default:
      if (target === "") return { refused: `Say what you want to ${verb}.` }
      if (!sees(state, agent, target)) return { refused: `There is no ${asText(target)} to be seen here.` }
      return handle(story, state, agent, command)
  }
}

/** Longest text that is said, in characters. */
const LONGEST = 500

const say = (state: State, agent: string, text: string): Outcome => {
  if (text === "") return { refused: "Say something." }
  const room = own(state.members, agent)?.room
  const words = [...text].slice(0, LONGEST).join("")
  const hearers = Object.keys(state.members).filter((name) => name !== agent && state.members[name]?.room === room)
  const spoken = withMember(state, agent, (member) => ({ ...member, said: member.said + 1 }))
  const after = hearers.reduce(
    (now, hearer) =>
      withMember(now, hearer, (member) => ({ ...member, heard: [...member.heard, { from: agent, text: words }] })),
    spoken,
  )
  return { state: after }
}

const go = (story: Story, state: State, agent: string, direction: string): Outcome => {
  const from = own(state.members, agent)?.room ?? ""
  const to = own(own(story.rooms, from)?.exits ?? {}, direction)
  if (to === undefined) return { refused: `There is no way ${asText(direction)} from here.` }
  const bar = barrier(story, state, from, direction)
  if (bar !== undefined) return { refused: `The ${asText(bar)} is closed.` }
  const left = toldAround(state, from, agent, `${agent} goes ${asText(direction)}.`)
  const arrived = withMember(left, agent, (member) => ({ ...member, room: to }))
  return { state: toldAround(arrived, to, agent, `${agent} comes in.`) }
}

const handle = (story: Story, state: State, agent: string, { verb, target, other }: Command): Outcome => {
  const thing = own(story.things, target)
  const room = own(state.members, agent)?.room ?? ""
  const isHeld = own(state.placed, target) === `agent:${agent}`
  const lid = own(state.lids, target)
  const the = `the ${asText(target)}`
  const did = (after: State, you: string, others: string): Outcome => ({
    state: toldAround(told(after, agent, you), room, agent, `${agent} ${others}.`),
  })
  const marked = (after: State): State => (thing?.sets === undefined ? after : withFlag(after, agent, thing.sets))
  const moved = (place: State["placed"][string]): State => ({ ...state, placed: { ...state.placed, [target]: place } })

  switch (verb) {
    case "examine": {
      const found = lid === undefined || lid.open ? thingsAt(state, `hidden:${target}`) : []
      const placed = Object.fromEntries(found.map((name) => [name, `thing:${target}` as const]))
      const shown = withMember({ ...state, placed: { ...state.placed, ...placed } }, agent, (member) => ({
        ...member,
        discovered: [...member.discovered, ...found],
      }))
      const hidden = found.length === 0 ? "" : ` Hidden there: ${found.map(asText).join(", ")}.`
      return did(marked(shown), `${thing?.description ?? ""}${hidden}`, `examines ${the}`)
    }
    case "take":
      if (isHeld) return { refused: `You carry ${the} already.` }
      if (thing?.takeable !== true) return { refused: `${capital(the)} cannot be carried away.` }
      return did(moved(`agent:${agent}`), `You take ${the}.`, `takes ${the}`)
    case "drop":
      if (!isHeld) return { refused: `You do not carry ${the}.` }
      return did(moved(`room:${room}`), `You put down ${the}.`, `puts down ${the}`)
    case "give": {
      if (!isHeld) return { refused: `You do not carry ${the}.` }
      const taker = Object.keys(state.members).find((name) => canonical(name) === other && name !== agent)
      if (taker === undefined || state.members[taker]?.room !== room) return { refused: "Nobody of that name is here." }
      return did(moved(`agent:${taker}`), `You give ${the} to ${taker}.`, `gives ${the} to ${taker}`)
    }
    case "open":
      if (lid === undefined) return { refused: `${capital(the)} has nothing to open.` }
      if (lid.open) return { refused: `${capital(the)} is open already.` }
      if (lid.locked) return { refused: `${capital(the)} is locked.` }
      if (thing?.needs !== undefined && own(state.members, agent)?.flags.includes(thing.needs) !== true)
        return { refused: `You do not know how to open ${the}.` }
      return did(marked(withLid(state, target, true, false)), `You open ${the}.`, `opens ${the}`)
    case "close":
      if (lid === undefined) return { refused: `${capital(the)} has nothing to close.` }
      if (!lid.open) return { refused: `${capital(the)} is closed already.` }
      return did(withLid(state, target, false, false), `You close ${the}.`, `closes ${the}`)
    case "read":
      if (thing?.text === undefined) return { refused: `There is nothing to read on ${the}.` }
      return did(marked(state), thing.text, `reads ${the}`)
    default: {
      if (!isHeld) return { refused: `You do not carry ${the}.` }
      const opened = own(state.lids, other)
      if (opened === undefined || !sees(state, agent, other)) return { refused: `Using ${the} there does nothing.` }
      if (!opened.locked) return { refused: `The ${asText(other)} is not locked.` }
      if (own(story.things, other)?.key !== target)
        return { refused: `${capital(the)} does not unlock the ${asText(other)}.` }
      const unlocked = withLid(state, other, false, false)
      return did(unlocked, `${capital(the)} unlocks the ${asText(other)}.`, `unlocks the ${asText(other)}`)
    }
  }
}

/** The state after an agent has a flag. */
export const withFlag = (state: State, agent: string, flag: string): State =>
  withMember(state, agent, (member) =>
    member.flags.includes(flag) ? member : { ...member, flags: [...member.flags, flag] },
  )

const withLid = (state: State, name: string, open: boolean, locked: boolean): State => ({
  ...state,
  lids: { ...state.lids, [name]: { open, locked } },
})

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What an agent sees of its room, as text: a line for each thing. */
export const described = (story: Story, state: State, agent: string): string =>
  around(state, agent)
    .map((name) => {
      const lid = own(state.lids, name)
      const how = lid === undefined ? "" : lid.open ? " (open)" : " (closed)"
      return `${asText(name)}${how}: ${own(story.things, name)?.description ?? ""}`
    })
    .join("\n")

/** What an agent carries, as text: a line for each thing. */
export const carried = (state: State, agent: string): string => inventoryOf(state, agent).map(asText).join("\n")
