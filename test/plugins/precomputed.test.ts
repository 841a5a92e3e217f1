import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../src/plugins/process/PluginHost.ts"
import * as Runner from "../../src/plugins/sandbox/Runner.ts"
import { loadPlugin } from "../../src/testing.ts"
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
      ...bareManifest,
      precomputed: { module: "table.ts", sha256: digest },
      peas: { ...bareManifest.peas, sensors: [{ name: "look", description: "It looks" }] },
    }
    const files = { "looper-plugin.json": JSON.stringify(manifest), "main.ts": ENTRY, "table.ts": module }
    yield* writeFiles(path.join(base, "log.plugins/plugin"), files)
    yield* writeFiles(base, { "workspace/.keep": "", "secret.txt": "secret" })
    return { base, file: path.join(base, "log.plugins/deno", `precomputed-${digest}`) }
  })

/** What a plugin answers in a process of its own, the warnings that it was started with, and all else that was logged. */
const answerOf = (base: string, refuses: (type: string) => boolean = () => false) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = path.join(base, "log.plugins/plugin")
      const { manifest } = yield* Effect.orDie(Manifest.load(directory))
      const events: Array<CoreNewEvent> = []
      const process = yield* (yield* PluginHost).start({
        // As where the log stands in a workspace that the plugin may read.
        manifest,
        directory,
        grants: { ...NOTHING, read: [base] },
        forbidden: [path.join(base, "log.plugins")],
        workspace: base,
        seed: 1,
        instance: "kernel",
        denoDir: path.join(base, "log.plugins/deno"),
        metadata: { plugin: {}, components: {} },
        limits: { niceness: 0, stopMs: 300 },
        record: (event) =>
          refuses(event.type) ? Effect.fail("the lease is lost") : Effect.sync(() => events.push(event)),
      })
      const answer = yield* process.read("look")
      return { answer, events }
    }),
  ).pipe(
    Effect.map(({ answer, events }) => {
      const logged = (isMeant: (level: unknown) => boolean) =>
        events.flatMap(({ type, payload }) =>
          type === "PluginLogged" && isMeant(payload.level) ? [String(payload.message)] : [],
        )
      return {
        answer,
        warnings: logged((level) => level === "warn"),
        told: logged((level) => level !== "warn"),
        types: events.map(({ type }) => type),
      }
    }),
  )

describe.each(layers)("a plugin's precomputed bytes, in the layer %s", (layer) => {
  it.scopedLive("are computed before its first start, and used from then on", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering(JSON.stringify(TABLE)), sha256(TABLE))
      const first = yield* answerOf(base)
      expect(first).toMatchObject({ answer: TABLE, warnings: [], told: [] })
      // That the plugin's code ran is on record before the start for which it did.
      expect(first.types.slice(0, 2)).toEqual(["PrecomputeStarted", "PluginStarted"])
      const { ino, mode } = fs.statSync(file)
      expect(mode & 0o777).toBe(0o600)
      expect(yield* answerOf(base)).toMatchObject({ answer: TABLE, warnings: [], told: [] })
      expect(fs.statSync(file).ino).toBe(ino)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are no less what they are where the module prints; what it prints is logged", () =>
    Effect.gen(function* () {
      const printing = `
console.log("reads", 3)
console.info("on")
console.debug("on")
console.dir({ a: 1 })
console.table([[1]])
console.error("aside")
Deno.stdout.writeSync(new TextEncoder().encode("bare\\n"))
`
      const { base } = yield* plugin(printing + answering(JSON.stringify(TABLE)), sha256(TABLE))
      const { answer, warnings, told } = yield* answerOf(base)
      expect({ answer, warnings }).toEqual({ answer: TABLE, warnings: [] })
      expect(told.slice(0, 4)).toEqual(["reads 3", "on", "on", "{ a: 1 }"].map((line) => `table.ts: ${line}`))
      expect(told.slice(-2)).toEqual(["table.ts: bare", "table.ts: aside"])
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are not computed where the log does not take that they are; they are at the next start", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering(JSON.stringify(TABLE)), sha256(TABLE))
      const refused = yield* answerOf(base, (type) => type === "PrecomputeStarted")
      expect(refused).toMatchObject({ answer: null, told: [] })
      expect(refused.warnings).toEqual([expect.stringContaining("expected the run of table.ts to be recorded, found")])
      expect(fs.existsSync(file)).toBe(false)
      expect(yield* answerOf(base)).toMatchObject({ answer: TABLE, warnings: [] })
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("that a module does not answer with are none; what it printed is logged", () =>
    Effect.gen(function* () {
      const { base } = yield* plugin(`console.log("no table here"); Deno.exit(0)`, sha256(TABLE))
      expect(yield* answerOf(base)).toMatchObject({ answer: null, told: ["table.ts: no table here"] })
      const failing = yield* plugin(`console.log("no table here either"); throw new Error("gone")`, sha256(TABLE))
      const { answer, told } = yield* answerOf(failing.base)
      expect(answer).toBe(null)
      expect(told[0]).toBe("table.ts: no table here either")
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are computed anew where somebody wrote, linked or made something else in their place", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering(JSON.stringify(TABLE)), sha256(TABLE))
      const earlier = path.join(path.dirname(file), `precomputed-${"0".repeat(64)}`)
      yield* writeFiles(path.dirname(file), { [path.basename(file)]: "forged", [path.basename(earlier)]: "x" })
      expect(yield* answerOf(base)).toMatchObject({ answer: TABLE, warnings: [] })
      // Those of another version stay: a task may still be served by it.
      expect(fs.readFileSync(earlier, "utf8")).toBe("x")
      fs.rmSync(file)
      yield* writeFiles(base, { elsewhere: TABLE })
      fs.symlinkSync(path.join(base, "elsewhere"), file)
      expect(yield* answerOf(base)).toMatchObject({ answer: TABLE, warnings: [] })
      fs.rmSync(file)
      fs.mkdirSync(file)
      expect(yield* answerOf(base)).toMatchObject({ answer: TABLE, warnings: [] })
      expect(fs.lstatSync(file).isFile()).toBe(true)
      expect(fs.readFileSync(path.join(base, "elsewhere"), "utf8")).toBe(TABLE)
    }).pipe(inLayer(layer)),
  )

  it.scopedLive("are left out where they have another digest than the manifest says; that is not tried again", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering("String(Math.random())"), sha256(TABLE))
      const first = yield* answerOf(base)
      expect(first).toMatchObject({
        answer: null,
        warnings: [expect.stringContaining(`of digest ${sha256(TABLE)}, found`)],
      })
      expect(fs.existsSync(file)).toBe(false)
      expect(yield* answerOf(base)).toMatchObject({ answer: null, warnings: first.warnings, told: [] })
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

describe("in a plugin's cache,", () => {
  const DAY_MS = 24 * 60 * 60 * 1000
  const unusedFor = (days: number, entry: string) => {
    const lastUse = new Date(Date.now() - days * DAY_MS)
    fs.utimesSync(entry, lastUse, lastUse)
  }

  it.scopedLive("bytes of other versions are removed with the first new ones after 30 days without a start", () =>
    Effect.gen(function* () {
      const { base, file } = yield* plugin(answering(JSON.stringify(TABLE)), sha256(TABLE))
      const cache = path.dirname(file)
      const [recent, old, other] = [`precomputed-${"1".repeat(64)}`, `precomputed-${"2".repeat(64)}`, "precomputed-x"]
      yield* writeFiles(cache, { [recent]: "x", [old]: "x", [other]: "x" })
      unusedFor(29, path.join(cache, recent))
      for (const name of [old, other]) unusedFor(31, path.join(cache, name))
      expect(yield* answerOf(base)).toMatchObject({ answer: TABLE, warnings: [] })
      const kept = fs.readdirSync(cache).filter((name) => name.startsWith("precomputed-"))
      expect(kept.sort()).toEqual([path.basename(file), recent, other].sort())

      // A start is a use.
      unusedFor(31, file)
      expect(yield* answerOf(base)).toMatchObject({ answer: TABLE, warnings: [] })
      expect(Date.now() - fs.statSync(file).mtimeMs).toBeLessThan(DAY_MS)
    }).pipe(inLayer("none")),
  )

  it.scopedLive("the runners of other versions of Hindcast are removed with the first new one after 30 days", () =>
    Effect.gen(function* () {
      const cache = yield* temporaryDirectory
      const [old, recent] = [Runner.writtenIn(cache, "runner", "old"), Runner.writtenIn(cache, "runner", "recent")]
      const ownOf = (written: string) => path.dirname(path.dirname(written))
      for (const written of [old, recent]) unusedFor(31, ownOf(written))
      const { mtimeMs } = fs.statSync(recent)
      // A start is a use, and changes nothing that is compiled.
      expect(Runner.writtenIn(cache, "runner", "recent")).toBe(recent)
      expect(fs.statSync(recent).mtimeMs).toBe(mtimeMs)

      const current = Runner.writtenIn(cache, "runner", "current")
      expect(fs.readFileSync(current, "utf8")).toBe("current")
      expect(fs.readdirSync(cache).sort()).toEqual(
        [ownOf(recent), ownOf(current)].map((own) => path.basename(own)).sort(),
      )
    }),
  )
})

describe("a plugin's precomputed bytes, in its author's tests,", () => {
  it.scopedLive("are computed once, also where the plugin is loaded again", () =>
    Effect.gen(function* () {
      const { base } = yield* plugin(answering(JSON.stringify(TABLE)), sha256(TABLE))
      const load = Effect.acquireRelease(
        Effect.promise(() => loadPlugin(path.join(base, "log.plugins/plugin"), { consent: "flags" })),
        (loaded) => Effect.promise(loaded.close),
      )
      const loadings = [yield* load, yield* load]
      expect(yield* Effect.promise(() => Promise.all(loadings.map(({ read }) => read("look"))))).toEqual([TABLE, TABLE])
      expect(loadings.map(({ logs }) => logs)).toEqual([[], []])
      const runs = loadings.map(({ events }) => events.filter(({ type }) => type === "PrecomputeStarted").length)
      expect(runs).toEqual([1, 0])
    }),
  )
})
