/**
 * A kernel whose agent remembers and recalls, and which is killed (SIGKILL) right after the first event of some type is
 * on the disk.
 *
 * Input: { log, workspace, type }.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { EventLog } from "../../../dist/events/index.js"
import { Agent, Hindcast, Kernel } from "../../../dist/index.js"

const { log, workspace, type } = JSON.parse(fs.readFileSync(0, "utf8"))

const calls = (callId, tool, args) => ({ parts: [{ type: "call", callId, tool, args }], finish: "calls" })
const turns = [
  calls("a", "program__remember", { text: "Ada prefers the window seat" }),
  calls("b", "program__recall", { query: "Which seat does Ada want?" }),
  { parts: [{ type: "text", text: "A window seat." }], finish: "stop" },
]

/** Answers by the number of its answers so far, so that another process continues where this one ended. */
const model = {
  provider: "test",
  model: "counting",
  turn: ({ messages }) =>
    Effect.succeed({
      ...turns[messages.filter(({ role }) => role === "assistant").length],
      usage: { inputTokens: 1, outputTokens: 1 },
    }),
}

const work = Effect.gen(function* () {
  const events = yield* EventLog
  events.onCommit((committed = []) => {
    if (committed.some((event) => event.type === type)) process.kill(process.pid, "SIGKILL")
  })
  const { tasks } = yield* Kernel.Kernel
  yield* tasks.run(Agent.fromModel({ model, name: "desk" }), { id: "seat", goal: "Book a seat for Ada" })
})
const layer = Hindcast.layer({
  log,
  workspace,
  gate: { default: "allow" },
  onOpenTasks: "resume",
  memories: { embedding: { model: "length", embed: (texts) => texts.map((text) => [text.length, 1]) } },
})
await Effect.runPromise(Effect.provide(work, layer))
