/**
 * Plays our worlds along the episodes of `test/golden/worlds/gold.json.gz`, which Gymnasium 1.4.0 played with numpy 2.4.6 on Linux x86-64. Loads
 * in Node and in Deno: no module here imports a package.
 */
import * as fs from "node:fs"
import * as zlib from "node:zlib"
import acrobot from "../../../packages/worlds/acrobot/world.ts"
import blackjack from "../../../packages/worlds/blackjack/world.ts"
import cartPole from "../../../packages/worlds/cart-pole/world.ts"
import cliffWalking from "../../../packages/worlds/cliff-walking/world.ts"
import frozenLake from "../../../packages/worlds/frozen-lake/world.ts"
import mountainCar from "../../../packages/worlds/mountain-car/world.ts"
import mountainCarContinuous from "../../../packages/worlds/mountain-car-continuous/world.ts"
import pendulum from "../../../packages/worlds/pendulum/world.ts"
import taxi from "../../../packages/worlds/taxi/world.ts"
import type { Json, JsonObject, World, WorldContext } from "../../../src/plugins/author.ts"
import { elementary } from "../../../src/plugins/elementary/Elementary.ts"
import * as Generator from "../../../src/plugins/numpy/Generator.ts"

/** Action, observation, reward, terminated, truncated. */
type GoldStep = readonly [Json, Json, number, boolean, boolean]

interface Gold {
  readonly options: JsonObject
  /** Episode 0 begins with the seed; a later one continues the generator. */
  readonly episodes: ReadonlyArray<{
    readonly seed: number
    readonly episode: number
    readonly reset: Json
    readonly steps: ReadonlyArray<GoldStep>
  }>
}

const WORLDS: { readonly [file: string]: World } = {
  acrobot: acrobot.environment,
  blackjack: blackjack.environment,
  cartpole: cartPole.environment,
  cliffwalking: cliffWalking.environment,
  cliffwalking_slippery: cliffWalking.environment,
  frozenlake: frozenLake.environment,
  frozenlake_8x8: frozenLake.environment,
  frozenlake_notslippery: frozenLake.environment,
  mountaincar: mountainCar.environment,
  mountaincarcontinuous: mountainCarContinuous.environment,
  pendulum: pendulum.environment,
  taxi: taxi.environment,
  taxi_masked: taxi.environment,
  taxi_rainy_fickle: taxi.environment,
}

const file = new URL("../../golden/worlds/gold.json.gz", import.meta.url)

const context = (rng: Generator.StatefulGenerator) =>
  ({ rng, math: elementary, agent: "agent", agents: ["agent"] }) as unknown as WorldContext

/** How many steps of each world were played, and the first steps that are not those of Gymnasium, to the last bit. */
export const playGold = async (): Promise<{
  readonly steps: { readonly [file: string]: number }
  readonly deviations: ReadonlyArray<string>
}> => {
  const gold: { readonly [file: string]: Gold } = JSON.parse(zlib.gunzipSync(fs.readFileSync(file)).toString())
  const steps: { [file: string]: number } = {}
  const deviations: Array<string> = []
  for (const [name, { options, episodes }] of Object.entries(gold)) {
    const world = WORLDS[name]
    if (world === undefined) throw new Error(`expected a world for ${name}, found none`)
    steps[name] = 0
    let rng = Generator.seeded(0)
    for (const { seed, episode, reset, steps: expected } of episodes) {
      if (episode === 0) rng = Generator.seeded(seed)
      const given = context(rng)
      await world.reset(given, options)
      const deviates = (where: string, found: unknown, wanted: unknown) => {
        const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)]
        if (one !== other)
          deviations.push(`${name}, seed ${seed}, episode ${episode}, ${where}: expected ${other}, found ${one}`)
        return one !== other
      }
      if (deviates("reset", await world.observe(given), reset)) continue
      for (const [index, [action, ...wanted]] of expected.entries()) {
        const { reward, terminated = false } = await world.step(given, action)
        steps[name] += 1
        const found = [await world.observe(given), reward, terminated]
        // A limit of steps is Hindcast's work, not the world's.
        if (deviates(`step ${index + 1}`, found, wanted.slice(0, 3))) break
      }
    }
  }
  return { steps, deviations }
}
