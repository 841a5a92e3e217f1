/**
 * Rooms that follow from the episode's random numbers: a tree of rooms with locked doors, keys, and a treasure in the
 * farthest room. The options that come out are those that a person could write.
 */
import type { Generator, JsonObject } from "hindcast/plugin"

/** How many of each. */
export interface Wanted {
  readonly rooms: number
  /** Locked doors, each with its key. */
  readonly doors: number
  /** Things of no use. */
  readonly things: number
}

const KINDS = ["hall", "study", "cellar", "attic", "kitchen", "library", "gallery", "workshop", "chapel", "pantry"]

const QUALITIES = ["dusty", "bright", "cold", "narrow", "silent", "damp", "crooked", "white", "hidden", "old"]

const DETAILS = [
  "Dust dances in the light.",
  "It smells of paper.",
  "Somewhere water drips.",
  "The floor creaks.",
  "The walls are bare.",
  "A clock ticks, but there is none to be seen.",
]

const METALS = ["brass", "iron", "silver", "copper", "bone", "glass", "golden", "wooden", "tin", "stone"]

const OBJECTS = ["candle", "spoon", "map", "feather", "coin", "bottle", "ribbon", "lens", "button", "shell"]

const WAYS = [
  { to: "north", back: "south", x: 0, y: -1 },
  { to: "east", back: "west", x: 1, y: 0 },
  { to: "south", back: "north", x: 0, y: 1 },
  { to: "west", back: "east", x: -1, y: 0 },
]

/** The thing that wins. */
export const TREASURE = "crown"

interface Placed {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly depth: number
  readonly parent: number
  /** The direction from the parent. */
  readonly way: (typeof WAYS)[number] | undefined
}

/**
 * Draws rooms, things and a goal. Every room can be reached: a door's key is in a room that was drawn before the room
 * behind the door, so no key is behind its own door.
 */
export const generated = (rng: Generator, { rooms, doors, things }: Wanted): JsonObject => {
  const placed = roomsOf(rng, rooms)
  const exits = placed.map((): { [direction: string]: string } => ({}))
  const objects = placed.map((): Array<string> => [])
  const details: { [thing: string]: JsonObject } = {}
  for (const { parent, way, name } of placed) {
    const before = placed[parent]
    if (way === undefined || before === undefined) continue
    Object.assign(exits[parent] ?? {}, { [way.to]: name })
    Object.assign(exits[placed.findIndex((room) => room.name === name)] ?? {}, { [way.back]: before.name })
  }
  const behind = rng.permutation(Math.max(0, rooms - 1)).slice(0, doors)
  const metals = rng.permutation(METALS)
  for (const [index, child] of behind.map((room) => room + 1).entries()) {
    const room = placed[child]
    if (room?.way === undefined) continue
    const [door, key] = [`${metals[index]} door`, `${metals[index]} key`]
    const custom_properties = { blocks: room.way.to, locked: true, key_required: key }
    details[door] = { description: `A door with a lock of ${metals[index]}.`, custom_properties }
    details[key] = { description: `A key of ${metals[index]}.`, can_be_taken: true }
    objects[room.parent]?.push(door)
    objects[drawn(rng, child)]?.push(key)
  }
  const kept = placed.reduce((best, room, index) => (room.depth > (placed[best]?.depth ?? 0) ? index : best), 0)
  details.chest = { description: "A heavy chest.", is_container: true, contains: [TREASURE] }
  details[TREASURE] = { description: "A crown with one stone missing.", can_be_taken: true }
  objects[kept]?.push("chest")
  const names = rng.permutation(METALS.length * OBJECTS.length).slice(0, things)
  for (const name of names) {
    const thing = `${METALS[Math.floor(name / OBJECTS.length)]} ${OBJECTS[name % OBJECTS.length]}`
    objects[drawn(rng, rooms)]?.push(thing)
  }
  return {
    rooms: Object.fromEntries(
      placed.map(({ name }, index) => [
        name,
        { description: descriptionOf(rng, name), exits: exits[index] ?? {}, objects: objects[index] ?? [] },
      ]),
    ),
    object_details: details,
    goal: { item: TREASURE },
  }
}

/** An index below a length; 0 without a draw if there is no choice. */
const drawn = (rng: Generator, length: number): number => (length > 1 ? rng.integers(0, length) : 0)

const descriptionOf = (rng: Generator, name: string): string =>
  `${/^[aeiou]/.test(name) ? "An" : "A"} ${name}. ${DETAILS[drawn(rng, DETAILS.length)]}`

/** Rooms on a grid, each next to one that was drawn before. */
const roomsOf = (rng: Generator, count: number): ReadonlyArray<Placed> => {
  const names = rng
    .permutation(KINDS.length * QUALITIES.length)
    .map((name) => `${QUALITIES[Math.floor(name / KINDS.length)]} ${KINDS[name % KINDS.length]}`)
  const placed: Array<Placed> = [{ name: names[0] ?? "hall", x: 0, y: 0, depth: 0, parent: 0, way: undefined }]
  while (placed.length < count) {
    const free = placed.flatMap((room, parent) =>
      WAYS.filter(({ x, y }) => !placed.some((other) => other.x === room.x + x && other.y === room.y + y)).map(
        (way) => ({
          parent,
          way,
          room,
        }),
      ),
    )
    const next = free[drawn(rng, free.length)]
    const name = names[placed.length]
    if (next === undefined || name === undefined) break
    const { parent, way, room } = next
    placed.push({ name, x: room.x + way.x, y: room.y + way.y, depth: room.depth + 1, parent, way })
  }
  return placed
}
