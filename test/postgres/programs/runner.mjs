/**
 * A runner on a log, whose agent `desk` writes a mark for each of its steps: a line in a file, with the task, the step and this process.
 * It tells what happens to tasks, a line each, after a first line with its name. It drains on SIGTERM.
 *
 * Input: { log, name, slots, steps, marks, workspace, takesMs, clockMs }: an act takes so many milliseconds, and the clock of the
 * program's main thread is off by so many. The agent of a task whose goal is "kill" ends the process.
 */
import * as fs from "node:fs"
import { Effect, Schema } from "effect"
import { Hindcast, Tool } from "../../../dist/index.js"

const { log, name, slots, steps, marks, workspace, takesMs, clockMs = 0 } = JSON.parse(fs.readFileSync(0, "utf8"))

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

const work = Effect.gen(function* () {
  const runner = yield* Hindcast.runner({
    log,
    name,
    slots,
    workspace,
    agents: [desk],
    tools: { mark },
    gate: { default: "allow" },
    trust: true,
    onNews: say,
  })
  process.on("SIGTERM", () => Effect.runFork(runner.drain))
  say({ runner: runner.name })
  yield* runner.ended
})
await Effect.runPromise(Effect.scoped(work))
