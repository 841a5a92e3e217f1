/**
 * `node runner.mjs LOG NAME SLOTS`: a runner whose agent `desk` ends each task at once, or after the milliseconds that
 * are its goal. Prints a line once it works. Drains on SIGTERM, and prints the processor time since SIGUSR2.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { Hindcast } from "../../dist/index.js"

const [log, name, slots] = process.argv.slice(2)

const desk = {
  name: "desk",
  version: "1.0.0",
  decide: async ({ goal }) => {
    if (Number(goal) > 0) await new Promise((resolve) => setTimeout(resolve, Number(goal)))
    return { done: "achieved" }
  },
}

const say = (line) => fs.writeSync(1, `${JSON.stringify(line)}\n`)

const work = Effect.gen(function* () {
  const runner = yield* Hindcast.runner({ log, name, slots: Number(slots), agents: [desk], trust: true })
  let before = process.cpuUsage()
  process.on("SIGUSR2", () => {
    before = process.cpuUsage()
  })
  process.on("SIGTERM", () => Effect.runFork(runner.drain))
  say({ runner: name })
  yield* runner.ended
  const { user, system } = process.cpuUsage(before)
  say({ cpuMs: (user + system) / 1_000 })
})
await Effect.runPromise(Effect.scoped(work))
