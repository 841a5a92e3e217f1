import { Effect } from "effect"
import type { Event } from "../Event.ts"
import { LogCorrupt, type LogError, type Query } from "../EventLog.ts"
import type { Connection } from "./connection.ts"
import { type Names, readable } from "./names.ts"

/** The columns of an event, in the order that `eventOf` expects. */
export const COLUMNS =
  "position, id, timeline, stream, version, type, schema_version, task, causation, actor, occurred_at, recorded_at, payload, hash"

/** Reads one page, in order of position. */
export const readPage =
  (connection: Connection, names: Names) =>
  (query: Query, limit: number): Effect.Effect<ReadonlyArray<Event>, LogError> =>
    Effect.gen(function* () {
      const where = yield* condition(names, query)
      if (where === undefined) return []
      const rows = yield* readable(
        connection.rows(`SELECT ${COLUMNS} FROM events WHERE ${where.sql} LIMIT ?`, [...where.parameters, limit]),
      )
      return yield* eventsOf(connection, names, rows)
    })

/** Turns rows into events; names that were added by another process meanwhile are loaded first. */
export const eventsOf = (
  connection: Connection,
  names: Names,
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
): Effect.Effect<ReadonlyArray<Event>, LogError> =>
  Effect.gen(function* () {
    if (rows.some((row) => NAME_COLUMNS.some((column) => isUnknown(names, row[column])))) yield* names.refresh
    const events: Array<Event> = []
    for (const row of rows) {
      const event = eventOf(names, row)
      if (typeof event === "string") {
        return yield* new LogCorrupt({ log: connection.filename, position: Number(row[0]), reason: event })
      }
      events.push(event)
    }
    return events
  })

const NAME_COLUMNS = [2, 3, 5, 7, 9] as const

const isUnknown = (names: Names, id: unknown): boolean => typeof id === "number" && names.text(id) === undefined

/** The event of a row, or what is wrong with the row. */
const eventOf = (names: Names, row: ReadonlyArray<unknown>): Event | string => {
  const [position, id, timeline, stream, version, type, schemaVersion, task, causation, actor] = row
  const [occurredAt, recordedAt, payload, hash] = row.slice(10)
  const name = (value: unknown) => names.text(Number(value))
  const timelineName = name(timeline)
  const streamName = name(stream)
  const typeName = name(type)
  const actorName = name(actor)
  const taskId = task === null ? null : name(task)
  if (
    timelineName === undefined ||
    streamName === undefined ||
    typeName === undefined ||
    actorName === undefined ||
    taskId === undefined
  ) {
    return "it uses a name that the file does not have"
  }
  try {
    return {
      position: Number(position),
      id: uuidOf(id),
      timeline: timelineName,
      stream: streamName,
      version: Number(version),
      type: typeName,
      schemaVersion: Number(schemaVersion),
      taskId,
      causationId: causation === null ? null : uuidOf(causation),
      actor: actorName,
      occurredAt: Number(occurredAt),
      recordedAt: Number(recordedAt),
      payload: JSON.parse(String(payload)),
      hash: hexOf(hash),
    }
  } catch (cause) {
    return `its payload is not JSON (${String(cause)})`
  }
}

interface Condition {
  readonly sql: string
  readonly parameters: ReadonlyArray<unknown>
}

/** The WHERE and ORDER BY of a query; undefined where it names something that no event has. */
const condition = (names: Names, query: Query): Effect.Effect<Condition | undefined, LogError> =>
  Effect.gen(function* () {
    const clauses = ["position > ?"]
    const parameters: Array<unknown> = [query.after ?? 0]
    const also = (clause: string, ...values: ReadonlyArray<unknown>) => {
      clauses.push(clause)
      parameters.push(...values)
    }
    if (query.until !== undefined) also("position <= ?", query.until)
    for (const [column, text] of [
      ["timeline", query.timeline],
      ["stream", query.stream],
      ["task", query.taskId],
    ] as const) {
      if (text === undefined) continue
      const id = yield* names.id(text)
      if (id === undefined) return undefined
      also(`${column} = ?`, id)
    }
    if (query.afterVersion !== undefined) also("version > ?", query.afterVersion)
    if (query.types !== undefined) {
      const ids: Array<number> = []
      for (const type of query.types) {
        const id = yield* names.id(type)
        if (id !== undefined) ids.push(id)
      }
      if (ids.length === 0) return undefined
      also(`type IN (${ids.map(() => "?").join(", ")})`, ...ids)
    }
    // Within one stream of one timeline, versions are in the order of positions, and the index has them.
    const order = query.stream !== undefined && query.timeline !== undefined ? "version" : "position"
    return { sql: `${clauses.join(" AND ")} ORDER BY ${order}`, parameters }
  })

/** 16 bytes as the text of a UUID. */
export const uuidOf = (bytes: unknown): string => {
  const hex = hexOf(bytes)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A UUID's text as its 16 bytes. */
export const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex")

export const hexOf = (bytes: unknown): string => (Buffer.isBuffer(bytes) ? bytes.toString("hex") : "")
