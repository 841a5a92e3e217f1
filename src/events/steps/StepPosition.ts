/**
 * Positions of the events that a `StepsRecorded` stands for. Written `@412#37`: the step with index 37 in the event at 412.
 *
 * As numbers, they lie between 411 and 412, in order and exactly representable, so every comparison of positions holds. A
 * state at 412 includes all steps, a state at `@412#37` the steps up to that one.
 */

import { MAX_STEPS } from "../vocabulary/Worlds.ts"

/** The type of the events that hold steps. */
export const COMPACT = "StepsRecorded"

/** The place of events before the first step of an episode, such as its reset. */
export const BEGIN = -1

/** Maximum number of events of one step, and before the first step. */
export const MAX_WITHIN = 32

/** Places in an event: one before the steps, one more than the steps, so that the last one is below the event itself. */
const PLACES = 2 ** Math.ceil(Math.log2(MAX_STEPS + 2))

const PARTS = 2 * PLACES * MAX_WITHIN

/** The position of an event within an event. Throws if a step has too many events, which no recorder writes. */
export const positionOf = (position: number, place: number, within: number): number => {
  if (within >= MAX_WITHIN) throw new Error(`its step ${place} stands for more than ${MAX_WITHIN} events`)
  // Odd, so that no short fraction, such as a mistaken 1.5, is a position.
  return position - 1 + (2 * ((place + 1) * MAX_WITHIN + within) + 1) / PARTS
}

/** The position after all events of a step. */
export const after = (position: number, step: number): number => positionOf(position, step, MAX_WITHIN - 1)

/** The whole position of the event that holds this one: 412 for `@412#37`. */
export const holder = (position: number): number => Math.ceil(position)

/** Whether a number is a position: 0 or more, and whole or exactly one of the positions within an event. */
export const isPosition = (value: number): boolean =>
  value >= 0 && value <= Number.MAX_SAFE_INTEGER && (Number.isInteger(value) || (value * PARTS) % 2 === 1)

/** Whether a position lies within an event. */
export const isWithin = (position: number): boolean => !Number.isInteger(position)

/** A position after the event that holds it has moved; undefined if that event has no new place. */
export const moved = (position: number, to: (holder: number) => number | undefined): number | undefined => {
  const from = holder(position)
  const now = to(from)
  return now === undefined ? undefined : now - (from - position)
}

/** The step at a position within an event; `BEGIN` before the first. Null at a whole position. */
export const stepAt = (position: number): number | null =>
  isWithin(position) ? Math.floor((position - Math.floor(position)) * PLACES) - 1 : null

/** The address of a position, without the timeline: `@412`, `@412#37`; `@412#begin` before the first step. */
export const addressOf = (position: number): string => {
  const step = stepAt(position)
  if (step === null) return `@${position}`
  return `@${holder(position)}#${nameOf(step)}`
}

/** The id of an event within an event: `<id>#37.2`. */
export const idOf = (id: string, place: number, within: number): string => `${id}#${nameOf(place)}.${within}`

const nameOf = (place: number): string => (place === BEGIN ? "begin" : String(place))

/** The id of the event that holds the event with this id; null for an event of its own. */
export const holderOf = (id: unknown): string | null => {
  if (typeof id !== "string") return null
  const at = id.indexOf("#")
  return at < 0 ? null : id.slice(0, at)
}
