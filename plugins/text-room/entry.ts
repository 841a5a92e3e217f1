/** Entry of the plugin `text-room`: keeps one task's world, and exports sensors, actuators and environment. */
import type { Actuator, Json, JsonObject, Plugin, Settle } from "hindcast/plugin"
import { commandOf, VERBS, type Verb } from "./command.ts"
import { carried, look } from "./perception.ts"
import { restored } from "./restore.ts"
import { checkScenario } from "./scenario.ts"
import type { World } from "./state.ts"
import type { Story } from "./story.ts"
import { begin, document, step } from "./world.ts"

/** Set by the last reset. One suffices, because a process serves one task. */
let current: { readonly story: Story; readonly world: World } | undefined

/** Outcomes of this process's commands, by id. */
const ended = new Map<
  string,
  { readonly result: Json } | { readonly error: { readonly code: string; readonly message: string } }
>()

/** The code becomes the code of the command's failure. */
const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const playing = () => {
  if (current === undefined) throw failure("no-scenario", "There is no room yet: the environment was not reset.")
  return current
}

/** An actuator that executes a verb, or throws its refusal. */
const actuator =
  (verb: Verb): Actuator =>
  ({ commandId }, args: JsonObject) => {
    const { story, world } = playing()
    const next = step(story, world, commandOf(verb, args))
    current = { story, world: next.world }
    const end = next.refusal === undefined ? { result: next.result } : { error: next.refusal }
    if (commandId !== null) ended.set(commandId, end)
    if (next.refusal !== undefined) throw failure(next.refusal.code, next.refusal.message)
    return next.result
  }

/**
 * The room lives in this process alone: a command that this process did not execute has not happened in it, whatever
 * happened in an earlier process's room.
 */
const settle: Settle = (_context, commandId) => {
  playing()
  const end = ended.get(commandId)
  if (end === undefined) {
    const message = "The room is as it was before this command, which has not happened in it. Give it again."
    return { status: "failed", error: { code: "not-carried-out", message } }
  }
  return "result" in end ? { status: "succeeded", ...end } : { status: "failed", ...end }
}

/** Throws an error with every mistake of an invalid scenario. */
const storyOf = (options: JsonObject): Story => {
  const { story, mistakes } = checkScenario(options)
  if (story !== undefined) return story
  const lines = mistakes.map(({ where, expected, found }) => `${where}: expected ${expected}, found ${found}`)
  throw failure("bad-scenario", ["The scenario cannot be played:", ...lines].join("\n- "))
}

export default {
  sensors: {
    room: () => look(playing().story, playing().world),
    inventory: () => carried(playing().story, playing().world),
  },
  actuators: {
    look: actuator("look"),
    examine: actuator("examine"),
    go: actuator("go"),
    take: actuator("take"),
    drop: actuator("drop"),
    open: actuator("open"),
    close: actuator("close"),
    use: actuator("use"),
    read: actuator("read"),
  },
  settle: Object.fromEntries(VERBS.map((verb) => [verb, settle])),
  environment: {
    reset: (_context, options) => {
      const story = storyOf(options)
      current = { story, world: begin(story) }
    },
    state: () => document(playing().story, playing().world),
    restore: (_context, options, state) => {
      const story = storyOf(options)
      const { world, wrong } = restored(story, state)
      if (world === undefined) throw failure("bad-state", `The story has no such moment: ${wrong}`)
      current = { story, world }
    },
  },
} satisfies Plugin
