/** Addresses of positions: `@412`, and `@412#37` for the step with index 37 in the event at 412. */

/** Maximum number of steps in one event. */
export const MAX_STEPS = 1024

/** The place of events before the first step of an episode, such as its reset. */
export const BEGIN = -1

/** Places in an event: one before the steps, one more than the steps, so that the last one is below the event itself. */
export const PLACES = 2 ** Math.ceil(Math.log2(MAX_STEPS + 2))

/** The whole position of the event that holds this one: 412 for `@412#37`. */
export const holder = (position: number): number => Math.ceil(position)

/** Whether a position is within an event. */
export const isWithin = (position: number): boolean => !Number.isInteger(position)

/** The step at a position within an event; `BEGIN` before the first. Null at a whole position. */
export const stepAt = (position: number): number | null =>
  isWithin(position) ? Math.floor((position - Math.floor(position)) * PLACES) - 1 : null

/** The address of a position, without the timeline: `@412`, `@412#37`; `@412#begin` before the first step. */
export const addressOf = (position: number): string => {
  const step = stepAt(position)
  return step === null ? `@${position}` : `@${holder(position)}#${nameOf(step)}`
}

/** A place in an address. */
export const nameOf = (place: number): string => (place === BEGIN ? "begin" : String(place))
