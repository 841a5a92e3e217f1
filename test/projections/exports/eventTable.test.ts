import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as EventTable from "../../../src/projections/exports/EventTable.ts"
import * as ParquetRows from "../../../src/projections/exports/ParquetRows.ts"
import { duckdb } from "../../fetched.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { all, encoded, event, hardLog, readable } from "./given.ts"

/** Asks DuckDB about a Parquet file with these bytes, which is `$file` in the question. */
const askDuck = (bytes: Uint8Array, ...questions: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const file = path.join(yield* temporaryDirectory, "events.parquet")
    fs.writeFileSync(file, bytes)
    return yield* Effect.promise(async () => {
      const connection = await (await duckdb().DuckDBInstance.create()).connect()
      const answers = []
      for (const question of questions) {
        const reader = await connection.runAndReadAll(question.replaceAll("$file", `'${file}'`))
        answers.push(reader.getRowObjectsJson())
      }
      connection.closeSync()
      return answers
    })
  })

const source = { log: "log.db", head: { position: 8, hash: "f".repeat(64) } }

describe("events as a Parquet table, read by DuckDB", () => {
  it.scopedLive("have typed columns, and every row says what the log says", () =>
    Effect.gen(function* () {
      const { log, records } = yield* hardLog
      const bytes = yield* encoded(EventTable.encoder(source), yield* readable(records, true))
      const [columns, rows, about] = yield* askDuck(
        bytes,
        "SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM $file)",
        "SELECT * REPLACE (epoch_ms(occurred_at) AS occurred_at, epoch_ms(recorded_at) AS recorded_at) FROM $file ORDER BY position",
        "SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata($file) ORDER BY key",
      )
      const named = Object.fromEntries((columns ?? []).map(({ name, type }) => [name, type]))
      const [text, integer, moment] = ["VARCHAR", "BIGINT", "TIMESTAMP WITH TIME ZONE"]
      expect(named).toEqual({
        position: integer,
        id: text,
        timeline: text,
        stream: text,
        version: integer,
        type: text,
        schema_version: integer,
        task_id: text,
        causation_id: text,
        actor: text,
        occurred_at: moment,
        recorded_at: moment,
        payload: text,
        key_id: text,
        hash: text,
      })
      const expected = (yield* all(log)).map((event) => ({
        position: String(event.position),
        id: event.id,
        timeline: "main",
        stream: event.stream,
        version: String(event.version),
        type: event.type,
        schema_version: String(event.schemaVersion),
        task_id: event.taskId,
        causation_id: event.causationId,
        actor: event.actor,
        occurred_at: String(event.occurredAt),
        recorded_at: String(event.recordedAt),
        payload: JSON.stringify(event.payload),
        key_id: event.personal?.keyId ?? null,
        hash: event.hash,
      }))
      expect(rows).toEqual(expected)
      expect(about).toEqual([
        { key: "hindcast.head", value: "8" },
        { key: "hindcast.head_hash", value: source.head.hash },
        { key: "hindcast.log", value: "log.db" },
      ])
    }),
  )

  it.scopedLive("are written in row groups, and counted, skipped and unnested across them", () =>
    Effect.gen(function* () {
      const count = 70_000
      const events = Array.from({ length: count }, (_, index) =>
        event(
          index + 1,
          index % 7 === 0 ? "SensorRead" : "NoteAdded",
          { sensor: "a/b", index },
          { taskId: `t${index % 50}` },
        ),
      )
      const bytes = yield* encoded(EventTable.encoder(source), events, 1_000)
      const [groups, sums] = yield* askDuck(
        bytes,
        "SELECT count(DISTINCT row_group_id) AS groups, max(row_group_num_rows) AS most FROM parquet_metadata($file)",
        `SELECT count(*) AS events, count(DISTINCT task_id) AS tasks, sum(CAST(payload->>'index' AS BIGINT)) AS indexes
          FROM $file WHERE type = 'SensorRead' AND position > 1`,
      )
      expect(groups).toEqual([{ groups: "3", most: "32768" }])
      const read = events.filter(({ link }) => link.type === "SensorRead" && link.position > 1)
      const indexes = read.reduce((sum, { link }) => sum + link.position - 1, 0)
      expect(sums).toEqual([{ events: String(read.length), tasks: "50", indexes: String(indexes) }])
    }),
  )

  it.scopedLive("are a table without rows where there are none", () =>
    Effect.gen(function* () {
      const bytes = yield* encoded(EventTable.encoder(source), [])
      const [rows] = yield* askDuck(bytes, "SELECT count(*) AS events, min(position) AS least FROM $file")
      expect(rows).toEqual([{ events: "0", least: null }])
    }),
  )
})

describe("rows of a Parquet file", () => {
  it.scopedLive("hold numbers, truths and what is absent, and texts longer than the memory set aside for them", () =>
    Effect.gen(function* () {
      const items = [
        { text: "ü".repeat(900_000), number: 0.5, truth: true, count: 3 },
        { text: null, number: null, truth: null, count: null },
        { text: "", number: -1e300, truth: false, count: -(2 ** 53) + 1 },
      ]
      const columns: ReadonlyArray<ParquetRows.Column<(typeof items)[number]>> = [
        { name: "text", holds: "text", optional: true, bounds: false, of: ({ text }) => text },
        { name: "number", holds: "number", optional: true, of: ({ number }) => number },
        { name: "truth", holds: "boolean", optional: true, of: ({ truth }) => truth },
        { name: "count", holds: "integer", optional: true, of: ({ count }) => count },
      ]
      const bytes = yield* encoded(ParquetRows.encoder({ columns }), items)
      const [rows] = yield* askDuck(bytes, "SELECT * FROM $file")
      expect(rows).toEqual(items.map((item) => ({ ...item, count: item.count === null ? null : String(item.count) })))
    }),
  )
})
