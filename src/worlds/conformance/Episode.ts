/** Plays one episode of a world with random actions and keeps all its answers. */

import { Effect, Either } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import type { Space } from "../../plugins/author.ts"
import { type StatefulGenerator, seeded } from "../../plugins/numpy/Generator.ts"
import { isSpace, sample } from "../../plugins/spaces/Space.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { DrivenWorld, Refusal, Start, Stepped } from "./DrivenWorld.ts"

/** An episode to play. Equal plans draw equal actions as long as the world gives equal answers. */
export interface Plan {
  readonly seed: number
  readonly options?: JsonObject
  readonly steps: number
  /** Stops when an agent's episode is over, and lets that agent step once more. Default: false. */
  readonly probe?: boolean
}

/** One step of an episode. */
export interface Round {
  readonly actions: { readonly [agent: string]: Json }
  /** The agents whose episode was not over before the step. */
  readonly live: ReadonlyArray<string>
  readonly stepped: Stepped
}

/** The answers of a world in one episode. */
export interface Episode {
  /** Undefined if the reset failed. */
  readonly start: Start | undefined
  readonly rounds: ReadonlyArray<Round>
  readonly live: ReadonlyArray<string>
  /** The failure that stopped the episode. */
  readonly failure: Refusal | undefined
  readonly refused?: { readonly [agent: string]: Json }
  /** Whether the time limit stopped the episode. */
  readonly cut: boolean
  /** Why no agent could act although the world did not fail: no agent had the turn. */
  readonly stuck: string | undefined
  /** Whether no action could be drawn, because an action space has flaws. */
  readonly unplayable: boolean
  /** The extra step after an agent's end, and how it was refused. */
  readonly probed: { readonly agent: string; readonly refusal: Refusal | undefined } | undefined
}

/** Maximum time of one call to a world. */
const CALL_MS = 10_000

const TIMED_OUT = "TimedOut"

/** Maximum time of an episode: it stops after the step that exceeds it. */
export const EPISODE_MS = 10_000

/** Plays an episode. Never fails: a failure of the world is part of the result. */
export const play = (world: DrivenWorld, plan: Plan): Effect.Effect<Episode> =>
  Effect.gen(function* () {
    const until = (yield* MonotonicClock.now) + EPISODE_MS
    const start = yield* answered(world.reset(plan.seed, plan.options))
    if (Either.isLeft(start)) return { ...NOTHING, failure: start.left }
    const rng = seeded(plan.seed)
    const rounds: Array<Round> = []
    let live: ReadonlyArray<string> = Object.keys(start.right.agents)
    const seen = (more: Partial<Episode> = {}): Episode => ({ ...NOTHING, start: start.right, rounds, live, ...more })
    let last: Pick<Stepped, "turn" | "masks"> = { turn: start.right.turn, masks: masksOf(start.right) }
    while (rounds.length < plan.steps && live.length > 0) {
      if ((yield* MonotonicClock.now) >= until) return seen({ cut: true })
      const actors = actorsOf(world, live, last.turn)
      if (actors === undefined) return seen({ stuck: `the turn belongs to ${last.turn}, which does not take part` })
      const actions = actionsOf(start.right, actors, last.masks, rng)
      if (actions === undefined) return seen({ unplayable: true })
      const stepped = yield* answered(world.step(actions))
      if (Either.isLeft(stepped))
        return seen({ failure: stepped.left, refused: actions, cut: stepped.left.code === TIMED_OUT })
      rounds.push({ actions, live, stepped: stepped.right })
      const over = live.filter((agent) => isOver(stepped.right.results[agent]))
      live = live.filter((agent) => !over.includes(agent))
      last = stepped.right
      const [first] = over
      if (plan.probe === true && first !== undefined)
        return seen({ probed: yield* probing(world, start.right, first, live, last.turn, rng) })
    }
    return seen()
  })

const NOTHING: Episode = {
  start: undefined,
  rounds: [],
  live: [],
  failure: undefined,
  cut: false,
  stuck: undefined,
  unplayable: false,
  probed: undefined,
}

export const failedToStart = (failure: Refusal): Episode => ({ ...NOTHING, failure })

/** The answer to a call, or the refusal. A call that takes longer than `CALL_MS` is abandoned. */
export const answered = <A>(call: Effect.Effect<A, Refusal>): Effect.Effect<Either.Either<A, Refusal>> =>
  call.pipe(
    Effect.timeoutFail({
      duration: CALL_MS,
      onTimeout: (): Refusal => ({
        code: TIMED_OUT,
        message: `expected an answer within ${CALL_MS} ms, found none`,
        ended: true,
      }),
    }),
    Effect.either,
  )

export const masksOf = (start: Start): Stepped["masks"] =>
  Object.fromEntries(Object.entries(start.agents).map(([agent, { mask }]) => [agent, mask]))

/** The agents that act now; undefined if no agent has the turn, or one that cannot act. */
const actorsOf = (
  { facts }: DrivenWorld,
  live: ReadonlyArray<string>,
  turn: string | null,
): ReadonlyArray<string> | undefined => {
  if (facts.mode !== "turn-based") return live
  return turn !== null && live.includes(turn) ? [turn] : undefined
}

const actionsOf = (
  start: Start,
  actors: ReadonlyArray<string>,
  masks: Stepped["masks"],
  rng: StatefulGenerator,
): { readonly [agent: string]: Json } | undefined => {
  const spaces = actors.map((agent) => actionSpace(start, agent))
  if (!spaces.every((space) => space !== undefined)) return undefined
  return Object.fromEntries(
    spaces.map((space, index) => {
      const agent = actors[index] ?? ""
      return [agent, sample(space, rng, masks[agent] ?? null)]
    }),
  )
}

/** An agent's action space; undefined if it has flaws. */
export const actionSpace = (start: Start, agent: string): Space | undefined => {
  const space = start.agents[agent]?.spaces.action
  return isSpace(space) ? space : undefined
}

/** Lets an agent step after its end. In a parallel world, the others act too. */
const probing = (
  world: DrivenWorld,
  start: Start,
  agent: string,
  live: ReadonlyArray<string>,
  turn: string | null,
  rng: StatefulGenerator,
): Effect.Effect<Episode["probed"]> => {
  const others = world.facts.mode === "parallel" ? (actorsOf(world, live, turn) ?? []) : []
  const actions = actionsOf(start, [agent, ...others], {}, rng) ?? {}
  return Effect.map(answered(world.step(actions)), (answer) => ({
    agent,
    refusal: Either.isLeft(answer) ? answer.left : undefined,
  }))
}

/** Whether the result of a step ends an agent's episode. */
export const isOver = (result: JsonObject | undefined): boolean =>
  result?.terminated === true || result?.truncated === true
