/**
 * `node once.mjs idle|open|replay LOG`: does one thing in a process of its own, and says on stdout, as JSON, how long it took
 * and how much memory the process had at most: after the import, and at the end.
 */
import { Effect, Layer } from "effect"
import { EnvironmentState, EventLog, Projector } from "../../dist/index.js"

const [what, filename] = process.argv.slice(2)

const layer = (options) => Projector.layerWith(options).pipe(Layer.provideMerge(EventLog.layerSqlite({ filename })))
const current = Effect.flatMap(Projector.Projector, (projector) => projector.current(EnvironmentState.projection))
const TASKS = {
  idle: () => Effect.void,
  /** The first state comes from the newest snapshot there is. */
  open: () => Effect.provide(current, layer({})),
  replay: () => Effect.provide(current, layer({ snapshots: false })),
  /** The same, and snapshots are laid on the way. */
  "replay-and-lay": () => Effect.provide(current, layer({})),
}

const peak = () => process.resourceUsage().maxRSS / 1024
const importedMiB = peak()
const startedAt = performance.now()
let ms = 0
await Effect.runPromise(Effect.tap(TASKS[what](), () => Effect.sync(() => (ms = performance.now() - startedAt))))
process.stdout.write(`${JSON.stringify({ ms, importedMiB, peakMiB: peak() })}\n`)
