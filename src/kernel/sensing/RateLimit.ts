/** How often something may happen: so often in a second in the long run, and so many at once. */
export interface Rate {
  readonly perSecond: number
  readonly atOnce: number
}

/** What to remember of a rate between two questions: when it would be used up evenly, in milliseconds. */
export type Used = number

/** Nothing has happened yet. */
export const unused: Used = Number.NEGATIVE_INFINITY

/**
 * How long the next one has to wait that comes at a moment, and what to remember when it goes after that. Times in
 * milliseconds of one clock. Pure. (The generic cell rate algorithm, ITU-T I.371.)
 */
export const next = (
  { perSecond, atOnce }: Rate,
  used: Used,
  moment: number,
): { readonly waitMs: number; readonly used: Used } => {
  const every = 1000 / perSecond
  const waitMs = Math.max(0, used - (atOnce - 1) * every - moment)
  return { waitMs, used: Math.max(used, moment + waitMs) + every }
}
