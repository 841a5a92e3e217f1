/**
 * Compares the wall clock, which people and programs set, with the monotonic one, which nobody sets. The two also part while a
 * machine sleeps: the monotonic clock of Linux and macOS stands still.
 */

import { isClockTime } from "../values/Time.ts"

/** From how many milliseconds on the wall clock counts as changed: correcting a clock slowly moves both. */
const CHANGED_MS = 1_000

/** Longest time between two looks at the monotonic clock, in milliseconds, within which one at the wall clock counts. */
const AT_ONCE_MS = 100

export interface WallClockWatch {
  /** By how many whole milliseconds the wall clock has changed since the watch was made, or since it last answered; undefined if it has not. */
  readonly changedByMs: () => number | undefined
}

/** Watches from now on. */
export const make = (): WallClockWatch => {
  let offset = offsetNow()
  return {
    changedByMs: () => {
      const now = offsetNow()
      if (now === undefined) return undefined
      const byMs = offset === undefined ? 0 : Math.round(now - offset)
      if (offset !== undefined && Math.abs(byMs) < CHANGED_MS) return undefined
      offset = now
      return byMs === 0 ? undefined : byMs
    },
  }
}

/** How far the wall clock is ahead of the monotonic one; undefined where the process was stopped between the two looks, or the clock is impossible. */
const offsetNow = (): number | undefined => {
  const before = performance.now()
  const wall = Date.now()
  const after = performance.now()
  return after - before > AT_ONCE_MS || !isClockTime(wall) ? undefined : wall - after
}
