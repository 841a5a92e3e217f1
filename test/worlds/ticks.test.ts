import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Scope } from "effect"
import * as Hal from "../../src/worlds/adapters/Hal.ts"
import * as PiaSE from "../../src/worlds/adapters/PiaSE.ts"
import * as World from "../../src/worlds/World.ts"
import { TimeLimit } from "../../src/worlds/wrappers/EpisodeWrappers.ts"
import { wrapped } from "../../src/worlds/wrappers/Wrapper.ts"
import { events } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"
import { environmentOn } from "./onKernel.ts"

const busStop = inRepository("packages/worlds/bus-stop")
const drift = inRepository("test/worlds/samples/drift")

/** A timetable without chance: a bus after a minute, for 20 seconds. */
const PUNCTUAL = { interval: 60, delay: 0, pace: 0 }
const agents = ["ann", "ben"]

/** What is ticked in the log, in milliseconds. */
const ticks = Effect.map(events("WorldTicked"), (all) => all.map(({ payload }) => payload.milliseconds))

describe("time in a world that moves by itself", () => {
  it.scopedLive("passes by the handle, within wrappers too, and what agents get for it is answered and recorded", () =>
    Effect.gen(function* () {
      const { run } = yield* Effect.flatMap(testKernel({ plugins: [busStop] }), ({ start }) => start)
      const scope = yield* Effect.scope
      const opened = yield* run(Scope.extend(World.open({ world: "bus-stop", agents, options: PUNCTUAL }), scope))
      expect(yield* Effect.flip(opened.tick(1))).toMatchObject({ _tag: "NoEpisode" })
      const world = Either.getOrThrow(wrapped(opened, TimeLimit(5)))
      yield* world.reset({ seed: 1 })
      expect(yield* world.tick(59_000)).toMatchObject({
        ann: { reward: -59 / 60, rewards: { waiting: -59 / 60 }, observation: { bus: 0, due: [1] }, terminated: false },
        ben: { reward: -59 / 60 },
      })
      yield* world.tick(1_000)
      expect(yield* world.observe("ben")).toMatchObject({ bus: 1 })
      expect(yield* world.step(1, "ann")).toMatchObject({ terminated: true, reward: 5 })
      expect(Object.keys(yield* world.tick(20_000))).toEqual(["ben"])
      for (const wrong of [0, -1, Number.NaN]) {
        expect(yield* Effect.flip(world.tick(wrong))).toMatchObject({ _tag: "InvalidOptions", of: "tick" })
      }
      expect(yield* run(ticks)).toEqual([59_000, 1_000, 20_000])
    }),
  )

  it.scopedLive("passes with the steps of HAL and PiaSE as their options say, which they need", () =>
    Effect.gen(function* () {
      const given = { plugin: "bus-stop", agents, options: PUNCTUAL }
      const { run, environment } = yield* environmentOn({ plugins: [busStop] }, given)
      for (const of of [
        (options: object) => Effect.asVoid(Hal.of(environment, options)),
        (options: object) => Effect.asVoid(PiaSE.of(environment, options)),
      ]) {
        expect((yield* Effect.flip(of({}))).message).toMatch(
          /tickMs: expected the milliseconds that a step takes, or 0: bus-stop moves by itself \(simulated_time\), found none/,
        )
        expect((yield* Effect.flip(of({ tickMs: -1 }))).message).toMatch(/tickMs/)
      }
      const hal = yield* Hal.of(environment, { tickMs: 60_000 })
      const pia = yield* PiaSE.of(environment, { tickMs: 5_000 })
      const byHand = yield* PiaSE.of(environment, { tickMs: 0 })
      yield* hal.reset()
      yield* hal.step("ann", { action_type: "step", parameters: { action: 0 } })
      expect((yield* hal.get_observation("ben")).sensor_data).toMatchObject({ observation: { bus: 1 } })
      yield* pia.step(1)
      yield* byHand.step(2)
      yield* environment.tick(2_000)
      expect(yield* run(ticks)).toEqual([60_000, 5_000, 2_000])
    }),
  )

  it.scopedLive("is refused where the world stands still between actions", () =>
    Effect.gen(function* () {
      const { run, environment } = yield* environmentOn({ plugins: [drift] }, { plugin: "drift" })
      yield* environment.reset()
      expect((yield* Effect.flip(environment.tick(10))).message).toMatch(
        /The environment of drift refused a tick: .*does not move by itself/,
      )
      expect((yield* Effect.flip(Hal.of(environment, { tickMs: 10 }))).message).toMatch(
        /tickMs: expected none: drift stands still between actions \(discrete_steps\), found 10/,
      )
      yield* Effect.flatMap(PiaSE.of(environment), (pia) => pia.step(1))
      expect(yield* run(ticks)).toEqual([])
    }),
  )
})
