import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../src/plugins/process/PluginHost.ts"
import { bareManifest, temporaryDirectory, writeFiles } from "./fixtures.ts"
import { inLayer, layers } from "./layers.ts"

const NOTHING = { read: [], write: [], net: [], env: [], run: [], runAny: false }

const ENTRY = `
const read = ({ precomputed }) => precomputed === null ? null : Deno.readTextFileSync(precomputed)
export default { sensors: { look: read } }
`

const TABLE = "a table that takes long to compute"

const answering = (bytes: string) => `export default () => new TextEncoder().encode(${bytes})`

const sha256 = (text: string): string => crypto.createHash("sha256").update(text).digest("hex")

/** A plugin whose one sensor answers with its precomputed text, or null. */
const plugin = (module: string, digest: string) =>
  Effect.gen(function* () {
    const base = fs.realpathSync(yield* temporaryDirectory)
    const manifest = {
      ...{ ...bareManifest, precomputed: { module: "table.ts", sha256: digest } },
      peas: { ...bareManifest.peas, sensors: [{ name: "look", description: "It looks" }] },
    }
    const files = { "looper-plugin.json": JSON.stringify(manifest), "main.ts": ENTRY, "table.ts": module }
    yield* writeFiles(path.join(base, "log.plugins/plugin"), files)
    yield* writeFiles(base, { "workspace/.keep": "", "secret.txt": "secret" })
    return { base, file: path.join(base, "log.plugins/deno", `precomputed-${digest}`) }
  })

/** What a plugin answers in a process of its own, and the warnings that it was started with. */
const answerOf = (base: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = path.join(base, "log.plugins/plugin")
      const { manifest } = yield* Effect.orDie(Manifest.load(directory))
      const events: Array<CoreNewEvent> = []
      const process = yield* (yield* PluginHost).start({
        // As where the log stands in a workspace that the plugin may read.
        ...{ manifest, directory, grants: { ...NOTHING, read: [base] }, forbidden: [path.join(base, "log.plugins")] },
        ...{ workspace: base, seed: 1, instance: "kernel", denoDir: path.join(base, "log.plugins/deno") },
        metadata: { plugin: {}, components: {} },
        limits: { niceness: 0, stopMs: 300 },
        record: (event) => Effect.sync(() => events.push(event)),
      })
      const answer = yield* process.read("look")
      const warnings = () =>
        events.flatMap((event) => (event.type === "PluginLogged" ? [String(event.payload.message)] : []))
      return { answer, warnings }
    }),
  ).pipe(Effect.map(({ answer, warnings }) => ({ answer, warnings: warnings() })))

describe.each(layers)("a plugin's precomputed bytes, in the layer %s", (layer) => {
  it.scopedLive("are computed before its first start, and used from then on", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering(JSON.stringify(TABLE)), sha256(TABLE))
      expect(yield* answerOf(base)).toEqual({ answer: TABLE, warnings: [] })
      const { ino, mode } = fs.statSync(file)
      expect(mode & 0o777).toBe(0o600)
      expect(yield* answerOf(base)).toEqual({ answer: TABLE, warnings: [] })
      expect(fs.statSync(file).ino).toBe(ino)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are computed anew where somebody wrote, linked or made something else in their place", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering(JSON.stringify(TABLE)), sha256(TABLE))
      const earlier = path.join(path.dirname(file), `precomputed-${"0".repeat(64)}`)
      yield* writeFiles(path.dirname(file), { [path.basename(file)]: "forged", [path.basename(earlier)]: "x" })
      expect(yield* answerOf(base)).toEqual({ answer: TABLE, warnings: [] })
      // Those of another version stay: a task may still be served by it.
      expect(fs.readFileSync(earlier, "utf8")).toBe("x")
      fs.rmSync(file)
      yield* writeFiles(base, { elsewhere: TABLE })
      fs.symlinkSync(path.join(base, "elsewhere"), file)
      expect(yield* answerOf(base)).toEqual({ answer: TABLE, warnings: [] })
      fs.rmSync(file)
      fs.mkdirSync(file)
      expect(yield* answerOf(base)).toEqual({ answer: TABLE, warnings: [] })
      expect(fs.lstatSync(file).isFile()).toBe(true)
      expect(fs.readFileSync(path.join(base, "elsewhere"), "utf8")).toBe(TABLE)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are left out where they have another digest than the manifest says; that is not tried again", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering("String(Math.random())"), sha256(TABLE))
      const first = yield* answerOf(base)
      expect(first).toEqual({ answer: null, warnings: [expect.stringContaining(`of digest ${sha256(TABLE)}, found`)] })
      expect(fs.existsSync(file)).toBe(false)
      expect(yield* answerOf(base)).toEqual(first)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are computed without what the plugin itself was granted", () =>
    Effect.gen(function* () {
      const reading = answering("Deno.readTextFileSync(new URL('../../secret.txt', import.meta.url))")
      const { base } = yield* plugin(reading, sha256("secret"))
      const { answer, warnings } = yield* answerOf(base)
      expect(answer).toBe(null)
      expect(warnings[0]).toContain("expected table.ts to be computed, found that it ended by code 1")
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are no more than 64 MiB", () =>
    Effect.gen(function* () {
      const { base } = yield* plugin(answering("'x'.repeat(65 * 1024 * 1024)"), sha256("never"))
      const { answer, warnings } = yield* answerOf(base)
      expect(answer).toBe(null)
      expect(warnings[0]).toContain("it answered with more than 67108864 bytes")
    }).pipe(inLayer(layer)),
  )
})
