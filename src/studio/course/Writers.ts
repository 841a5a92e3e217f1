/** For each leaf of the state, the position of the event that last wrote it. Immutable; versions share structure. */

import { equal, isArray } from "../../projections/patch/JsonPatch.ts"
import { type Json, pointerToken } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"

/** A position for a leaf, or the writers of each member. A missing key means unknown. */
export type Writers = number | ReadonlyMap<string, Writers>

export const none: Writers = new Map()

/**
 * The writers after an event, which wrote each leaf whose value changed. Writing an equal value is no change. Skips
 * parts that both documents share.
 */
export const written = (
  writers: Writers | undefined,
  before: Json,
  after: Json,
  position: number,
): Writers | undefined => {
  if (before === after) return writers
  const known = typeof writers === "object" ? writers : undefined
  if (isObject(before) && isObject(after) && !isEmpty(after)) {
    return below(known, after, position, (key) => (Object.hasOwn(before, key) ? before[key] : undefined))
  }
  if (isArray(before) && isArray(after) && after.length > 0) {
    return below(known, after, position, (key) => before[Number(key)])
  }
  return equal(before, after) ? writers : by(after, position)
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0

const below = (
  known: ReadonlyMap<string, Writers> | undefined,
  after: object,
  position: number,
  beforeAt: (key: string) => Json | undefined,
): Writers => {
  const members = new Map<string, Writers>()
  for (const [key, value] of Object.entries<Json>({ ...after })) {
    const before = beforeAt(key)
    const writer = before === undefined ? by(value, position) : written(known?.get(key), before, value, position)
    if (writer !== undefined) members.set(key, writer)
  }
  return members
}

/** The writers of a value that one event wrote. An empty object or list is a leaf. */
const by = (value: Json, position: number): Writers => {
  if (typeof value !== "object" || value === null) return position
  const members = Object.entries(value)
  return members.length === 0 ? position : new Map(members.map(([key, member]) => [key, by(member, position)]))
}

/** Positions by JSON Pointer, each with a prefix. */
export const listed = (writers: Writers, prefix: string): { readonly [pointer: string]: number } => {
  const found: Array<readonly [string, number]> = []
  const visit = (some: Writers, path: string) => {
    if (typeof some === "number") found.push([path, some])
    else for (const [key, below] of some) visit(below, `${path}/${pointerToken(key)}`)
  }
  visit(writers, prefix)
  return Object.fromEntries(found)
}
