import * as fs from "node:fs"
import { Effect } from "effect"
import * as Agent from "../../../src/kernel/agents/Agent.ts"
import * as Scenario from "../../../src/worlds/scenario/Scenario.ts"

/** The seed's scenario, as seed 002 has it in section 6.6. */
export const theLostKey = fs.readFileSync(new URL("the-lost-key.yaml", import.meta.url), "utf8")

/** The seed's scenario with the parts that it has as comments, which are those that begin with a field or an item. */
export const theLostKeyWhole = theLostKey
  .split("\n")
  .map((line) => (/^\s*# (?:\s*-|\s+\w+:|\w+:)/.test(line) ? line.replace(/# ?/, "") : line))
  .join("\n")

/** Decodes a scenario that has to be right. */
export const decoded = (text: string) => Effect.orDie(Scenario.decode(text, "scenario.yaml"))

/** The lines of the message about a scenario that is wrong, without the first. */
export const mistakesIn = (text: string): Effect.Effect<ReadonlyArray<string>, Scenario.Loaded> =>
  Effect.map(Effect.flip(Scenario.decode(text, "scenario.yaml")), ({ message }) =>
    message
      .split("\n")
      .slice(1)
      .map((line) => line.trim()),
  )

/** The way from the study to the document. */
export const SOLUTION = [
  ["go", { direction: "north" }],
  ["examine", { target: "grandfather_clock" }],
  ["take", { item: "brass_key" }],
  ["go", { direction: "south" }],
  ["use", { item: "brass_key", on: "desk" }],
  ["open", { target: "desk" }],
  ["take", { item: "old_document" }],
] as const

type Step = readonly [verb: string, args: { readonly [name: string]: string }]

/** An agent that does one thing after the other, and then looks around for ever. It is never done by itself. */
export const doing = (
  steps: ReadonlyArray<Step>,
  seen: (view: Agent.DecisionContext) => void = () => {},
): Agent.DecidingAgent => ({
  name: "doing",
  version: "1",
  decide: (view) => {
    seen(view)
    const [verb, args] = steps[view.step] ?? ["look", {}]
    return { act: `text-room/${verb}`, args }
  },
})

/** The same, as an agent that advances by itself, all in one step. */
export const hurrying = (steps: ReadonlyArray<Step>): Agent.AdvancingAgent =>
  Agent.fromAdvance({
    name: "hurrying",
    version: "1",
    advance: (task) =>
      Effect.as(
        Effect.forEach([...steps, ["look", {}] as const], ([verb, args]) => task.act(`text-room/${verb}`, args)),
        true,
      ),
  })
