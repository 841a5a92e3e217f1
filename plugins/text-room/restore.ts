/** Restores a world from its recorded document, for a fork. */
import type { Json } from "hindcast/plugin"
import { ownProperty } from "./names.ts"
import { holderOf } from "./places.ts"
import type { World } from "./state.ts"
import type { Story } from "./story.ts"
import { begin } from "./world.ts"

/** The restored world, or why the document does not fit the story. */
export type Restored =
  | { readonly world: World; readonly wrong?: never }
  | { readonly world?: never; readonly wrong: string }

/** Reads a document that `document` wrote. */
export const restored = (story: Story, document: Json): Restored => {
  if (!isObject(document)) return { wrong: `expected a world as an object, found ${kindOf(document)}` }
  const first = begin(story)
  const fields = Object.keys(first) as ReadonlyArray<keyof World>
  const mismatched = fields.find((field) => kindOf(ownProperty(document, field)) !== kindOf(first[field]))
  if (mismatched !== undefined) {
    return {
      wrong: `${mismatched}: expected ${kindOf(first[mismatched])}, found ${kindOf(ownProperty(document, mismatched))}`,
    }
  }
  // Each field has its kind by now; the story check below covers the content.
  const world = Object.fromEntries(fields.map((field) => [field, document[field]])) as unknown as World
  const wrong = impossiblePart(story, world)
  return wrong === undefined ? { world } : { wrong }
}

/** The first part that is impossible in this story, if any. */
const impossiblePart = (story: Story, world: World): string | undefined => {
  if (world.scenario !== story.name) return `scenario: expected ${story.name}, found ${world.scenario}`
  if (ownProperty(story.rooms, world.room) === undefined)
    return `room: expected a room of the story, found ${world.room}`
  if (world.triggered.length !== story.happenings.length) {
    return `triggered: expected ${story.happenings.length} counts, found ${world.triggered.length}`
  }
  for (const thing of Object.keys(story.things)) {
    const place = ownProperty(world.placed, thing)
    const room = place?.startsWith("room:") ? place.slice("room:".length) : undefined
    const isSomewhere =
      place === "inventory" ||
      (room === undefined ? ownProperty(story.things, holderOf(place) ?? "") : ownProperty(story.rooms, room)) !==
        undefined
    if (!isSomewhere) return `placed.${thing}: expected a room, a thing or inventory, found ${place ?? "nothing"}`
  }
  return undefined
}

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? "a list"
    : value === null || value === undefined
      ? "nothing"
      : typeof value === "object"
        ? "an object"
        : `a ${typeof value}`
