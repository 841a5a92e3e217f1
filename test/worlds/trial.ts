/**
 * Trials that a world passes, run on its module, without a process: random actions, legal and not, and going on from a
 * state. A world for one agent is played as one in which the agent `agent` alone acts.
 */
import type { Json, JsonObject, MultiAgentWorld, Space, Spaces, Step, World, WorldContext } from "hindcast/plugin"
import { expect } from "vitest"
import { elementary } from "../../src/plugins/elementary/Elementary.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { contains, flaws, sample } from "../../src/plugins/spaces/Space.ts"

/** A world as the trials play it. */
export interface Played {
  readonly reset: (seed: number) => void
  readonly observe: (agent: string) => Json
  readonly mask: (agent: string) => Json | undefined
  readonly step: (actions: JsonObject) => { readonly [agent: string]: Step }
  readonly tick: (milliseconds: number) => unknown
  readonly state: () => JsonObject
  /** Puts the world into a state, and the generator of its context into that of the time of the state. */
  readonly restore: (state: JsonObject, rng: unknown) => void
  readonly rng: () => unknown
  readonly spaces: (agent: string) => Spaces
  readonly agents: ReadonlyArray<string>
  readonly join: (agent: string) => void
  readonly leave: (agent: string) => void
}

/** What a trial plays with. */
export interface Setting {
  readonly options?: JsonObject
  readonly agents?: ReadonlyArray<string>
}

/** A world with its context. `manifest` is the plugin's, with the spaces of a world that does not compute its own. */
export const play = (
  world: World | MultiAgentWorld,
  manifest: { readonly peas: { readonly environment: { readonly spaces: unknown } } },
  { options = {}, agents = ["agent"] }: Setting = {},
): Played => {
  let rng = Generator.seeded(0)
  const context = (agent = "agent"): WorldContext => ({
    variables: {},
    metadata: {},
    log: () => {},
    signal: new AbortController().signal,
    math: elementary,
    random: () => {
      throw new Error("A world draws from its generator.")
    },
    now: 0,
    workspace: "/",
    precomputed: null,
    commandId: null,
    run: refuse,
    readFile: refuse,
    writeFile: refuse,
    fetch: refuse,
    progress: () => {},
    emit: refuse,
    agent,
    agents,
    rng,
    seed: null,
  })
  const spacesByAgent = new Map<string, Spaces>()
  return {
    agents,
    reset: (seed) => {
      rng = Generator.seeded(seed)
      world.reset(context(), options)
    },
    observe: (agent) => now(world.observe(context(agent))),
    mask: (agent) => now(world.mask?.(context(agent))),
    step: (actions) =>
      isForMany(world)
        ? now(world.step(context(), actions))
        : { agent: now(world.step(context(), actions.agent ?? null)) },
    tick: (milliseconds) => (isForMany(world) ? world.tick?.(context(), milliseconds) : undefined),
    // As through the log: what JSON does not carry is lost.
    state: () => JSON.parse(JSON.stringify(world.state())),
    restore: (state, generator) => {
      rng = Generator.restored(generator)
      world.restore?.(context(), options, state)
    },
    rng: () => rng.state(),
    spaces: (agent) => {
      const known = spacesByAgent.get(agent)
      if (known !== undefined) return known
      const computed = isForMany(world) ? world.spaces?.(options, agent) : world.spaces?.(options)
      const spaces = computed ?? spacesOf(manifest)
      spacesByAgent.set(agent, spaces)
      return spaces
    },
    join: (agent) => isForMany(world) && world.join?.(context(agent), agent),
    leave: (agent) => isForMany(world) && world.leave?.(context(agent), agent),
  }
}

/** The spaces that a manifest declares. */
export const spacesOf = (manifest: { readonly peas: { readonly environment: { readonly spaces: unknown } } }): Spaces =>
  // A manifest is a JSON module, whose type has `string` where a space has one of a few texts.
  manifest.peas.environment.spaces as Spaces

/** Actions for all agents, drawn from their spaces. */
export const randomActions = (played: Played, agents: ReadonlyArray<string>, rng: Generator.StatefulGenerator) =>
  Object.fromEntries(agents.map((agent) => [agent, sample(played.spaces(agent).action, rng)]))

const isForMany = (world: World | MultiAgentWorld): world is MultiAgentWorld => world.mode !== undefined

/** The answer of a world that answers at once, as the trials need it. */
const now = <Value>(answer: Value | Promise<Value>): Value => {
  if (answer instanceof Promise) throw new Error("Expected an answer at once, found a promise.")
  return answer
}

const refuse = () => Promise.reject(new Error("A world asks the host for nothing."))

const ILLEGAL: ReadonlyArray<Json> = [-1, 1e9, 0.5, "north", null, [], {}, true]

/**
 * Plays `rounds` rounds of random actions, and asks before each of ten for one that is illegal. Every observation is in
 * its space, every reward finite; a refusal is an error with a code that leaves the state as it was.
 */
export const survivesRandomActions = (played: Played, rounds: number, illegal = ILLEGAL): void => {
  const rng = Generator.seeded(4711)
  for (const agent of played.agents)
    expect([...flaws(played.spaces(agent).observation), ...flaws(played.spaces(agent).action)]).toEqual([])
  let episode = 0
  let active: ReadonlyArray<string> = []
  for (let round = 0; round < rounds; round++) {
    if (active.length === 0) {
      played.reset(episode++)
      active = played.agents
      for (const agent of active) isIn(played.spaces(agent).observation, played.observe(agent))
    }
    if (round % 10 === 0) refuses(played, { [active[0] ?? ""]: illegal[(round / 10) % illegal.length] ?? null })
    const steps = played.step(randomActions(played, active, rng))
    for (const agent of active) {
      isIn(played.spaces(agent).observation, played.observe(agent))
      const reward = steps[agent]?.reward
      const rewards = typeof reward === "number" ? [reward] : Object.values(reward ?? { none: Number.NaN })
      if (!rewards.every(Number.isFinite)) expect.fail(`a reward of ${JSON.stringify(reward)} for ${agent}`)
    }
    active = active.filter((agent) => !steps[agent]?.terminated && !steps[agent]?.truncated)
  }
  expect(episode).toBeGreaterThan(1)
}

/** That a round of these actions is refused, and changes nothing. */
export const refuses = (played: Played, actions: JsonObject): void => {
  const before = played.state()
  expect(() => played.step(actions), JSON.stringify(actions)).toThrowError(
    expect.objectContaining({ code: expect.stringMatching(/^[a-z-]+$/) }),
  )
  expect(played.state()).toEqual(before)
}

/** That a value is in a space. */
export const isIn = (space: Space, value: Json): void => {
  const mismatch = contains(space, value)
  if (mismatch !== undefined) expect.fail(`${mismatch}: ${JSON.stringify(value)}`)
}

/**
 * Plays some rounds, keeps the state, plays on, goes back to that state, and plays the same again: observations, rewards
 * and states are the same.
 */
export const goesOnIdentically = (played: Played, before: number, after: number): void => {
  const choices = Generator.seeded(99)
  /** What is seen in some rounds, and who is active after them. */
  const walk = (rounds: number, from: ReadonlyArray<string>, rng: Generator.StatefulGenerator) => {
    const seen = []
    let active = from
    for (let round = 0; round < rounds && active.length > 0; round++) {
      const steps = played.step(randomActions(played, active, rng))
      seen.push(steps, played.agents.map(played.observe), played.state())
      active = active.filter((agent) => !steps[agent]?.terminated && !steps[agent]?.truncated)
    }
    return { seen, active }
  }
  played.reset(7)
  const { active } = walk(before, played.agents, choices)
  const [state, generator, chosen] = [played.state(), played.rng(), choices.state()]
  const observations = played.agents.map(played.observe)
  const first = walk(after, active, choices)
  played.restore(state, generator)
  expect(played.state()).toEqual(state)
  expect(played.agents.map(played.observe)).toEqual(observations)
  expect(walk(after, active, Generator.restored(chosen))).toEqual(first)
  expect(first.seen.length).toBeGreaterThan(0)
}
