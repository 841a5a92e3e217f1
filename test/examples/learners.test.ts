import { setImmediate } from "node:timers/promises"
import { beforeAll, describe, expect, it } from "vitest"
import blackjack from "../../packages/worlds/blackjack/world.ts"
import cartPole from "../../packages/worlds/cart-pole/world.ts"
import frozenLake from "../../packages/worlds/frozen-lake/world.ts"
import type { Json } from "../../src/plugins/author.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { inRepository } from "../repository.ts"
import { begin, type Played, played } from "../worlds/Episode.ts"

interface Transition {
  readonly observation: Json
  readonly action: Json
  readonly reward: number
  readonly next: Json
  readonly terminated: boolean
}

type Record = ReadonlyArray<Transition>

/** A learner of `examples/learners`. */
interface Learner {
  readonly name: string
  readonly world: string
  readonly batch: number
  readonly begin: () => object
  readonly learn: (knowledge: object, episodes: ReadonlyArray<Record>) => object
  readonly act: (
    knowledge: object,
    observation: Json,
    how: {
      readonly random: () => number
      readonly greedy: boolean
      readonly episode: number
      readonly episodes: number
    },
  ) => Json
}

let learners: { readonly [name: string]: Learner }

beforeAll(async () => {
  learners = (await import(inRepository("examples", "learners", "learners.mjs"))).LEARNERS
})

const learnerOf = (name: string): Learner => {
  const learner = learners[name]
  if (learner === undefined) throw new Error(`expected the learner ${name}, found ${Object.keys(learners).join(", ")}`)
  return learner
}

/** Plays an episode in this process, as a task would record it. */
const episodeOf = async (
  game: Played,
  learner: Learner,
  knowledge: object,
  seed: number,
  how: { readonly greedy: boolean; readonly episode: number; readonly episodes: number },
): Promise<Record> => {
  const chance = Generator.seeded([3, seed])
  const random = () => chance.random()
  const episode = await begin(game, seed)
  const record: Array<Transition> = []
  let observation = episode.first
  for (;;) {
    const action = learner.act(knowledge, observation, { random, ...how })
    const { observation: after, reward, terminated, truncated } = await episode.step(action)
    const isOver = terminated || truncated
    record.push({ observation, action, reward, next: isOver ? null : after, terminated })
    if (isOver) return record
    observation = after
  }
}

const trained = async (game: Played, name: string, seed: number, episodes: number): Promise<object> => {
  const learner = learnerOf(name)
  let knowledge = learner.begin()
  for (let first = 0; first < episodes; first += learner.batch) {
    const batch: Array<Record> = []
    for (let episode = first; episode < Math.min(first + learner.batch, episodes); episode++)
      batch.push(
        await episodeOf(game, learner, knowledge, seed * 1_000_000 + episode, { greedy: false, episode, episodes }),
      )
    knowledge = learner.learn(knowledge, batch)
    await setImmediate()
  }
  return knowledge
}

/** The mean return of a learner without exploration. */
const evaluated = async (game: Played, name: string, knowledge: object, episodes: number): Promise<number> => {
  let sum = 0
  for (let episode = 0; episode < episodes; episode++) {
    const how = { greedy: true, episode, episodes }
    const record = await episodeOf(game, learnerOf(name), knowledge, 900_000_000 + episode, how)
    for (const { reward } of record) sum += reward
    if (episode % 100 === 99) await setImmediate()
  }
  return sum / episodes
}

const lake = played("frozen-lake", frozenLake)

/** The best mean return in the lake of 4 × 4 within 100 steps. */
const OPTIMUM = 0.744

describe("the learners of the examples, which learn from records", { timeout: 120_000 }, () => {
  it.each([1, 2, 3])("q-learning comes within a twentieth of the optimum of the frozen lake, seed %i", async (seed) => {
    const before = await evaluated(lake, "q-learning", learnerOf("q-learning").begin(), 300)
    expect(before).toBeLessThan(0.1)
    const after = await evaluated(lake, "q-learning", await trained(lake, "q-learning", seed, 1000), 1000)
    expect(after).toBeGreaterThan(0.95 * OPTIMUM)
  })

  it.each([1, 2, 3])("sarsa crosses the frozen lake in more than half of its episodes, seed %i", async (seed) => {
    const after = await evaluated(lake, "sarsa", await trained(lake, "sarsa", seed, 2000), 500)
    expect(after).toBeGreaterThan(0.5)
  })

  it("the bandit of blackjack leaves the arms that lose, and loses little", async () => {
    const game = played("blackjack", blackjack)
    const knowledge = await trained(game, "bandit", 1, 3000)
    const { pulls } = knowledge as { readonly pulls: ReadonlyArray<number> }
    expect(pulls.reduce((sum, count) => sum + count, 0)).toBe(3000)
    // Who stops at 22 always goes over.
    expect(pulls.at(-1)).toBe(Math.min(...pulls))
    expect(pulls.at(-1)).toBeLessThan(100)
    expect(await evaluated(game, "bandit", knowledge, 3000)).toBeGreaterThan(-0.15)
  })

  it.each([1, 2, 3])("policy-gradient counts cart pole as solved after 100 episodes, seed %i", async (seed) => {
    const game = played("cart-pole", cartPole)
    const knowledge = await trained(game, "policy-gradient", seed, 100)
    expect(await evaluated(game, "policy-gradient", learnerOf("policy-gradient").begin(), 20)).toBeLessThan(50)
    expect(await evaluated(game, "policy-gradient", knowledge, 50)).toBeGreaterThan(450)
  })

  it.each(["q-learning", "sarsa", "bandit", "policy-gradient"])(
    "%s knows the same after the same record, and leaves what it knew before as it was",
    async (name) => {
      const learner = learnerOf(name)
      const game = {
        "frozen-lake": lake,
        blackjack: played("blackjack", blackjack),
        "cart-pole": played("cart-pole", cartPole),
      }[learner.world]
      if (game === undefined) throw new Error(`expected a world, found ${learner.world}`)
      const first = await trained(game, name, 5, 60)
      const kept = structuredClone(first)
      const more = await episodeOf(game, learner, first, 77, { greedy: false, episode: 60, episodes: 100 })
      const next = learner.learn(first, [more])
      expect(first).toEqual(kept)
      expect(next).not.toEqual(first)
      expect(await trained(game, name, 5, 60)).toEqual(first)
    },
  )
})
