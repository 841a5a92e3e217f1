/** Collects a scenario's references while reading it, and resolves them once all rooms and things are known. */
import { type Cursor, shown } from "./cursor.ts"
import { asText, ownProperty } from "./names.ts"
import type { Place, Story, Thing } from "./story.ts"

interface Reference {
  readonly name: string
  readonly at: Cursor
}

interface Placement extends Reference {
  readonly place: Place
  /** Whether `object_details` must describe the thing. */
  readonly detailed: boolean
}

/** Names that references can resolve to. */
export interface KnownNames {
  readonly rooms: Story["rooms"]
  readonly detailed: Story["things"]
  readonly agent: string
}

/** Collects references to rooms, things and agents, and the places of things. */
export class References {
  readonly #rooms: Array<Reference> = []
  readonly #things: Array<Reference> = []
  readonly #agents: Array<Cursor> = []
  readonly #placements: Array<Placement> = []
  readonly #details: Array<Reference> = []

  /** A room that must exist. */
  room(at: Cursor): string {
    return collect(this.#rooms, at)
  }

  /** A thing that must exist. */
  thing(at: Cursor): string {
    return collect(this.#things, at)
  }

  /** An agent's id, if there is one. */
  agent(at: Cursor): void {
    if (!at.isMissing) this.#agents.push(at)
  }

  /** Places a thing that `object_details` must describe. */
  place(at: Cursor, place: Place): void {
    this.#placements.push({ name: at.name(), at, place, detailed: true })
  }

  /** Places a thing; without details it is small and portable. */
  placeWithoutDetails(at: Cursor, place: Place): void {
    this.#placements.push({ name: at.name(), at, place, detailed: false })
  }

  /** Records the details of a thing, which needs a place. */
  detailed(name: string, at: Cursor): void {
    this.#details.push({ name, at })
  }

  /** Records a mistake for each unresolved reference, and returns all things and places. */
  resolve(known: KnownNames): Pick<Story, "things" | "placed"> {
    for (const { name, at } of this.#rooms) {
      if (name !== "" && ownProperty(known.rooms, name) === undefined)
        at.mistake(`the name of a room (${list(known.rooms)})`)
    }
    for (const at of this.#agents) {
      if (at.value !== known.agent) at.mistake(`${shown(known.agent)}, the agent of agent_setup`)
    }
    const placed = this.#resolvePlacements(known)
    const things = Object.fromEntries(
      Object.keys(placed).map((name) => [name, ownProperty(known.detailed, name) ?? thingWithoutDetails(name)]),
    )
    for (const { name, at } of this.#things) {
      if (name !== "" && ownProperty(things, name) === undefined) at.mistake(`the name of a thing (${list(things)})`)
    }
    for (const { name, at } of this.#details) {
      if (ownProperty(placed, name) === undefined)
        at.mistake("a place for it: a room, a container or the inventory", "none")
      else if (isInsideItself(name, placed)) at.mistake("a place outside itself", `it in ${shown(placed[name])}`)
    }
    return { things, placed }
  }

  #resolvePlacements(known: KnownNames): Story["placed"] {
    const placed: { [thing: string]: Place } = {}
    for (const { name, at, place, detailed } of this.#placements) {
      if (name === "") continue
      if (detailed && ownProperty(known.detailed, name) === undefined) {
        at.mistake(`the name of a thing in object_details (${list(known.detailed)})`)
      } else if (ownProperty(placed, name) !== undefined) {
        at.mistake("a thing that is not placed yet", `${shown(name)}, which is also at ${shown(placed[name])}`)
      } else {
        placed[name] = place
      }
    }
    return placed
  }
}

const collect = (into: Array<Reference>, at: Cursor): string => {
  const name = at.name()
  into.push({ name, at })
  return name
}

const thingWithoutDetails = (name: string): Thing => ({
  description: `a ${asText(name)}.`,
  takeable: true,
  text: null,
  lid: null,
})

const list = (known: { readonly [name: string]: unknown }): string => Object.keys(known).join(", ") || "there is none"

const isInsideItself = (name: string, placed: Story["placed"]): boolean => {
  const seen = new Set<string>()
  for (let inside: string | undefined = name; inside !== undefined && !seen.has(inside); ) {
    seen.add(inside)
    inside = /^(?:thing|hidden):(.*)$/.exec(ownProperty(placed, inside) ?? "")?.[1]
    if (inside === name) return true
  }
  return false
}
