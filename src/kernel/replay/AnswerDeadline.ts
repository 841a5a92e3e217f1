/** How long an agent that is led over a recording may take for each decision. */

import { Effect } from "effect"
import { noticing } from "../tasks/NoticedTask.ts"
import { choiceOf } from "./Divergence.ts"
import { positionOf, type RecordedTask } from "./RecordedTask.ts"

/** A recorded task whose agent has a deadline. */
export interface Hurried {
  readonly recorded: RecordedTask
  /** Stops the agent, as one that diverges, when it asks nothing for the whole time. */
  readonly silent: Effect.Effect<never>
}

/** The agent that is led. */
interface Led {
  /** Whether its choices are recorded. */
  readonly decides: boolean
  /** Whether it asks for what is not recorded by now. From then on it may take as long as it likes. */
  readonly isLive: () => boolean
}

/**
 * Gives the agent of a recorded task a deadline for each decision. A recording answers every request at once, so the time
 * between two requests is the time that the agent takes to decide. Where it is a group, it is the time in which none of
 * its agents asks anything.
 *
 * An agent that does not yield to the event loop (`while (true) {}`) is not stopped: nothing else runs meanwhile.
 *
 * @param withinMs the deadline in milliseconds; undefined if there is none
 */
export const hurried = (
  recorded: RecordedTask,
  withinMs: number | undefined,
  { decides, isLive }: Led,
): Effect.Effect<Hurried> =>
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
