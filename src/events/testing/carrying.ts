/** Conformance tests of content: payloads and names that a log stores unchanged, and size limits. */

import { Effect, FastCheck } from "effect"
import { expect } from "vitest"
import type { Json } from "../../values/Json.ts"
import { MAX_EVENTS_PER_APPEND, MAX_NAME_LENGTH, MAX_PAYLOAD_BYTES } from "../append/AppendValidation.ts"
import { EventLog } from "../log/EventLog.ts"
import { MAX_INLINE_BYTES } from "../payload/Blob.ts"
import { ID_1, note, notes, readAll, type Test, textOf, withIds } from "./given.ts"

/** Generated payloads per append. */
const DRAWN = 500

export const carrying = (test: Test): void => {
  test(
    "any JSON reads as it was appended, whatever its text, numbers and keys; only -0 becomes 0",
    Effect.gen(function* () {
      const log = yield* EventLog
      const readings = FastCheck.sample(JSON_VALUE, DRAWN)
      const { events } = yield* log.append(sensorRead([...EDGES, ...readings]))
      const found = yield* readAll(log)
      const texts = [...EDGES, ...readings].map((reading) => JSON.stringify(reading))
      expect(found.map(({ payload }) => JSON.stringify(payload.reading))).toEqual(texts)
      expect(found.map(({ hash }) => hash)).toEqual(events.map(({ hash }) => hash))
      expect(Object.is(found[0]?.payload.reading, 0)).toBe(true)
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: texts.length })
    }),
  )

  test(
    "Unicode text reads as it was appended; a lone surrogate is refused, in a value and in a key",
    Effect.gen(function* () {
      const log = yield* EventLog
      for (const text of ["\ud800", "a\udc00", "\udc00\ud800", ...FastCheck.sample(SIXTEEN_BITS, 100)]) {
        for (const reading of [text, { [text]: 1 }]) {
          const append = log.append(sensorRead([reading]))
          if (text.isWellFormed()) {
            const { position } = yield* append
            const [found] = yield* log.readPage({ after: position - 1 }, 1)
            expect(found?.payload.reading).toEqual(reading)
          } else {
            const error = yield* Effect.flip(append)
            expect(error._tag).toBe("InvalidEvent")
            expect(error.message).toContain("lone surrogate")
          }
        }
      }
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }),
  )

  test(
    "names of streams, timelines, tasks and actors read as they were appended",
    Effect.gen(function* () {
      const log = yield* EventLog
      const names = ["a", "A", "ä", "a\u0308", "\u{1F511}", " ", "a b", "%", "'; --", "__proto__", "x".repeat(512)]
      for (const name of names) {
        const { events } = yield* log.append({ ...note(name, ["x"]), timeline: name, taskId: name, actor: name })
        expect(events).toMatchObject([{ stream: name, timeline: name, taskId: name, actor: name, version: 1 }])
        for (const query of [{ stream: name }, { timeline: name }, { taskId: name }]) {
          expect(yield* readAll(log, query)).toEqual(events)
        }
      }
    }),
  )

  test(
    "a payload too large for its event's row reaches readers, retries and conflicts whole",
    Effect.gen(function* () {
      const log = yield* EventLog
      const large = `\u{1F511}${"x".repeat(MAX_INLINE_BYTES)}`
      const request = withIds(note("a", [large]), [ID_1])
      const first = yield* log.append(request)
      yield* log.append(note("a", ["small", large]))
      expect((yield* readAll(log)).map(textOf)).toEqual([large, "small", large])
      expect(yield* log.append(request)).toEqual(first)
      expect(yield* Effect.flip(log.append(withIds(note("a", [`${large}x`]), [ID_1])))).toMatchObject({
        _tag: "IdReused",
      })
      const stale = yield* Effect.flip(log.append({ ...note("a", ["late"]), expected: { _tag: "Exact", version: 2 } }))
      expect(stale._tag === "VersionConflict" && stale.missed.map(textOf)).toEqual([large])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 3 })
    }),
  )

  test(
    "every limit is accepted exactly; one more is refused, says what was expected and found, and writes nothing",
    Effect.gen(function* () {
      const log = yield* EventLog
      const refusal = (request: Parameters<typeof log.append>[0]) =>
        Effect.map(Effect.flip(log.append(request)), (error) => `${error._tag}: ${error.message}`)
      const overhead = Buffer.byteLength(JSON.stringify({ about: "a", text: "" }))
      const fitting = "x".repeat(MAX_PAYLOAD_BYTES - overhead)
      expect(yield* refusal(note("a", [`${fitting}x`]))).toContain(
        `payload: expected at most ${MAX_PAYLOAD_BYTES} bytes, found ${MAX_PAYLOAD_BYTES + 1}`,
      )
      expect(yield* refusal(notes("a", MAX_EVENTS_PER_APPEND + 1))).toContain(
        `expected at most ${MAX_EVENTS_PER_APPEND} events, found ${MAX_EVENTS_PER_APPEND + 1}`,
      )
      const long = "n".repeat(MAX_NAME_LENGTH)
      for (const [what, request] of [
        ["stream", note(`${long}n`, ["x"])],
        ["timeline", { ...note("a", ["x"]), timeline: `${long}n` }],
        ["taskId", { ...note("a", ["x"]), taskId: `${long}n` }],
        ["actor", { ...note("a", ["x"]), actor: `${long}n` }],
      ] as const) {
        expect(yield* refusal(request)).toMatch(
          new RegExp(`^InvalidEvent: .* ${what}: expected at most 512 characters, found 513`),
        )
      }
      for (const name of ["a\0b", "\ud800"]) expect(yield* refusal(note(name, ["x"]))).toContain("expected plain text")
      expect(yield* refusal(sensorRead([nested(250)]))).toContain("more than 200 levels")
      expect((yield* log.head).position).toBe(0)

      yield* log.append(note("a", [fitting]))
      yield* log.append({ ...note(long, ["x"]), timeline: long, taskId: long, actor: long })
      yield* log.append(notes("a", MAX_EVENTS_PER_APPEND))
      yield* log.append(sensorRead([nested(150)]))
      expect((yield* log.head).position).toBe(MAX_EVENTS_PER_APPEND + 3)
      expect((yield* log.readPage({}, 1)).map(textOf)).toEqual([fitting])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: MAX_EVENTS_PER_APPEND + 3 })
    }),
  )
}

const sensorRead = (readings: ReadonlyArray<Json>) => ({
  stream: "readings",
  actor: "plugin:p@1",
  events: readings.map((reading) => ({
    type: "SensorRead" as const,
    payload: { sensor: "p/s", reading, priority: 0.5, latencyMs: 0 },
  })),
})

const nested = (levels: number): Json => (levels === 0 ? 0 : [nested(levels - 1)])

/** Edge cases of JSON. -0 is written as 0. */
const EDGES: ReadonlyArray<Json> = [
  ...[-0, 0, 1e308, -1e308, 5e-324, 0.1, 1e21, -1e-7, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 123456789.12345679],
  ...[
    "",
    "\0",
    "\u2028\u2029",
    '"\\/\b\f\n\r\t',
    "\uFFFD",
    "\uFEFF",
    "\u{10FFFF}",
    "e\u0301",
    "\u{1F468}\u200D\u{1F469}",
  ],
  JSON.parse('{"__proto__":{"x":1},"constructor":[],"toJSON":1,"":null,"1":1,"b":{},"a":[[],[null]]}'),
  '"blob:0000000000000000000000000000000000000000000000000000000000000000"',
]

const TEXT = FastCheck.string({ unit: "binary", maxLength: 20 })

const SIXTEEN_BITS = FastCheck.array(
  FastCheck.oneof(FastCheck.integer({ min: 0xd800, max: 0xdfff }), FastCheck.integer({ min: 0, max: 0xffff })),
  { minLength: 1, maxLength: 4 },
).map((units) => String.fromCharCode(...units))

const JSON_VALUE = FastCheck.letrec<{ value: Json }>((tie) => ({
  value: FastCheck.oneof(
    { maxDepth: 4, withCrossShrink: true },
    FastCheck.constantFrom(null, true, false),
    FastCheck.double({ noNaN: true, noDefaultInfinity: true }),
    FastCheck.integer(),
    TEXT,
    FastCheck.array(tie("value"), { maxLength: 4 }),
    FastCheck.array(FastCheck.tuple(FastCheck.oneof(TEXT, FastCheck.constant("__proto__")), tie("value")), {
      maxLength: 4,
    }).map((entries): Json => Object.fromEntries(entries)),
  ),
})).value
