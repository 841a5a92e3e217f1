import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as vm from "node:vm"
import { Chunk, Effect, Layer, Stream } from "effect"
import * as esbuild from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Audits from "../../src/projections/audit/Audits.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as PendingConfirmations from "../../src/projections/state/PendingConfirmations.ts"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import * as ScoreSets from "../../src/projections/state/ScoreSets.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import * as TimeTravel from "../../src/projections/timetravel/TimeTravel.ts"
import { demoLog } from "../demoLog.ts"
import { launch, type Viewer } from "../e2e/chromium.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-browser-")))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

/** Bundles a program as for a web page. Nothing stands in for Node's modules: whoever imports one fails. */
const bundle = async (source: string, format: "iife" | "esm"): Promise<string> => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: source, resolveDir: base },
    bundle: true,
    platform: "browser",
    format,
    minify: true,
    write: false,
    logLevel: "silent",
  })
  return outputFiles[0]?.text ?? ""
}

const program = fs.readFileSync(path.join(root, "test", "package", "programs", "page.mjs"), "utf8")

beforeAll(() => {
  fs.mkdirSync(path.join(base, "node_modules"))
  fs.symlinkSync(root, path.join(base, "node_modules", "hindcast"))
  fs.symlinkSync(path.join(root, "node_modules", "effect"), path.join(base, "node_modules", "effect"))
})

/** A log that a real kernel recorded, and what Hindcast says of it where it reads the log itself. */
let events: ReadonlyArray<Event>
let expected: { readonly [part: string]: unknown }
beforeAll(async () => {
  const layer = Layer.mergeAll(Projector.layer, TimeTravel.layer.pipe(Layer.provide(Projector.layer))).pipe(
    Layer.provideMerge(layerSqlite({ filename: await demoLog(3, 7), readonly: true })),
  )
  const read = Effect.gen(function* () {
    const log = yield* EventLog
    const projector = yield* Projector.Projector
    const travel = yield* TimeTravel.TimeTravel
    events = Chunk.toReadonlyArray(yield* Stream.runCollect(log.read()))
    const half = Math.floor(events.length / 2)
    const audits = Chunk.toReadonlyArray(yield* Stream.runCollect(Audits.stream()))
    expected = {
      states: {
        environment: yield* projector.current(EnvironmentState.projection),
        confirmations: yield* projector.current(PendingConfirmations.projection),
        plugins: yield* projector.current(PluginRegistry.projection),
        scores: yield* projector.current(ScoreSets.projection),
        tasks: yield* projector.current(Tasks.projection),
      },
      patch: (yield* travel.diff(half, events.length)).map(({ event: _, ...operation }) => operation),
      audits,
      single: yield* Effect.forEach(audits, ({ taskId }) => TaskAudit.load(taskId)),
    }
  })
  await Effect.runPromise(Effect.provide(read, layer))
}, 120_000)

/** What a page shows is what Hindcast says of the log. */
const expectShown = (shown: string) => {
  const { states, changes, audits, single, rows, reports } = JSON.parse(shown)
  expect({ states, patch: changes.patch, audits, single }).toEqual(expected)
  expect(changes.counts.length).toBeGreaterThan(3)
  expect(rows).toMatchObject(audits.map(({ taskId, steps }: TaskAudit.TaskAudit) => ({ taskId, steps })))
  expect(reports.all).toMatchObject({ tasks: 3, scored: 3, range: { from: expect.any(Number) } })
  expect(reports.tasks.map(({ positions }: { readonly positions: ReadonlyArray<number> }) => positions)).toEqual(
    audits.map(({ taskId, range }: TaskAudit.TaskAudit) =>
      events
        .filter((event) => event.taskId === taskId && event.position >= range.from && event.position <= range.to)
        .map(({ position }) => position),
    ),
  )
}

/** Events of which the second is none. */
const broken = () => {
  const [first, { recordedAt: _, ...second } = {}, ...others] = JSON.parse(JSON.stringify(events))
  return JSON.stringify([first, { ...second, version: "two" }, ...others])
}

const expectRefused = (shown: string) => {
  const { _tag, message } = JSON.parse(shown)
  expect(_tag).toBe("UndecodableEvent")
  expect(message).toMatch(/^Event 1 of the list: /)
  expect(message).toContain('version: Expected number, actual "two"; recordedAt: is missing')
}

describe("hindcast/projections, bundled for a browser,", () => {
  it("folds a kernel's events where nothing of Node's is, to what the log's own readers say", async () => {
    // Of what every browser has beside the language, Effect's schemas ask for these alone.
    const page = vm.createContext({ URL, TextEncoder, TextDecoder })
    vm.runInContext(await bundle(program, "iife"), page)
    const show = (text: string): string => vm.runInContext(`show(${JSON.stringify(text)})`, page)
    expect(vm.runInContext("[typeof process, typeof Buffer, typeof require]", page)).toEqual(
      Array.from({ length: 3 }, () => "undefined"),
    )
    expectShown(show(JSON.stringify(events)))
    expectRefused(show(broken()))
  })

  it("is bundled only because it asks for nothing of Node's: the package's main entry is refused", async () => {
    await expect(bundle('import "hindcast"', "esm")).rejects.toThrow(/Could not resolve "node:/)
  })

  describe("in Chromium", () => {
    let viewer: Viewer
    beforeAll(async () => {
      viewer = await launch()
    })
    afterAll(() => viewer?.close())

    it("folds a kernel's events to what the log's own readers say, and asks for nothing else", async () => {
      const module = (await bundle(program, "esm")).replaceAll("</script", "<\\/script")
      const html = `<!doctype html><link rel="icon" href="data:,"><script type="module">${module}</script>`
      const { page, requests, said } = await viewer.open(html, { width: 800 })
      const show = (text: string): Promise<string> => page.evaluate(`show(${JSON.stringify(text)})`)
      expectShown(await show(JSON.stringify(events)))
      expectRefused(await show(broken()))
      expect({ requests: requests.filter((url) => !url.startsWith("data:")), said }).toEqual({ requests: [], said: [] })
    })
  })
})
