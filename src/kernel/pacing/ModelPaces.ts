/** The paces of all models that the conversations of one kernel ask. */

import { Effect } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import * as ModelPace from "./ModelPace.ts"
import { limitOf, type RateLimits } from "./RateLimits.ts"

/** A request that waits for its turn. */
export interface PacedRequest {
  readonly provider: string
  readonly model: string
  /** Estimates the request's tokens. Called only where a limit of tokens is known. */
  readonly tokens: () => number
}

/** A place in the sequence of requests to a model. */
export interface Place extends ModelPace.Reservation {
  /** Notes what the answer says. */
  readonly learn: (said: Said) => Effect.Effect<void>
  /** The rest of the wait, if a limit that was learned meanwhile made it longer. Ask once the wait is over. */
  readonly again: Effect.Effect<ModelPace.Reservation>
  /** Gives the place back: the request does not leave. */
  readonly giveBack: Effect.Effect<void>
}

/** Facts that an answer tells of its model's limits. Times are in milliseconds. */
export interface Said {
  readonly tokens?: number | undefined
  readonly limits?: ModelPace.ProviderLimits | undefined
  readonly retryAfterMs?: number | undefined
}

/** The paces of all models of a kernel. */
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
        const pace = paces.get(name) ?? ModelPace.unknown
        const { reserved, ...reservation } = ModelPace.reserve(pace, limit, {
          id,
          now,
          tokens: ModelPace.limitsTokens(pace, limit) ? tokens() : 0,
        })
        set(name, reserved)
        let until = ModelPace.placeOf(reserved, id)?.at ?? now
        return {
          ...reservation,
          again: Effect.map(MonotonicClock.now, (now) => {
            const place = ModelPace.placeOf(paces.get(name) ?? ModelPace.unknown, id)
            // A timer may fire a little early, which is no reason to wait again.
            if (place === undefined || place.at <= until) return { waitMs: 0 }
            until = place.at
            return ModelPace.reservationOf(place, now)
          }),
          learn: (said) => update(name, (pace, now) => ModelPace.learn(pace, { id, now, ...said }, limit)),
          giveBack: update(name, (pace) => ModelPace.giveBack(pace, id)),
        }
      }),
  }
}
