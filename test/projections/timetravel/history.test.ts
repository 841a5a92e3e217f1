import assert from "node:assert/strict"
import { isDeepStrictEqual } from "node:util"
import { it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import type { Json } from "../../../src/values/Json.ts"
import { arbitraryEvents } from "../arbitraryEvents.ts"
import { event, inTask, type Unplaced } from "../given.ts"
import { append, onLog, read } from "../onLog.ts"
import { appendAll, pathsOf, statesOf, valuesAt } from "./naive.ts"

/** Positions at which a value is another one than before. */
const turnsOf = (values: ReadonlyArray<Json | undefined>): ReadonlyArray<number> =>
  values.flatMap((value, at) => (at > 0 && !isDeepStrictEqual(value, values[at - 1]) ? [at] : []))

const collected = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

const isWide = (path: string) => path === "" || path === "/tasks"

describe("the history of a path", () => {
  it.live("is every value it had, by the events that comparing all states one by one finds", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          arbitraryEvents(20).filter((events) => events.length > 0),
          fc.nat(20),
          fc.nat(20),
          (unplaced, one, other) =>
            Effect.runPromise(
              onLog(
                Effect.gen(function* () {
                  const travel = yield* TimeTravel.TimeTravel
                  const events = yield* append(unplaced)
                  const states = statesOf(events)
                  const paths = new Set(states.flatMap((state) => pathsOf(state)))
                  const [since = 0, until = 0] = [one % states.length, other % states.length].sort((a, b) => a - b)
                  for (const path of [...paths].slice(0, 25)) {
                    const values = valuesAt(states, path)
                    const turns = yield* collected(travel.history(path))
                    expect([path, turns.map((turn) => turn.event.position)]).toEqual([path, turnsOf(values)])
                    if (!isWide(path)) {
                      for (const turn of turns) {
                        assert.deepStrictEqual(turn.value, values[turn.event.position])
                        assert.deepStrictEqual(turn.before, values[turn.event.position - 1])
                      }
                    }
                    const part = travel.history(path, { since, until }).pipe(
                      Stream.map((turn) => turn.event.position),
                      Stream.catchTag("PathNeverExisted", () => Stream.empty),
                    )
                    const expected = turnsOf(values).filter((at) => at > since && at <= until)
                    expect(yield* collected(part)).toEqual(expected)
                  }
                }),
              ),
            ),
        ),
        { numRuns: 8 },
      ),
    ),
  )

  it.live("tells apart what never was from what did not change in the time asked about", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([read(1), read({ a: 1 }), read(2)])
        const gone = "/shared/readings/room~1look/a"
        expect(yield* collected(travel.history(gone, { since: 3 }))).toEqual([])
        expect(yield* collected(travel.history("/shared/pending", { since: 1 }))).toEqual([])
        for (const path of ["/shared/readings/room~1smell", "/tasks/t9/open", "/elsewhere/x"]) {
          expect(yield* Effect.flip(Stream.runDrain(travel.history(path)))).toMatchObject({
            _tag: "PathNeverExisted",
            path,
            at: 3,
          })
        }
        expect(yield* Effect.flip(Stream.runDrain(travel.history(gone, { until: 1 })))).toMatchObject({
          _tag: "PathNeverExisted",
          at: 1,
        })
        expect(yield* Effect.flip(Stream.runDrain(travel.history("shared")))).toMatchObject({ _tag: "PathInvalid" })
        expect(yield* Effect.flip(Stream.runDrain(travel.history(gone, { until: 4 })))).toMatchObject({
          _tag: "PositionOutOfRange",
          asked: 4,
          head: 3,
        })
        expect(yield* Effect.flip(Stream.runDrain(travel.history(gone, { since: 3, until: 2 })))).toMatchObject({
          _tag: "RangeReversed",
          after: 3,
          until: 2,
        })
      }),
    ),
  )
})

const patch = (value: number): Unplaced =>
  event("EnvironmentChanged", { plugin: "room", patch: [{ op: "replace", path: "/seldom", value }] })

/** A long log: one task that goes on for ever, in which something changes seldom, and readings that belong to no task. */
const long: ReadonlyArray<Unplaced> = [
  ...inTask("t1", [
    event("TaskOpened", { goal: "g", measures: [], agent: "me" }),
    event("EnvironmentReset", { plugin: "room", seed: 1, options: {}, state: { seldom: 0, list: [1, 2] } }),
  ]),
  read("early", "room/smell"),
  ...Array.from({ length: 4_000 }, (_, index): ReadonlyArray<Unplaced> => {
    const [changed] = inTask("t1", [index === 37 || index === 900 ? patch(index) : read(index % 7)])
    return index % 10 === 0 ? [read(index), changed as Unplaced] : [changed as Unplaced]
  }).flat(),
]

describe("in a log longer than is read at once", () => {
  it.live("a value is blamed on the event that gave it, however long ago; and its history is whole", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        const events = yield* appendAll(long)
        const states = statesOf(events)
        const paths = [
          ...["/tasks/t1/environment/room/seldom", "/tasks/t1/environment/room/list/1", "/tasks/t1/goal", "/tasks/t1"],
          ...["/shared/readings/room~1smell", "/shared/readings/room~1look", "/shared/readings", "/tasks", ""],
        ]
        for (const path of paths) {
          const values = valuesAt(states, path)
          for (const at of [events.length, 3_000, 1_200, 3]) {
            const expected = turnsOf(values.slice(0, at + 1))
            if (expected.length === 0) continue
            const { event, value } = yield* travel.blame(path, at)
            expect([path, at, event?.position]).toEqual([path, at, expected.at(-1)])
            assert.deepStrictEqual(value, values[at])
          }
          const history = yield* collected(travel.history(path))
          expect(history.map((turn) => turn.event.position)).toEqual(turnsOf(values))
        }
        expect(yield* travel.blame("/shared/pending")).toMatchObject({ value: {}, event: null })
      }),
    ),
  )
})
