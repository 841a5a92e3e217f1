/** The scheduling rule of the command queue, as a pure function. */

export interface Waiting {
  /** Higher goes first. */
  readonly priority: number
  /** Sequence number of its arrival. */
  readonly arrived: number
}

/**
 * Picks the next command among those that can run: the highest priority; among equals, the earliest arrival. Returns
 * `undefined` if none can run. Pure.
 *
 * A command that can run waits only for those with a higher priority or an earlier arrival. It starves only while
 * commands of a higher priority keep arriving.
 */
export const next = <Of extends Waiting>(waiting: Iterable<Of>, canRun: (one: Of) => boolean): Of | undefined => {
  let first: Of | undefined
  for (const one of waiting) {
    if (canRun(one) && (first === undefined || precedes(one, first))) first = one
  }
  return first
}

const precedes = (a: Waiting, b: Waiting): boolean =>
  a.priority === b.priority ? a.arrived < b.arrived : a.priority > b.priority
