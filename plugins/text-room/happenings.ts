/** Applies a story's happenings: messages, milestones and flags that commands trigger. */
import { type Command, targetOf } from "./command.ts"
import { ownProperty } from "./names.ts"
import type { World } from "./state.ts"
import type { Response, Story, Trigger } from "./story.ts"

/** Applies the happenings that a command triggers, each only once. */
export const applyHappenings = (story: Story, before: World, after: World, command: Command): World => {
  let world = after
  for (const [index, { trigger, response }] of story.happenings.entries()) {
    if (!isTriggered(trigger, before, after, command)) continue
    const times = (world.triggered[index] ?? 0) + 1
    world = { ...world, triggered: world.triggered.with(index, times) }
    if (times === neededTimes(trigger)) world = respond(world, response)
  }
  return world
}

const isTriggered = (trigger: Trigger, before: World, after: World, command: Command): boolean =>
  trigger.type === "item_found"
    ? isFound(after, trigger.item) && !isFound(before, trigger.item)
    : command.verb === trigger.verb && (trigger.target === null || trigger.target === targetOf(command))

const neededTimes = (trigger: Trigger): number => (trigger.type === "item_found" ? 1 : trigger.count)

const isFound = (world: World, item: string): boolean =>
  world.discovered.includes(item) || ownProperty(world.placed, item) === "inventory"

const respond = (world: World, response: Response): World => {
  switch (response.type) {
    case "message_to_agent":
      return { ...world, messages: [...world.messages, response.content] }
    case "log_milestone":
      return { ...world, milestones: [...world.milestones, response.milestone] }
    case "set_flag":
      return { ...world, flags: { ...world.flags, [response.flag]: true } }
  }
}
