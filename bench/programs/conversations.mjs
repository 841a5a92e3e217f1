/**
 * `node conversations.mjs LOG WORKSPACE COUNT`: runs COUNT conversations at once, and prints their speed and cost as
 * JSON.
 */
import { Effect } from "effect"
import { Hindcast, Kernel } from "../../dist/index.js"
import { spentBy } from "../measure.mjs"
import { goal, scribe, settings, TURNS } from "./talking.mjs"

const [log, workspace, count] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  const runtime = yield* Effect.runtime()
  const conversation = kernel.tasks.run(scribe, { goal })
  // The first conversation loads and compiles the shared code.
  yield* conversation
  const all = Effect.all(
    Array.from({ length: Number(count) }, () => conversation),
    { concurrency: "unbounded", discard: true },
  )
  return yield* Effect.promise(() => spentBy(() => Effect.runPromise(Effect.provide(all, runtime))))
})
const { ms, cpuMs } = await Effect.runPromise(Effect.provide(program, Hindcast.layer(settings(log, workspace))))
const turns = Number(count) * TURNS
const peakMiB = process.resourceUsage().maxRSS / 1024
process.stdout.write(JSON.stringify({ turnsPerSecond: (turns / ms) * 1000, cpuMs: cpuMs / turns, peakMiB }))
