import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import * as fc from "fast-check"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import { type Crash, type RestartPolicy, restartState, standard } from "../../src/kernel/instances/Supervision.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { isAlive } from "../plugins/fixtures.ts"
import type { Sample } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const policies: fc.Arbitrary<RestartPolicy> = fc.record({
  windowMs: fc.integer({ min: 1, max: 1_000_000 }),
  crashes: fc.integer({ min: 1, max: 20 }),
  firstMs: fc.integer({ min: 1, max: 10_000 }),
  mostMs: fc.integer({ min: 1, max: 100_000 }),
})

const jitters = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

/** Crashes, oldest first. */
const histories: fc.Arbitrary<ReadonlyArray<Crash>> = fc
  .array(fc.record({ at: fc.integer({ min: 0, max: 2_000_000 }), jitter: jitters }), { maxLength: 30 })
  .map((crashes) => crashes.sort((a, b) => a.at - b.at))

describe("when a plugin may be started again", () => {
  it("is told by its past crashes alone: they wait, ready or quarantined, and no wait is longer than the longest", () => {
    fc.assert(
      fc.property(histories, policies, fc.nat(1_000_000), (crashes, policy, later) => {
        const now = (crashes.at(-1)?.at ?? 0) + later
        const counted = crashes.filter(({ at }) => at > now - policy.windowMs).length
        const found = restartState(crashes, now, policy)
        if (counted >= policy.crashes) expect(found).toEqual({ _tag: "Quarantined", crashes: counted })
        else if (counted === 0) expect(found).toEqual({ _tag: "Ready" })
        else if (found._tag === "Waiting") {
          expect(found.ms).toBeGreaterThan(0)
          expect(found.ms).toBeLessThanOrEqual(policy.mostMs)
        } else expect(found).toEqual({ _tag: "Ready" })
      }),
    )
  })

  it("waiting as long as is said makes it ready, and not a millisecond less", () => {
    fc.assert(
      fc.property(histories, policies, (crashes, policy) => {
        const now = crashes.at(-1)?.at ?? 0
        const found = restartState(crashes, now, policy)
        if (found._tag !== "Waiting") return
        // Meanwhile older crashes may leave the window, which makes it ready all the sooner.
        expect(restartState(crashes, now + found.ms, policy)._tag).toBe("Ready")
        const alone = crashes.slice(-1)
        const wait = restartState(alone, now, policy)
        if (wait._tag === "Waiting" && wait.ms < policy.windowMs) {
          expect(restartState(alone, now + wait.ms - 1, policy)._tag).toBe("Waiting")
        }
      }),
    )
  })

  it("the wait doubles with each crash, from half to all of what is called for, up to the longest", () => {
    const at = (count: number, jitter: number) =>
      restartState(
        Array.from({ length: count }, () => ({ at: 1_000_000, jitter })),
        1_000_000,
        { ...standard, crashes: 99 },
      )
    const waits = (jitter: number) => [1, 2, 3, 6, 7, 50].map((count) => at(count, jitter))
    const waiting = (ms: number) => ({ _tag: "Waiting", ms })
    expect(waits(0)).toEqual([125, 250, 500, 4_000, 5_000, 5_000].map(waiting))
    expect(waits(0.999999999)).toEqual([250, 500, 1_000, 8_000, 10_000, 10_000].map(waiting))
  })
})

const isOf = Vocabulary.is

/** A plugin that senses and crashes. */
const sample = (entry: string): Sample => ({
  name: "sample",
  entry,
  sensors: [{ name: "look" }],
  actuators: [{ name: "crash", risk: "none" }],
})

/** The first event of the log that fits, as soon as it is there. */
const firstThat = <E extends Event>(fits: (event: Event) => event is E) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow().pipe(
      Stream.filter((item): item is Event => "id" in item),
      Stream.filter(fits),
      Stream.runHead,
      Effect.flatten,
    ),
  )

const started = (event: Event) => isOf(event, "PluginStarted")

const eventsOf = <Name extends Parameters<typeof isOf>[1]>(type: Name) =>
  Effect.flatMap(EventLog, (log) => log.readPage({ types: [type] }, 100))

const COUNTING = `let seen = 0
export default { sensors: { look: () => ++seen }, actuators: { crash: () => Deno.exit(3) } }`

const quick: RestartPolicy = { windowMs: 60_000, crashes: 3, firstMs: 40, mostMs: 100 }

describe("a plugin that crashes", () => {
  it.scopedLive("is started again, and after too many crashes is in quarantine until a person lifts it", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [sample(COUNTING)], restarts: quick })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "See it crash" })
        const look = Effect.map(task.perceive(), (readings) => readings.map(({ reading }) => reading))
        const crash = task.act("sample/crash")
        for (let time = 1; time < quick.crashes; time++) {
          expect(yield* look).toEqual([1])
          expect(yield* crash).toMatchObject({ status: "failed", error: { code: "PluginExited" } })
        }
        expect(yield* crash).toMatchObject({ status: "failed", error: { code: "PluginExited" } })
        const quarantined = yield* firstThat((event) => isOf(event, "PluginQuarantined"))
        expect(quarantined.payload).toEqual({
          plugin: "sample",
          reason: "it crashed 3 times within 60 s, the last time: it ended with code 3 during act sample/crash",
        })
        expect(yield* look).toEqual([])
        expect(yield* crash).toMatchObject({ status: "denied", rule: "active-actuators" })
        const before = (yield* eventsOf("PluginStarted")).length

        yield* kernel.plugins.activate("sample")
        expect(yield* look).toEqual([1])
        expect(yield* eventsOf("PluginStarted")).toHaveLength(before + 1)
        expect(yield* eventsOf("PluginQuarantined")).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive(
    "a plugin that crashes while it loads is in quarantine after as many attempts, and no process is tried any more",
    () =>
      Effect.gen(function* () {
        const { layer } = yield* testKernel({
          plugins: [sample(`throw new Error("never"); export default {}`)],
          restarts: quick,
        })
        yield* Effect.gen(function* () {
          const kernel = yield* Kernel
          const task = yield* kernel.tasks.open({ goal: "See it fail" })
          for (let time = 0; time < quick.crashes; time++) expect(yield* task.perceive()).toEqual([])
          const failures = yield* eventsOf("SensorFailed")
          expect(failures.map(({ payload }) => payload.error)).toMatchObject(
            Array(quick.crashes).fill({ code: "PluginFailedToLoad" }),
          )
          expect(yield* eventsOf("PluginQuarantined")).toHaveLength(1)
          yield* task.perceive()
          expect(yield* eventsOf("SensorFailed")).toHaveLength(quick.crashes)
        }).pipe(Effect.provide(layer))
      }),
  )
})

describe("a process that nobody uses", () => {
  it.scopedLive("is stopped after the idle time, and started again when it is needed", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [sample(COUNTING)], idleMs: 150 })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const task = yield* kernel.tasks.open({ goal: "Let it idle" })
        const look = Effect.map(task.perceive(), (readings) => readings.map(({ reading }) => reading))
        expect(yield* look).toEqual([1])
        const first = yield* firstThat(started)
        const exited = yield* firstThat((event) => isOf(event, "PluginExited"))
        expect(exited.payload).toMatchObject({ code: 0, reason: "stopped", inFlight: [] })
        expect(isAlive((first.payload as { readonly pid: number }).pid)).toBe(false)
        expect(yield* look).toEqual([1])
        expect(yield* eventsOf("PluginQuarantined")).toEqual([])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("is not stopped in the middle of a call, however long that takes", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({
        plugins: [
          sample(`export default {
          sensors: { look: () => new Promise((resolve) => setTimeout(() => resolve("seen"), 600)) },
          actuators: { crash: () => 1 } }`),
        ],
        idleMs: 100,
      })
      yield* Effect.gen(function* () {
        const task = yield* (yield* Kernel).tasks.open({ goal: "Take your time" })
        expect((yield* task.perceive()).map(({ reading }) => reading)).toEqual(["seen"])
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("does not hold up the end of the kernel, however long it may idle", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ plugins: [sample(COUNTING)], idleMs: 3_600_000 })
      const readings = yield* Effect.gen(function* () {
        const task = yield* (yield* Kernel).tasks.open({ goal: "Be gone" })
        return yield* task.perceive()
      }).pipe(Effect.provide(layer))
      expect(readings).toHaveLength(1)
    }),
  )
})

describe("a process that is being started", () => {
  it.scopedLive("ends where nobody waits for it any more, and another one is started for whoever comes", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({
        plugins: [
          sample(`console.log("loading"); await new Promise((resolve) => setTimeout(resolve, 400))
        export default { sensors: { look: () => "seen" }, actuators: { crash: () => 1 } }`),
        ],
      })
      yield* Effect.gen(function* () {
        const task = yield* (yield* Kernel).tasks.open({ goal: "Change your mind" })
        const first = yield* Effect.fork(task.perceive())
        yield* firstThat((event) => isOf(event, "PluginLogged"))
        yield* Fiber.interrupt(first)
        expect(yield* eventsOf("PluginExited")).toMatchObject([{ payload: { reason: "stopped" } }])
        expect(yield* eventsOf("PluginStarted")).toEqual([])
        expect((yield* task.perceive()).map(({ reading }) => reading)).toEqual(["seen"])
        expect(yield* eventsOf("PluginStarted")).toHaveLength(1)
      }).pipe(Effect.provide(layer))
    }),
  )
})
