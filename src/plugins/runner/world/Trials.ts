/** Trials of a search: rounds in a world that nobody lives in. They end when no agent can act, or at a refusal. */

import type { Json, PluginContext, Space } from "../../author.ts"
import * as Generator from "../../numpy/Generator.ts"
import { sample } from "../../spaces/Space.ts"
import type { Trial } from "../HostFrame.ts"
import { isThenable } from "../Outcome.ts"
import type { RoundOutcome } from "./RoundOutcome.ts"

/** What trials need of a served world. */
export interface TriedWorld {
  /** Steps the world. Returns the outcome of each agent's action. */
  readonly round: (context: PluginContext, actions: { readonly [agent: string]: Json }) => unknown
  /** One agent's readings. */
  readonly readings: (context: PluginContext) => unknown
  /** The agents that take part. */
  readonly taking: () => ReadonlyArray<string>
  /** The agents that can act now. */
  readonly acting: () => ReadonlyArray<string>
  readonly actionSpaceOf: (agent: string) => Space
  /** The legal actions of the context's agent; null without a mask. */
  readonly maskOf: (context: PluginContext) => unknown
}

/** The outcome of a trial, and each agent's view after it. */
export interface Tried {
  readonly agents: { readonly [agent: string]: { readonly [sensor: string]: Json } }
  readonly actions: ReadonlyArray<{ readonly [agent: string]: Json }>
  readonly rounds: ReadonlyArray<{ readonly [agent: string]: RoundOutcome }>
}

/** Carries out a trial. */
export const tried = async (world: TriedWorld, context: PluginContext, trial: Trial): Promise<Tried> => {
  const as = (agent: string) => Object.assign(Object.create(context) as PluginContext, { agent })
  const actions: Array<{ readonly [agent: string]: Json }> = []
  const rounds: Array<{ readonly [agent: string]: RoundOutcome }> = []
  const next = "rounds" in trial ? given(trial.rounds) : atRandom(world, as, trial.seed, trial.maxRounds)
  for (;;) {
    const chosen = await next(actions.length)
    if (chosen === undefined) break
    const outcomes = (await settled(world.round(context, chosen))) as { readonly [agent: string]: RoundOutcome }
    actions.push(chosen)
    rounds.push(outcomes)
    if (Object.values(outcomes).some((outcome) => "error" in outcome)) break
    if (world.acting().length === 0) break
  }
  const agents: { [agent: string]: Tried["agents"][string] } = {}
  for (const agent of world.taking())
    agents[agent] = (await settled(world.readings(as(agent)))) as Tried["agents"][string]
  return { agents, actions, rounds }
}

type Next = (
  round: number,
) => { readonly [agent: string]: Json } | undefined | Promise<{ readonly [agent: string]: Json }>

const given =
  (rounds: ReadonlyArray<{ readonly [agent: string]: Json }>): Next =>
  (round) =>
    rounds[round]

const atRandom = (world: TriedWorld, as: (agent: string) => PluginContext, seed: number, maxRounds: number): Next => {
  const rng = Generator.seeded(seed)
  return (round) => {
    const acting = world.acting()
    if (round >= maxRounds || acting.length === 0) return undefined
    return choose(world, as, acting, rng)
  }
}

const choose = async (
  world: TriedWorld,
  as: (agent: string) => PluginContext,
  acting: ReadonlyArray<string>,
  rng: Generator.StatefulGenerator,
) => {
  const chosen: { [agent: string]: Json } = {}
  for (const agent of acting) {
    const mask = (await settled(world.maskOf(as(agent)))) as Json
    chosen[agent] = sample(world.actionSpaceOf(agent), rng, mask)
  }
  return chosen
}

/** Waits only for a promise: a turn of the event loop costs more than most steps. */
export const settled = (value: unknown): unknown => (isThenable(value) ? Promise.resolve(value) : value)
