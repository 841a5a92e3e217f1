import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe, expect, vi } from "vitest"
import * as Moment from "../../src/events/read/Moment.ts"
import * as TimeSearch from "../../src/events/read/TimeSearch.ts"
import { idOf, START } from "./given.ts"
import { append, onLog, read } from "./onLog.ts"

const parsed = (moment: Moment.Moment) => Either.getOrThrow(Moment.parse(moment))

describe("a moment", () => {
  it("is a position, an event's id or a time", () => {
    for (const same of [412, "412", "@412", "main@412", " @412 "]) {
      expect(parsed(same)).toMatchObject({ _tag: "AtPosition", position: 412 })
    }
    expect(parsed(idOf(7).toUpperCase())).toMatchObject({ _tag: "AtEvent", id: idOf(7) })
    for (const same of ["2026-01-01", "2026-01-01T00:00Z", "2026-01-01T01:00:00.000+01:00"]) {
      expect(parsed(same)).toMatchObject({ _tag: "AtTime", epochMs: START })
    }
  })

  it.each(["", "@", "@-1", "@1.5", "fork@-3", "yesterday", "2026-02-30", "2026-01-01T00:00:00", "2026-01-01T25:00Z"])(
    "is not %j, and the message says what is",
    (moment) => {
      const error = Either.getOrThrow(Either.flip(Moment.parse(moment)))
      expect(error).toMatchObject({ _tag: "MomentInvalid", moment })
      expect(error.message).toContain("Expected a position (@412, main@412), an event's id, a time")
    },
  )

  it.live("stands for a position of the log", () =>
    onLog(
      Effect.gen(function* () {
        const events = yield* append([read(1), read(2), read(3)])
        expect(yield* Moment.resolve("@2")).toBe(2)
        expect(yield* Moment.resolve(0)).toBe(0)
        expect(yield* Moment.resolve(events[1]?.id ?? "")).toBe(2)
        expect(yield* Moment.resolve("1999-01-01")).toBe(0)
        expect(yield* Moment.resolve("2999-01-01")).toBe(3)
        expect(yield* Moment.resolve("now")).toBe(3)
        expect(yield* Moment.resolve("main@now")).toBe(3)
        expect(yield* Effect.flip(Moment.resolve("@4"))).toMatchObject({
          _tag: "PositionOutOfRange",
          asked: 4,
          head: 3,
        })
        expect(yield* Effect.flip(Moment.resolve(idOf(9)))).toMatchObject({ _tag: "EventNotFound", event: idOf(9) })
      }),
    ),
  )

  it.live("a moment that is a time stands for the last event recorded by then", () =>
    onLog(
      Effect.gen(function* () {
        // The log's clock is the process's: two events are recorded in every second.
        vi.useFakeTimers({ toFake: ["Date"] })
        for (let index = 1; index <= 20; index++) {
          vi.setSystemTime(START + Math.ceil(index / 2) * 1_000)
          yield* append([read(index)])
        }
        const at = (seconds: number) => Moment.resolve(new Date(START + seconds * 1_000).toISOString())
        expect(yield* at(0)).toBe(0)
        expect(yield* at(1)).toBe(2)
        expect(yield* at(4.5)).toBe(8)
        expect(yield* at(10)).toBe(20)
        expect(yield* at(99)).toBe(20)
      }).pipe(Effect.ensuring(Effect.sync(() => vi.useRealTimers()))),
    ),
  )

  it.live("a time of the future is not said to be after events that were recorded later still", () =>
    onLog(
      Effect.gen(function* () {
        const said: Array<string> = []
        const told = (moment: string) =>
          Effect.locally(Moment.resolve(moment), TimeSearch.onFound, (found) =>
            Effect.sync(() => said.push(TimeSearch.describe(found))),
          )
        vi.useFakeTimers({ toFake: ["Date"] })
        vi.setSystemTime(START + 10_000)
        yield* append([read(1)])
        vi.setSystemTime(START + 30_000)
        yield* append([read(2)])
        // This machine's clock is behind that of whoever wrote the log.
        vi.setSystemTime(START)
        for (const seconds of [5, 20, 40]) yield* told(new Date(START + seconds * 1_000).toISOString())
        const future = "in the future by this machine's clock"
        expect(said[0]).toMatch(
          /is in the future by this machine's clock, and no event was recorded by then .*before the first event/,
        )
        expect(said[1]).toContain(`${future}: the last event recorded by then is @1 (recordedAt).`)
        expect(said[2]).toContain(`${future}: the last event recorded by then is @2 (recordedAt).`)
      }).pipe(Effect.ensuring(Effect.sync(() => vi.useRealTimers()))),
    ),
  )
})
