/** The plugin host alone, without kernel or log. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Exit, ManagedRuntime, Scope } from "effect"
import * as Manifest from "../../../dist/plugins/manifest/Manifest.js"
import { layerOf, PluginHost } from "../../../dist/plugins/process/PluginHost.js"
import * as Tools from "../../../dist/plugins/sandbox/Tools.js"

/** Writes a plugin with one sensor, `look`. */
export const writePlugin = (directory, name, plugin) => {
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "main.ts"), `export default ${plugin}\n`)
  const manifest = {
    name,
    description: "Is measured",
    version: "1.0.0",
    entry: "main.ts",
    permissions: { read: [], run: [] },
    peas: { performance: [], sensors: [{ name: "look", description: "A small reading" }] },
  }
  fs.writeFileSync(path.join(directory, "looper-plugin.json"), JSON.stringify(manifest))
}

/** Starts plugins in the tier `flags`; `close` stops them. */
export const pluginHost = async (directory) => {
  const runtime = ManagedRuntime.make(layerOf({ sandbox: "flags" }))
  const scope = Effect.runSync(Scope.make())
  const readyMs = []
  const { deno } = await Effect.runPromise(Tools.find)

  const starting = (name, plugin) =>
    Effect.gen(function* () {
      const place = path.join(directory, name)
      if (!fs.existsSync(place)) writePlugin(place, name, plugin)
      const { manifest } = yield* Manifest.load(place, { lenient: true })
      const spec = {
        manifest,
        directory: fs.realpathSync(place),
        grants: { read: [], write: [], net: [], env: [], run: [], runAny: false },
        workspace: directory,
        seed: 1,
        instance: "kernel",
        denoDir: path.join(directory, `${name}.deno`),
        metadata: { plugin: {}, components: {} },
        limits: { pingMs: 600_000, callMs: 600_000 },
        record: () => Effect.void,
      }
      const startedAt = performance.now()
      const running = yield* (yield* PluginHost).start(spec)
      readyMs.push(performance.now() - startedAt)
      return running
    })

  return {
    /** Deno's binary. */
    deno,
    /** Time from start to ready, by plugin. */
    readyMs,
    start: async (name, plugin) => {
      const running = await runtime.runPromise(Scope.extend(starting(name, plugin), scope))
      const read = running.read("look")
      return {
        pid: running.pid,
        read: () => Effect.runPromise(read),
        /** Makes sequential calls, and adds the microseconds of each to `times`. */
        sequence: (calls, times) => {
          const timed = Effect.suspend(() => {
            const startedAt = performance.now()
            return Effect.map(read, () => times.push((performance.now() - startedAt) * 1000))
          })
          return Effect.runPromise(Effect.repeatN(timed, calls - 1))
        },
        /** Makes calls, `window` of them in flight at any time. */
        pipelined: (calls, window) =>
          Effect.runPromise(
            Effect.all(Array(window).fill(Effect.repeatN(read, calls / window - 1)), {
              concurrency: "unbounded",
              discard: true,
            }),
          ),
      }
    },
    startAndStop: (name, plugin) => runtime.runPromise(Effect.scoped(starting(name, plugin))),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await runtime.dispose()
    },
  }
}
