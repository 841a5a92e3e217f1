/** An agent's actions: a line of text leads to a new state, or to a refusal. */
import { asText, canonical, own } from "./names.ts"
import { around, barrier, inventoryOf, type State, sees, thingsAt, told, toldAround, withMember } from "./state.ts"
import type { Story } from "./story.ts"

/** A parsed action: its verb, target, and other object or agent. Names are canonical. */
export interface Command {
  readonly verb: Verb
  readonly target: string
  readonly other: string
  /** The spoken text. */
  readonly text: string
}

const VERBS = ["look", "examine", "go", "take", "drop", "give", "open", "close", "use", "read", "say", "wait"] as const

export type Verb = (typeof VERBS)[number]

/** The result of an action. Only the agent learns of a refusal. */
export type Outcome = { readonly state: State; readonly refused?: never } | { readonly refused: string }

/** Parses an action. Undefined if its verb is unknown. */
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

/** Executes an agent's action, or refuses it. */
export const perform = (story: Story, state: State, agent: string, command: Command): Outcome => {
  const refused = refusal(story, state, agent, command)
  return refused === undefined ? { state: done(story, state, agent, command) } : { refused }
}

/** Why an action is impossible. Undefined if it is possible. */
export const refusal = (story: Story, state: State, agent: string, command: Command): string | undefined => {
  const { verb, target, text } = command
  switch (verb) {
    case "wait":
    case "look":
      return undefined
    case "say":
      return text === "" ? "Say something." : undefined
    case "go": {
      const from = own(state.members, agent)?.room ?? ""
      if (own(own(story.rooms, from)?.exits ?? {}, target) === undefined)
        return `There is no way ${asText(target)} from here.`
      const bar = barrier(story, state, from, target)
      return bar === undefined ? undefined : `The ${asText(bar)} is closed.`
    }
    default:
      if (target === "") return `Say what you want to ${verb}.`
      if (!sees(state, agent, target)) return `There is no ${asText(target)} to be seen here.`
      return refusalOfThing(story, state, agent, command)
  }
}

const refusalOfThing = (story: Story, state: State, agent: string, command: Command): string | undefined => {
  const { verb, target, other } = command
  const thing = own(story.things, target)
  const isHeld = own(state.placed, target) === `agent:${agent}`
  const lid = own(state.lids, target)
  const the = `the ${asText(target)}`
  switch (verb) {
    case "examine":
      return undefined
    case "take":
      if (isHeld) return `You carry ${the} already.`
      return thing?.takeable === true ? undefined : `${capital(the)} cannot be carried away.`
    case "drop":
      return isHeld ? undefined : `You do not carry ${the}.`
    case "give":
      if (!isHeld) return `You do not carry ${the}.`
      return takersOf(state, agent).has(other) ? undefined : "Nobody of that name is here."
    case "open":
      if (lid === undefined) return `${capital(the)} has nothing to open.`
      if (lid.open) return `${capital(the)} is open already.`
      if (lid.locked) return `${capital(the)} is locked.`
      return thing?.needs === undefined || own(state.members, agent)?.flags.includes(thing.needs) === true
        ? undefined
        : `You do not know how to open ${the}.`
    case "close":
      if (lid === undefined) return `${capital(the)} has nothing to close.`
      return lid.open ? undefined : `${capital(the)} is closed already.`
    case "read":
      return thing?.text === undefined ? `There is nothing to read on ${the}.` : undefined
    default: {
      if (!isHeld) return `You do not carry ${the}.`
      const opened = own(state.lids, other)
      if (opened === undefined || !sees(state, agent, other)) return `Using ${the} there does nothing.`
      if (!opened.locked) return `The ${asText(other)} is not locked.`
      return own(story.things, other)?.key === target
        ? undefined
        : `${capital(the)} does not unlock the ${asText(other)}.`
    }
  }
}

/** Agents that can receive something from an agent, by canonical name; the first of several with one name. */
export const takersOf = (state: State, agent: string): ReadonlyMap<string, string> => {
  const named = new Map<string, string>()
  for (const name of Object.keys(state.members))
    if (name !== agent && !named.has(canonical(name))) named.set(canonical(name), name)
  const room = own(state.members, agent)?.room
  return new Map([...named].filter(([, name]) => own(state.members, name)?.room === room))
}

/** The state after an action that was not refused. */
const done = (story: Story, state: State, agent: string, command: Command): State => {
  switch (command.verb) {
    case "wait":
      return state
    case "look":
      return told(state, agent, "You look around.")
    case "say":
      return said(state, agent, command.text)
    case "go":
      return gone(story, state, agent, command.target)
    default:
      return handled(story, state, agent, command)
  }
}

/** Maximum length of spoken text, in characters. */
const LONGEST = 500

const said = (state: State, agent: string, text: string): State => {
  const room = own(state.members, agent)?.room
  const words = [...text].slice(0, LONGEST).join("")
  const hearers = Object.keys(state.members).filter((name) => name !== agent && state.members[name]?.room === room)
  const spoken = withMember(state, agent, (member) => ({ ...member, said: member.said + 1 }))
  return hearers.reduce(
    (now, hearer) =>
      withMember(now, hearer, (member) => ({ ...member, heard: [...member.heard, { from: agent, text: words }] })),
    spoken,
  )
}

const gone = (story: Story, state: State, agent: string, direction: string): State => {
  const from = own(state.members, agent)?.room ?? ""
  const to = own(own(story.rooms, from)?.exits ?? {}, direction) ?? from
  const left = toldAround(state, from, agent, `${agent} goes ${asText(direction)}.`)
  const arrived = withMember(left, agent, (member) => ({ ...member, room: to }))
  return toldAround(arrived, to, agent, `${agent} comes in.`)
}

const handled = (story: Story, state: State, agent: string, { verb, target, other }: Command): State => {
  const thing = own(story.things, target)
  const room = own(state.members, agent)?.room ?? ""
  const lid = own(state.lids, target)
  const the = `the ${asText(target)}`
  const did = (after: State, you: string, others: string): State =>
    toldAround(told(after, agent, you), room, agent, `${agent} ${others}.`)
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
      return did(moved(`agent:${agent}`), `You take ${the}.`, `takes ${the}`)
    case "drop":
      return did(moved(`room:${room}`), `You put down ${the}.`, `puts down ${the}`)
    case "give": {
      const taker = takersOf(state, agent).get(other) ?? agent
      return did(moved(`agent:${taker}`), `You give ${the} to ${taker}.`, `gives ${the} to ${taker}`)
    }
    case "open":
      return did(marked(withLid(state, target, true, false)), `You open ${the}.`, `opens ${the}`)
    case "close":
      return did(withLid(state, target, false, false), `You close ${the}.`, `closes ${the}`)
    case "read":
      return did(marked(state), thing?.text ?? "", `reads ${the}`)
    default: {
      const unlocked = withLid(state, other, false, false)
      return did(unlocked, `${capital(the)} unlocks the ${asText(other)}.`, `unlocks the ${asText(other)}`)
    }
  }
}

/** The state with the agent's new flag. */
export const withFlag = (state: State, agent: string, flag: string): State =>
  withMember(state, agent, (member) =>
    member.flags.includes(flag) ? member : { ...member, flags: [...member.flags, flag] },
  )

const withLid = (state: State, name: string, open: boolean, locked: boolean): State => ({
  ...state,
  lids: { ...state.lids, [name]: { open, locked } },
})

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** An agent's room as text, one line per thing. */
export const described = (story: Story, state: State, agent: string): string =>
  around(state, agent)
    .map((name) => {
      const lid = own(state.lids, name)
      const how = lid === undefined ? "" : lid.open ? " (open)" : " (closed)"
      return `${asText(name)}${how}: ${own(story.things, name)?.description ?? ""}`
    })
    .join("\n")

/** An agent's inventory as text, one line per thing. */
export const carried = (state: State, agent: string): string => inventoryOf(state, agent).map(asText).join("\n")
