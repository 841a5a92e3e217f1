/**
 * Plays worlds of `packages/worlds` in the test's own process, as the runner plays them in theirs: with the spaces and the
 * limit of steps of their manifest, and the runner's own bookkeeping of an episode.
 */
import * as fs from "node:fs"
import { setImmediate } from "node:timers/promises"
import { Either } from "effect"
import type { Json, JsonObject, Space, World, WorldContext } from "../../src/plugins/author.ts"
import { elementary } from "../../src/plugins/elementary/Elementary.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import * as Run from "../../src/plugins/runner/world/Episode.ts"
import { contains } from "../../src/plugins/spaces/Space.ts"
import { inRepository } from "../repository.ts"

/** A world with what its manifest says of it. */
export interface Played {
  readonly name: string
  readonly world: World
  readonly facts: Manifest.WorldFacts
  readonly measures: Manifest.Manifest["peas"]["performance"]
}

/** The world of that name; `plugin` is what its entry exports. */
export const played = (name: string, { environment }: { readonly environment: World }): Played => {
  const file = inRepository("packages", "worlds", name, "looper-plugin.json")
  const { manifest } = Either.getOrThrow(Manifest.decode(JSON.parse(fs.readFileSync(file, "utf8")), { lenient: true }))
  const facts = Manifest.worldOf(manifest)
  if (facts === undefined) throw new Error(`${file}: expected spaces`)
  return { name, world: environment, facts, measures: manifest.peas.performance }
}

const nothing = () => Promise.reject(new Error("A world asks the host for nothing."))

/** The agent of a world for one. */
const AGENT = "agent"

/** The context of the functions of a world that draws from `rng`. */
export const contextOf = (rng: WorldContext["rng"]): WorldContext => ({
  agent: AGENT,
  agents: [AGENT],
  seed: null,
  rng,
  variables: {},
  metadata: {},
  now: 0,
  workspace: "/",
  precomputed: null,
  commandId: null,
  signal: new AbortController().signal,
  log: () => {},
  random: () => 0,
  math: elementary,
  progress: () => {},
  run: nothing,
  readFile: nothing,
  writeFile: nothing,
  fetch: nothing,
  emit: nothing,
})

/** What a step comes to. */
export interface Stepped {
  readonly observation: Json
  readonly reward: number
  readonly terminated: boolean
  readonly truncated: boolean
  readonly outcome?: string
  readonly info: JsonObject
}

/** An episode under way. Actions and observations outside their spaces are refused, as by the runner. */
export interface Episode {
  readonly action: Space
  readonly first: Json
  readonly info: JsonObject
  readonly observe: () => Promise<Json>
  readonly mask: () => Promise<Json>
  readonly step: (action: Json) => Promise<Stepped>
  /** The document as the log has it. */
  readonly state: () => JsonObject
}

/** Begins an episode. */
export const begin = async (game: Played, seed: number, options: JsonObject = {}): Promise<Episode> => {
  const episode = Run.begin(seed, [AGENT])
  const spaces = game.world.spaces?.(options)
  for (const agent of episode.agents.values()) if (spaces !== undefined) agent.spaces = spaces
  const answer = await game.world.reset(contextOf(episode.rng), options)
  return playing(game, episode, (typeof answer === "object" && answer.info) || {})
}

/** Goes on from a document. */
export const restored = async (game: Played, options: JsonObject, document: JsonObject): Promise<Episode> => {
  const { episode: recorded, ...own } = document
  const episode = Run.decode(recorded as JsonObject)
  await game.world.restore?.(contextOf(episode.rng), options, own)
  return playing(game, episode, {})
}

const playing = async ({ world, facts }: Played, episode: Run.Episode, info: JsonObject): Promise<Episode> => {
  const worldContext = contextOf(episode.rng)
  const spaces = episode.agents.get(AGENT)?.spaces ?? facts.spaces
  const observe = async () => {
    const observation = await world.observe(worldContext)
    const wrong = contains(spaces.observation, observation)
    if (wrong !== undefined) throw Object.assign(new Error(wrong), { code: "ObservationOutsideSpace" })
    return observation
  }
  const step = async (action: Json): Promise<Stepped> => {
    Run.assertActive(episode, AGENT)
    const wrong = contains(spaces.action, action)
    if (wrong !== undefined) throw Object.assign(new Error(wrong), { code: "ActionOutsideSpace" })
    const result = await world.step(worldContext, action)
    episode.step += 1
    if (typeof result.reward !== "number")
      throw new Error(`expected one reward, found ${JSON.stringify(result.reward)}`)
    const stepped = {
      terminated: false,
      info: {},
      ...result,
      reward: result.reward,
      truncated: result.truncated === true || episode.step === facts.maxSteps,
    }
    Run.credit(episode, AGENT, { ...stepped, rewards: {} })
    return { ...stepped, observation: await observe() }
  }
  return {
    action: spaces.action,
    first: await observe(),
    info,
    observe,
    step,
    mask: async () => (await world.mask?.(worldContext)) ?? null,
    state: () => JSON.parse(JSON.stringify({ ...world.state(), episode: Run.encode(episode) })),
  }
}

/** How an agent acts on what it is shown. */
export type Policy = (observation: Json) => Json

/** Plays an episode to its end; returns the sum of its rewards. */
export const returnOf = async (episode: Episode, policy: Policy): Promise<number> => {
  let sum = 0
  let observation = episode.first
  for (;;) {
    const result = await episode.step(policy(observation))
    observation = result.observation
    sum += result.reward
    if (result.terminated || result.truncated) return sum
  }
}

/** The mean return of a policy over that many episodes, with the seeds 0, 1, 2 … */
export const meanReturn = async (
  game: Played,
  episodes: number,
  policy: (rng: Generator.StatefulGenerator) => Policy,
  options: JsonObject = {},
): Promise<number> => {
  const choose = policy(Generator.seeded([1, 2]))
  let sum = 0
  for (let seed = 0; seed < episodes; seed++) {
    sum += await returnOf(await begin(game, seed, options), choose)
    // Promises alone would not let the test runner do anything for minutes.
    if (seed % 500 === 499) await setImmediate()
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
