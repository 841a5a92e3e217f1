import { describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, type Layer, Option, Stream } from "effect"
import { expect } from "vitest"
import * as Chain from "./Chain.ts"
import type { Event } from "./Event.ts"
import * as EventLog from "./EventLog.ts"

/**
 * What every event log must do, as a suite of tests. A backend proves itself with one line in a test file:
 * `suite("my log", layer)`. The layer must give a new, empty log each time it is built.
 */
export const suite = <E>(name: string, layer: Layer.Layer<EventLog.EventLog, E>): void => {
  const test = (behaviour: string, body: Effect.Effect<void, unknown, EventLog.EventLog>) =>
    it.live(behaviour, () => Effect.provide(body, layer))

  describe(`event log: ${name}`, () => {
    test(
      "an empty log has head 0 and the hash of nothing",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        expect(yield* log.head).toEqual({ position: 0, hash: Chain.GENESIS })
        expect(yield* Stream.runCollect(log.read()).pipe(Effect.map((events) => [...events]))).toEqual([])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 0 })
      }),
    )

    test(
      "what is appended is read back, whole and in order",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const first = yield* log.append(note("a", ["one", "two"]))
        const second = yield* log.append({ ...note("b", ["three"]), taskId: "t1" })
        expect([first.position, first.version, second.position, second.version]).toEqual([2, 2, 3, 1])
        const events = yield* readAll(log)
        expect(events).toEqual([...first.events, ...second.events])
        expect(events.map(textOf)).toEqual(["one", "two", "three"])
        expect(events.map((event) => [event.position, event.stream, event.version, event.taskId])).toEqual([
          [1, "a", 1, null],
          [2, "a", 2, null],
          [3, "b", 1, "t1"],
        ])
        expect(yield* log.head).toEqual({ position: 3, hash: events[2]?.hash })
      }),
    )

    test(
      "reads filter by range, timeline, stream, version, task and type",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append(note("a", ["1", "2", "3"]))
        yield* log.append({ ...note("b", ["4"]), taskId: "t1" })
        yield* log.append({ ...note("a", ["5"]), taskId: "t2", timeline: "other" })
        yield* log.append({
          stream: "b",
          actor: "human:test",
          events: [{ type: "TagAdded", payload: { about: "x", tag: "6" } }],
        })
        const positions = (query: EventLog.Query) =>
          Effect.map(readAll(log, query), (events) => events.map((event) => event.position))
        expect(yield* positions({ after: 2, until: 4 })).toEqual([3, 4])
        expect(yield* positions({ stream: "a" })).toEqual([1, 2, 3, 5])
        expect(yield* positions({ stream: "a", timeline: "main" })).toEqual([1, 2, 3])
        expect(yield* positions({ stream: "a", timeline: "main", afterVersion: 1 })).toEqual([2, 3])
        expect(yield* positions({ timeline: "other" })).toEqual([5])
        expect(yield* positions({ taskId: "t1" })).toEqual([4])
        expect(yield* positions({ types: ["TagAdded"] })).toEqual([6])
        expect(yield* positions({ types: ["TagAdded", "NoteAdded"], after: 4 })).toEqual([5, 6])
        expect(yield* positions({ types: ["Unheard"] })).toEqual([])
        expect(yield* positions({ stream: "nowhere" })).toEqual([])
      }),
    )

    test(
      "reading is in pages without gap or repeat, whatever the length",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const texts = Array.from({ length: 2500 }, (_, index) => String(index))
        yield* log.append(note("a", texts))
        expect((yield* readAll(log)).map(textOf)).toEqual(texts)
        expect((yield* log.readPage({ after: 10 }, 5)).map((event) => event.position)).toEqual([11, 12, 13, 14, 15])
      }),
    )

    test(
      "an expectation that does not hold is a conflict that carries what was missed",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append({ ...note("a", ["one"]), expected: EventLog.NoStream })
        yield* log.append({ ...note("a", ["two"]), expected: EventLog.Exact(1) })
        yield* log.append({ ...note("a", ["three"]), expected: EventLog.Exists })
        yield* log.append({ ...note("a", ["four"]), expected: EventLog.Any })
        const stale = yield* Effect.flip(log.append({ ...note("a", ["late"]), expected: EventLog.Exact(2) }))
        expect(stale).toBeInstanceOf(EventLog.VersionConflict)
        expect(stale).toMatchObject({ stream: "a", actual: 4 })
        expect(stale instanceof EventLog.VersionConflict && stale.missed.map(textOf)).toEqual(["three", "four"])
        expect(stale.message).toContain("expected version 2, found version 4")
        const taken = yield* Effect.flip(log.append({ ...note("a", ["x"]), expected: EventLog.NoStream }))
        expect(taken).toMatchObject({ _tag: "VersionConflict", actual: 4 })
        const absent = yield* Effect.flip(log.append({ ...note("b", ["x"]), expected: EventLog.Exists }))
        expect(absent).toMatchObject({ _tag: "VersionConflict", actual: 0, missed: [] })
        expect((yield* log.head).position).toBe(4)
      }),
    )

    test(
      "of many appends at once, a conflict fails alone and the rest are gapless",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 200 }, (_, index) => index),
          (index) =>
            Effect.either(
              index % 10 === 0
                ? log.append({ ...note("contested", [String(index)]), expected: EventLog.NoStream })
                : log.append(note(`s${index % 7}`, [String(index), `${index} again`])),
            ),
          { concurrency: "unbounded" },
        )
        expect(outcomes.filter(Either.isLeft)).toHaveLength(19)
        const events = yield* readAll(log)
        expect(events.map((event) => event.position)).toEqual(events.map((_, index) => index + 1))
        for (const stream of new Set(events.map((event) => event.stream))) {
          const versions = events.filter((event) => event.stream === stream).map((event) => event.version)
          expect(versions).toEqual(versions.map((_, index) => index + 1))
        }
        expect(events).toHaveLength(180 * 2 + 1)
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: events.length })
      }),
    )

    test(
      "a retry with the same id and content answers with the earlier event",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const request = withIds(note("a", ["one", "two"]), [ID_1, ID_2])
        const first = yield* log.append({ ...request, expected: EventLog.NoStream })
        yield* log.append(note("a", ["three"]))
        const again = yield* log.append({ ...request, expected: EventLog.NoStream })
        expect(again).toEqual(first)
        expect((yield* log.head).position).toBe(3)
        const found = yield* log.find(ID_2)
        expect(Option.map(found, textOf)).toEqual(Option.some("two"))
        expect(yield* log.find("00000000-0000-7000-8000-000000000000")).toEqual(Option.none())
      }),
    )

    test(
      "a retry under way at the same time as its first try is one event",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const request = withIds(note("a", ["one"]), [ID_1])
        const answers = yield* Effect.all(
          Array.from({ length: 5 }, () => log.append(request)),
          { concurrency: "unbounded" },
        )
        expect(answers.map((answer) => answer.position)).toEqual([1, 1, 1, 1, 1])
        expect((yield* log.head).position).toBe(1)
      }),
    )

    test(
      "the same id with other content is refused",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append(withIds(note("a", ["one"]), [ID_1]))
        const other = yield* Effect.flip(log.append(withIds(note("a", ["two"]), [ID_1])))
        expect(other).toMatchObject({ _tag: "IdReused", id: ID_1, position: 1 })
        const partly = yield* Effect.flip(log.append(withIds(note("a", ["one", "two"]), [ID_1, ID_2])))
        expect(partly).toMatchObject({ _tag: "IdReused", id: ID_1 })
        const twice = yield* Effect.flip(log.append(withIds(note("a", ["x", "y"]), [ID_2, ID_2])))
        expect(twice).toMatchObject({ _tag: "InvalidEvent", index: 1 })
        expect((yield* log.head).position).toBe(1)
      }),
    )

    test(
      "what is not an event of the vocabulary is refused, with the path of the offender, and nothing is written",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const refusal = (type: string, payload: unknown) =>
          Effect.map(
            Effect.flip(
              // The payload is wrong on purpose: callers without types get here too.
              log.append({ stream: "a", actor: "human:test", events: [{ type, payload: payload as never }] }),
            ),
            (error) => error.message,
          )
        const reading = (value: unknown) => ({ sensor: "p/s", reading: value, priority: 0, latencyMs: 1 })
        expect(yield* refusal("SensorRead", reading({ deep: [1, Number.NaN] }))).toContain(
          "payload/reading/deep/1: expected JSON, found NaN",
        )
        expect(yield* refusal("SensorRead", reading(new Date(0)))).toContain("found an instance of Date")
        expect(yield* refusal("SensorRead", reading({ a: undefined }))).toContain(
          "/reading/a: expected JSON, found undefined",
        )
        expect(yield* refusal("SensorRead", reading(10n))).toContain("found a bigint")
        expect(yield* refusal("SensorRead", reading("\ud800"))).toContain("lone surrogate")
        const cycle: Record<string, unknown> = {}
        cycle.self = cycle
        expect(yield* refusal("SensorRead", reading(cycle))).toContain("a cycle")
        expect(yield* refusal("SensorRead", { sensor: "p/s", reading: 1, priority: "high" })).toMatch(
          /payload\/priority: .*; payload\/latencyMs: is missing/,
        )
        expect(yield* refusal("SensorRed", {})).toContain('"SensorRed" is not in this log\'s vocabulary')
        const empty = yield* Effect.flip(log.append({ stream: "a", actor: "human:test", events: [] }))
        expect(empty.message).toContain("expected at least one event, found none")
        const nameless = yield* Effect.flip(log.append(note("", ["x"])))
        expect(nameless.message).toContain('stream: expected a name, found ""')
        expect((yield* log.head).position).toBe(0)
      }),
    )

    test(
      "any JSON comes back as it went in",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const reading = JSON.parse(
          '{"__proto__":{"x":1},"text":"\\u0000 \\ud83d\\ude00 \\"","n":[0,1e308,-1e-7,9007199254740993],"":null,"b":[true,false,{}]}',
        )
        yield* log.append({
          stream: "a",
          actor: "plugin:p@1",
          events: [{ type: "SensorRead", payload: { sensor: "p/s", reading, priority: 0.5, latencyMs: 0 } }],
        })
        const [event] = yield* readAll(log)
        expect(JSON.stringify(event?.payload.reading)).toBe(JSON.stringify(reading))
        expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
      }),
    )

    test(
      "following gives history, one marker, then what is appended, without gap or repeat",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append(note("a", ["1", "2", "3"]))
        const seen = yield* Effect.fork(Stream.runCollect(Stream.take(log.follow({ after: 1 }), 103)))
        yield* Effect.forEach(
          Array.from({ length: 50 }, (_, index) => index),
          (index) => log.append(note(`s${index}`, ["x", "y"])),
          { concurrency: 8 },
        )
        const items = [...(yield* Fiber.join(seen))]
        const positions = items.filter((item) => !(item instanceof EventLog.CaughtUp)).map((event) => event.position)
        expect(positions).toEqual(Array.from({ length: 102 }, (_, index) => index + 2))
        expect(items.filter((item) => item instanceof EventLog.CaughtUp)).toHaveLength(1)
      }),
    )

    test(
      "following only some types still catches up and sees the later ones",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append(note("a", ["1", "2"]))
        const seen = yield* Effect.fork(Stream.runCollect(Stream.take(log.follow({ types: ["TagAdded"] }), 2)))
        yield* log.append(note("a", ["3"]))
        yield* log.append({
          stream: "a",
          actor: "human:test",
          events: [{ type: "TagAdded", payload: { about: "a", tag: "seen" } }],
        })
        const [first, second] = [...(yield* Fiber.join(seen))]
        const marker = first instanceof EventLog.CaughtUp ? first : second
        const tag = first instanceof EventLog.CaughtUp ? second : first
        expect(marker).toBeInstanceOf(EventLog.CaughtUp)
        expect(tag).toMatchObject({ type: "TagAdded", position: 4 })
      }),
    )

    test(
      "each hash follows from the one before",
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        yield* log.append({ ...note("a", ["one"]), taskId: "t" })
        yield* log.append(note("b", ["two"]))
        let previous = Chain.GENESIS
        for (const event of yield* readAll(log)) {
          const expected = Chain.link(previous, event, JSON.stringify(event.payload))
          expect(event.hash).toBe(expected)
          previous = event.hash
        }
      }),
    )
  })
}

const ID_1 = "01890a5d-ac96-774b-bcce-b302099a8057"
const ID_2 = "01890a5d-ac96-774b-bcce-b302099a8058"

const note = (stream: string, texts: ReadonlyArray<string>): EventLog.AppendRequest => ({
  stream,
  actor: "human:test",
  events: texts.map((text) => ({ type: "NoteAdded" as const, payload: { about: stream, text } })),
})

const withIds = (request: EventLog.AppendRequest, ids: ReadonlyArray<string>): EventLog.AppendRequest => ({
  ...request,
  events: request.events.map((event, index) => ({ ...event, id: ids[index] ?? "" })),
})

const readAll = (
  log: EventLog.EventLog["Type"],
  query?: EventLog.Query,
): Effect.Effect<ReadonlyArray<Event>, EventLog.LogError> =>
  Effect.map(Stream.runCollect(log.read(query)), (events) => [...events])

const textOf = (event: Event) => event.payload.text
