/**
 * Runs a tree of tasks with memories, or resumes the one that an earlier process left, until it dies. The agent of `top` calls two
 * agents; each stores a memory by a tool. The program starts one more child of `top`, `extra`, with a part of its budget.
 *
 * Argument: { log, commits?, moment? }: with the last two it dies before or after that commit of its own. Prints how the tree ended.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { Tool } from "../../../../dist/index.js"
import { agentAsTool, fromModel, open } from "../../../../dist/promise.js"
import { dieAtCommit } from "../../../e2e/programs/dying.mjs"

const { log, commits, moment } = JSON.parse(process.argv[2])
if (commits !== undefined) dieAtCommit(commits, moment)

/** A model that answers by how far its conversation has come, as a provider does, and counts its answers in a file. */
const model = (turns) => ({
  provider: "test",
  model: "one",
  turn: ({ messages }) => {
    fs.appendFileSync(`${log}.served`, "1\n")
    const parts = turns[messages.filter(({ role }) => role === "assistant").length]
    const finish = parts.some(({ type }) => type === "call") ? "calls" : "stop"
    return Effect.succeed({ parts, finish, usage: { inputTokens: 100, outputTokens: 10 } })
  },
})
const call = (callId, tool, args = {}) => ({ type: "call", callId, tool, args })
const text = (words) => ({ type: "text", text: words })

const worker = (name) =>
  fromModel({
    ...{ name, version: "1", tools: ["program/remember"], maxOutputTokens: 10 },
    model: model([[call("m", "program__remember", { text: `${name} worked` })], [text("Worked.")]]),
  })
const [one, two, extra] = ["one", "two", "extra"].map(worker)
const top = fromModel({
  ...{ name: "top", version: "1", tools: ["program/one", "program/two", "program/wait"], maxOutputTokens: 10 },
  // Kills may cost more than the work itself.
  budget: { tokens: 100_000 },
  model: model([
    [call("a", "program__one", { goal: "1" }), call("b", "program__two", { goal: "2" })],
    [call("w", "program__wait")],
    [text("All done.")],
  ]),
})

/** Ends once the program's own child has: the parent would end it otherwise. */
const wait = Tool.make({
  description: "Waits",
  risk: "none",
  idempotent: true,
  run: () => ended,
})

const hindcast = await open({
  ...{ log, onOpenTasks: "resume", memories: {}, gate: { default: "allow" } },
  tools: { one: agentAsTool(one), two: agentAsTool(two), wait },
})
const unfinished = new Set((await hindcast.tasks.unfinished()).map(({ taskId }) => taskId))
const known = new Set()
for await (const { taskId } of hindcast.events.read({ types: ["TaskOpened"] })) known.add(taskId)

/** Runs a task, or resumes it, unless it has ended. */
const worked = (agent, id, more = {}) => {
  if (unfinished.has(id)) return hindcast.tasks.resume(id, agent)
  return known.has(id) ? hindcast.audit(id) : hindcast.tasks.run(agent, { id, goal: "Go", ...more })
}

let begun = () => {}
const ended = new Promise((resolve) => {
  begun = resolve
})
/** The parent has to be at work first. */
const started = async () => {
  try {
    return await worked(extra, "extra", { parent: "top", budget: { tokens: 30_000 } })
  } catch (error) {
    if (error.limit !== "parent") throw error
    await new Promise((resolve) => setTimeout(resolve, 5))
    return started()
  }
}
const working = worked(top, "top")
const own = started().then(
  ({ outcome }) => outcome,
  (error) => String(error),
)
own.then(begun)
const { outcome } = await working
console.log(JSON.stringify({ outcome, extra: await own }))
await hindcast.close()
