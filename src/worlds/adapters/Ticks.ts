/** The time that a step of an adapter lets pass, in worlds that move by themselves. */

import { Effect } from "effect"
import * as Options from "../../values/Options.ts"
import type { Environment } from "../handle/Environment.ts"
import type { WorldError } from "../handle/WorldError.ts"

/** Options of adapters whose own interface has no time. */
export interface TickOptions {
  /**
   * The milliseconds that pass with each `step`, in a world that moves by itself, where it is needed. 0: the program lets time pass by
   * `tick` of the environment.
   */
  readonly tickMs?: number
}

/** Their schema. */
export const tickFields = { tickMs: Options.wholeNumber(0) }

/** What a step lets pass. */
export type Passing = Effect.Effect<void, WorldError>

/**
 * What each step of an adapter lets pass: nothing where the environment stands still between actions. A world that moves by itself is refused
 * unless the options say how much time a step takes; so is a time for any other environment.
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
