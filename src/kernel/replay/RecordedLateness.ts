/** Replays that an agent of several was late: its requests wait until they are due again. */

import { Effect } from "effect"
import type { Request } from "./RecordedRequests.ts"

/** Which agents were late, at a place of the recording. */
export interface RecordedLateness {
  /** Whether a request of an agent waits, because the recording goes on without it. */
  readonly mustWait: (agentId: string | undefined, due: Request | undefined) => boolean
  /** Completes when the recording goes on. */
  readonly next: Effect.Effect<void>
  /** Says that the recording goes on. */
  readonly advanced: () => void
  /** Notes that an agent was late. */
  readonly late: (agentId: string) => void
  /** Notes that an agent makes requests again. */
  readonly inTime: (agentId: string | undefined) => void
}

export const make = (): RecordedLateness => {
  const waiting = new Set<() => void>()
  const agents = new Set<string>()
  return {
    mustWait: (agentId, due) =>
      agentId !== undefined &&
      (due?.kind === "late" ? due.agentId === agentId : agents.has(agentId) && agentIn(due) !== agentId),
    next: Effect.async((resume) => {
      const go = () => resume(Effect.void)
      waiting.add(go)
      return Effect.sync(() => waiting.delete(go))
    }),
    advanced: () => {
      for (const go of waiting) go()
      waiting.clear()
    },
    late: (agentId) => agents.add(agentId),
    inTime: (agentId) => agentId !== undefined && agents.delete(agentId),
  }
}

const agentIn = (due: Request | undefined): string | undefined =>
  due === undefined ? undefined : due.kind === "decide" ? due.decision.agentId : due.agentId
