/** Places of things, and which of them the agent can see and reach. */
import { ownProperty } from "./names.ts"
import type { World } from "./state.ts"
import type { Place, Story, Thing } from "./story.ts"

/** By canonical name. */
export const thingNamed = (story: Story, name: string): Thing | undefined => ownProperty(story.things, name)

/** The thing that a place is in, on or behind. Undefined for a room and the inventory. */
export const holderOf = (place: Place | undefined): string | undefined =>
  /^(?:thing|hidden):(.*)$/.exec(place ?? "")?.[1]

/** Whether a thing's content is within reach: it has no lid, or an open one. */
export const isAccessible = (world: World, name: string): boolean => ownProperty(world.containers, name)?.open ?? true

/** Whether a thing is in this room or carried, and neither hidden nor in a closed thing. */
export const isVisible = (world: World, name: string): boolean => {
  const place = ownProperty(world.placed, name)
  if (place === "inventory" || place === `room:${world.room}`) return true
  const holder = place?.startsWith("thing:") ? holderOf(place) : undefined
  return holder !== undefined && isAccessible(world, holder) && isVisible(world, holder)
}

/** Whether a thing is carried, directly or inside a carried one. */
export const isCarried = (world: World, name: string): boolean => {
  const place = ownProperty(world.placed, name)
  const holder = holderOf(place)
  return place === "inventory" || (holder !== undefined && isCarried(world, holder))
}

/** In the story's order. */
export const visible = (story: Story, world: World): ReadonlyArray<string> =>
  Object.keys(story.things).filter((name) => isVisible(world, name))

/** Things carried in hand. */
export const inventory = (story: Story, world: World): ReadonlyArray<string> => thingsAt(story, world, "inventory")

/** In the story's order. */
export const thingsAt = (story: Story, world: World, place: Place): ReadonlyArray<string> =>
  Object.keys(story.things).filter((name) => ownProperty(world.placed, name) === place)

/** The world with a thing at another place. */
export const moved = (world: World, name: string, to: Place): World => ({
  ...world,
  placed: { ...world.placed, [name]: to },
})
