/**
 * Compares the wall clock, which people and programs set, with the monotonic one, which nobody sets. They also diverge
 * while a machine sleeps, because the monotonic clock of Linux and macOS stops.
 */

import { isClockTime } from "../values/Time.ts"

/** The minimum change that counts, in milliseconds: a slow correction moves both clocks. */
const CHANGED_MS = 1_000

/** Maximum time between the two monotonic readings around a wall-clock one, in milliseconds. */
const AT_ONCE_MS = 100

export interface WallClockWatch {
  /** Returns the change in whole milliseconds since the start or the last report, if there is one. */
  readonly changedByMs: () => number | undefined
}

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

/** The wall clock's lead; undefined if the process stopped between the readings, or the wall clock is impossible. */
const offsetNow = (): number | undefined => {
  const before = performance.now()
  const wall = Date.now()
  const after = performance.now()
  return after - before > AT_ONCE_MS || !isClockTime(wall) ? undefined : wall - after
}
