/** The results of a round, by agent. */

import { describe } from "../Outcome.ts"
import type { AgentStep } from "./checkStep.ts"

/**
 * The result of an agent's action. `named` is the agent's index in the world's answer; without it, the world did not
 * mention the agent. `got` is an agent's step although the world refused its action.
 */
export type RoundOutcome =
  | { readonly ok: AgentStep; readonly named?: number }
  | { readonly error: { readonly code: string; readonly message: string }; readonly got?: AgentStep }

/** The outcomes of agents' steps; `named` lists the agents that the world's answer mentions. */
export const succeeded = (
  steps: { readonly [agent: string]: AgentStep },
  named: ReadonlyArray<string> = [],
): { [agent: string]: RoundOutcome } =>
  Object.fromEntries(
    Object.entries(steps).map(([agent, ok]) => {
      const place = named.indexOf(agent)
      return [agent, place < 0 ? { ok } : { ok, named: place }]
    }),
  )

/** Converts a thrown value for an outcome. */
export const failureOf = (cause: unknown): { readonly code: string; readonly message: string } => {
  const code = (cause as { readonly code?: unknown }).code
  return {
    code: typeof code === "string" ? code : "Error",
    message: cause instanceof Error ? cause.message : describe(cause),
  }
}
