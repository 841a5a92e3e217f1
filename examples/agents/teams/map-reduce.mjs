/**
 * Map and reduce: one agent for each part of the input, all at the same time, and one that sums up. The program starts
 * them itself, below a task of its own: `parent` makes them one tree with one budget. Offline: the agents only count.
 *
 *     node map-reduce.mjs [LOG]
 */
import { open } from "hindcast/promise"

const CHAPTERS = ["call me ishmael", "some years ago", "never mind how long precisely"]

const mapper = {
  name: "mapper",
  version: "1",
  decide: ({ goal, step }) => (step === 0 ? { say: String(goal.split(" ").length) } : { done: "achieved" }),
}
const reducer = {
  name: "reducer",
  version: "1",
  decide: ({ goal }) => ({
    done: "achieved",
    reason: `${goal.split("+").reduce((sum, words) => sum + Number(words), 0)} words`,
  }),
}

const hindcast = await open({ log: process.argv[2] ?? "map-reduce.db", trees: { maxTasks: 10 } })
const book = await hindcast.tasks.open({ id: "book", goal: "Count the words", limits: { budget: { tokens: 10_000 } } })
const counted = await Promise.all(
  CHAPTERS.map(async (goal) => {
    // Without a budget of its own, the first one would reserve all that is left.
    const { taskId } = await hindcast.tasks.run(mapper, { goal, parent: book.id, budget: { tokens: 2_000 } })
    for await (const { payload } of hindcast.events.read({ taskId, types: ["MessageSent"] })) return payload.content
  }),
)
const { reason } = await hindcast.tasks.run(reducer, { goal: counted.join("+"), parent: book.id })
await book.close("achieved")
console.log(counted.join(" + "), "=", reason)
await hindcast.close()
