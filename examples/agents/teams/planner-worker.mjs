/**
 * Planner and workers: a planner splits a goal, workers do the parts at the same time, and the planner puts their answers
 * together. The workers share what is left of the planner's budget. Offline: the models follow a script.
 *
 *     node planner-worker.mjs [LOG]
 */
import { Models } from "hindcast"
import { agentAsTool, fromModel, open } from "hindcast/promise"

const ANSWERS = { inhabitants: "177 000 people", river: "the Rhine" }

/** A worker answers by its goal, so it does not matter which of several begins first. */
const worker = {
  name: "worker",
  version: "1",
  decide: ({ goal, step }) => (step === 0 ? { say: ANSWERS[goal] } : { done: "achieved" }),
}

const planner = fromModel({
  ...{ name: "planner", version: "1", tools: ["program/work"], budget: { tokens: 50_000 } },
  model: Models.scripted({
    turns: [
      Models.calls([
        { tool: "program__work", args: { goal: "inhabitants" } },
        { tool: "program__work", args: { goal: "river" } },
      ]),
      Models.says("Basel has 177 000 people and lies on the Rhine."),
    ],
  }),
})

const hindcast = await open({ log: process.argv[2] ?? "planner-worker.db", tools: { work: agentAsTool(worker) } })
const { taskId, acting } = await hindcast.tasks.run(planner, { goal: "Describe Basel" })
const answers = []
for await (const { payload } of hindcast.events.read({ taskId, types: ["CommandSucceeded"] })) {
  answers.push(payload.result.answer)
}
console.log(acting.succeeded, answers.sort().join(", "))
await hindcast.close()
