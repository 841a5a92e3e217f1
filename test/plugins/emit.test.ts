import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Queue } from "effect"
import { layer } from "../../src/plugins/process/PluginHost.ts"
import type { Progress } from "../../src/plugins/process/PluginProcess.ts"
import type { Json } from "../../src/values/Json.ts"
import { logged, start } from "./fixtures.ts"

const provide = Effect.provide(layer)

/** A sensor that pushes as many readings as it is told by its variable, and answers what became of them. */
const pushing = (count: number) => ({
  entry: `export default { sensors: { tick: async (ctx) => {
    const outcomes = Array.from({ length: ${count} }, (_, n) => ctx.emit("tick", n).then(() => "taken", ({ code }) => code))
    const found = {}
    for (const outcome of await Promise.all(outcomes)) found[outcome] = (found[outcome] ?? 0) + 1
    return found
  } } }`,
  sensors: ["tick"],
})

describe("a reading that is pushed", () => {
  it.scopedLive("reaches the kernel in order, also when the call that began it is over", () =>
    Effect.gen(function* () {
      const taken = yield* Queue.unbounded<readonly [string, Json]>()
      const { process } = yield* start({
        entry: `let n = 0
        export default { sensors: {
          tick: (ctx) => { setInterval(() => ctx.emit("tick", { n: n++ }), 1); return "begun" }, other: () => 0 } }`,
        sensors: ["tick", "other"],
        onEmit: (sensor, reading) => Queue.offer(taken, [sensor, reading]),
      })
      expect(yield* process.read("tick")).toBe("begun")
      const first = yield* Effect.replicateEffect(Queue.take(taken), 5)
      expect(first).toEqual([0, 1, 2, 3, 4].map((n) => ["tick", { n }]))
    }).pipe(provide),
  )

  it.scopedLive("is awaited by a plugin that goes no faster than it is taken", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const seen: Array<Json> = []
      const { process } = yield* start({
        entry: `let pushed = 0
        export default { sensors: {
          tick: (ctx) => { (async () => { for (;;) { pushed++; await ctx.emit("tick", pushed) } })(); return pushed },
          pushed: () => pushed } }`,
        sensors: ["tick", "pushed"],
        onEmit: (_, reading) =>
          Effect.zipRight(
            Effect.sync(() => seen.push(reading)),
            Deferred.await(gate),
          ),
      })
      yield* process.read("tick")
      yield* process.ping
      expect(yield* process.read("pushed")).toBe(1)
      expect(seen).toEqual([1])
      yield* Deferred.succeed(gate, undefined)
      yield* process.ping
      expect(yield* process.read("pushed")).toBeGreaterThan(1)
    }).pipe(provide),
  )

  it.scopedLive("is left out and counted where 256 wait already", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const seen: Array<Json> = []
      const { process, events } = yield* start({
        ...pushing(300),
        onEmit: (_, reading) =>
          Effect.zipRight(
            Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate)),
            Effect.sync(() => seen.push(reading)),
          ),
      })
      const reading = yield* Effect.fork(process.read("tick"))
      yield* Deferred.await(begun)
      yield* Deferred.succeed(gate, undefined)
      expect(yield* reading).toEqual({ taken: 256, TooManyReadings: 44 })
      expect(seen).toEqual(Array.from({ length: 256 }, (_, n) => n))
      yield* process.read("tick")
      expect(logged(events)).toEqual(["warn: 44 pushed readings left out: more came than were taken"])
    }).pipe(provide),
  )

  it.scopedLive("is refused where nothing takes it, the sensor is not the plugin's, or it is no JSON", () =>
    Effect.gen(function* () {
      const deaf = yield* start(pushing(2))
      expect(yield* deaf.process.read("tick")).toEqual({ NobodyListens: 2 })
      const { process } = yield* start({
        entry: `const code = (pushed) => pushed.then(() => "taken", ({ code, message }) => code + ": " + message)
        export default { sensors: { tick: (ctx) => Promise.all([
          code(ctx.emit("toString", 1)), code(ctx.emit("tick", 1n)), code(ctx.emit("tick", "x".repeat(5_000_000))),
          code(ctx.emit("tick", "x".repeat(9_000_000))), code(ctx.emit("tick", "fails")), code(ctx.emit("tick", "fits")),
        ]) } }`,
        sensors: ["tick"],
        onEmit: (_, reading) => (reading === "fails" ? Effect.fail(new Error("no room")) : Effect.void),
      })
      expect(yield* process.read("tick")).toEqual([
        "NoSuchComponent: there is no sensor toString",
        "NotJson: expected JSON, found a bigint in the reading",
        expect.stringMatching(/^ReadingTooLarge: expected a reading of at most 4194304 bytes, found 50000\d\d$/),
        expect.stringMatching(/^TooLarge: expected at most 8388608 bytes, found 90000\d\d$/),
        "NotTaken: no room",
        "taken",
      ])
    }).pipe(provide),
  )
})

describe("progress", () => {
  it.scopedLive("progress of a call reaches its caller; while the caller is busy, only the newest is kept", () =>
    Effect.gen(function* () {
      const told: Array<Progress> = []
      const busy = yield* Deferred.make<void>()
      const first = yield* Deferred.make<void>()
      const last = yield* Deferred.make<void>()
      const { process } = yield* start({
        entry: `export default { sensors: { work: (ctx) => {
          ctx.progress(0.25); for (let i = 0; i < 1000; i++) ctx.progress(i / 1000); ctx.progress("nearly there")
          return new Promise(() => {}) } } }`,
        sensors: ["work"],
      })
      const onProgress = (progress: Progress) => {
        told.push(progress)
        return Effect.zipRight(
          Deferred.succeed(progress === "nearly there" ? last : first, undefined),
          Deferred.await(busy),
        )
      }
      yield* Effect.fork(process.read("work", { onProgress }))
      yield* Deferred.await(first)
      yield* process.ping
      yield* Deferred.succeed(busy, undefined)
      yield* Deferred.await(last)
      expect(told).toEqual([0.25, "nearly there"])
    }).pipe(provide),
  )

  it.scopedLive("is a fraction or words, and nothing once the call is over", () =>
    Effect.gen(function* () {
      const told: Array<Progress> = []
      const onProgress = (progress: Progress) => Effect.sync(() => told.push(progress))
      const { process } = yield* start({
        entry: `let late
        export default { sensors: {
          keep: (ctx) => { late = ctx.progress; return 1 },
          later: () => { late("too late"); return 2 },
          wrong: (ctx) => [2, -1, NaN, "\\ud800"].map((value) => { try { ctx.progress(value) } catch (e) { return e.name } }),
        } }`,
        sensors: ["keep", "later", "wrong"],
      })
      yield* process.read("keep", { onProgress })
      yield* process.read("later", { onProgress })
      expect(yield* process.read("wrong", { onProgress })).toEqual(Array(4).fill("RangeError"))
      expect(told).toEqual([])
    }).pipe(provide),
  )
})
