/** Validates queries. A misspelt filter or an invalid number would silently select other events. */

import { InvalidQuery, type Query } from "../log/EventLog.ts"
import { MAX_PARTS, type TaskPart } from "../log/TaskPart.ts"
import * as StepPosition from "../steps/StepPosition.ts"

/** The first mistake in a query or in a page's limit. */
export const invalidQuery = (query: Query, limit = 1): InvalidQuery | undefined => {
  const reason = flawIn(query) ?? flawInLimit(limit)
  return reason === undefined ? undefined : new InvalidQuery({ reason })
}

const flawIn = (query: Query): string | undefined => {
  if (typeof query !== "object" || query === null) return `expected a query, found ${describe(query)}`
  for (const [field, value] of Object.entries(query)) {
    const check = FIELDS[field]
    if (check === undefined) return `expected ${Object.keys(FIELDS).join(", ")}, found ${describe(field)}`
    if (value === undefined) continue
    const expected = check(value)
    if (expected !== undefined) return `${field}: expected ${expected}, found ${describe(value)}`
  }
  return undefined
}

const flawInLimit = (limit: number): string | undefined =>
  Number.isSafeInteger(limit) && limit >= 1
    ? undefined
    : `limit: expected a whole number of events, 1 or more, found ${describe(limit)}`

type Check = (value: unknown) => string | undefined

/** A position, whole or within an event, 0 (before the first event), or `Number.MAX_SAFE_INTEGER` (after the last). */
const isPosition: Check = (value) =>
  typeof value === "number" && StepPosition.isPosition(value) ? undefined : "a position, or 0"

const isVersion: Check = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : "a version, or 0")

const isName: Check = (value) => (typeof value === "string" ? undefined : "a name")

const isNames: Check = (value) =>
  Array.isArray(value) && value.every((name) => typeof name === "string") ? undefined : "a list of names"

const isPart: Check = (value) => {
  const { index, of } = typeof value === "object" && value !== null ? (value as Partial<TaskPart>) : {}
  const isOne =
    Number.isSafeInteger(of) && Number.isSafeInteger(index) && Number(index) >= 0 && Number(index) < Number(of)
  return isOne && Number(of) <= MAX_PARTS ? undefined : `a part: { index, of }, with 0 ≤ index < of ≤ ${MAX_PARTS}`
}

const isFlag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false")

const FIELDS: { readonly [field: string]: Check } = {
  after: isPosition,
  until: isPosition,
  timeline: isName,
  stream: isName,
  afterVersion: isVersion,
  taskId: (value) => (value === null ? undefined : isName(value)),
  types: isNames,
  part: isPart,
  occurredAt: (value) => (Number.isSafeInteger(value) ? undefined : "whole milliseconds since 1970"),
  plugin: isName,
  whole: isFlag,
  condensed: isFlag,
  stepTypes: isNames,
}

const describe = (value: unknown): string => {
  if (typeof value === "string") return JSON.stringify(value)
  return typeof value === "object" && value !== null ? "an object" : String(value)
}
