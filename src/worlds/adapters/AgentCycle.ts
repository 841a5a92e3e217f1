/**
 * PettingZoo's AEC API (agent environment cycle) over a world: agents act one after another. In a world of mode
 * `parallel`, the cycle collects the actions of a round and then steps the world once.
 */

import { Effect, Option, Stream } from "effect"
import { contains } from "../../plugins/spaces/Space.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ResetOptions, Shown, StepResult, StepResults, World } from "../handle/World.ts"
import { ActionRefused, NoEpisode, type WorldError } from "../handle/WorldError.ts"

/** The selected agent's observation, rewards and status since its last action. */
export type Last = readonly [
  observation: Json | null,
  reward: number,
  termination: boolean,
  truncation: boolean,
  info: JsonObject,
]

/** PettingZoo's `AECEnv`. */
export interface AECEnv {
  /** All agents that can take part. */
  readonly possible_agents: () => ReadonlyArray<string>
  /**
   * The agents that have not left, including those whose episode is over and that have not yet taken the action null.
   */
  readonly agents: () => ReadonlyArray<string>
  /** The agent whose turn it is; null if all agents have left. */
  readonly agent_selection: () => string | null
  /** Begins a new episode with all agents. */
  readonly reset: (options?: ResetOptions) => Effect.Effect<void, WorldError>
  /** Returns the selected agent's last results. With `observe` false, the observation is null. */
  readonly last: (observe?: boolean) => Effect.Effect<Last, WorldError>
  /** Returns an agent's current observation. */
  readonly observe: (agent: string) => Effect.Effect<Json, WorldError>
  /** Acts as the selected agent. An agent whose episode is over takes the action null and leaves. */
  readonly step: (action: Json) => Effect.Effect<void, WorldError>
  /** Emits the selected agents until all have left, or `maxIter` were emitted. Call `step` after each. */
  readonly agent_iter: (maxIter?: number) => Stream.Stream<string>
  /** The rewards of the last step, by agent: 0 while the actions of a round are collected, and after an agent left. */
  readonly rewards: () => { readonly [agent: string]: number }
  /** The rewards since each agent's last action; PettingZoo's `_cumulative_rewards`. */
  readonly cumulative_rewards: () => { readonly [agent: string]: number }
  /** Whether the world ended an agent's episode, by agent. */
  readonly terminations: () => { readonly [agent: string]: boolean }
  /** Whether a limit cut off an agent's episode, by agent. */
  readonly truncations: () => { readonly [agent: string]: boolean }
  /** The infos of the last actions, by agent. */
  readonly infos: () => { readonly [agent: string]: JsonObject }
  /** Ends the episode and releases the world. */
  readonly close: () => Effect.Effect<void, WorldError>
}

interface Seat {
  shown: Shown
  reward: number
  /** The rewards since its last action. */
  accumulated: number
  terminated: boolean
  truncated: boolean
}

/** The info of a step, with `refused` (code and reason) if the world refused the action. */
export const infoOf = ({ info, refused }: Pick<StepResult, "info" | "refused">): JsonObject =>
  refused === undefined ? info : { ...info, refused: { code: refused.code, reason: refused.reason } }

/** Makes the agent cycle of a world. */
export const aec = (world: World): AECEnv => {
  const seats = new Map<string, Seat>()
  const waiting = new Map<string, Json>()
  let selected: string | null = null

  const seatOf = Effect.suspend(() => {
    const seat = selected === null ? undefined : seats.get(selected)
    return selected === null || seat === undefined
      ? new NoEpisode({ world: world.name })
      : Effect.succeed({ agent: selected, seat })
  })
  const isDead = ({ terminated, truncated }: Seat) => terminated || truncated

  /** Selects agents whose episode is over first, then the agent that the world names, or the next of the round. */
  const select = Effect.gen(function* () {
    const dead = [...seats].find(([, seat]) => isDead(seat))?.[0]
    const turn = dead === undefined && world.mode() === "turn-based" ? yield* world.turn : null
    selected = dead ?? turn ?? [...seats.keys()].find((agent) => !waiting.has(agent)) ?? null
  })

  const clear = () => {
    for (const seat of seats.values()) seat.reward = 0
  }

  const take = (results: StepResults) => {
    clear()
    for (const [agent, result] of Object.entries(results)) {
      const seat = seats.get(agent)
      if (seat === undefined) continue
      seat.shown = { observation: result.observation, info: infoOf(result) }
      seat.reward = result.reward
      seat.accumulated += result.reward
      seat.terminated = result.terminated
      seat.truncated = result.truncated
    }
  }

  const refused = (agent: string, code: string, reason: string) =>
    new ActionRefused({ world: world.name, agent, code, reason })

  const step = (action: Json) =>
    Effect.gen(function* () {
      const { agent, seat } = yield* seatOf
      if (isDead(seat)) {
        if (action !== null) {
          return yield* refused(
            agent,
            "EpisodeOver",
            "its episode is over: expected the action null, found another one",
          )
        }
        seats.delete(agent)
        clear()
        return yield* select
      }
      // The action may wait for the round to complete. An invalid one is refused now, not when others act.
      const problem = contains(world.spaces(agent).action, action)
      if (problem !== undefined) return yield* refused(agent, "ActionOutsideSpace", problem)
      if (world.mode() === "parallel") {
        waiting.set(agent, action)
        seat.accumulated = 0
        clear()
        if (waiting.size === seats.size) {
          // If the world refused the whole round, the last agent can try another action. After any other failure, drop
          // the waiting actions, so that no agent acts twice.
          const retry = ({ _tag }: WorldError) =>
            Effect.sync(() => (_tag === "ActionRefused" ? waiting.delete(agent) : waiting.clear()))
          take(yield* Effect.tapError(world.stepTogether(Object.fromEntries(waiting)), retry))
          waiting.clear()
        }
      } else {
        const results = yield* world.stepTogether({ [agent]: action })
        seat.accumulated = 0
        take(results)
      }
      yield* select
    })

  const field = <A>(of: (seat: Seat) => A) => Object.fromEntries([...seats].map(([agent, seat]) => [agent, of(seat)]))

  return {
    possible_agents: world.agents,
    agents: () => [...seats.keys()],
    agent_selection: () => selected,
    reset: (options) =>
      Effect.gen(function* () {
        const { agents } = yield* world.reset(options)
        seats.clear()
        waiting.clear()
        for (const [agent, shown] of Object.entries(agents)) {
          seats.set(agent, { shown, reward: 0, accumulated: 0, terminated: false, truncated: false })
        }
        yield* select
      }),
    last: (observe = true) =>
      Effect.gen(function* () {
        const { agent, seat } = yield* seatOf
        const { shown, accumulated, terminated, truncated } = seat
        // In a turn-based world, others have acted since this agent's last step.
        const now = observe && world.mode() === "turn-based" ? yield* world.observe(agent) : shown.observation
        const last: Last = [observe ? now : null, accumulated, terminated, truncated, shown.info]
        return last
      }),
    observe: (agent) => world.observe(agent),
    step,
    agent_iter: (maxIter = 2 ** 63) =>
      Stream.unfold(0, (count) =>
        selected === null || count >= maxIter ? Option.none() : Option.some([selected, count + 1] as const),
      ),
    rewards: () => field(({ reward }) => reward),
    cumulative_rewards: () => field(({ accumulated }) => accumulated),
    terminations: () => field(({ terminated }) => terminated),
    truncations: () => field(({ truncated }) => truncated),
    infos: () => field(({ shown }) => shown.info),
    close: () => world.close,
  }
}
