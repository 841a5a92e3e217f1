import type { JsonObject } from "hindcast/plugin"
import { own, spoken } from "./names.ts"
import { holderOf, isCarried, thingNamed, visible } from "./places.ts"
import type { World } from "./state.ts"
import type { Story } from "./story.ts"

/** What can be seen from where the agent stands, and whether the story is over. */
export const look = (story: Story, world: World): JsonObject => {
  const room = own(story.rooms, world.room)
  const around = visible(story, world).filter((name) => !isCarried(world, name))
  return {
    room: world.room,
    description: room?.description ?? "",
    exits: Object.keys(room?.exits ?? {}),
    things: around.map((name) => appearance(story, world, name)),
    messages: world.messages,
    steps: world.steps,
    won: world.won,
    lost: world.lost,
  }
}

/** What is carried, things inside carried and open things among it. */
export const carried = (story: Story, world: World): JsonObject => ({
  items: visible(story, world)
    .filter((name) => isCarried(world, name))
    .map((name) => appearance(story, world, name)),
})

/** A thing at a glance. `in` names what it is in or on; `open` is there for containers. */
const appearance = (story: Story, world: World, name: string): JsonObject => {
  const thing = thingNamed(story, name)
  const holder = holderOf(own(world.placed, name))
  const container = own(world.containers, name)
  return {
    name,
    description: thing?.description ?? "",
    takeable: thing?.takeable ?? false,
    readable: typeof thing?.text === "string",
    ...(container === undefined ? {} : { open: container.open }),
    ...(holder === undefined ? {} : { in: holder }),
  }
}

/** Names in a sentence: `the candle, the brass key`. */
export const enumerated = (names: ReadonlyArray<string>): string =>
  names.map((name) => `the ${spoken(name)}`).join(", ")
