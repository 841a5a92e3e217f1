import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe, expect } from "vitest"
import manifest from "../../packages/worlds/bus-stop/looper-plugin.json" with { type: "json" }
import plugin from "../../packages/worlds/bus-stop/world.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import type { Json } from "../../src/values/Json.ts"
import { asObject } from "../../src/values/JsonObjects.ts"
import { drawText } from "../../src/views/drawText.ts"
import * as View from "../../src/views/View.ts"
import * as AgentGroup from "../../src/worlds/group/AgentGroup.ts"
import { events } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { inRepository } from "../repository.ts"
import { goesOnIdentically, play, spacesOf, survivesRandomActions } from "./trial.ts"

const [WAIT, BOARD, WALK] = [0, 1, 2] as const
const agents = ["ann", "ben"]

const stop = (options = {}) => {
  const played = play(plugin.environment, manifest, { agents, options })
  played.reset(1)
  return played
}

/** A timetable without chance: a bus after a minute, for 20 seconds. */
const PUNCTUAL = { interval: 60, delay: 0, pace: 0 }

describe("the bus stop", () => {
  it("moves by itself: a bus comes, stands and leaves while the passengers wait", () => {
    const played = stop(PUNCTUAL)
    expect(played.observe("ann")).toEqual({ bus: 0, seats: 0, due: [60], waited: [0], missed: [0] })
    expect(played.tick(59_000)).toEqual({
      ann: { reward: { waiting: -59 / 60 } },
      ben: { reward: { waiting: -59 / 60 } },
    })
    expect(played.mask("ann")).toEqual([1, 0, 1])
    played.tick(1_000)
    expect(played.observe("ann")).toMatchObject({ bus: 1, seats: 2, due: [0] })
    expect(played.mask("ann")).toEqual([1, 1, 1])
    played.tick(20_000)
    expect(played.observe("ann")).toEqual({ bus: 0, seats: 0, due: [40], waited: [80], missed: [1] })
  })

  it("who boards too late, or finds the bus full, waits on", () => {
    const played = stop({ ...PUNCTUAL, seats: 1 })
    expect(played.step({ ann: BOARD }).ann).toMatchObject({ info: { late: true } })
    played.tick(60_000)
    expect(played.step({ ann: BOARD, ben: BOARD })).toEqual({
      ann: { reward: { home: 5 }, terminated: true },
      ben: { reward: { waiting: 0 }, info: { late: true } },
    })
    expect(played.step({ ben: WALK })).toEqual({ ben: { reward: { home: -10 }, terminated: true } })
    expect(played.tick(60_000)).toEqual({})
  })

  it("is late by chance, as the seed has it, however its time is cut into ticks", () => {
    const arrivals = (seed: number, step: number) => {
      const played = play(plugin.environment, manifest, { agents, options: { delay: 300 } })
      played.reset(seed)
      for (let time = 0; time < 6_000; time += step) played.tick(step * 1_000)
      return played.state()
    }
    expect(arrivals(3, 1_000)).toEqual(arrivals(3, 250))
    expect(arrivals(3, 1_000)).not.toEqual(arrivals(4, 1_000))
  })

  it("goes on from a state, survives random actions and has the manifest's spaces", () => {
    goesOnIdentically(stop({ pace: 60 }), 1, 40)
    survivesRandomActions(stop(), 2000)
    survivesRandomActions(stop({ seats: 1, pace: 100, delay: 600 }), 1000)
    expect(stop().spaces("ann")).toEqual(spacesOf(manifest))
  })

  it("refuses options that no timetable has, and ticks that are none", () => {
    for (const options of [{ interval: 1 }, { seats: 1.5 }, { delay: "long" }])
      expect(() => stop(options)).toThrowError(/The option .*: expected/)
    for (const milliseconds of [-1, Number.NaN, 1e15]) expect(() => stop().tick(milliseconds)).toThrowError("Expected")
  })

  it("draws itself", () => {
    const played = stop(PUNCTUAL)
    played.tick(65_000)
    played.step({ ann: BOARD })
    const view = Either.getOrThrow(View.decode(manifest.peas.environment.view as Json))
    expect(drawText(view, played.state(), { columns: 60 })).toEqual([
      "Minute 1.1. A bus stands at the stop. 0 left.",
      "",
      "passenger  is     waited  missed",
      "ann        rides      65       0",
      "ben        waits      65       0",
    ])
  })

  it.scopedLive(
    "is waited at by a group whose time passes by ticks, by the options of its file, the same each time",
    () =>
      Effect.gen(function* () {
        const policy = ({ "bus-stop/observation": seen }: { readonly [sensor: string]: Json }) => {
          const { bus, seats } = asObject(seen)
          return { act: "bus-stop/step", args: { action: bus === 1 && Number(seats) > 0 ? BOARD : WAIT } }
        }
        const passenger = Agent.fromPolicy({ name: "passenger", version: "1", policy })
        const group = AgentGroup.make({
          name: "queue",
          version: "1",
          world: "bus-stop",
          ticks: 10_000,
          agents: { ann: passenger, ben: passenger, cat: passenger },
        })
        const plugins = [inRepository("packages", "worlds", "bus-stop")]
        const { run } = yield* Effect.flatMap(testKernel({ plugins }), ({ start }) => start)
        const kernel = yield* run(Kernel)
        const options = { goal: "Get home", seed: 5, agents: ["ann", "ben", "cat"] }
        const audit = yield* kernel.tasks.run(group, options)
        expect(audit.outcome).toBe("achieved")
        const [reset] = yield* run(events("EnvironmentReset"))
        expect(reset?.payload.options).toEqual({ interval: 300, delay: 120, dwell: 20, seats: 2, pace: 10 })
        const ticked = yield* run(events("WorldTicked"))
        expect(ticked.length).toBeGreaterThan(20)
        expect(ticked[0]?.payload).toMatchObject({ plugin: "bus-stop", milliseconds: 10_000 })
        const rewards = audit.scores
          .find(({ label }) => label === "live")
          ?.measures.flatMap((measure) => [
            ...measure.rewards.map(({ name, amount }) => [name, amount] as const),
            ...measure.punishments.map(({ name, amount }) => [name, amount] as const),
          ])
        // The bus has two seats: the third passenger takes the next one.
        expect(rewards).toEqual([
          ["all on their way", 1],
          ["all by bus", 0.5],
          ["missed", 0.1],
        ])
        const again = yield* kernel.tasks.run(group, options)
        expect([again.outcome, again.steps]).toEqual([audit.outcome, audit.steps])
      }),
  )
})
