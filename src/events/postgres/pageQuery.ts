/** Turns a query into the SQL statement for one page. */

import type { Query, TaskPart } from "../log/EventLog.ts"
import { MAX_INLINE_BYTES } from "../payload/Blob.ts"

/** The columns of a whole event. */
export const EVENT_COLUMNS =
  "position, id, timeline, stream, version, type, schema_version, task_id, causation_id, actor, occurred_at, recorded_at, payload, key_id, encode(hash, 'hex')"

/** The columns of an event without its payload. */
export const ENVELOPE_COLUMNS = "position, timeline, type, task_id, occurred_at, recorded_at"

/** The columns that queries filter by. */
export const COMMITTED_COLUMNS = "position, timeline, stream, version, type, task_id, occurred_at"

export interface PageQuery {
  readonly sql: string
  readonly values: ReadonlyArray<unknown>
}

/** Up to this many positions, reading all is faster than any index. */
const SHORT_RANGE = 2000

/**
 * Builds the statement that reads a page of a query, in order of position.
 *
 * Like SQLite's, it chooses the index itself, by an order that only this index has: the server's planner would rather
 * walk all positions if it expects to find the page early, and it is wrong for rare streams. A stream is read by
 * version, a task or a type by position, each in order, so a page costs in proportion to its result.
 */
export const pageQuery = (query: Query, limit: number, columns = EVENT_COLUMNS): PageQuery => {
  const { after = 0, until, stream, taskId, types, timeline } = query
  const values: Array<unknown> = []
  const put = (value: unknown, type: string): string => {
    values.push(storable(value))
    return `$${values.length}::${type}`
  }
  const select = (conditions: ReadonlyArray<string>, order = "position"): PageQuery => {
    const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`
    return { sql: `SELECT ${columns} FROM events${where} ORDER BY ${order} LIMIT ${put(limit, "bigint")}`, values }
  }
  const isShort = until !== undefined && until - after <= SHORT_RANGE
  if (!isShort && stream === undefined && taskId === undefined && types !== undefined) {
    // At most a page per type, then the first page of all.
    const list = put(types, "text[]")
    const most = put(limit, "bigint")
    const each = `SELECT e.position FROM events e WHERE e.type = wanted.type AND ${conditionsOf({ ...query, types: undefined }, put, "e.").join(" AND ")}
      ORDER BY e.type, e.position LIMIT ${most}`
    return select([
      `position IN (SELECT found.position FROM unnest(${list}) AS wanted(type), LATERAL (${each}) AS found)`,
    ])
  }
  const conditions = conditionsOf(query, put)
  if (isShort) return select(conditions)
  if (stream !== undefined)
    return timeline === undefined
      ? // Sorting what the stream's index finds, not filtering what the primary key finds.
        select(conditions, "position + 0")
      : select(conditions, "version")
  return taskId === undefined ? select(conditions) : select(conditions, "task_id, position")
}

/** Without texts that have a NUL, which the server refuses and no event has. `conditionsOf` finds nothing for them. */
const storable = (value: unknown): unknown =>
  typeof value === "string"
    ? value.replaceAll("\0", "")
    : Array.isArray(value)
      ? value.filter((text) => !hasNul(text))
      : value

const hasNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0")

type Put = (value: unknown, type: string) => string

const conditionsOf = (query: Query | (Omit<Query, "types"> & { readonly types: undefined }), put: Put, of = "") => {
  const { after = 0, until, timeline, stream, afterVersion, taskId, types, part, occurredAt, plugin } = query
  const column = (name: string, condition: string) => `${of}${name} ${condition}`
  return [
    ...([stream, timeline, taskId, plugin].some(hasNul) ? ["false"] : []),
    column("position", `> ${put(wholeOf(after), "bigint")}`),
    ...(until === undefined ? [] : [column("position", `<= ${put(wholeOf(until), "bigint")}`)]),
    ...(stream === undefined ? [] : [column("stream", `= ${put(stream, "text")}`)]),
    ...(timeline === undefined ? [] : ofTimeline(timeline, put, of)),
    ...(afterVersion === undefined ? [] : [column("version", `> ${put(wholeOf(afterVersion), "bigint")}`)]),
    ...(taskId === undefined ? [] : [column("task_id", taskId === null ? "IS NULL" : `= ${put(taskId, "text")}`)]),
    ...(types === undefined ? [] : [column("type", `= ANY(${put(types, "text[]")})`)]),
    ...(part === undefined ? [] : [ofPart(part, put, of)]),
    ...(occurredAt === undefined ? [] : [column("occurred_at", `= ${put(occurredAt, "bigint")}`)]),
    ...(plugin === undefined ? [] : [namesNoOther(plugin, put, of)]),
  ]
}

/** `PartHash.has` in SQL. */
const ofPart = ({ index, of: parts }: TaskPart, put: Put, of: string): string =>
  `CASE WHEN ${of}task_id IS NULL THEN 0
    ELSE ('x' || encode(substr(sha256(convert_to(${of}task_id, 'UTF8')), 1, 4), 'hex'))::bit(32)::bigint % ${put(parts, "bigint")} END = ${put(index, "bigint")}`

/** Its hash is what the index has. */
const ofTimeline = (timeline: string, put: Put, of: string): ReadonlyArray<string> => {
  const value = put(timeline, "text")
  return [`hashtextextended(${of}timeline, 0) = hashtextextended(${value} COLLATE "C", 0)`, `${of}timeline = ${value}`]
}

/**
 * False for a payload that names another plugin. The reader decides the cases that the server cannot: a blob, encrypted
 * fields, characters that its JSON refuses.
 */
const namesNoOther = (plugin: string, put: Put, of: string): string => `CASE
  WHEN octet_length(${of}payload) > ${MAX_INLINE_BYTES} OR left(${of}payload, 1) <> '{' OR strpos(${of}payload, '\\u') > 0 THEN true
  ELSE coalesce(${of}payload::json ->> 'plugin' = ${put(plugin, "text")}, true) END`

/** Positions within a compact event are fractions, and events' are whole. */
const wholeOf = (position: number): number => Math.max(LOWEST, Math.floor(position))

const LOWEST = Number.MIN_SAFE_INTEGER
