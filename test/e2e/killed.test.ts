import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schedule, Stream } from "effect"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { program } from "../built.ts"
import * as Killable from "../killable.ts"
import { bareManifest, temporaryDirectory, writeFiles } from "../plugins/fixtures.ts"

const PROGRAM = program(import.meta.url, "twenty")
const PLUGINS = 20
const SPINNING = 4

/** Twenty plugins: four spin when they are read, and all of them resist SIGTERM. */
const writePlugins = (directory: string) =>
  Effect.forEach(
    Array.from({ length: PLUGINS }, (_, index) => `p${index}`),
    (name, index) => {
      const look = index < SPINNING ? `() => { for (;;); }` : `() => 1`
      const component = (name: string) => ({ name, description: `It is ${name}` })
      const peas = {
        ...bareManifest.peas,
        sensors: [component("look")],
        actuators: [{ ...component("wait"), risk: "none" }],
      }
      const entry = `Deno.addSignalListener("SIGTERM", () => {})
        export default { sensors: { look: ${look} }, actuators: { wait: () => new Promise(() => {}) } }`
      const place = path.join(directory, name)
      const manifest = JSON.stringify({ ...bareManifest, name, peas })
      return Effect.as(writeFiles(place, { "looper-plugin.json": manifest, "main.ts": entry }), place)
    },
  )

/** Processes whose command line names a directory. */
const naming = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(directory)
      } catch {
        return false // It ended while we looked.
      }
    })

const isLast = () => {
  const started = new Set<unknown>()
  let dispatched = false
  return ({ type, payload }: Event) => {
    if (type === "PluginStarted") started.add((payload as { readonly plugin: string }).plugin)
    if (type === "CommandDispatched") dispatched = true
    return dispatched && started.size === PLUGINS
  }
}

describe("a kernel that is killed while twenty plugins run, some of them spinning", () => {
  it.scopedLive("leaves no process after two seconds, and the next one says what was cut off", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const log = path.join(directory, "log.db")
      const plugins = yield* writePlugins(path.join(directory, "plugins"))
      yield* Effect.gen(function* () {
        const kernel = yield* Killable.start([PROGRAM, log, ...plugins])
        yield* (yield* EventLog).follow().pipe(
          Stream.filter((item): item is Event => "id" in item),
          Stream.takeUntil(isLast()),
          Stream.runDrain,
        )
        expect(naming(directory).length).toBeGreaterThan(PLUGINS)
        yield* kernel.kill
        yield* Effect.suspend(() => {
          const left = naming(directory)
          return left.length === 0 ? Effect.void : Effect.fail(new Error(`left behind: ${left.join(", ")}`))
        }).pipe(Effect.retry(Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(40))))
      }).pipe(Effect.scoped, Effect.provide(layerSqlite({ filename: log })))

      yield* Effect.gen(function* () {
        yield* Kernel
        const events = yield* EventLog
        const exited = yield* events.readPage({ types: ["PluginExited"] }, 100)
        const said = exited.map(({ payload }) => payload)
        expect(said).toHaveLength(PLUGINS)
        expect(new Set(said.map(({ reason }) => reason))).toEqual(new Set(["its kernel ended"]))
        const cutOff = said.filter(({ inFlight }) => Array.isArray(inFlight) && inFlight.length > 0)
        expect(cutOff).toMatchObject([{ plugin: "p19", inFlight: ["act p19/wait"] }])
        expect(yield* events.readPage({ types: ["CommandOutcomeUnknown"] }, 10)).toHaveLength(1)
      }).pipe(Effect.provide(Hindcast.layer({ log, workspace: directory })))
    }),
  )
})
