/**
 * Runs a tree of tasks, or resumes the one that an earlier process left. Arguments: log, and `hold` for a tool that says so
 * and never ends. Prints how the tree ended.
 */
import { Effect } from "effect"
import { Tool } from "../../../../dist/index.js"
import { agentAsTool, fromModel, open } from "../../../../dist/promise.js"

const [log, held] = process.argv.slice(2)

/** A model that answers by how far its conversation has come, as a provider does. */
const model = (turns) => ({
  provider: "test",
  model: "one",
  turn: ({ messages }) => {
    const parts = turns[messages.filter(({ role }) => role === "assistant").length]
    const finish = parts.some(({ type }) => type === "call") ? "calls" : "stop"
    return Effect.succeed({ parts, finish, usage: { inputTokens: 100, outputTokens: 10 } })
  },
})
const call = (callId, tool, args = {}) => ({ type: "call", callId, tool, args })
const text = (words) => ({ type: "text", text: words })

const inner = fromModel({
  ...{ name: "inner", version: "1", tools: ["program/work"] },
  model: model([[call("w", "program__work")], [text("Worked.")]]),
})
const outer = fromModel({
  ...{ name: "outer", version: "1", tools: ["program/ask"], budget: { tokens: 5_000 } },
  model: model([
    [call("a", "program__ask", { goal: "1" })],
    [call("b", "program__ask", { goal: "2" }), call("c", "program__ask", { goal: "3" })],
    [text("All done.")],
  ]),
})

let works = 0
const work = Tool.make({
  description: "Works",
  risk: "none",
  idempotent: true,
  run: () => {
    works += 1
    if (held !== "hold" || works < 2) return "worked"
    console.log("holds")
    return new Promise(() => {})
  },
})

const hindcast = await open({ log, onOpenTasks: "resume", tools: { ask: agentAsTool(inner), work } })
const unfinished = await hindcast.tasks.unfinished()
const { outcome } = unfinished.some(({ taskId }) => taskId === "top")
  ? await hindcast.tasks.resume("top", outer)
  : await hindcast.tasks.run(outer, { id: "top", goal: "Go" })
console.log(JSON.stringify({ outcome, resumed: unfinished.length, left: (await hindcast.tasks.unfinished()).length }))
await hindcast.close()
