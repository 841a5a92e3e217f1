/**
 * A kernel that has an agent with a model publish something: it opens the task or, where an earlier kernel did, goes on with it. It ends
 * when the task is closed.
 *
 * Argument: { directory, plugin, commits?, moment? }: with the last two it dies before or after that commit of its own. Appended to files of the directory, as lines: what the model is asked (`asked`), and
 * which tools are executed (`executed`).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Stream } from "effect"
import { Agent, EventLog, Hindcast, Kernel, Tool } from "../../../dist/index.js"
import { dieAtCommit } from "./dying.mjs"

const { directory, plugin, commits, moment } = JSON.parse(process.argv[2])
if (commits !== undefined) dieAtCommit(commits, moment)

const TASK = "published"

const note = (file, line) => fs.appendFileSync(path.join(directory, file), `${JSON.stringify(line)}\n`)

const call = (callId, tool, args) => ({ type: "call", callId, tool, args })

const TURNS = [
  [
    { type: "text", text: "First I look." },
    call("a1", "program__look", { at: 1 }),
    call("a2", "program__note", { of: "one" }),
    call("a3", "text-room__go", { direction: "north" }),
  ],
  [
    call("b1", "program__publish", { text: "news" }),
    call("b2", "program__look", { at: 2 }),
    call("b3", "text-room__go", { direction: "south" }),
  ],
  [{ type: "text", text: "It is published." }],
]

/** It answers by how far the conversation has come, as a provider does. */
const model = {
  provider: "test",
  model: "one",
  turn: ({ messages }) =>
    Effect.sync(() => {
      const answered = messages.filter(({ role }) => role === "assistant").length
      note("asked", { turn: answered, messages })
      const parts = TURNS[answered] ?? []
      const finish = parts.some(({ type }) => type === "call") ? "calls" : "stop"
      return { parts, finish, usage: { inputTokens: 100, outputTokens: 10 } }
    }),
}

const tool = (name, idempotent) =>
  Tool.make({
    description: `It can ${name}`,
    risk: "none",
    ...(idempotent === undefined ? {} : { idempotent }),
    run: (_, { commandId }) => {
      note("executed", { tool: name, commandId })
      return name
    },
  })

const agent = Agent.fromModel({ name: "scribe", model, guide: { systemPrompt: "Publish." } })

const layer = Hindcast.layer({
  log: path.join(directory, "log.db"),
  workspace: directory,
  plugins: [plugin],
  seed: 7,
  onOpenTasks: "resume",
  agents: [agent],
  tools: { look: tool("look", true), note: tool("note"), publish: tool("publish") },
  gate: { default: "allow", rules: [{ name: "ask", actuator: "program/publish", decision: "confirm" }] },
  host: { consent: "flags" },
})

const program = Effect.gen(function* () {
  const log = yield* EventLog.EventLog
  const kernel = yield* Kernel.Kernel
  const opened = yield* log.readPage({ types: ["TaskOpened"] }, 1)
  if (opened.length === 0) return yield* kernel.tasks.run(agent, { id: TASK, goal: "publish" })
  yield* log.follow({ types: ["TaskClosed"] }).pipe(
    Stream.takeUntil((item) => "id" in item),
    Stream.runDrain,
  )
})
await Effect.runPromise(Effect.provide(program, layer))
