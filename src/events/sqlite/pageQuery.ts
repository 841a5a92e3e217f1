/** The log's query planner: turns a query into the SQL statement for one page. */

import { MAX_INLINE_BYTES } from "../payload/Blob.ts"
import { MAX_STORED_BYTES } from "../payload/StoredPayload.ts"

export const COLUMNS =
  "position, id, timeline, stream, version, type, schema_version, task, causation, actor, occurred_before, recorded_at, payload, key_id, hash"

export interface Columns {
  readonly sql: string
  /** Indexes of streams and tasks, of which a page may have many. */
  readonly names: ReadonlyArray<number>
}

/**
 * A text column, or its number of bytes if that is more than a log writes. SQLite knows the length without reading the
 * text.
 */
export function bounded(column: string): string {
  return `iif(octet_length(${column}) > ${MAX_STORED_BYTES}, octet_length(${column}), ${column})`
}

/**
 * The columns of a whole event. Joining id, hash and cause into one hexadecimal text halves the time per row against
 * three buffers, and saves a quarter against three texts.
 */
export const READ_COLUMNS: Columns = {
  sql: `position, lower(hex(id || hash || coalesce(causation, ''))), timeline, stream, version, type, schema_version, task, actor, occurred_before, recorded_at, ${bounded("payload")}, key_id`,
  names: [3, 7],
}

/** The columns of an event without its payload. Without text, a read takes a sixth of the time. */
export const ENVELOPE_COLUMNS: Columns = {
  sql: "position, timeline, type, task, recorded_at - occurred_before, recorded_at",
  names: [3],
}

export const COMMITTED_COLUMNS: Columns = {
  sql: "position, timeline, stream, version, type, task, recorded_at - occurred_before",
  names: [2, 5],
}

/** Selects events without a task. */
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
  readonly plugin?: string | null
  /** The tasks of a part, by their ids; see `PartOfNames`. */
  readonly part?: PartOfNames | null
}

/** Which names are tasks of a part. */
export interface PartOfNames {
  /** The byte at the place of an id is 1 if the name with this id belongs to the part. */
  readonly names: Uint8Array
  /** Whether events without a task belong to it. */
  readonly first: boolean
}

export interface PageQuery {
  readonly sql: string
  readonly parameters: ReadonlyArray<Parameter>
}

type Parameter = number | string | Uint8Array

/** Up to this many positions, reading all is faster than any index. */
const SHORT_RANGE = 2000

/**
 * Builds the statement that reads a page of a query, in order of position.
 *
 * Chooses the index itself, because SQLite's planner knows nothing of the data: a `+` keeps a column from using its
 * index. A short range is read as it is. Otherwise, a stream is read by version, and a task or type by position, each
 * in order, so a page costs in proportion to its result.
 */
export const pageQuery = (query: InternedQuery, limit: number, { sql: columns } = READ_COLUMNS): PageQuery => {
  const { after, until, stream, task, types } = query
  // Positions have no gaps. Without this limit, SQLite reads the event after the range to find its end, and fails if
  // that one is damaged.
  const read = reading(columns, until === null ? limit : Math.min(limit, Math.max(0, until - after)))
  if (until !== null && until - after <= SHORT_RANGE) return read([range(query), ...filters(query)])
  if (stream !== null) return read(...ofStream(query, stream))
  if (task !== null) return read([range(query), ofTask(task), ...filters({ ...query, task: null })])
  if (types !== null) return read([ofTypes(query, types, limit)])
  return read([range(query), ...filters(query)])
}

interface Clause {
  readonly sql: string
  readonly values: ReadonlyArray<Parameter>
}

const reading =
  (columns: string, limit: number) =>
  (clauses: ReadonlyArray<Clause>, order = "position"): PageQuery => ({
    sql: `SELECT ${columns} FROM events WHERE ${conjunction(clauses)} ORDER BY ${order} LIMIT ?`,
    parameters: [...clauses.flatMap(({ values }) => values), limit],
  })

/** Uses the index on (stream, timeline, version). Within a timeline, versions and positions have the same order. */
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

/** Uses the index on (type, position): reads at most a page per type, then the first page of all. */
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

const filters = ({
  timeline,
  stream,
  afterVersion,
  task,
  types,
  occurredAt = null,
  plugin = null,
  part = null,
}: InternedQuery): ReadonlyArray<Clause> => [
  ...(timeline === null ? [] : [{ sql: "+timeline = ?", values: [timeline] }]),
  ...(stream === null ? [] : [{ sql: "+stream = ?", values: [stream] }]),
  ...(afterVersion === null ? [] : [{ sql: "+version > ?", values: [afterVersion] }]),
  ...(task === null ? [] : [ofTask(task, "+")]),
  ...(types === null ? [] : [{ sql: `+type IN (${types.map(() => "?").join(", ")})`, values: types }]),
  ...(occurredAt === null ? [] : [{ sql: "recorded_at - occurred_before = ?", values: [occurredAt] }]),
  ...(part === null ? [] : [{ sql: part.first ? OF_FIRST_PART : OF_PART, values: [part.names] }]),
  ...(plugin === null ? [] : [{ sql: NAMES_NO_OTHER_PLUGIN, values: [plugin] }]),
]

/** Finds the byte of an event's task in constant time. */
const OF_PART = "substr(?, task + 1, 1) = x'01'"
const OF_FIRST_PART = `(task IS NULL OR ${OF_PART})`

/**
 * False for a payload that names another plugin. The reader decides the cases that SQLite cannot: a blob, encrypted
 * fields, a damaged or too large text.
 */
const NAMES_NO_OTHER_PLUGIN = `CASE
  WHEN octet_length(payload) > ${MAX_INLINE_BYTES} THEN 1
  WHEN NOT json_valid(payload) THEN 1
  ELSE coalesce(json_extract(payload, '$.plugin') = ?, 1) END`

const ofTask = (task: number | typeof NO_TASK, prefix = ""): Clause =>
  task === NO_TASK ? { sql: `${prefix}task IS NULL`, values: [] } : { sql: `${prefix}task = ?`, values: [task] }

const conjunction = (clauses: ReadonlyArray<Clause>): string => clauses.map(({ sql }) => sql).join(" AND ")
