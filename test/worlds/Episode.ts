/**
 * Plays worlds of `packages/worlds` in the test's own process, as the runner plays them in theirs: seeds, spaces and the
 * limit of steps are what the manifest and Hindcast say they are.
 */
import * as fs from "node:fs"
import { setImmediate } from "node:timers/promises"
import type { World, WorldContext } from "../../packages/worlds/author.ts"
import type { Json, JsonObject, Space } from "../../src/plugins/author.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { contains } from "../../src/plugins/spaces/Space.ts"
import { inRepository } from "../repository.ts"

/** A world with what its manifest says of it. */
export interface Played {
  readonly name: string
  readonly world: World
  readonly observation: Space
  readonly action: Space
  readonly limit: number | undefined
}

/** The world of that name. `entry` is what its module exports by default. */
export const played = (name: string, { environment }: { readonly environment: World }): Played => {
  const file = inRepository("packages", "worlds", name, "looper-plugin.json")
  const { spaces, max_episode_steps } = JSON.parse(fs.readFileSync(file, "utf8")).peas.environment
  return { name, world: environment, ...spaces, limit: max_episode_steps }
}

export const contextOf = (rng: Generator.StatefulGenerator): WorldContext => ({
  agent: "agent",
  agents: ["agent"],
  rng,
  variables: {},
  metadata: {},
  log: () => {},
  signal: new AbortController().signal,
  random: Math.random,
  now: 0,
  workspace: "/",
  precomputed: null,
  run: () => Promise.reject(new Error("A world asks the host for nothing.")),
  readFile: () => Promise.reject(new Error("A world asks the host for nothing.")),
  writeFile: () => Promise.reject(new Error("A world asks the host for nothing.")),
  fetch: () => Promise.reject(new Error("A world asks the host for nothing.")),
  progress: () => {},
  emit: () => Promise.reject(new Error("A world asks the host for nothing.")),
})

/** What a step comes to. */
export interface Stepped {
  readonly observation: Json
  readonly reward: number
  readonly terminated: boolean
  readonly truncated: boolean
  readonly info: JsonObject
}

/** An episode under way. */
export interface Episode {
  readonly rng: Generator.StatefulGenerator
  readonly spaces: { readonly observation: Space; readonly action: Space }
  readonly first: Json
  readonly info: JsonObject
  readonly mask: () => Promise<Json>
  readonly step: (action: Json) => Promise<Stepped>
}

/** Begins an episode; every observation of it is held to its space. */
export const begin = async (
  { name, world, observation, action, limit }: Played,
  seed: Generator.StatefulGenerator | number,
  options: JsonObject = {},
): Promise<Episode> => {
  const rng = typeof seed === "number" ? Generator.seeded(seed) : seed
  const context = contextOf(rng)
  const spaces = world.spaces?.(options) ?? { observation, action }
  let steps = 0
  const observed = async () => {
    const value = await world.observe(context)
    const outside = contains(spaces.observation, value)
    if (outside !== undefined) throw new Error(`${name}: ${JSON.stringify(value)} is outside its space: ${outside}`)
    return value
  }
  const answer = await world.reset(context, options)
  const first = await observed()
  const info = (typeof answer === "object" && answer.info) || {}
  return {
    rng,
    spaces,
    first,
    info,
    mask: async () => (await world.mask?.(context)) ?? null,
    step: async (choice) => {
      const { reward, terminated = false, truncated = false, info = {} } = await world.step(context, choice)
      steps += 1
      if (typeof reward !== "number") throw new Error(`${name}: expected one reward, found ${JSON.stringify(reward)}`)
      return { observation: await observed(), reward, terminated, truncated: truncated || steps === limit, info }
    },
  }
}

/** How an agent acts on what it is shown. */
export type Policy = (observation: Json) => Json

/** Plays an episode to its end, or to a number of steps; returns the sum of its rewards. */
export const returnOf = async (episode: Episode, policy: Policy, most = Number.POSITIVE_INFINITY): Promise<number> => {
  let observation = episode.first
  let sum = 0
  for (let step = 0; step < most; step++) {
    const result = await episode.step(policy(observation))
    observation = result.observation
    sum += result.reward
    if (result.terminated || result.truncated) break
  }
  return sum
}

/** The mean return of a policy over that many episodes, which all draw from one generator. */
export const meanReturn = async (
  game: Played,
  episodes: number,
  policy: (rng: Generator.StatefulGenerator) => Policy,
  options: JsonObject = {},
): Promise<number> => {
  const rng = Generator.seeded(1)
  const choose = policy(Generator.seeded(2))
  let sum = 0
  for (let index = 1; index <= episodes; index++) {
    sum += await returnOf(await begin(game, rng, options), choose)
    // Promises alone would not let the test runner do anything for minutes.
    if (index % 500 === 0) await setImmediate()
  }
  return sum / episodes
}

/** A policy that takes each of `n` actions as often. */
export const anyOf =
  (n: number) =>
  (rng: Generator.StatefulGenerator): Policy =>
  () =>
    rng.integers(n)

/** The numbers of an observation of a Box. */
export const numbersOf = (observation: Json): ReadonlyArray<number> =>
  Array.isArray(observation) ? observation.map(Number) : []
