/** The agent of the part `turns`: its model immediately answers with two calls per turn, and it has the two tools. */
import { Effect } from "effect"
import { Agent, Tool } from "../../dist/index.js"
import { turnOf } from "./answers.mjs"

export { goal, TURNS, turnOf } from "./answers.mjs"

const model = {
  provider: "bench",
  model: "one",
  turn: ({ messages }) => Effect.sync(() => turnOf(messages)),
}

const guide = { systemPrompt: "You look and take notes." }

/** The agent with another model. */
export const scribeOf = (model) => Agent.fromModel({ name: "scribe", model, guide })

export const scribe = scribeOf(model)

const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) })

/** Options of a kernel with the tools. */
export const settings = (log, workspace) => ({
  log,
  workspace,
  gate: { default: "allow" },
  tools: {
    look: Tool.make({
      description: "Looks at a place",
      args: object({ at: { type: "integer" }, carefully: { type: "boolean" } }),
      risk: "none",
      run: ({ at }) => ({ at, found: "nothing" }),
    }),
    note: Tool.make({
      description: "Writes something down",
      args: object({ of: { type: "string" } }),
      risk: "none",
      run: ({ of }) => ({ noted: of }),
    }),
  },
})
