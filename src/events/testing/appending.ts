/** Conformance tests of appends: order, expected versions, retries, group commit. */

import { Effect, Either, Option } from "effect"
import { expect } from "vitest"
import type { JsonObject } from "../../values/Json.ts"
import * as EventLog from "../log/EventLog.ts"
import { ID_1, ID_2, note, notes, readAll, type Test, textOf, withIds } from "./given.ts"

export const appending = (test: Test): void => {
  test(
    "reads return the appended events, complete and in order",
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
    "a wrong expected version is a conflict that carries the missed events",
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
      expect(taken instanceof EventLog.VersionConflict && taken.missed.map(textOf)).toEqual([
        ...["one", "two", "three", "four"],
      ])
      const absent = yield* Effect.flip(log.append({ ...note("b", ["x"]), expected: EventLog.Exists }))
      expect(absent).toMatchObject({ _tag: "VersionConflict", actual: 0, missed: [] })
      const ahead = yield* Effect.flip(log.append({ ...note("a", ["x"]), expected: EventLog.Exact(9) }))
      expect(ahead).toMatchObject({ _tag: "VersionConflict", actual: 4, missed: [] })
      const elsewhere = { ...note("a", ["x"]), timeline: "other", expected: EventLog.Exact(4) }
      expect(yield* Effect.flip(log.append(elsewhere))).toMatchObject({ actual: 0, missed: [] })
      expect((yield* log.head).position).toBe(4)
    }),
  )

  test(
    "a conflict carries the stream as it was when the conflict was found, even if more was appended at that moment",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(note("a", ["one", "two"]))
      const [stale, , ahead] = yield* Effect.all(
        [
          Effect.flip(log.append({ ...note("a", ["late"]), expected: EventLog.Exact(1) })),
          log.append(note("a", ["three", "four", "five"])),
          Effect.flip(log.append({ ...note("a", ["early"]), expected: EventLog.Exact(6) })),
        ],
        { concurrency: "unbounded" },
      )
      for (const conflict of [stale, ahead]) {
        if (!(conflict instanceof EventLog.VersionConflict)) throw conflict
        const { expected, actual, missed } = conflict
        const from = expected._tag === "Exact" ? expected.version : 0
        expect(missed.map(({ version }) => version)).toEqual(
          Array.from({ length: Math.max(0, actual - from) }, (_, index) => from + index + 1),
        )
      }
    }),
  )

  test(
    "a conflict carries the first thousand missed events",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(notes("a", 1100))
      const stale = yield* Effect.flip(log.append({ ...note("a", ["late"]), expected: EventLog.Exact(10) }))
      expect(stale).toMatchObject({ _tag: "VersionConflict", actual: 1100 })
      const versions = stale instanceof EventLog.VersionConflict ? stale.missed.map(({ version }) => version) : []
      expect(versions).toEqual(Array.from({ length: 1000 }, (_, index) => index + 11))
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
    "events of an append for other streams are committed with it, or not at all",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(note("b", ["zero"]))
      const [other, elsewhere] = [note("b", ["three"]), { ...note("c", ["four", "five"]), timeline: "branch" }]
      const request = withIds({ ...note("a", ["one", "two"]), with: [other, elsewhere, note("a", ["six"])] }, [
        ID_1,
        ID_2,
      ])
      const appended = yield* log.append({ ...request, expected: EventLog.NoStream })
      expect([appended.position, appended.version, appended.events.map(textOf)]).toEqual([3, 2, ["one", "two"]])
      const events = yield* readAll(log)
      expect(events.map((event) => [event.timeline, event.stream, event.version, textOf(event)])).toEqual([
        ["main", "b", 1, "zero"],
        ["main", "a", 1, "one"],
        ["main", "a", 2, "two"],
        ["main", "b", 2, "three"],
        ["branch", "c", 1, "four"],
        ["branch", "c", 2, "five"],
        ["main", "a", 3, "six"],
      ])
      // A retry adds nothing; a refused append adds nothing.
      expect(yield* log.append({ ...request, expected: EventLog.NoStream })).toEqual(appended)
      const refused = { ...note("a", ["late"]), expected: EventLog.NoStream, with: [other] }
      expect(yield* Effect.flip(log.append(refused))).toMatchObject({ _tag: "VersionConflict", stream: "a", actual: 3 })
      const reused = { ...note("d", ["x"]), with: [withIds(note("b", ["y"]), [ID_1])] }
      expect(yield* Effect.flip(log.append(reused))).toMatchObject({ _tag: "IdReused", id: ID_1, position: 2 })
      const twice = { ...withIds(note("d", ["x"]), [ID_2]), with: [withIds(note("b", ["y"]), [ID_2])] }
      expect((yield* Effect.flip(log.append(twice))).message).toContain("is given to two events of one append")
      const bad = { ...note("d", ["x"]), with: [{ ...note("", ["y"]) }] }
      expect(yield* Effect.flip(log.append(bad))).toMatchObject({ _tag: "InvalidEvent" })
      for (const none of ["b", [3]] as ReadonlyArray<unknown>) {
        const error = yield* Effect.flip(log.append({ ...note("d", ["x"]), with: none as ReadonlyArray<never> }))
        expect(error.message).toContain("with: expected")
      }
      expect((yield* log.head).position).toBe(7)
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 7 })
    }),
  )

  test(
    "a retry with the same id and content returns the earlier event",
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
    "a retry concurrent with its first try stores one event",
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
      const differing = [
        { ...note("a", ["one"]), actor: "human:other" },
        { ...note("a", ["one"]), taskId: "t" },
        { ...note("a", ["one"]), timeline: "other" },
        { ...note("a", ["one"]), stream: "b" },
      ]
      for (const request of differing) {
        expect(yield* Effect.flip(log.append(withIds(request, [ID_1])))).toMatchObject({
          _tag: "IdReused",
          position: 1,
        })
      }
      expect((yield* log.head).position).toBe(1)
    }),
  )

  test(
    "an answer contains the stored events, whatever the caller does with the request or an answer",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const payload = { about: "a", text: "as it was" }
      const request = withIds({ ...note("a", []), events: [{ type: "NoteAdded", payload }] }, [ID_1])
      const [{ events }] = yield* Effect.all(
        [
          log.append(request),
          Effect.sync(() => {
            payload.text = "changed before it was committed"
          }),
        ],
        { concurrency: "unbounded" },
      )
      expect(events.map(textOf)).toEqual(["as it was"])
      const [event] = events
      Object.assign(event?.payload ?? {}, { text: "changed by who was answered" })
      Object.assign(event ?? {}, { hash: "0", version: 9 })
      const again = yield* readAll(log)
      expect(again.map((event) => [textOf(event), event.version])).toEqual([["as it was", 1]])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 1 })
    }),
  )

  test(
    "a retry with its payload's keys in another order returns the earlier event",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const reading = (value: JsonObject) =>
        withIds(
          {
            stream: "a",
            actor: "human:test",
            events: [{ type: "SensorRead", payload: { sensor: "p/s", reading: value, priority: 0, latencyMs: 1 } }],
          },
          [ID_1],
        )
      const first = yield* log.append(reading({ a: 1, b: { c: [1, { d: 2, e: 3 }] } }))
      expect(yield* log.append(reading({ b: { c: [1, { e: 3, d: 2 }] }, a: 1 }))).toEqual(first)
      const other = yield* Effect.flip(log.append(reading({ b: { c: [{ e: 3, d: 2 }, 1] }, a: 1 })))
      expect(other).toMatchObject({ _tag: "IdReused", position: 1 })
    }),
  )
}
