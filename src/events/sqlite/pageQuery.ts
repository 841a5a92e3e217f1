/** The query planner of the log: turns a query into the SQL statement that reads one page. */

import { MAX_STORED_BYTES } from "../payload/StoredPayload.ts"

/** The columns of an event, in the order in which rows are written. */
export const COLUMNS =
  "position, id, timeline, stream, version, type, schema_version, task, causation, actor, occurred_before, recorded_at, payload, key_id, hash"

/** The columns that a page reads. */
export interface Columns {
  readonly sql: string
  /** Those that hold the names of streams and tasks, of which a page may have many. */
  readonly names: ReadonlyArray<number>
}

/** A column of text, or its number of bytes where they are more than a log writes: SQLite tells them without reading it. */
export function bounded(column: string): string {
  return `iif(octet_length(${column}) > ${MAX_STORED_BYTES}, octet_length(${column}), ${column})`
}

/**
 * The columns of a whole event: id, hash and cause are joined into one hexadecimal text. Reading a row then takes half
 * the time that it takes with three buffers, and a quarter less than with three texts.
 */
export const READ_COLUMNS: Columns = {
  sql: `position, lower(hex(id || hash || coalesce(causation, ''))), timeline, stream, version, type, schema_version, task, actor, occurred_before, recorded_at, ${bounded("payload")}, key_id`,
  names: [3, 7],
}

/** The columns of an event without what it says: reading them takes a sixth of the time, since no text is made of them. */
export const ENVELOPE_COLUMNS: Columns = {
  sql: "position, timeline, type, task, recorded_at - occurred_before, recorded_at",
  names: [3],
}

/** The columns of what queries filter by. */
export const COMMITTED_COLUMNS: Columns = {
  sql: "position, timeline, stream, version, type, task, recorded_at - occurred_before",
  names: [2, 5],
}

/** Selects the events without a task. */
export const NO_TASK = "none"

/** A query with interned names. Null does not filter. */
export interface InternedQuery {
  readonly after: number
  readonly until: number | null
  readonly timeline: number | null
  readonly stream: number | null
  readonly afterVersion: number | null
  readonly task: number | typeof NO_TASK | null
  readonly types: ReadonlyArray<number> | null
  readonly occurredAt?: number | null
}

/** A statement and the values of its placeholders. */
export interface PageQuery {
  readonly sql: string
  readonly parameters: ReadonlyArray<number>
}

/** Up to this many positions, reading them all is faster than any index. */
const SHORT_RANGE = 2000

/**
 * The statement that reads a page of a query, in order of position.
 *
 * It chooses the index itself, since SQLite's planner knows nothing of the data: a `+` keeps a column from using its
 * index. A short range of positions is read as it is. Otherwise a stream is read by version, and a task or a type by
 * position, each in order, so that the cost of a page is proportional to its result.
 */
export const pageQuery = (query: InternedQuery, limit: number, { sql: columns } = READ_COLUMNS): PageQuery => {
  const { after, until, stream, task, types } = query
  // Positions have no gaps. Without this limit, SQLite reads the event after the range to see that the range ends, and fails where that
  // one is damaged.
  const read = reading(columns, until === null ? limit : Math.min(limit, Math.max(0, until - after)))
  if (until !== null && until - after <= SHORT_RANGE) return read([range(query), ...filters(query)])
  if (stream !== null) return read(...ofStream(query, stream))
  if (task !== null) return read([range(query), ofTask(task), ...filters({ ...query, task: null })])
  if (types !== null) return read([ofTypes(query, types, limit)])
  return read([range(query), ...filters(query)])
}

interface Clause {
  readonly sql: string
  readonly values: ReadonlyArray<number>
}

const reading =
  (columns: string, limit: number) =>
  (clauses: ReadonlyArray<Clause>, order = "position"): PageQuery => ({
    sql: `SELECT ${columns} FROM events WHERE ${conjunction(clauses)} ORDER BY ${order} LIMIT ?`,
    parameters: [...clauses.flatMap(({ values }) => values), limit],
  })

/** Uses the index on (stream, timeline, version). Within one timeline, versions and positions have the same order. */
const ofStream = (
  query: InternedQuery,
  stream: number,
): readonly [clauses: ReadonlyArray<Clause>, order: "position" | "version"] => {
  const { timeline, afterVersion } = query
  const clauses: ReadonlyArray<Clause> = [
    { sql: "stream = ?", values: [stream] },
    ...(timeline === null ? [] : [{ sql: "timeline = ?", values: [timeline] }]),
    ...(afterVersion === null ? [] : [{ sql: "version > ?", values: [afterVersion] }]),
    range(query, "+"),
    ...filters({ ...query, stream: null, timeline: null, afterVersion: null }),
  ]
  return [clauses, timeline === null ? "position" : "version"]
}

/** Uses the index on (type, position): reads at most a page of each type, then the first page of all of them. */
const ofTypes = (query: InternedQuery, types: ReadonlyArray<number>, limit: number): Clause => {
  const ofType = (type: number): Clause => {
    const clauses = [{ sql: "type = ?", values: [type] }, range(query), ...filters({ ...query, types: null })]
    return {
      sql: `SELECT position FROM (SELECT position FROM events WHERE ${conjunction(clauses)} ORDER BY position LIMIT ?)`,
      values: [...clauses.flatMap(({ values }) => values), limit],
    }
  }
  const each = types.map(ofType)
  return {
    sql: `position IN (${each.map(({ sql }) => sql).join(" UNION ALL ")})`,
    values: each.flatMap(({ values }) => values),
  }
}

const range = ({ after, until }: InternedQuery, prefix = ""): Clause =>
  until === null
    ? { sql: `${prefix}position > ?`, values: [after] }
    : { sql: `${prefix}position > ? AND ${prefix}position <= ?`, values: [after, until] }

/** The remaining conditions on each row. */
const filters = ({
  timeline,
  stream,
  afterVersion,
  task,
  types,
  occurredAt = null,
}: InternedQuery): ReadonlyArray<Clause> => [
  ...(timeline === null ? [] : [{ sql: "+timeline = ?", values: [timeline] }]),
  ...(stream === null ? [] : [{ sql: "+stream = ?", values: [stream] }]),
  ...(afterVersion === null ? [] : [{ sql: "+version > ?", values: [afterVersion] }]),
  ...(task === null ? [] : [ofTask(task, "+")]),
  ...(types === null ? [] : [{ sql: `+type IN (${types.map(() => "?").join(", ")})`, values: types }]),
  ...(occurredAt === null ? [] : [{ sql: "recorded_at - occurred_before = ?", values: [occurredAt] }]),
]

const ofTask = (task: number | typeof NO_TASK, prefix = ""): Clause =>
  task === NO_TASK ? { sql: `${prefix}task IS NULL`, values: [] } : { sql: `${prefix}task = ?`, values: [task] }

const conjunction = (clauses: ReadonlyArray<Clause>): string => clauses.map(({ sql }) => sql).join(" AND ")
