/**
 * `node once.mjs idle|open|replay LOG`: does one thing, and prints its duration and the process's peak memory as JSON:
 * after the import, and at the end.
 */
import { Effect, Layer } from "effect"
import { EnvironmentState, EventLog, Projector } from "../../dist/index.js"

const [what, filename] = process.argv.slice(2)

const layer = (options) => Projector.layerWith(options).pipe(Layer.provideMerge(EventLog.layerSqlite({ filename })))
const current = Effect.flatMap(Projector.Projector, (projector) => projector.current(EnvironmentState.projection))
const TASKS = {
  idle: () => Effect.void,
  /** Starts at the newest snapshot. */
  open: () => Effect.provide(current, layer({})),
  replay: () => Effect.provide(current, layer({ snapshots: false })),
  /** Also stores snapshots on the way. */
  "replay-and-lay": () => Effect.provide(current, layer({})),
}

const peak = () => process.resourceUsage().maxRSS / 1024
const importedMiB = peak()
const startedAt = performance.now()
let ms = 0
await Effect.runPromise(Effect.tap(TASKS[what](), () => Effect.sync(() => (ms = performance.now() - startedAt))))
process.stdout.write(`${JSON.stringify({ ms, importedMiB, peakMiB: peak() })}\n`)
