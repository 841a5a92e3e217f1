import { Either } from "effect"
import { describe, expect, it } from "vitest"
import acrobot from "../../packages/worlds/acrobot/world.ts"
import blackjack from "../../packages/worlds/blackjack/world.ts"
import cartPole from "../../packages/worlds/cart-pole/world.ts"
import cliffWalking from "../../packages/worlds/cliff-walking/world.ts"
import corridor from "../../packages/worlds/corridor/world.ts"
import frozenLake from "../../packages/worlds/frozen-lake/world.ts"
import mountainCar from "../../packages/worlds/mountain-car/world.ts"
import mountainCarContinuous from "../../packages/worlds/mountain-car-continuous/world.ts"
import pendulum from "../../packages/worlds/pendulum/world.ts"
import taxi from "../../packages/worlds/taxi/world.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Rule from "../../src/kernel/rules/Rule.ts"
import type { JsonObject } from "../../src/plugins/author.ts"
import { begin, type Played, type Policy, played, returnOf } from "./Episode.ts"
import { episodesOf } from "./Golden.ts"
import { balance, swing, withVelocity } from "./policies.ts"

/** An event that no rule looks at. */
const SOME: Event = {
  position: 1,
  id: "event-1",
  timeline: "main",
  version: 1,
  stream: "task/t",
  type: "NoteAdded",
  schemaVersion: 1,
  taskId: "t",
  causationId: null,
  actor: "kernel",
  occurredAt: 0,
  recordedAt: 0,
  payload: {},
  hash: "",
}

/** The rewards and punishments whose rules hold in a state, apart from those that look at events. */
const holding = (game: Played, state: JsonObject): ReadonlyArray<string> =>
  game.measures
    .flatMap(({ rewards = [], punishments = [] }) => [...rewards, ...punishments])
    .flatMap(({ name, rule = "" }) => {
      const compiled = Either.getOrThrow(Rule.compile(rule))
      if (rule.startsWith("event.")) return []
      const held = compiled.evaluate({
        event: SOME,
        state: { environment: { [game.name]: state } },
        task: {},
        command: {},
        commands: [],
        elapsed: 0,
        counts: new Map(),
      })
      expect(held.kind, `${name}: ${rule}`).toBe("held")
      return held.kind === "held" && held.value ? [name] : []
    })

/** The actions of a golden episode, whose end is known. */
const asIn = (game: string, index: number): { seed: number; options: JsonObject; policy: Policy } => {
  const { seed, options, actions } = episodesOf(game)[index] ?? { seed: 0, options: {}, actions: [] }
  let next = 0
  return { seed, options, policy: () => actions[next++] ?? 0 }
}

const cart = played("cart-pole", cartPole)
const lake = played("frozen-lake", frozenLake)

describe("the measures of a world", () => {
  it.each([
    ["a pole that stays up", cart, { seed: 42, policy: balance() }, ["for 195 steps", "to the end", "within 6°"]],
    ["a pole that falls", cart, { seed: 42, policy: () => 1 }, ["fell", "leaned"]],
    [
      "a car at the flag",
      played("mountain-car", mountainCar),
      { seed: 42, policy: withVelocity() },
      ["at the flag", "halfway up"],
    ],
    [
      "a car at the flag that pushed with all its force",
      played("mountain-car-continuous", mountainCarContinuous),
      asIn("mountain-car-continuous", 2),
      ["at the flag", "halfway up", "for at most 10"],
    ],
    [
      "a player who stops at 7, and wins as the dealer goes over 21",
      played("blackjack", blackjack),
      { seed: 3, policy: () => 0 },
      ["won", "stopped early"],
    ],
    ["a player who always draws", played("blackjack", blackjack), { seed: 1, policy: () => 1 }, ["lost", "went over"]],
    ["a pendulum left alone", played("pendulum", pendulum), { seed: 42, policy: () => [0] }, ["still hanging"]],
    [
      "an acrobot above its line",
      played("acrobot", acrobot),
      { seed: 42, policy: swing() },
      ["above the line", "above the joint", "within 100 steps"],
    ],
    ["an agent across the lake", lake, asIn("frozen-lake", 0), ["at the goal", "within 30 steps"]],
    ["an agent in a hole", lake, asIn("frozen-lake", 2), ["fell in"]],
    ["a passenger who was delivered", played("taxi", taxi), asIn("taxi", 0), ["delivered", "within 20 steps"]],
    [
      "an agent past the cliff",
      played("cliff-walking", cliffWalking),
      asIn("cliff-walking", 0),
      ["at the goal", "by the shortest way", "never fell"],
    ],
    [
      "an agent at the end",
      played("corridor", corridor),
      { seed: 1, policy: () => 1 },
      ["at the end", "by the shortest way"],
    ],
  ] as const)("reward %s", async (_, game, { policy, ...how }, expected) => {
    const episode = await begin(game, how.seed, "options" in how ? how.options : {})
    await returnOf(episode, policy)
    expect(holding(game, episode.state())).toEqual(expected)
  })
})
