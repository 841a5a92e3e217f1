/** The scheduling rule of the command queue, as a pure function. */

export interface Waiting {
  /** Higher goes first. */
  readonly priority: number
  readonly arrived: number
}

/**
 * Picks the highest priority among commands that can run; among equals, the earliest arrival. Pure. A command that can
 * run starves only while commands of a higher priority keep arriving.
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
