/** Conformance tests of validation: requests and queries that a log refuses. */

import { Effect, Option, Stream } from "effect"
import { expect } from "vitest"
import { EARLIEST, iso, LATEST } from "../../values/Time.ts"
import * as EventLog from "../log/EventLog.ts"
import { ID_1, note, type Test } from "./given.ts"

export const refusing = (test: Test): void => {
  test(
    "an event that does not match the vocabulary is refused with the path of the fault, and nothing is written",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const refusal = (type: string, payload: unknown) =>
        Effect.map(
          Effect.flip(
            // Invalid on purpose: callers without types can pass anything.
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
    "an invalid event is refused with `givenAway` too",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const append = (payload: unknown) =>
        log.append({
          stream: "a",
          actor: "human:test",
          givenAway: true,
          // Invalid on purpose: callers without types can pass anything.
          events: [{ type: "NoteAdded", payload: payload as never }],
        })
      const refused = yield* Effect.flip(append({ about: "a", text: "\ud800" }))
      expect(refused.message).toContain("payload/text: expected JSON, found text with a lone surrogate")
      expect((yield* Effect.flip(append({ about: "a" }))).message).toContain("payload/text: is missing")
      const payload = { about: "a", text: "given" }
      expect((yield* append(payload)).events[0]?.payload).toEqual(payload)
      const [read] = yield* log.readPage({}, 1)
      expect(read?.payload).toEqual(payload)
    }),
  )

  test(
    "an invalid request is refused, whatever is wrong with it, and nothing is written",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const good = note("a", ["x"])
      const [event] = good.events
      const wrong: ReadonlyArray<readonly [reason: string, request: unknown]> = [
        ["expected a request, found null", null],
        ["expected a request, found undefined", undefined],
        ["events: expected a list of events, found null", { ...good, events: null }],
        ["events: expected a list of events, found undefined", { ...good, events: undefined }],
        ["events: expected a list of events, found an object", { ...good, events: { 0: event } }],
        ["expected at least one event, found none", { ...good, events: [] }],
        ["expected an event, found null", { ...good, events: [event, null] }],
        ["expected an event, found a list", { ...good, events: [[]] }],
        ["undefined is not in this log's vocabulary", { ...good, events: [{ payload: {} }] }],
        ["Symbol(x) is not in this log's vocabulary", { ...good, events: [{ type: Symbol("x"), payload: {} }] }],
        ["payload: expected JSON, found undefined", { ...good, events: [{ type: "NoteAdded" }] }],
        ["stream: expected a name, found 7", { ...good, stream: 7n }],
        ["actor: expected a name, found an object", { ...good, actor: {} }],
        ["id: expected a UUID in lower case, found 7", { ...good, events: [{ ...event, id: 7 }] }],
        ["expected: expected a version, 0 or more, found NaN", { ...good, expected: EventLog.Exact(Number.NaN) }],
        ["expected: expected a version, 0 or more, found -1", { ...good, expected: EventLog.Exact(-1) }],
        ["expected: expected a version, 0 or more, found 1.5", { ...good, expected: EventLog.Exact(1.5) }],
        ["expected Any, NoStream, Exists or Exact(version)", { ...good, expected: { _tag: "Exactly", version: 1 } }],
        ["expected Any, NoStream, Exists or Exact(version)", { ...good, expected: "Any" }],
        ["fence: expected a stream and its version, found null", { ...good, fence: null }],
        ["fence/version: expected a stream's version", { ...good, fence: { stream: "a", version: Number.NaN } }],
      ]
      for (const [reason, request] of wrong) {
        const error = yield* Effect.flip(log.append(request as never))
        expect({ reason, tag: error._tag, message: error.message }).toEqual({
          reason,
          tag: "InvalidEvent",
          message: expect.stringContaining(reason),
        })
      }
      expect((yield* log.head).position).toBe(0)
    }),
  )

  test(
    "a time that does not exist is refused",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const at = (occurredAt: unknown) => {
        const request = note("a", ["x"])
        return log.append({ ...request, events: request.events.map((event) => ({ ...event, occurredAt })) as never })
      }
      for (const time of [9e15, -9e15, 8.64e15, LATEST + 1, EARLIEST - 1, Number.NaN, 1.5, "now", null, new Date(0)]) {
        const error = yield* Effect.flip(at(time))
        expect({ time, tag: error._tag, message: error.message }).toEqual({
          time,
          tag: "InvalidEvent",
          message: expect.stringContaining("occurredAt: expected whole milliseconds"),
        })
      }
      const { events } = yield* Effect.zipRight(at(EARLIEST), at(LATEST))
      expect(events.map(({ occurredAt }) => iso(occurredAt))).toEqual(["9999-12-31T23:59:59.999Z"])
      const question = { confirmationId: "q", commandId: "c", argsDigest: "0".repeat(64), shown: {}, expiresAt: 9e15 }
      const events9 = [{ type: "ConfirmationRequested" as const, payload: question }]
      const late = yield* Effect.flip(log.append({ stream: "confirmation/q", actor: "kernel", events: events9 }))
      expect(late.message).toContain("payload/expiresAt: Expected")
      expect((yield* log.head).position).toBe(2)
    }),
  )

  test(
    "an invalid query is refused and selects nothing else",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(note("a", ["one", "two"]))
      for (const limit of [-1, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e300, "2", null]) {
        const error = yield* Effect.flip(log.readPage({}, limit as never))
        expect({ limit, tag: error._tag }).toEqual({ limit, tag: "InvalidQuery" })
        expect(error.message).toContain("limit: expected a whole number of events, 1 or more")
      }
      const wrong: ReadonlyArray<unknown> = [
        ...[-1, 0.5, Number.NaN, 2 ** 53, "1", null].flatMap((position) => [
          { after: position },
          { until: position },
          { afterVersion: position },
        ]),
        ...[{ stream: 7 }, { timeline: null }, { taskId: 7 }, { types: "NoteAdded" }, { types: [7] }],
        ...[{ tpyes: ["NoteAdded"] }, "a", 7],
      ]
      for (const query of wrong) {
        const errors = [
          yield* Effect.flip(log.readPage(query as never, 10)),
          yield* Effect.flip(Stream.runDrain(log.read(query as never))),
        ]
        for (const error of errors) expect({ query, tag: error._tag }).toEqual({ query, tag: "InvalidQuery" })
      }
      expect(yield* log.readPage({}, Number.MAX_SAFE_INTEGER)).toHaveLength(2)
      expect(yield* log.readPage({ after: 0, until: Number.MAX_SAFE_INTEGER }, 1)).toHaveLength(1)
      for (const id of ["", "x", ID_1.toUpperCase(), 7, null, undefined]) {
        expect(yield* log.find(id as never)).toEqual(Option.none())
      }
    }),
  )
}
