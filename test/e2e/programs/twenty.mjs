/** A kernel on the log of its first argument, with the plugins of the others: reads them all, and commands the last. */
import * as path from "node:path"
import { Effect } from "effect"
import { Hindcast, Kernel } from "../../../dist/index.js"

const [log, ...plugins] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  const task = yield* kernel.tasks.open({ goal: "be cut off" })
  yield* Effect.all([task.perceive(), task.act(`${path.basename(plugins.at(-1))}/wait`, {})], {
    concurrency: "unbounded",
  })
})

const layer = Hindcast.layer({
  log,
  plugins,
  workspace: path.dirname(log),
  gate: { default: "allow" },
  host: { consent: "flags" },
})
await Effect.runPromise(Effect.provide(program, layer))
