/** The deadline of each decision of an agent on a recording. */

import { Effect } from "effect"
import { noticing } from "../tasks/NoticedTask.ts"
import { choiceOf } from "./Divergence.ts"
import { positionOf, type RecordedTask } from "./RecordedTask.ts"

export interface TaskWithDeadline {
  readonly recorded: RecordedTask
  /** Stops an agent that asks nothing for the whole time. */
  readonly silent: Effect.Effect<never>
}

interface Led {
  /** The recording has its choices. */
  readonly decides: boolean
  /** It passed the end of the recording: no deadline applies. */
  readonly isLive: () => boolean
}

/**
 * Gives the agent a deadline for each decision. A recording answers at once, so the time between two requests is the
 * agent's own; for a group, the time in which no agent asks.
 *
 * It cannot stop an agent that never yields to the event loop (`while (true) {}`).
 */
export const withDeadline = (
  recorded: RecordedTask,
  withinMs: number | undefined,
  { decides, isLive }: Led,
): Effect.Effect<TaskWithDeadline> =>
  Effect.map(Effect.clock, (clock) => {
    if (withinMs === undefined) return { recorded, silent: Effect.never }
    const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
    let askedAt = now()
    const task = noticing(recorded.task, () => {
      askedAt = now()
    })
    const silent: Effect.Effect<never> = Effect.suspend(() => {
      if (isLive()) return Effect.never
      const left = askedAt + withinMs - now()
      if (left > 0) return Effect.zipRight(Effect.sleep(Math.ceil(left)), silent)
      const due = recorded.next(decides)
      const found = { unansweredMs: withinMs }
      if (due === undefined) return recorded.exhaust(found)
      return recorded.diverge({
        kind: "no-answer",
        position: positionOf(due),
        path: "",
        expected: choiceOf(due),
        found,
      })
    })
    return { recorded: { ...recorded, task }, silent }
  })
