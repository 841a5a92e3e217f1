/** The paces of all models that the conversations of one kernel ask. */

import { Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ModelPace from "./ModelPace.ts"
import { limitOf, type RateLimits } from "./RateLimits.ts"

export interface PacedRequest {
  readonly provider: string
  readonly model: string
  /** An estimate of the request's tokens. */
  readonly tokens: number
}

/** A place in the sequence of requests to a model. */
export interface Place extends ModelPace.Reservation {
  /** Notes what the answer says. */
  readonly learn: (said: Said) => Effect.Effect<void>
  /** Gives the place back: the request does not leave. */
  readonly giveBack: Effect.Effect<void>
}

export interface Said {
  readonly tokens?: number | undefined
  readonly limits?: ModelPace.ProviderLimits | undefined
  readonly retryAfterMs?: number | undefined
}

export interface ModelPaces {
  readonly reserve: (request: PacedRequest) => Effect.Effect<Place>
}

/** Maximum number of models that are kept; the one that was asked first goes first. */
const MOST_MODELS = 1_000

export const make = (limits: RateLimits = {}): ModelPaces => {
  const paces = new Map<string, ModelPace.Pace>()
  let last = 0
  const set = (name: string, pace: ModelPace.Pace) => {
    const [oldest] = paces.has(name) || paces.size < MOST_MODELS ? [] : paces.keys()
    if (oldest !== undefined) paces.delete(oldest)
    paces.set(name, pace)
  }
  const update = (name: string, change: (pace: ModelPace.Pace, now: number) => ModelPace.Pace) =>
    Effect.map(MonotonicClock.now, (now) => set(name, change(paces.get(name) ?? ModelPace.unknown, now)))
  return {
    reserve: ({ provider, model, tokens }) =>
      Effect.map(MonotonicClock.now, (now): Place => {
        const name = `${provider}/${model}`
        const id = ++last
        const limit = limitOf(limits, provider, model)
        const { reserved, ...reservation } = ModelPace.reserve(paces.get(name) ?? ModelPace.unknown, limit, {
          id,
          now,
          tokens,
        })
        set(name, reserved)
        return {
          ...reservation,
          learn: (said) => update(name, (pace, now) => ModelPace.learn(pace, { id, now, ...said })),
          giveBack: update(name, (pace) => ModelPace.giveBack(pace, id)),
        }
      }),
  }
}
