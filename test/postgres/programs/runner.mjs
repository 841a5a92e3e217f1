/**
 * A runner on a log, whose agent `desk` writes a mark for each of its steps: a line in a file, with the task, the step and this process.
 * It tells what happens to tasks, a line each, after a first line with its name. It drains on SIGTERM.
 *
 * Input: { log, name, slots, steps, marks, workspace, takesMs, clockMs, world }: an act takes so many milliseconds, and the clock of the
 * program's main thread is off by so many. The agent of a task whose goal is "kill" ends the process. With the directory of the world
 * `drift`, there are agents of other kinds, too: `asker` needs an approval for each mark, `sailor` steps the world, and `scribe` has a
 * model, which answers by how far the conversation has come.
 */
import * as fs from "node:fs"
import { Effect, Schema } from "effect"
import { Agent, Hindcast, Tool } from "../../../dist/index.js"

const {
  log,
  name,
  slots,
  steps,
  marks,
  workspace,
  takesMs,
  clockMs = 0,
  world,
} = JSON.parse(fs.readFileSync(0, "utf8"))

const trueNow = Date.now
const say = (line) => fs.writeSync(1, `${JSON.stringify({ ...line, at: trueNow() })}\n`)

if (clockMs !== 0) {
  globalThis.Date = class extends Date {
    constructor(...given) {
      if (given.length === 0) super(trueNow() + clockMs)
      else super(...given)
    }
    static now() {
      return trueNow() + clockMs
    }
  }
}

const mark = Tool.make({
  description: "Writes a mark",
  risk: "none",
  args: Schema.Struct({ task: Schema.String, step: Schema.Number }),
  run: ({ task, step }) =>
    Effect.map(Effect.sleep(takesMs), () => {
      fs.appendFileSync(marks, `${task} ${step} ${process.pid}\n`)
      return { step }
    }),
})

const desk = {
  name: "desk",
  version: "1.0.0",
  decide: ({ taskId, goal, step }) => {
    if (goal === "kill") process.kill(process.pid, "SIGKILL")
    return step < steps ? { act: "program/mark", args: { task: taskId, step } } : { done: "achieved" }
  },
}

const asker = {
  name: "asker",
  version: "1.0.0",
  decide: ({ taskId, step }) =>
    step < steps ? { act: "program/approved", args: { task: taskId, step } } : { done: "achieved" },
}

const sailor = Agent.fromPolicy({
  name: "sailor",
  version: "1.0.0",
  policy: () => ({ act: "drift/step", args: { action: 1 } }),
})

const scribe = Agent.fromModel({
  name: "scribe",
  guide: { systemPrompt: "Mark." },
  model: {
    provider: "test",
    model: "one",
    turn: ({ messages }) =>
      Effect.sync(() => {
        const step = 2 * messages.filter(({ role }) => role === "assistant").length
        const [, task] = /mark as ([\w-]+)/.exec(JSON.stringify(messages)) ?? []
        const parts = [step, step + 1]
          .filter((at) => at < steps)
          .map((at) => ({ type: "call", callId: `c${at}`, tool: "program__mark", args: { task, step: at } }))
        const usage = { inputTokens: 100, outputTokens: 10 }
        return parts.length > 0
          ? { parts, finish: "calls", usage }
          : { parts: [{ type: "text", text: "All is marked." }], finish: "stop", usage }
      }),
  },
})

const work = Effect.gen(function* () {
  const runner = yield* Hindcast.runner({
    log,
    name,
    slots,
    workspace,
    agents: world === undefined ? [desk] : [desk, asker, sailor, scribe],
    plugins: world === undefined ? [] : [world],
    tools: { mark, approved: mark },
    gate: { default: "allow", rules: [{ name: "ask", actuator: "program/approved", decision: "confirm" }] },
    host: { consent: "flags" },
    trust: true,
    onNews: say,
  })
  process.on("SIGTERM", () => Effect.runFork(runner.drain))
  say({ runner: runner.name })
  yield* runner.ended
})
await Effect.runPromise(Effect.scoped(work))
