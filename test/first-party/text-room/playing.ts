import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { parse } from "yaml"
import { type Command, commandOf, VERBS } from "../../../plugins/text-room/command.ts"
import { checkScenario } from "../../../plugins/text-room/scenario.ts"
import type { World } from "../../../plugins/text-room/state.ts"
import type { Story } from "../../../plugins/text-room/story.ts"
import { begin, step } from "../../../plugins/text-room/world.ts"
import { JsonObject } from "../../../src/values/Json.ts"

export const textRoom = fileURLToPath(new URL("../../../plugins/text-room", import.meta.url))

/** The options that the host makes of a YAML scenario. */
export const optionsOf = (yaml: string): JsonObject => Schema.decodeUnknownSync(JsonObject)(parse(yaml))

export const theLostKeyOptions = optionsOf(fs.readFileSync(`${textRoom}/scenarios/the-lost-key.yaml`, "utf8"))

/** A story from a scenario that has to be right. */
export const storyOf = (options: JsonObject): Story => {
  const { story, mistakes } = checkScenario(options)
  if (story === undefined) throw new Error(mistakes.map(({ where, found }) => `${where}: ${found}`).join("\n"))
  return story
}

export const theLostKey = storyOf(theLostKeyOptions)

/** `open desk`, `go north`, `use brass key on desk` … */
export const commandIn = (line: string): Command => {
  const [first = "", ...rest] = line.split(" ")
  const verb = VERBS.find((known) => known === first)
  if (verb === undefined) throw new Error(`${first} is no verb`)
  const words = rest.join(" ")
  const [item = "", on = ""] = words.split(" on ")
  const args = verb === "use" ? { item, on } : { target: words, item: words, direction: words }
  return commandOf(verb, args)
}

/** What a sequence of commands came to: the last world, and for each command its refusal's code, or `ok`. */
export const play = (story: Story, ...lines: ReadonlyArray<string>) => {
  let world: World = begin(story)
  const outcomes: Array<string> = []
  const messages: Array<unknown> = []
  for (const line of lines) {
    const next = step(story, world, commandIn(line))
    world = next.world
    outcomes.push(next.refusal?.code ?? "ok")
    messages.push(next.refusal?.message ?? next.result?.message)
  }
  return { world, outcomes, messages }
}

export const SOLUTION = [
  "go north",
  "examine clock",
  "take brass key",
  "go south",
  "use brass key on desk",
  "open desk",
  "take document",
]
