// A host with many plugins: starts them in a layer, sets some spinning, says their process ids, and waits to be killed.
import { Effect } from "effect"
import * as PluginHost from "../../../../dist/plugins/process/PluginHost.js"

const { confining, specs } = JSON.parse(process.argv[2])

const program = Effect.gen(function* () {
  const host = yield* PluginHost.PluginHost
  const started = yield* Effect.forEach(
    specs,
    (spec) => host.start({ ...spec, limits: { niceness: 0, handshakeMs: 30_000 }, record: () => Effect.void }),
    { concurrency: 4 },
  )
  for (const [index, plugin] of started.entries()) {
    if (index % 3 !== 0) continue
    const kind = index % 2 === 0 ? "spin" : "resist"
    yield* Effect.forkScoped(Effect.ignore(plugin.act("do", { kind })))
    // Calls are answered in order: it was told before this one.
    yield* Effect.forkScoped(Effect.ignore(plugin.ping))
  }
  yield* Effect.sleep(200)
  process.stdout.write(`${JSON.stringify(started.map(({ pid }) => pid))}\n`)
  yield* Effect.never
})

await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(PluginHost.layerIn(confining))))
