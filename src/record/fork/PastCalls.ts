/** What a program that goes on from a moment of its recording was answered before the moment. */

import type { Event } from "../../events/vocabulary/Event.ts"
import { Diverged } from "../replay/Diverged.ts"
import type { Difference } from "../replay/RequestDifference.ts"
import * as Tape from "../replay/Tape.ts"

/** The calls before a moment. */
export interface PastCalls {
  /**
   * The recorded call like it, with its answer; undefined if it is to be made for real: all calls of its line that were answered before the
   * moment were made, or it was under way at the moment. Throws `Diverged` if another one was recorded, and from then on for every
   * call, so that nothing is asked for real.
   */
  readonly answer: (
    line: string,
    digest: string,
    difference: (instead: Tape.Interaction) => Difference,
  ) => Tape.Interaction | undefined
  /** Notes that the program did otherwise than was recorded. */
  readonly diverge: (call: string, position: number | null, difference: Difference) => Diverged
  /** The first difference. */
  readonly divergence: () => Diverged | undefined
  /** The first call that was answered before the moment and was not made. */
  readonly unmade: () => Diverged | undefined
}

/** @param events those of the task up to the moment */
export const of = (taskId: string, events: ReadonlyArray<Event>): PastCalls => {
  const all = Tape.of(events)
  const playing = Tape.rewound(all.filter(({ answeredAt }) => answeredAt !== null))
  // What was under way at the moment is asked again, and recorded in the fork.
  const underWay = Tape.rewound(all.filter(({ answeredAt }) => answeredAt === null))
  let divergence: Diverged | undefined
  const diverge: PastCalls["diverge"] = (call, position, difference) => {
    divergence ??= new Diverged({ taskId, call, position, difference })
    return divergence
  }
  return {
    diverge,
    divergence: () => divergence,
    answer: (line, digest, difference) => {
      if (divergence !== undefined) throw divergence
      const found = playing.take(line, digest)
      if (found !== undefined) return found
      const instead = playing.next(line)
      if (instead === undefined || underWay.take(line, digest) !== undefined) return undefined
      throw diverge(line, instead.position, difference(instead))
    },
    unmade: () => {
      const [first] = playing.left()
      if (first === undefined) return undefined
      const difference = { where: "the calls before the moment", recorded: first.line, now: "the end of the program" }
      return diverge(first.line, first.position, difference)
    },
  }
}
