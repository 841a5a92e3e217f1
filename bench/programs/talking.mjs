/** The agent of the part `turns`: its model immediately answers with two calls per turn, and it has the two tools. */
import { Effect } from "effect"
import { Agent, Tool } from "../../dist/index.js"

/** Turns with calls; one without follows. */
export const TURNS = 20

export const goal = "Look around, and write down what you find"

/** The answer to a conversation at any turn. */
export const turnOf = (messages) => {
  const turn = messages.filter(({ role }) => role === "assistant").length
  const usage = { inputTokens: 100 * turn, outputTokens: 40 }
  if (turn >= TURNS) return { parts: [{ type: "text", text: "I looked everywhere." }], finish: "stop", usage }
  const call = (id, tool, args) => ({ type: "call", callId: `${id}${turn}`, tool: `program__${tool}`, args })
  const text = { type: "text", text: `I look at place ${turn} and note what I found before.` }
  const parts = [text, call("a", "look", { at: turn, carefully: true }), call("b", "note", { of: `place ${turn}` })]
  return { parts, finish: "calls", usage }
}

const model = {
  provider: "bench",
  model: "one",
  turn: ({ messages }) => Effect.sync(() => turnOf(messages)),
}

export const scribe = Agent.fromModel({ name: "scribe", model, guide: { systemPrompt: "You look and take notes." } })

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
