import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Cause, Chunk, Effect, Either, Exit, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import * as Doctor from "../../src/events/integrity/Doctor.ts"
import type { LogDatabase } from "../../src/events/sqlite/file/database.ts"
import { examine } from "../../src/events/sqlite/integrity/doctor.ts"
import { EVENTS, runAll, smallLog, tamperer, verifyDuring } from "./smallLog.ts"

const BLOBS = ["id", "causation", "hash"] as const
const NUMBERS = [
  ...["position", "timeline", "stream", "version", "type", "schema_version", "task", "actor", "occurred_before"],
  ...["recorded_at", "key_id"],
] as const

/** The position of an event whose payload stands outside of its row, and of one with personal fields. */
const LARGE = EVENTS + 1
const PERSONAL = EVENTS + 2

/** The small log, with two events more of these two kinds. */
const richLog = Effect.gen(function* () {
  const filename = yield* smallLog
  const note = (text: string) => ({
    stream: "notes",
    actor: "human:eve",
    events: [{ type: "NoteAdded" as const, payload: { about: "x", text } }],
  })
  yield* Effect.gen(function* () {
    const log = yield* EventLog
    expect(yield* log.append(note("x".repeat(300_000)))).toMatchObject({ position: LARGE })
    expect(yield* log.append({ ...note("secret"), subject: "anna" })).toMatchObject({ position: PERSONAL })
  }).pipe(Effect.provide(layerSqlite({ filename })))
  return filename
})

/** One stored field, as bytes that can be read and written back. */
interface Field {
  readonly name: string
  readonly bytes: Buffer
  readonly write: (bytes: Buffer) => void
  /** First position at which the change must be found. */
  readonly position: (bytes: Buffer) => number
}

/** A driver gives bytes as a `Buffer` or as a plain `Uint8Array`. */
const asBuffer = (bytes: unknown): Buffer | undefined => (bytes instanceof Uint8Array ? Buffer.from(bytes) : undefined)

/** Every field that the file stores for the record. */
const fieldsOf = (database: LogDatabase): ReadonlyArray<Field> => {
  const cell = (table: string, key: string, id: unknown, column: string, cast: string) => ({
    name: `${table} ${id} ${column}`,
    write: (value: unknown) =>
      database.run(`UPDATE ${table} SET ${column} = CAST(? AS ${cast}) WHERE ${key} = ?`, [value, id]),
  })
  const [[last] = []] = database.rows("SELECT max(position) FROM events")
  const ofEvents = Array.from({ length: Number(last) }, (_, index) => index + 1).flatMap((position) => {
    const stored = (column: string) =>
      database.rows(`SELECT ${column} FROM events WHERE position = ?`, [position])[0]?.[0]
    const field = (column: string, cast: string, found: unknown, decode: (bytes: Buffer) => unknown): Array<Field> => {
      const { name, write } = cell("events", "position", position, column, cast)
      const bytes = asBuffer(found)
      if (bytes === undefined) return []
      const expected = column === "position" ? (changed: Buffer) => Math.min(position, Number(decode(changed))) : null
      return [{ name, bytes, write: (changed) => write(decode(changed)), position: expected ?? (() => position) }]
    }
    return [
      ...field("payload", "TEXT", stored("CAST(payload AS BLOB)"), (bytes) => bytes),
      ...BLOBS.flatMap((column) => field(column, "BLOB", stored(column), (bytes) => bytes)),
      ...NUMBERS.flatMap((column) =>
        field(column, "INTEGER", int64(stored(column)), (bytes) => bytes.readBigInt64BE(0)),
      ),
    ]
  })
  const ofNames = database.rows("SELECT id, CAST(text AS BLOB) FROM names").flatMap(([id, text]): Array<Field> => {
    const bytes = asBuffer(text)
    const [[first] = []] = database.rows(
      "SELECT min(position) FROM events WHERE ? IN (timeline, stream, type, task, actor, key_id)",
      [id],
    )
    const { name, write } = cell("names", "id", id, "text", "TEXT")
    return bytes === undefined ? [] : [{ name, bytes, write, position: () => Number(first) }]
  })
  const ofBlobs = database.rows("SELECT digest, CAST(digest AS BLOB), CAST(content AS BLOB) FROM blobs").flatMap(
    ([id, digest, content]): Array<Field> =>
      Object.entries({ digest, content }).flatMap(([column, found]) => {
        const { name, write } = cell("blobs", "digest", id, column, "TEXT")
        const bytes = asBuffer(found)
        return bytes === undefined ? [] : [{ name, bytes, write, position: () => LARGE }]
      }),
  )
  return [...ofEvents, ...ofNames, ...ofBlobs]
}

const int64 = (value: unknown): Buffer | null => {
  if (typeof value !== "number") return null
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

/** Writes a field with one byte changed; false where the table cannot hold that (its key is taken). */
const writeFlipped = (field: Field, bytes: Buffer): boolean => {
  try {
    field.write(bytes)
    return true
  } catch (cause) {
    if (cause instanceof Error && /UNIQUE/.test(cause.message)) return false
    throw cause
  }
}

const flipped = (bytes: Buffer, index: number, mask: number): Buffer => {
  const changed = Buffer.from(bytes)
  changed[index % bytes.length] = (changed[index % bytes.length] ?? 0) ^ mask
  return changed
}

/** Changes a field, holds what `verify` says against that, and changes it back. */
const isFoundOut = (database: LogDatabase, field: Field, changed: Buffer) =>
  Effect.gen(function* () {
    let written = false
    const found = yield* verifyDuring(database, () => {
      written = writeFlipped(field, changed)
    })
    if (!written) return
    expect({ field: field.name, ...found }).toMatchObject({ _tag: "Tampered", position: field.position(changed) })
  })

const check = <Values>(property: fc.IAsyncProperty<Values>, numRuns: number) =>
  Effect.promise(() => fc.assert(property, { numRuns }))

/** Some seconds of work, on a machine that has much else to do. */
const SLOW_MACHINE_MS = 120_000

describe("a small log in which one byte was changed", () => {
  it.scopedLive("is found out at its first bad position, whichever field of whichever event it is", () =>
    Effect.gen(function* () {
      const database = yield* tamperer(yield* richLog)
      const fields = fieldsOf(database)
      expect(fields.length).toBeGreaterThan(PERSONAL * 12)
      const property = fc.asyncProperty(
        fc.constantFrom(...fields),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (field, index, mask) => Effect.runPromise(isFoundOut(database, field, flipped(field.bytes, index, mask))),
      )
      yield* check(property, 100)
    }),
  )

  it.scopedLive(
    "is found out whichever byte it is: each of them in turn",
    () =>
      Effect.gen(function* () {
        const database = yield* tamperer(yield* smallLog)
        let bytes = 0
        for (const field of fieldsOf(database)) {
          for (let index = 0; index < field.bytes.length; index++) {
            yield* isFoundOut(database, field, flipped(field.bytes, index, 1 << (index % 8)))
            bytes += 1
          }
        }
        expect(bytes).toBeGreaterThan(EVENTS * 150)
      }),
    SLOW_MACHINE_MS,
  )

  it.scopedLive(
    "anywhere in its file: what verify calls intact reads as before, and the doctor agrees",
    () =>
      Effect.gen(function* () {
        const filename = yield* smallLog
        const original = fs.readFileSync(filename)
        const readAll = Effect.flatMap(EventLog, (log) =>
          Effect.all([log.verify, Effect.map(Stream.runCollect(log.read()), Chunk.toReadonlyArray)]),
        ).pipe(Effect.provide(layerSqlite({ filename, readonly: true })))
        const [, events] = yield* readAll
        const property = fc.asyncProperty(
          fc.nat(original.length - 1),
          fc.integer({ min: 1, max: 255 }),
          async (index, mask) => {
            fs.writeFileSync(filename, flipped(original, index, mask))
            const exit = await Effect.runPromiseExit(Effect.either(readAll))
            if (Exit.isFailure(exit)) throw new Error(`a defect: ${Cause.pretty(exit.cause)}`)
            const intact = Either.isRight(exit.value) && exit.value.right[0]._tag === "Intact"
            if (intact) expect(Either.getOrThrow(exit.value)[1]).toEqual(events)
            const examined = await Effect.runPromise(Effect.either(examine(filename)))
            if (Either.isRight(examined) && !intact) expect(Doctor.isHealthy(examined.right)).toBe(false)
          },
        )
        yield* check(property, 60)
      }),
    SLOW_MACHINE_MS,
  )
})

describe("a small log whose events were moved about", () => {
  const positions = fc.uniqueArray(fc.integer({ min: 1, max: EVENTS }), { minLength: 2, maxLength: 2 })

  it.scopedLive(
    "a small log with two events in each other's place: the first of them is named, and where it stands",
    () =>
      Effect.gen(function* () {
        const database = yield* tamperer(yield* smallLog)
        const property = fc.asyncProperty(positions, async ([a = 0, b = 0]) => {
          const swap = `UPDATE events SET position = 99 WHERE position = ${a};
          UPDATE events SET position = ${a} WHERE position = ${b}; UPDATE events SET position = ${b} WHERE position = 99`
          const found = await Effect.runPromise(verifyDuring(database, () => runAll(database, swap)))
          expect(found).toMatchObject({
            _tag: "Tampered",
            position: Math.min(a, b),
            kind: "order changed",
            reason: `the event that belongs here stands at @${Math.max(a, b)}`,
          })
        })
        yield* check(property, 60)
      }),
  )

  it.scopedLive("a small log without some events but the last ones: the first missing position is named", () =>
    Effect.gen(function* () {
      const database = yield* tamperer(yield* smallLog)
      const removed = fc.subarray([1, 2, 3, 4, 5, 6], { minLength: 1 })
      const property = fc.asyncProperty(removed, async (gone) => {
        const sql = `DELETE FROM events WHERE position IN (${gone.join(", ")})`
        const found = await Effect.runPromise(verifyDuring(database, () => database.run(sql)))
        expect(found).toMatchObject({ _tag: "Tampered", position: Math.min(...gone), kind: "event missing" })
      })
      yield* check(property, 60)
    }),
  )
})
