/** The result of one test of a bisection. Pure. */

import type { Left } from "../restore/RestoreInto.ts"
import type { Mark } from "./Mark.ts"
import type { State } from "./States.ts"

/** A state that was tested. */
export interface Tested {
  readonly index: number
  readonly state: State
  readonly tree: string
  readonly verdict: Mark
  /** Null after the time limit, or if the command did not run. */
  readonly exitCode: number | null
  readonly output: string
  readonly ms: number
  /** When the command ended, in epoch milliseconds. */
  readonly at: number
  readonly isCached: boolean
  /** Whether the time limit ended it. */
  readonly isLate: boolean
  /** The missing files, for which the command did not run. */
  readonly lost: ReadonlyArray<Left>
  /** Files that the recorder had left out on purpose. */
  readonly omitted: ReadonlyArray<Left>
}

export const position = ({ state }: Pick<Tested, "state">): number => state.look.event.position

/** The outcome of a test in words, after "it". */
export const inWords = ({ verdict, exitCode, isLate, lost }: Omit<Tested, "output">): string => {
  const [missing] = lost
  if (missing !== undefined) return `cannot be tested: ${missing.path}: ${missing.why}`
  if (isLate) return "was ended by the time limit, which counts as bad"
  if (verdict === "good") return "succeeds"
  return verdict === "skip" ? "cannot be tested (exit 125)" : `fails with ${exitCode}`
}

/**
 * Tells tests in the order in which they came, but for the last state's if it comes before the first state's: both ends
 * are tested at once, and people read the good one first. A last state of 0 holds nothing back.
 */
export const endsInOrder = <One extends Pick<Tested, "index">>(last: number): ((one: One) => ReadonlyArray<One>) => {
  let isFirstTold = last === 0
  let held: ReadonlyArray<One> = []
  return (one) => {
    if (one.index === last && !isFirstTold) {
      held = [one]
      return []
    }
    if (one.index !== 0) return [one]
    const told = [one, ...held]
    isFirstTold = true
    held = []
    return told
  }
}
