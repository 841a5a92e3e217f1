/** What the agents' actions came to in a round. */

import { describe } from "../Outcome.ts"
import type { AgentStep } from "./checkStep.ts"

/**
 * What an agent's action came to. `named` is the agent's place among those that the world's answer names; it is missing
 * where the world said nothing of the agent. `got` is what the world gave an agent although its action was refused.
 */
export type RoundOutcome =
  | { readonly ok: AgentStep; readonly named?: number }
  | { readonly error: { readonly code: string; readonly message: string }; readonly got?: AgentStep }

/** The outcomes of what agents got, of whom the world named some. */
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

/** What was thrown, as an outcome tells it. */
export const failureOf = (cause: unknown): { readonly code: string; readonly message: string } => {
  const code = (cause as { readonly code?: unknown }).code
  return {
    code: typeof code === "string" ? code : "Error",
    message: cause instanceof Error ? cause.message : describe(cause),
  }
}
