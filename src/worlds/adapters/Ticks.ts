/** The time that passes with each step of an adapter, in worlds that move by themselves. */

import { Effect } from "effect"
import * as Options from "../../values/Options.ts"
import type { Environment } from "../handle/Environment.ts"
import type { WorldError } from "../handle/WorldError.ts"

/** Options of adapters whose own interface has no time. */
export interface TickOptions {
  /**
   * Milliseconds that pass with each `step`. Required for a world that moves by itself, and not allowed for others. 0:
   * the program calls the environment's `tick`.
   */
  readonly tickMs?: number
}

export const tickFields = { tickMs: Options.wholeNumber(0) }

export type Passing = Effect.Effect<void, WorldError>

/**
 * Makes the effect that lets the time of one step pass. Fails with `InvalidOptions` if a world that moves by itself has
 * no `tickMs`, or if another environment has one above 0.
 */
export const passing = (
  of: string,
  { name, info, tick }: Environment,
  { tickMs }: TickOptions,
): Effect.Effect<Passing, Options.InvalidOptions> => {
  const wrong = (expected: string, found: string) =>
    new Options.InvalidOptions({ of, problems: [{ path: "tickMs", expected, found }] })
  const moves = info.spaces !== null && info.timeModel !== "discrete_steps"
  if (moves && tickMs === undefined)
    return wrong(`the milliseconds that a step takes, or 0: ${name} moves by itself (${info.timeModel})`, "none")
  if (!moves && tickMs !== undefined && tickMs > 0)
    return wrong(`none: ${name} stands still between actions (${info.timeModel})`, String(tickMs))
  return Effect.succeed(tickMs === undefined || tickMs === 0 ? Effect.void : Effect.asVoid(tick(tickMs)))
}
