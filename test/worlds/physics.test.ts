import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Json, WorldPlugin } from "hindcast/plugin"
import { beforeAll, describe, expect, it } from "vitest"
import manifest from "../../packages/worlds/physics/looper-plugin.json" with { type: "json" }
import { goesOnIdentically, isIn, play, refuses, survivesRandomActions } from "./trial.ts"

const [NOTHING, LEFT, MAIN, RIGHT] = [0, 1, 2, 3] as const

let plugin: WorldPlugin

beforeAll(async () => {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../packages/worlds/vendor.mjs", import.meta.url))])
  plugin = (await import("../../packages/worlds/physics/world.ts")).default
})

const lander = (options = {}) => play(plugin.environment, manifest, { options })

/** Numbers of an observation. */
const seen = (observation: Json): ReadonlyArray<number> => JSON.parse(JSON.stringify(observation))

/** A simple pilot: it turns the lander towards the pad, and brakes the faster it falls. */
const pilot = ([x = 0, y = 0, vx = 0, vy = 0, angle = 0, spin = 0]: ReadonlyArray<number>): number => {
  const lean = Math.max(-0.3, Math.min(0.3, 0.08 * x + 0.25 * vx))
  const turn = lean - angle - spin
  if (vy < -0.35 - 0.12 * y && Math.abs(angle) < 0.6) return MAIN
  if (turn > 0.08) return RIGHT
  return turn < -0.08 ? LEFT : NOTHING
}

/** Flies until the flight is over; answers with its last step and the number of steps. */
const fly = (seed: number, choose: (observation: ReadonlyArray<number>) => number) => {
  const played = lander()
  played.reset(seed)
  for (let steps = 1; steps <= 1000; steps++) {
    const observation = seen(played.observe("agent"))
    const { agent: step } = played.step({ agent: choose(observation) })
    isIn(played.spaces("agent").observation, played.observe("agent"))
    if (step?.terminated) return { ...step, steps, state: played.state(), played }
  }
  return expect.fail("the flight does not end")
}

describe("the lander", () => {
  it("crashes where nobody steers it, and refuses to fly on", () => {
    const { played, ...flight } = fly(1, () => NOTHING)
    expect(flight).toMatchObject({ outcome: "failed", info: { status: "crashed" }, reward: { landing: -100 } })
    refuses(played, { agent: NOTHING })
  })

  it("lands on the pad where a simple pilot flies it, from most starts", () => {
    const flights = Array.from({ length: 4 }, (_, seed) => fly(seed, pilot))
    const landed = flights.filter(({ outcome }) => outcome === "achieved")
    expect(landed.length).toBeGreaterThanOrEqual(3)
    expect(landed[0]).toMatchObject({ state: { status: "landed" }, reward: { landing: 100 } })
  })

  it("is astray where its engine never stops", () => {
    expect(fly(2, () => MAIN).info).toEqual({ status: "astray" })
  })

  it("comes to the same numbers on every platform", () => {
    const played = lander()
    played.reset(42)
    for (let step = 0; step < 60; step++) played.step({ agent: [NOTHING, LEFT, MAIN, RIGHT][step % 4] ?? NOTHING })
    expect(seen(played.observe("agent"))).toEqual([
      0.9342607259750366, 6.391073226928711, -0.0735056921839714, -2.0129971504211426, -0.06149942800402641, 0, 0, 0,
    ])
  })

  it("goes on from its snapshot as if nothing had happened, in flight and on the ground", () => {
    goesOnIdentically(lander(), 60, 100)
    const { steps } = fly(3, pilot)
    const played = lander()
    played.reset(3)
    const last = (rounds: number) => {
      for (let round = 0; round < rounds; round++) played.step({ agent: pilot(seen(played.observe("agent"))) })
      return played.state()
    }
    const before = last(steps - 8)
    expect(before).toMatchObject({ lander: { left: true, right: true }, status: "flying" })
    const after = last(7)
    played.restore(before, played.rng())
    expect(last(7)).toEqual(after)
  })

  it("survives random actions, legal and not", () => {
    survivesRandomActions(lander(), 600)
  })

  it("refuses options that it does not know, and a state that is none", () => {
    expect(() => lander({ boulders: 99 }).reset(1)).toThrowError("The option boulders: expected")
    const played = lander()
    played.reset(1)
    expect(() => played.restore({ ...played.state(), status: "sunk" }, played.rng())).toThrowError("Expected the state")
    expect(played.state().status).toBe("flying")
  })
})
