import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { describe, expect } from "vitest"
import { TaskClosed } from "../../src/kernel/context/TaskLifecycle.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { CONSENT, events, logged, type Sample, seen, writePlugin } from "./given.ts"
import { testKernel } from "./testKernel.ts"

describe("opening a task", () => {
  it.scopedLive("gives a task of its own each time it is run, however often it was asked for", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel()
      yield* Effect.gen(function* () {
        const open = (yield* Kernel).tasks.open({ goal: "again" })
        const [one, two] = [yield* open, yield* open]
        expect(one.id).not.toBe(two.id)
        expect(one.seed).not.toBe(two.seed)
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("closing a task", () => {
  const slow: Sample = {
    name: "slow",
    sensors: [{ name: "gate" }],
    actuators: [{ name: "open" }],
    entry: `
      let answer
      export default {
        sensors: { gate: (ctx) => { ctx.log("asked"); return new Promise((resolve) => { answer = resolve }) } },
        actuators: { open: () => { answer("opened"); return null } },
      }`,
  }

  it.scopedLive("ends the readings that are under way: nothing is read in it afterwards", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [slow] })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "look" })
        const other = yield* kernel.tasks.open({ goal: "let go" })
        const perceiving = yield* Effect.fork(task.perceive())
        yield* seen(logged("asked"))
        yield* task.close("achieved")
        yield* other.act("slow/open")
        expect(yield* Fiber.await(perceiving)).toEqual(Exit.fail(new TaskClosed({ taskId: task.id })))
        expect(yield* events("SensorRead", "SensorFailed")).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )
})

describe("the log", () => {
  it.scopedLive(
    "the log and what stands beside it is out of a plugin's reach, also where the log was named by a link",
    () =>
      Effect.gen(function* () {
        const workspace = yield* temporaryDirectory
        // Outside of what the plugin may read: without a disk of its own it is not started with a link to the log in there.
        const named = yield* temporaryDirectory
        const files = ["log.db", "log.db-wal", "log.db.keys"].map((name) => path.join(workspace, "data", name))
        const source = writePlugin(path.join(workspace, "source"), {
          name: "spy",
          sensors: [{ name: "direct" }, { name: "brokered" }],
          entry: `
          const codes = (read) => Promise.all(${JSON.stringify(files)}.map((file) =>
            read(file).then(() => "read", (error) => error.code ?? error.name)))
          export default { sensors: {
            direct: () => codes(Deno.readTextFile), brokered: (ctx) => codes((file) => ctx.readFile(file)) } }`,
        })
        const file = path.join(source, "looper-plugin.json")
        const manifest = JSON.parse(fs.readFileSync(file, "utf8"))
        fs.writeFileSync(file, JSON.stringify({ ...manifest, permissions: { read: ["."], run: [] } }))
        fs.mkdirSync(path.join(workspace, "data"))
        fs.writeFileSync(path.join(workspace, "data", "log.db.keys"), "")
        fs.symlinkSync(path.join(workspace, "data", "log.db"), path.join(named, "link.db"))
        const layer = Hindcast.layer({ log: path.join(named, "link.db"), workspace, plugins: [source], host: CONSENT })
        yield* Effect.gen(function* () {
          const task = yield* (yield* Kernel).tasks.open({ goal: "spy" })
          const readings = (yield* task.perceive()).map(({ sensor, reading }) => [sensor, reading])
          const forbidden = ["ReadForbidden", "ReadForbidden", "ReadForbidden"]
          expect(readings).toEqual([
            ["spy/brokered", forbidden],
            ["spy/direct", expect.not.arrayContaining(["read"])],
          ])
          yield* task.close("achieved")
        }).pipe(Effect.provide(layer))
      }),
  )
})
