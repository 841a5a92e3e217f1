/** What waits for its turn. */
export interface Waiting {
  /** Higher goes first. */
  readonly priority: number
  /** When it came: a number that grows from one to the next. */
  readonly arrived: number
}

/**
 * Who goes next: of those that can go the one with the highest priority, and of equals the one that came first.
 * `undefined` where nobody can go. Pure.
 *
 * So nothing that can go waits for what cannot, and nothing waits longer than for what has a higher priority or came before
 * it. Something waits for ever only where there is always something of a higher priority to do: that is what priorities say.
 */
export const next = <Of extends Waiting>(waiting: Iterable<Of>, canGo: (one: Of) => boolean): Of | undefined => {
  let first: Of | undefined
  for (const one of waiting) {
    if (canGo(one) && (first === undefined || goesBefore(one, first))) first = one
  }
  return first
}

const goesBefore = (a: Waiting, b: Waiting): boolean =>
  a.priority === b.priority ? a.arrived < b.arrived : a.priority > b.priority
