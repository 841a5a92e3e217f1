import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../src/plugins/process/PluginHost.ts"
import { bareManifest, temporaryDirectory, writeFiles } from "./fixtures.ts"
import { inLayer, layers } from "./layers.ts"

const NOTHING = { read: [], write: [], net: [], env: [], run: [], runAny: false }

/** A plugin whose one sensor answers what its source says: the type has to be compiled away. */
const answering = (answer: string) =>
  `const answer: string = ${JSON.stringify(answer)}; export default { sensors: { look: () => answer } }`

/** What the plugin in a directory answers, started once with a cache directory. */
const answerOf = (base: string, cache: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = path.join(base, "plugin")
      const { manifest } = yield* Effect.orDie(Manifest.load(directory))
      const host = yield* PluginHost
      const process = yield* host.start({
        manifest,
        directory,
        grants: NOTHING,
        workspace: path.join(base, "workspace"),
        seed: 1,
        instance: "kernel",
        denoDir: path.join(base, cache),
        metadata: { plugin: {}, components: {} },
        limits: { niceness: 0, stopMs: 300 },
        record: () => Effect.void,
      })
      return yield* process.read("look")
    }),
  )

const compiledIn = (base: string, cache: string) => path.join(base, cache, "gen/file", base, "plugin/main.ts.js")

/** The hashes that Deno checks at the end of what it compiled: of the source, and of the compiled text. */
const HASHES = /denoCacheMetadata=(\d+),(\d+)/

/** A plugin that answers "honest", and what Deno would compile for it if it answered "forged", under the honest source's hash. */
const plugin = Effect.gen(function* () {
  const base = fs.realpathSync(yield* temporaryDirectory)
  const json = { ...bareManifest, peas: { ...bareManifest.peas, sensors: [{ name: "look", description: "It looks" }] } }
  yield* writeFiles(path.join(base, "plugin"), {
    "looper-plugin.json": JSON.stringify(json),
    "main.ts": answering("forged"),
  })
  yield* writeFiles(path.join(base, "workspace"), { ".keep": "" })
  expect(yield* answerOf(base, "other")).toBe("forged")
  const forged = fs.readFileSync(compiledIn(base, "other"), "utf8")
  yield* writeFiles(path.join(base, "plugin"), { "main.ts": answering("honest") })
  expect(yield* answerOf(base, "cache")).toBe("honest")
  const honest = fs.readFileSync(compiledIn(base, "cache"), "utf8")
  const [, source = expect.unreachable(honest)] = HASHES.exec(honest) ?? []
  return { base, forgery: forged.replace(HASHES, (_, _own, emitted) => `denoCacheMetadata=${source},${emitted}`) }
})

describe.each(layers)("what Deno compiled of a plugin, in the layer %s", (layer) => {
  it.scopedLive("is used again as long as it is as it was left, and made anew where the plugin changed", () =>
    Effect.gen(function* () {
      const { base } = yield* plugin
      const file = compiledIn(base, "cache")
      const made = fs.statSync(file).ino
      expect(yield* answerOf(base, "cache")).toBe("honest")
      expect(fs.statSync(file).ino).toBe(made)
      yield* writeFiles(path.join(base, "plugin"), { "main.ts": answering("changed") })
      expect(yield* answerOf(base, "cache")).toBe("changed")
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("is not run where somebody else wrote it", () =>
    Effect.gen(function* () {
      const { base, forgery } = yield* plugin
      const file = compiledIn(base, "cache")
      fs.writeFileSync(file, forgery)
      expect(yield* answerOf(base, "cache")).toBe("honest")
      // Into a cache that this process has not filled yet, as one that came with a log from elsewhere.
      yield* writeFiles(base, { [path.relative(base, compiledIn(base, "fresh"))]: forgery })
      expect(yield* answerOf(base, "fresh")).toBe("honest")
    }).pipe(inLayer(layer)),
  )

  it.scopedLive(
    "is made anew where there is more than was left, or a link, and so is what Deno would keep beside",
    () =>
      Effect.gen(function* () {
        const { base } = yield* plugin
        const cache = path.join(base, "cache")
        yield* writeFiles(cache, { "gen/more.js": "", dep_analysis_cache_v2: "x", "npm/registry/more.js": "" })
        expect(yield* answerOf(base, "cache")).toBe("honest")
        expect(fs.existsSync(path.join(cache, "gen/more.js"))).toBe(false)
        expect(fs.existsSync(path.join(cache, "npm/registry"))).toBe(false)
        expect(fs.statSync(path.join(cache, "dep_analysis_cache_v2"), { throwIfNoEntry: false })?.size ?? 0).toBe(0)
        fs.renameSync(path.join(cache, "gen"), path.join(base, "elsewhere"))
        fs.symlinkSync(path.join(base, "elsewhere"), path.join(cache, "gen"))
        expect(yield* answerOf(base, "cache")).toBe("honest")
        expect(fs.lstatSync(path.join(cache, "gen")).isDirectory()).toBe(true)
        expect(fs.readdirSync(path.join(base, "elsewhere"))).not.toEqual([])
      }).pipe(inLayer(layer)),
  )
})
