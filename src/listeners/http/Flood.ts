/** A limit on requests: a bucket of tokens that refills steadily. */

import type { Schema } from "effect"
import * as Options from "../../values/Options.ts"

/** How many requests a listener takes. */
export interface FloodLimit {
  /** Requests a minute, in the long run. */
  readonly perMinute: number
  /** Requests at once. Default: `perMinute`. */
  readonly burst?: number
}

/** Schema of `FloodLimit`. */
export const FloodLimit: Schema.Schema<FloodLimit> = Options.of<FloodLimit>({
  required: { perMinute: Options.wholeNumber(1, 10_000_000) },
  optional: { burst: Options.wholeNumber(1, 10_000_000) },
}).annotations({ description: "an object with perMinute and, if you like, burst" })

export const STANDARD: FloodLimit = { perMinute: 6_000, burst: 1_000 }

/** Counts requests. Returns after how many milliseconds there is room for a request that there is none for now; 0 takes one. */
export type FloodGate = (now: number) => number

/** @param start the monotonic clock, as for the calls of the gate */
export const gate = ({ perMinute, burst = perMinute }: FloodLimit, start: number): FloodGate => {
  const perMs = perMinute / 60_000
  let tokens = burst
  let at = start
  return (now) => {
    tokens = Math.min(burst, tokens + Math.max(0, now - at) * perMs)
    at = now
    if (tokens < 1) return Math.ceil((1 - tokens) / perMs)
    tokens -= 1
    return 0
  }
}
