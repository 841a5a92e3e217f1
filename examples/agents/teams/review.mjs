/**
 * Review: a writer writes, a reviewer accepts or asks for changes, and the writer revises until it is accepted, at most
 * three times. Offline: the models follow a script.
 *
 *     node review.mjs [LOG]
 */
import { Models } from "hindcast"
import { agentAsTool, fromModel, open } from "hindcast/promise"

const writer = fromModel({
  ...{ name: "writer", version: "1", tools: [] },
  model: Models.scripted({ turns: [Models.says("Our log is fast."), Models.says("Our log appends in 0.2 ms.")] }),
})
const verdict = (accepted, remark) => Models.calls([{ tool: "answer", args: { accepted, remark } }])
const reviewer = fromModel({
  ...{ name: "reviewer", version: "1", tools: [] },
  answer: {
    type: "object",
    properties: { accepted: { type: "boolean" }, remark: { type: "string" } },
    required: ["accepted", "remark"],
  },
  model: Models.scripted({ turns: [verdict(false, "How fast?"), verdict(true, "Good.")] }),
})

const MOST_DRAFTS = 3

const editor = {
  name: "editor",
  version: "1",
  decide: ({ goal, history, lastOutcome }) => {
    if (lastOutcome?.status === "failed") return { done: "failed", reason: lastOutcome.error.message }
    const answer = lastOutcome?.result.answer
    const drafts = history.filter(({ choice }) => choice.act === "program/write").length
    if (answer === undefined) return { act: "program/write", args: { goal } }
    if (typeof answer === "string") return { act: "program/review", args: { goal: answer } }
    if (answer.accepted) return { done: "achieved", reason: `accepted after ${drafts} drafts` }
    if (drafts === MOST_DRAFTS) return { done: "failed", reason: answer.remark }
    return { act: "program/write", args: { goal: `${goal}: ${answer.remark}` } }
  },
}

const hindcast = await open({
  log: process.argv[2] ?? "review.db",
  tools: { write: agentAsTool(writer), review: agentAsTool(reviewer) },
})
const { outcome, reason } = await hindcast.tasks.run(editor, { goal: "One sentence about our log" })
console.log(outcome, reason)
await hindcast.close()
