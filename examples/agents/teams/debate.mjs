/**
 * Debate: two agents argue in turns, each with the other's last argument, and a judge decides. Each argument is a task of
 * its own below the moderator's. Offline: the models follow a script.
 *
 *     node debate.mjs [LOG]
 */
import { Models } from "hindcast"
import { agentAsTool, fromModel, open } from "hindcast/promise"

const debater = (name, lines) =>
  fromModel({
    ...{ name, version: "1", tools: [] },
    model: Models.scripted({ turns: lines.map((line) => Models.says(line)) }),
  })

const judge = fromModel({
  ...{ name: "judge", version: "1", tools: [] },
  answer: {
    type: "object",
    properties: { winner: { enum: ["pro", "con"] }, because: { type: "string" } },
    required: ["winner", "because"],
  },
  model: Models.scripted({
    turns: [Models.calls([{ tool: "answer", args: { winner: "con", because: "it answered every point" } }])],
  }),
})

const ROUNDS = 2

/** Moderates by the outcomes of its calls alone, so that a replay and a resume lead it the same way. */
const moderator = {
  name: "moderator",
  version: "1",
  decide: ({ goal, history, lastOutcome }) => {
    if (lastOutcome?.status === "failed") return { done: "failed", reason: lastOutcome.error.message }
    const said = lastOutcome?.result.answer ?? goal
    if (history.length < 2 * ROUNDS) {
      return { act: history.length % 2 === 0 ? "program/pro" : "program/con", args: { goal: `Answer: ${said}` } }
    }
    if (history.length === 2 * ROUNDS) {
      const arguments_ = history.map(({ outcome }) => outcome.result.answer)
      return { act: "program/judge", args: { goal: arguments_.join("\n") } }
    }
    return { done: "achieved", reason: `${said.winner} won: ${said.because}` }
  },
}

const hindcast = await open({
  log: process.argv[2] ?? "debate.db",
  tools: {
    pro: agentAsTool(debater("pro", ["Tabs adapt to every eye.", "Then configure your diff."])),
    con: agentAsTool(debater("con", ["Spaces look alike everywhere.", "Nobody has to."])),
    judge: agentAsTool(judge),
  },
})
const { reason, acting } = await hindcast.tasks.run(moderator, { goal: "Tabs or spaces?" })
console.log(acting.succeeded, reason)
await hindcast.close()
