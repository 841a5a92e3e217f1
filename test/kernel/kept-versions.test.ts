import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type { Task } from "../../src/kernel/tasks/Task.ts"
import { about, events, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const sensing = (word: string, sensor = "look") => ({
  name: "sample",
  sensors: [{ name: sensor }],
  actuators: [{ name: "say" }],
  entry: `export default { sensors: { ${sensor}: () => "${word}" }, actuators: { say: () => "${word}" } }`,
})

/** What a task senses and is answered now: the names of its sensors with their readings, and an actuator's result. */
const answers = (task: Task) =>
  Effect.gen(function* () {
    const readings = yield* task.perceive()
    const outcome = yield* task.act("sample/say")
    return [
      ...readings.map(({ sensor, reading }) => `${sensor} ${reading}`),
      outcome.status === "succeeded" ? outcome.result : outcome.status,
    ]
  })

/** Writes another version over a plugin's source, and imports it. */
const update = (source: string, { entry, sensors }: ReturnType<typeof sensing>) =>
  Effect.gen(function* () {
    const file = path.join(source, "looper-plugin.json")
    const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
    manifest.version = "2.0.0"
    manifest.peas.sensors = sensors.map(({ name }) => ({ name, description: `It is ${name}` }))
    fs.writeFileSync(file, JSON.stringify(manifest))
    fs.writeFileSync(path.join(source, "main.ts"), entry)
    return yield* (yield* Kernel).plugins.import(source)
  })

describe("a task", () => {
  it.scopedLive.each(["kernel", "task"] as const)(
    "keeps the version of a plugin that it began with, where one process serves each %s",
    (instance) =>
      Effect.gen(function* () {
        const { plugins, layer } = yield* testKernel({ plugins: [{ ...sensing("one"), instance }] })
        yield* Effect.gen(function* () {
          const { tasks, plugins: registry } = yield* Kernel
          const before = yield* tasks.open({ goal: "before" })
          // It has not used the plugin yet when the update comes.
          yield* update(plugins[0] ?? "", sensing("two", "hear"))
          const after = yield* tasks.open({ goal: "after" })
          for (const _round of [1, 2]) {
            expect(yield* answers(before)).toEqual(["sample/look one", "one"])
            expect(yield* answers(after)).toEqual(["sample/hear two", "two"])
          }
          // Whether it takes part is a matter of now, for every version.
          yield* registry.deactivate("sample")
          expect(yield* answers(before)).toEqual(["denied"])
          expect(yield* answers(after)).toEqual(["denied"])
          yield* registry.activate("sample")
          expect(yield* answers(before)).toEqual(["sample/look one", "one"])
          // The process of the version that nobody needs any more ends, and no other.
          const exited = yield* Effect.fork(seen(about("PluginExited")))
          yield* before.close("achieved")
          yield* exited
          expect(yield* answers(after)).toEqual(["sample/hear two", "two"])
          const running = (yield* registry.state).sample?.running ?? {}
          expect(Object.keys(running)).toHaveLength(1)
          yield* after.close("achieved")
        }).pipe(Effect.provide(layer))
      }),
  )

  it.scopedLive("has a plugin with the grants of now, where it shares the plugin's process", () =>
    Effect.gen(function* () {
      const run = { ...sensing("one"), entry: "" }
      const entry = `export default {
        sensors: { look: async (ctx) => (await ctx.run("echo", ["hi"]).catch((error) => ({ stdout: error.code }))).stdout.trim() },
        actuators: { say: () => 1 },
      }`
      const { plugins, layer } = yield* testKernel({ plugins: [{ ...run, entry }] })
      yield* Effect.gen(function* () {
        const { tasks, plugins: registry } = yield* Kernel
        const file = path.join(plugins[0] ?? "", "looper-plugin.json")
        const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
        fs.writeFileSync(file, JSON.stringify({ ...manifest, permissions: { read: [], run: ["echo"] } }))
        yield* registry.import(plugins[0] ?? "", { grants: { run: ["echo"] } })
        const task = yield* tasks.open({ goal: "run" })
        const read = () => Effect.map(task.perceive(), (readings) => readings.map(({ reading }) => reading))
        expect(yield* read()).toEqual(["hi"])
        yield* registry.revoke("sample", { run: ["echo"] })
        expect(yield* read()).toEqual([])
        yield* registry.activate("sample").pipe(Effect.flip)
        yield* registry.grant("sample", { run: ["echo"] })
        yield* registry.activate("sample")
        expect(yield* read()).toEqual(["hi"])
        yield* task.close("achieved")
      }).pipe(Effect.provide(layer))
    }),
  )

  const asking = (instance: "kernel" | "task") => ({
    name: "sample",
    instance,
    sensors: [{ name: "look" }],
    entry: `export default { sensors: {
      look: async (ctx) => (await ctx.run("echo", ["hi"]).catch((error) => ({ stdout: error.code }))).stdout.trim(),
    } }`,
  })

  /** Opens a task with a version that may run a command, updates it to one that does not ask, and takes the command back. */
  const taken = (instance: "kernel" | "task") =>
    Effect.gen(function* () {
      const { plugins, layer } = yield* testKernel({ plugins: [asking(instance)] })
      const source = plugins[0] ?? ""
      const file = path.join(source, "looper-plugin.json")
      const before = JSON.parse(fs.readFileSync(file, "utf8"))
      const readings = yield* Effect.gen(function* () {
        const { tasks, plugins: registry } = yield* Kernel
        fs.writeFileSync(file, JSON.stringify({ ...before, permissions: { read: [], run: ["echo"] } }))
        yield* registry.import(source, { grants: { run: ["echo"] } })
        const task = yield* tasks.open({ goal: "run" })
        const read = () => Effect.map(task.perceive(), (readings) => readings.map(({ reading }) => reading))
        const first = yield* read()
        fs.writeFileSync(file, JSON.stringify({ ...before, version: "2.0.0" }))
        yield* registry.import(source)
        const updated = yield* read()
        yield* registry.revoke("sample", { run: ["echo"] })
        const revoked = yield* read()
        const failed = (yield* events("SensorFailed")).map(({ payload }) => payload.error)
        yield* task.close("achieved")
        return { first, updated, revoked, failed }
      }).pipe(Effect.provide(layer))
      return readings
    })

  it.scopedLive("does not keep what was taken back from its version", () =>
    Effect.gen(function* () {
      expect(yield* taken("kernel")).toEqual({
        first: ["hi"],
        updated: ["hi"],
        revoked: ["RunNotGranted"],
        failed: [],
      })
    }),
  )

  it.scopedLive("loses a world whose process may do what was taken back", () =>
    Effect.gen(function* () {
      expect(yield* taken("task")).toEqual({
        first: ["hi"],
        updated: ["hi"],
        revoked: [],
        failed: [expect.objectContaining({ code: "WorldLost" })],
      })
    }),
  )
})
