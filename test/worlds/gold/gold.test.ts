import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Tools from "../../../src/plugins/sandbox/Tools.ts"
import { inRepository } from "../../repository.ts"
import { playGold } from "./episodes.ts"

const STEPS = {
  acrobot: 1500,
  blackjack: 234,
  cartpole: 92,
  cliffwalking: 88,
  cliffwalking_slippery: 532,
  frozenlake: 95,
  frozenlake_8x8: 94,
  frozenlake_notslippery: 12,
  mountaincar: 600,
  mountaincarcontinuous: 478,
  pendulum: 600,
  taxi: 600,
  taxi_masked: 600,
  taxi_rainy_fickle: 600,
}

describe("worlds after Gymnasium", () => {
  it("go as Gymnasium's, to the last bit, in Node", async () => {
    expect(await playGold()).toEqual({ steps: STEPS, deviations: [] })
  })

  it("go as Gymnasium's, to the last bit, in Deno", async () => {
    const { deno } = await Effect.runPromise(Tools.find)
    const args = ["run", "--no-config", "--no-lock", "--no-check", "--no-remote", "--allow-read"]
    const { stdout } = await promisify(execFile)(deno, [...args, inRepository("test", "worlds", "gold", "inDeno.ts")])
    expect(JSON.parse(stdout)).toEqual({ steps: STEPS, deviations: [] })
  })
})
