/** The state machine of the text room. */
import type { JsonObject } from "hindcast/plugin"
import { perform, type Refusal } from "./actions.ts"
import { type Command, inWords } from "./command.ts"
import { applyHappenings } from "./happenings.ts"
import { ownProperty } from "./names.ts"
import { inventory } from "./places.ts"
import type { World } from "./state.ts"
import type { Story } from "./story.ts"

/** The world after a command, with its result or refusal. */
export type Step =
  | { readonly world: World; readonly result: JsonObject; readonly refusal?: never }
  | { readonly world: World; readonly refusal: Refusal; readonly result?: never }

/** The initial world. */
export const begin = (story: Story): World =>
  updateOutcome(story, {
    scenario: story.name,
    room: story.startRoom,
    placed: story.placed,
    containers: Object.fromEntries(
      Object.entries(story.things).flatMap(([name, { lid }]) =>
        lid === null ? [] : [[name, { open: lid.open, locked: lid.locked }]],
      ),
    ),
    discovered: [],
    flags: story.flags,
    milestones: [],
    messages: [],
    triggered: story.happenings.map(() => 0),
    steps: 0,
    refusals: 0,
    repeatedRefusals: 0,
    refused: {},
    won: false,
    lost: false,
  })

/** Executes a command. A refused one changes only the counters. */
export const step = (story: Story, before: World, command: Command): Step => {
  const world: World = { ...before, steps: before.steps + 1, messages: [] }
  const action = before.won || before.lost ? { refusal: storyOver(before) } : perform(story, world, command)
  if (action.refusal !== undefined) {
    return { world: updateOutcome(story, countRefusal(world, command, action.refusal)), refusal: action.refusal }
  }
  const after = updateOutcome(story, applyHappenings(story, before, action.world, command))
  return { world: after, result: { ...action.result, ...announcements(before, after) } }
}

/** The environment's document: the world, and the names of carried things. */
export const document = (story: Story, world: World): JsonObject => ({ ...world, inventory: inventory(story, world) })

const storyOver = (world: World): Refusal => ({
  code: "over",
  message: world.won ? "The story is over: it is won." : "The story is over: too many steps went by.",
})

const countRefusal = (world: World, command: Command, { code }: Refusal): World => {
  const line = inWords(command)
  const codes = ownProperty(world.refused, line) ?? []
  const refusals = world.refusals + 1
  return codes.includes(code)
    ? { ...world, refusals, repeatedRefusals: world.repeatedRefusals + 1 }
    : { ...world, refusals, refused: { ...world.refused, [line]: [...codes, code] } }
}

/** Any win condition wins. The story is lost if the steps run out first. */
const updateOutcome = (story: Story, world: World): World => {
  const won =
    world.won ||
    (!world.lost &&
      story.winWhen.some((condition) =>
        condition.type === "item_in_inventory"
          ? ownProperty(world.placed, condition.item) === "inventory"
          : ownProperty(world.flags, condition.flag) === true,
      ))
  return { ...world, won, lost: !won && story.maxSteps !== null && world.steps >= story.maxSteps }
}

const announcements = (before: World, after: World): JsonObject => ({
  ...(after.messages.length > 0 ? { messages: after.messages } : {}),
  ...(after.won && !before.won ? { won: true } : {}),
})
