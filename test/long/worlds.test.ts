/**
 * The returns that the field knows for its worlds, over enough episodes to tell a small change of a rule: the allowed
 * error is a few standard errors of the mean.
 */
import { describe, expect, it } from "vitest"
import acrobot from "../../packages/worlds/acrobot/world.ts"
import cartPole from "../../packages/worlds/cart-pole/world.ts"
import corridor from "../../packages/worlds/corridor/world.ts"
import frozenLake from "../../packages/worlds/frozen-lake/world.ts"
import mountainCar from "../../packages/worlds/mountain-car/world.ts"
import pendulum from "../../packages/worlds/pendulum/world.ts"
import type { JsonObject } from "../../src/plugins/author.ts"
import { anyOf, meanReturn, type Played, played } from "../worlds/Episode.ts"
import { anyTorque, balance, swing, withVelocity } from "../worlds/policies.ts"

type Policy = Parameters<typeof meanReturn>[2]

interface Reference {
  readonly game: Played
  readonly who: string
  readonly policy: Policy
  readonly episodes: number
  readonly expected: number
  readonly error: number
  readonly options?: JsonObject
}

const references: ReadonlyArray<Reference> = [
  {
    game: played("cart-pole", cartPole),
    who: "at random",
    policy: anyOf(2),
    episodes: 60_000,
    expected: 22.4,
    error: 0.25,
  },
  { game: played("cart-pole", cartPole), who: "balancing", policy: balance, episodes: 3000, expected: 482, error: 4 },
  {
    game: played("mountain-car", mountainCar),
    who: "at random",
    policy: anyOf(3),
    episodes: 2000,
    expected: -200,
    error: 0.1,
  },
  {
    game: played("mountain-car", mountainCar),
    who: "with its velocity",
    policy: withVelocity,
    episodes: 10_000,
    expected: -119.5,
    error: 1,
  },
  {
    game: played("pendulum", pendulum),
    who: "at random",
    policy: anyTorque,
    episodes: 10_000,
    expected: -1226,
    error: 14,
  },
  { game: played("acrobot", acrobot), who: "swinging", policy: swing, episodes: 1000, expected: -81, error: 3 },
  {
    game: played("frozen-lake", frozenLake),
    who: "at random",
    policy: anyOf(4),
    episodes: 100_000,
    expected: 0.0139,
    error: 0.0015,
  },
  {
    game: played("frozen-lake", frozenLake),
    who: "at random, 8 × 8",
    policy: anyOf(4),
    episodes: 60_000,
    expected: 0.0019,
    error: 0.0007,
    options: { map_name: "8x8" },
  },
  {
    game: played("corridor", corridor),
    who: "at random",
    policy: anyOf(2),
    episodes: 60_000,
    expected: -20,
    error: 0.3,
  },
]

describe("the mean return", () => {
  it.each(references.map((reference) => [reference.game.name, reference.who, reference] as const))(
    "of %s, %s, is the one that the field knows",
    async (_, __, { game, policy, episodes, expected, error, options }) => {
      const mean = await meanReturn(game, episodes, policy, options)
      expect(Math.abs(mean - expected), `expected ${expected} ± ${error}, found ${mean}`).toBeLessThan(error)
    },
  )
})
