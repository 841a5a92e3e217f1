/** The rules of the text room: each verb's effect on the world, or its refusal. */
import type { JsonObject } from "hindcast/plugin"
import type { Command } from "./command.ts"
import { asText, ownProperty } from "./names.ts"
import { enumerated, look } from "./perception.ts"
import { isAccessible, isVisible, moved, thingNamed, thingsAt } from "./places.ts"
import type { World } from "./state.ts"
import type { Place, Story, Thing } from "./story.ts"

/** A refused command: a code for programs and a message for the agent. */
export interface Refusal {
  readonly code: RefusalCode
  readonly message: string
}

/** Codes of refusals. */
export type RefusalCode =
  | "bad-arguments"
  | "over"
  | "no-exit"
  | "not-here"
  | "not-held"
  | "already-held"
  | "not-takeable"
  | "not-a-container"
  | "locked"
  | "already-open"
  | "already-closed"
  | "already-unlocked"
  | "wrong-key"
  | "no-effect"
  | "not-readable"

/** The changed world with the command's result, or a refusal. */
export type ActionResult =
  | { readonly world: World; readonly result: JsonObject; readonly refusal?: never }
  | { readonly refusal: Refusal; readonly world?: never; readonly result?: never }

/** Executes a command, or refuses it. */
export const perform = (story: Story, world: World, command: Command): ActionResult => {
  switch (command.verb) {
    case "look":
      return { world, result: look(story, world) }
    case "go":
      return go(story, world, command.direction)
    case "use":
      return withVisible(story, world, command.on, (target) => use(world, command.thing, command.on, target))
    default:
      return withVisible(story, world, command.thing, (thing) =>
        ACTIONS[command.verb](story, world, command.thing, thing),
      )
  }
}

type Action = (story: Story, world: World, name: string, thing: Thing) => ActionResult

const done = (world: World, message: string, result: JsonObject = {}): ActionResult => ({
  world,
  result: { message, ...result },
})

const refuse = (code: RefusalCode, message: string): ActionResult => ({ refusal: { code, message } })

/**
 * Calls `act` with a visible thing. Invisible and unknown things get the same refusal, so that guessing names reveals
 * nothing.
 */
const withVisible = (story: Story, world: World, name: string, act: (thing: Thing) => ActionResult): ActionResult => {
  if (name === "") return refuse("bad-arguments", "Say what it should be done to.")
  const thing = thingNamed(story, name)
  if (thing !== undefined && isVisible(world, name)) return act(thing)
  return refuse("not-here", `There is no ${asText(name)} to be seen here.`)
}

const go = (story: Story, world: World, direction: string): ActionResult => {
  if (direction === "") return refuse("bad-arguments", "Say in which direction to go.")
  const exits = ownProperty(story.rooms, world.room)?.exits ?? {}
  const room = ownProperty(exits, direction)
  if (room === undefined) {
    const ways = Object.keys(exits).map(asText).join(", ") || "none"
    return refuse("no-exit", `There is no way ${asText(direction)} from here. Exits: ${ways}.`)
  }
  return done({ ...world, room }, ownProperty(story.rooms, room)?.description ?? "", { room })
}

const examine: Action = (story, world, name, thing) => {
  const accessible = isAccessible(world, name)
  const found = accessible ? thingsAt(story, world, `hidden:${name}`) : []
  const placed = Object.fromEntries(found.map((item): [string, Place] => [item, `thing:${name}`]))
  const after: World = {
    ...world,
    placed: { ...world.placed, ...placed },
    discovered: [...world.discovered, ...found],
  }
  const contains = accessible ? thingsAt(story, after, `thing:${name}`) : []
  const sentences = [
    thing.description,
    ...(found.length > 0 ? [`Hidden there: ${enumerated(found)}.`] : []),
    ...(contains.length > found.length ? [`There you see ${enumerated(contains)}.`] : []),
    ...(thing.lid !== null && !accessible ? ["It is closed."] : []),
  ]
  return done(after, sentences.join(" "), { thing: name, contains, found })
}

const take: Action = (_story, world, name, thing) => {
  if (ownProperty(world.placed, name) === "inventory")
    return refuse("already-held", `You carry the ${asText(name)} already.`)
  if (!thing.takeable) return refuse("not-takeable", `The ${asText(name)} cannot be carried away.`)
  return done(moved(world, name, "inventory"), `You take the ${asText(name)}.`, { taken: name })
}

const drop: Action = (_story, world, name) => {
  if (ownProperty(world.placed, name) !== "inventory") return notHeld(name)
  return done(moved(world, name, `room:${world.room}`), `You put down the ${asText(name)}.`, { dropped: name })
}

const open: Action = (story, world, name) => {
  const container = ownProperty(world.containers, name)
  if (container === undefined) return notAContainer(name)
  if (container.open) return refuse("already-open", `The ${asText(name)} is open already.`)
  if (container.locked) {
    return refuse("locked", `The ${asText(name)} is locked. What unlocks it has to be used on it first.`)
  }
  const contains = thingsAt(story, world, `thing:${name}`)
  const inside = contains.length === 0 ? "It is empty." : `Inside: ${enumerated(contains)}.`
  return done(withContainer(world, name, true, false), `You open the ${asText(name)}. ${inside}`, {
    opened: name,
    contains,
  })
}

const close: Action = (_story, world, name) => {
  const container = ownProperty(world.containers, name)
  if (container === undefined) return notAContainer(name)
  if (!container.open) return refuse("already-closed", `The ${asText(name)} is closed already.`)
  return done(withContainer(world, name, false, false), `You close the ${asText(name)}.`, { closed: name })
}

const read: Action = (_story, world, name, thing) =>
  thing.text === null
    ? refuse("not-readable", `There is nothing to read on the ${asText(name)}.`)
    : done(world, thing.text, { read: name, text: thing.text })

const ACTIONS = { examine, take, drop, open, close, read }

const use = (world: World, item: string, on: string, target: Thing): ActionResult => {
  if (item === "") return refuse("bad-arguments", "Say which of the things you carry is to be used.")
  if (ownProperty(world.placed, item) !== "inventory") return notHeld(item)
  const container = ownProperty(world.containers, on)
  if (container === undefined || target.lid?.key === null) {
    return refuse("no-effect", `Using the ${asText(item)} on the ${asText(on)} does nothing.`)
  }
  if (!container.locked) return refuse("already-unlocked", `The ${asText(on)} is not locked.`)
  if (target.lid?.key !== item) return refuse("wrong-key", `The ${asText(item)} does not unlock the ${asText(on)}.`)
  return done(withContainer(world, on, false, false), `The ${asText(item)} unlocks the ${asText(on)}.`, {
    unlocked: on,
  })
}

const notHeld = (name: string): ActionResult =>
  refuse("not-held", `You do not carry the ${asText(name)} in hand; take it first.`)

const notAContainer = (name: string): ActionResult =>
  refuse("not-a-container", `The ${asText(name)} has nothing to open or close.`)

const withContainer = (world: World, name: string, isOpen: boolean, locked: boolean): World => ({
  ...world,
  containers: { ...world.containers, [name]: { open: isOpen, locked } },
})
