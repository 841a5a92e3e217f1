/** Observations of the text room. */
import type { JsonObject } from "hindcast/plugin"
import { asText, ownProperty } from "./names.ts"
import { holderOf, isCarried, thingNamed, visible } from "./places.ts"
import type { World } from "./state.ts"
import type { Story } from "./story.ts"

/** The agent's surroundings, and whether the story is over. */
export const look = (story: Story, world: World): JsonObject => {
  const room = ownProperty(story.rooms, world.room)
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

/** Carried things, including those inside carried, open things. */
export const carried = (story: Story, world: World): JsonObject => ({
  items: visible(story, world)
    .filter((name) => isCarried(world, name))
    .map((name) => appearance(story, world, name)),
})

/** A visible thing. `in` names the thing that contains or supports it; containers have `open`. */
const appearance = (story: Story, world: World, name: string): JsonObject => {
  const thing = thingNamed(story, name)
  const holder = holderOf(ownProperty(world.placed, name))
  const container = ownProperty(world.containers, name)
  return {
    name,
    description: thing?.description ?? "",
    takeable: thing?.takeable ?? false,
    readable: typeof thing?.text === "string",
    ...(container === undefined ? {} : { open: container.open }),
    ...(holder === undefined ? {} : { in: holder }),
  }
}

/** `the candle, the brass key`. */
export const enumerated = (names: ReadonlyArray<string>): string =>
  names.map((name) => `the ${asText(name)}`).join(", ")
