/**
 * Positions of a `StepsRecorded`'s expanded events. Written `@412#37`: the step with index 37 in the event at 412.
 *
 * As numbers, they are between 411 and 412, in order and exactly representable, so every comparison of positions holds.
 * A state at 412 includes all steps, a state at `@412#37` the steps up to that one.
 */

import { holder, isWithin, nameOf, PLACES } from "../../values/StepAddress.ts"

export { addressOf, BEGIN, holder, isWithin, stepAt } from "../../values/StepAddress.ts"

/** The type of the events that hold steps. */
export const COMPACT = "StepsRecorded"

/** Maximum number of events of one step, and before the first step. */
export const MAX_WITHIN = 32

const PARTS = 2 * PLACES * MAX_WITHIN

/** The position of an event within an event. Throws if a step has too many events, which no recorder writes. */
export const positionOf = (position: number, place: number, within: number): number => {
  if (within >= MAX_WITHIN) throw new Error(`its step ${place} stands for more than ${MAX_WITHIN} events`)
  // Odd, so that no short fraction, such as a mistaken 1.5, is a position.
  return position - 1 + (2 * ((place + 1) * MAX_WITHIN + within) + 1) / PARTS
}

/** The position after all events of a step. */
export const after = (position: number, step: number): number => positionOf(position, step, MAX_WITHIN - 1)

/** The position before: of an event within an event, that of the event before it, or of the end of what came before. */
export const before = (position: number): number =>
  isWithin(position) ? Math.max(Math.floor(position), position - 2 / PARTS) : position - 1

/** Whether a number is a position: 0 or more, and whole or exactly one of the positions within an event. */
export const isPosition = (value: number): boolean =>
  value >= 0 && value <= Number.MAX_SAFE_INTEGER && (Number.isInteger(value) || (value * PARTS) % 2 === 1)

/** A position after the event that holds it has moved; undefined if that event has no new place. */
export const moved = (position: number, to: (holder: number) => number | undefined): number | undefined => {
  const from = holder(position)
  const now = to(from)
  return now === undefined ? undefined : now - (from - position)
}

/** The id of an event within an event: `<id>#37.2`. */
export const idOf = (id: string, place: number, within: number): string => `${id}#${nameOf(place)}.${within}`

/** The id of the event that holds the event with this id; null for an event of its own. */
export const holderOf = (id: unknown): string | null => {
  if (typeof id !== "string") return null
  const at = id.indexOf("#")
  return at < 0 ? null : id.slice(0, at)
}
