import * as fs from "node:fs"
import * as zlib from "node:zlib"
import { it } from "@effect/vitest"
import { Effect, Scope } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Pages from "../../../src/events/read/Pages.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import type { Json, JsonObject } from "../../../src/values/Json.ts"
import * as Rollout from "../../../src/worlds/rollout/Rollout.ts"
import * as VectorWorld from "../../../src/worlds/rollout/VectorWorld.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"

const golden = (name: string) => fs.readFileSync(inRepository("test", "golden", "worlds", name))
const world = (name: string) => inRepository("packages", "worlds", name)

interface Call {
  readonly call: "reset" | "step"
  readonly seed: ReadonlyArray<number> | null
  readonly options: { readonly reset_mask: ReadonlyArray<boolean> } | null
  readonly obs: Json
  readonly reward: Json
  readonly terminated: Json
  readonly truncated: Json
  readonly final: ReadonlyArray<Json> | null
}

/** Three cart poles of Gymnasium 1.4 in each mode, with the actions 0, 1, 0. */
const { runs }: { readonly runs: Readonly<Record<"NextStep" | "SameStep" | "Disabled", ReadonlyArray<Call>>> } =
  JSON.parse(golden("autoreset.json").toString())

const eventsOf = (query: Parameters<EventLog["Type"]["readPage"]>[0]) =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    yield* Pages.forEach((yield* EventLog).readPage, query, (page) => void events.push(...page))
    return events
  })

type Run = Effect.Effect.Success<Effect.Effect.Success<ReturnType<typeof testKernel>>["start"]>["run"]

/** A vector in the scope of the test. */
const opened = (run: Run, options: VectorWorld.VectorOptions) =>
  Effect.flatMap(Effect.scope, (scope) => run(Scope.extend(VectorWorld.open(options), scope)))

describe("a vector of a world", () => {
  for (const autoreset of ["NextStep", "SameStep", "Disabled"] as const) {
    it.scopedLive(`steps as Gymnasium's vectors do in the mode ${autoreset}`, () =>
      Effect.gen(function* () {
        const { start } = yield* testKernel({ plugins: [world("cart-pole")] })
        const { run } = yield* start
        const vector = yield* opened(run, { world: "cart-pole", count: 3, autoreset })
        const calls = runs[autoreset]
        expect(calls.filter(({ call }) => call === "step").length).toBeGreaterThan(14)
        const taskIds = new Set<string>()
        for (const [index, { call, seed, options, ...expected }] of calls.entries()) {
          if (call === "reset") {
            const mask = options?.reset_mask
            const { observations } = yield* vector.reset({
              ...(seed === null ? {} : { seed }),
              ...(mask === undefined ? {} : { mask }),
            })
            expect({ index, observations }).toEqual({ index, observations: expected.obs })
          } else {
            const step = yield* vector.step([0, 1, 0])
            expect({ index, ...step }).toMatchObject({
              index,
              observations: expected.obs,
              rewards: expected.reward,
              terminations: expected.terminated,
              truncations: expected.truncated,
              finalObservations: expected.final ?? [null, null, null],
            })
          }
          for (const taskId of vector.taskIds()) taskIds.add(taskId)
        }
        // Each episode is a task, with its last observation.
        const ends = yield* run(eventsOf({ types: ["TaskClosed"] }))
        expect(ends.length).toBeGreaterThanOrEqual(3)
        expect(taskIds.size).toBeGreaterThan(3)
        const finals = calls.flatMap(({ final }) => (final ?? []).filter((one) => one !== null))
        if (autoreset === "SameStep") {
          const last = yield* Effect.forEach(ends.slice(0, finals.length), ({ taskId }) =>
            Effect.map(run(eventsOf({ taskId, types: ["SensorRead"] })), (read) => read.at(-1)?.payload.reading),
          )
          expect(new Set(last.map((reading) => JSON.stringify(reading)))).toEqual(
            new Set(finals.map((reading) => JSON.stringify(reading))),
          )
        }
      }),
    )
  }

  it.scopedLive("refuses what does not fit, before anything is stepped", () =>
    Effect.gen(function* () {
      const { start } = yield* testKernel({ plugins: [world("cart-pole")] })
      const { run } = yield* start
      const vector = yield* opened(run, { world: "cart-pole", count: 2, autoreset: "Disabled" })
      const reasonOf = (call: Effect.Effect<unknown, { readonly message: string }>) =>
        Effect.map(Effect.flip(call), ({ message }) => message)
      expect(yield* reasonOf(vector.step([0, 0]))).toContain("expected a reset first")
      expect(yield* reasonOf(vector.reset({ mask: [true, true] }))).toContain("after the first reset")
      yield* vector.reset({ seed: 1 })
      expect(yield* reasonOf(vector.step([0]))).toContain("expected 2 actions, found 1")
      expect(yield* reasonOf(vector.reset({ seed: [1] }))).toContain("expected 2 seeds, found 1")
      expect(yield* reasonOf(vector.reset({ mask: [false, false] }))).toContain("one slot at least")
      expect(yield* reasonOf(vector.step([0, 5]))).toContain("refused the action of slot 1 (ActionOutsideSpace)")
      for (let step = 0; step < 30; step++) {
        const { terminations } = yield* vector.step([0, step % 2])
        if (terminations[0] === true) break
      }
      expect(yield* reasonOf(vector.step([0, 0]))).toContain("reset the others with a mask, found ended: 0")
    }),
  )
})

type GoldStep = readonly [Json, Json, number, boolean, boolean]

interface Gold {
  readonly options: JsonObject
  readonly episodes: ReadonlyArray<{
    readonly seed: number
    readonly episode: number
    readonly reset: Json
    readonly steps: ReadonlyArray<GoldStep>
  }>
}

/** The worlds of which Gymnasium played more than one episode from a seed. */
const WORLDS: { readonly [name: string]: string } = { frozenlake: "frozen-lake", frozenlake_8x8: "frozen-lake" }

describe("a rollout that continues the random numbers of each episode", () => {
  const gold: { readonly [name: string]: Gold } = JSON.parse(zlib.gunzipSync(golden("gold.json.gz")).toString())
  for (const [name, plugin] of Object.entries(WORLDS)) {
    it.scopedLive(`plays the later episodes of Gymnasium's ${name}`, () =>
      Effect.gen(function* () {
        const { options = {}, episodes: all = [] } = gold[name] ?? {}
        const first = all.find(({ episode }) => episode > 0)
        const episodes = all.filter(({ seed }) => seed === first?.seed)
        expect(episodes.length).toBeGreaterThan(1)
        const { start } = yield* testKernel({ plugins: [world(plugin)] })
        const { run } = yield* start
        yield* run(
          Rollout.run({
            world: plugin,
            options,
            policy: ({ episode, step }) => episodes[episode]?.steps[step]?.[0] ?? null,
            episodes: episodes.length,
            seed: first?.seed ?? 0,
            parallel: 1,
            autoreset: "SameStep",
          }),
        )
        const opened = yield* run(eventsOf({ types: ["TaskOpened"] }))
        const read = yield* Effect.forEach(opened, ({ taskId }) =>
          Effect.map(run(eventsOf({ taskId, types: ["SensorRead"] })), (events) =>
            events
              .filter(({ payload }) => payload.sensor === `${plugin}/observation`)
              .map(({ payload }) => payload.reading),
          ),
        )
        let compared = 0
        for (const [index, readings] of read.entries()) {
          const expected = episodes[index]
          const wanted = [expected?.reset, ...(expected?.steps ?? []).map(([, observation]) => observation)]
          expect(readings.slice(0, wanted.length)).toEqual(wanted.slice(0, readings.length))
          compared += Math.min(readings.length, wanted.length)
        }
        expect(compared).toBe(episodes.reduce((sum, { steps }) => sum + steps.length + 1, 0))
      }),
    )
  }
})
