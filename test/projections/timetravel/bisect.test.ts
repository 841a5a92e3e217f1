import { it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import { arbitraryEvents } from "../arbitraryEvents.ts"
import { event, inTask, type Unplaced } from "../given.ts"
import { append, onLog, read } from "../onLog.ts"
import { appendAll, statesOf } from "./naive.ts"

/** A predicate over states: how many keys the readings have, by what they leave when divided. */
const keysLeave = (divisor: number, rest: number): TimeTravel.Predicate => ({
  source: `keys % ${divisor} == ${rest}`,
  holds: ({ state }) => {
    const keys = [state.shared, ...Object.values(state.tasks)].flatMap(({ readings, pending }) => [
      ...Object.keys(readings),
      ...Object.keys(pending),
    ])
    return keys.length % divisor === rest
  },
})

const answers = (predicate: TimeTravel.Predicate, events: ReadonlyArray<Event>): ReadonlyArray<boolean> =>
  statesOf(events).map((state, position) =>
    predicate.holds({ state, position, event: events[position - 1] ?? null, value: undefined }),
  )

const positions = <E>(events: Stream.Stream<Event, E>) =>
  Effect.map(Stream.runCollect(events), (all) => Chunk.toReadonlyArray(all).map(({ position }) => position))

describe("whatever happened", () => {
  it.live(
    "bisecting finds the first moment at which a predicate holds, and watching every one at which it turned true",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            arbitraryEvents(20).filter((events) => events.length > 0),
            fc.integer({ min: 1, max: 4 }),
            fc.nat(3),
            fc.nat(20),
            fc.nat(20),
            (unplaced, divisor, rest, one, other) =>
              Effect.runPromise(
                onLog(
                  Effect.gen(function* () {
                    const travel = yield* TimeTravel.TimeTravel
                    const events = yield* append(unplaced)
                    const predicate = keysLeave(divisor, rest)
                    const held = answers(predicate, events)
                    const [from = 0, to = 0] = [one % held.length, other % held.length].sort((a, b) => a - b)
                    const first = held.findIndex((holds, at) => holds && at >= from && at <= to)
                    const found = yield* travel.bisect(predicate, { from, to })
                    expect(found).toMatchObject({ from, to, first: first < 0 ? null : first, certain: true })
                    expect(found.event?.position).toBe(first < 0 || first === from ? undefined : first)
                    const turned = held.flatMap((holds, at) =>
                      at > from && at <= to && holds && !held[at - 1] ? [at] : [],
                    )
                    expect(yield* positions(travel.watch(null, predicate, { since: from, until: to }))).toEqual(turned)
                  }),
                ),
              ),
          ),
          { numRuns: 25 },
        ),
      ),
  )
})

const opened = (id: string) => inTask(id, [event("TaskOpened", { goal: "g", measures: [], agent: "me" })])

/** More events than are scanned: tasks are opened one after the other, each reads much; and a door that opens and shuts. */
const house: ReadonlyArray<Unplaced> = Array.from(
  { length: 30 },
  (_, task): ReadonlyArray<Unplaced> => [
    ...opened(`t${task}`),
    ...Array.from({ length: 99 }, (_, index) => inTask(`t${task}`, [read(index)])).flat(),
    read(task === 11 ? "open" : "shut", "room/door"),
  ],
).flat()

const counts = (least: number, monotone?: boolean): TimeTravel.Predicate => ({
  source: `at least ${least} tasks`,
  holds: ({ state }) => Object.keys(state.tasks).length >= least,
  ...(monotone === undefined ? {} : { monotone }),
})

const door: TimeTravel.Predicate = {
  source: "the door is open",
  holds: ({ state }) => state.shared.readings["room/door"] === "open",
}

describe("in a log longer than is scanned", () => {
  const onHouse = <A, E>(body: (travel: TimeTravel.TimeTravel.Service) => Effect.Effect<A, E, never>) =>
    onLog(Effect.zipRight(appendAll(house), Effect.flatMap(TimeTravel.TimeTravel, body)))

  it.live("what goes on holding is galloped for, and is certain only where that is known or nothing was left out", () =>
    onHouse((travel) =>
      Effect.gen(function* () {
        const galloped = yield* travel.bisect(counts(18))
        expect(galloped).toMatchObject({ first: 17 * 101 + 1, method: "galloped", certain: false })
        expect(galloped.event?.type).toBe("TaskOpened")
        expect(galloped.probes).toBeLessThan(40)
        expect(yield* travel.bisect(counts(18, true))).toMatchObject({ first: 17 * 101 + 1, certain: true })
        expect(yield* travel.bisect(counts(18, true), { scan: true })).toMatchObject({
          method: "galloped",
          certain: true,
        })
        expect(yield* travel.bisect(counts(18), { scan: true })).toMatchObject({
          first: 17 * 101 + 1,
          method: "scanned",
          certain: true,
        })
        expect(yield* travel.bisect(counts(31, true))).toMatchObject({ first: null, method: "galloped", certain: true })
      }),
    ),
  )

  it.live("what holds for a while is scanned for, where its end or what was tried on the way says so", () =>
    onHouse((travel) =>
      Effect.gen(function* () {
        const first = 12 * 101
        expect(yield* travel.bisect(door)).toMatchObject({ first, method: "scanned", certain: true })
        const twice: TimeTravel.Predicate = {
          source: "a third of the way, or late",
          holds: ({ state }) => {
            const tasks = Object.keys(state.tasks).length
            return tasks > 25 || (tasks > 5 && tasks < 12)
          },
        }
        expect(yield* travel.bisect(twice)).toMatchObject({ first: 5 * 101 + 1, method: "scanned", certain: true })
        expect(yield* positions(travel.watch(null, twice))).toEqual([5 * 101 + 1, 25 * 101 + 1])
      }),
    ),
  )

  it.live("what is known to depend on one task, or on none, is scanned by those events alone", () =>
    onHouse((travel) =>
      Effect.gen(function* () {
        let asked = 0
        const counted = (reads: ReadonlyArray<string>, holds: TimeTravel.Predicate["holds"]): TimeTravel.Predicate => ({
          source: "counted",
          reads,
          holds: (seen) => {
            asked += 1
            return holds(seen)
          },
        })
        const last = ({ state }: TimeTravel.PredicateInput) => state.tasks.t3?.readings["room/look"] === 98
        expect(yield* travel.bisect(counted(["/tasks/t3/readings/room~1look"], last))).toMatchObject({
          first: 3 * 101 + 100,
          method: "scanned",
          certain: true,
        })
        expect(asked).toBeLessThanOrEqual(102)
        asked = 0
        expect(yield* travel.bisect(counted(["/shared/readings"], door.holds))).toMatchObject({ first: 12 * 101 })
        expect(asked).toBeLessThanOrEqual(15)
      }),
    ),
  )
})

describe("a predicate", () => {
  it.live("a predicate that is about events counts each at which it holds, and is never galloped for", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([read(1), read(5), read(6), read(1), read(7)])
        const high: TimeTravel.Predicate = {
          source: "a high reading",
          mentionsEvent: true,
          holds: ({ event }) => Number(event?.payload.reading) > 4,
        }
        expect(yield* positions(travel.watch(null, high))).toEqual([2, 3, 5])
        expect(yield* travel.bisect(high)).toMatchObject({ first: 2, method: "scanned" })
        expect(yield* travel.bisect(high, { from: 3 })).toMatchObject({ first: 5 })
      }),
    ),
  )

  it.live("a predicate of a path is asked when the value there changes, and does not hold while there is none", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        const look = "/shared/readings/room~1look"
        yield* append([
          read(5, "room/smell"),
          read(1),
          read(5),
          read(6),
          read(6),
          read(1, "room/smell"),
          read(2),
          read(9),
        ])
        const asked: Array<number> = []
        const high: TimeTravel.Predicate = {
          source: "value > 4",
          holds: ({ value, position }) => {
            asked.push(position)
            return Number(value) > 4
          },
        }
        expect(yield* positions(travel.watch(look, high))).toEqual([3, 8])
        expect(asked).toEqual([2, 3, 4, 7, 8])
        expect(yield* positions(travel.watch(look, high, { since: 3 }))).toEqual([8])
        const never = Stream.runDrain(travel.watch("/shared/readings/room~1taste", high))
        expect(yield* Effect.flip(never)).toMatchObject({ _tag: "PathNeverExisted" })
      }),
    ),
  )

  it.live("a predicate that has no answer fails with where and why, and is not taken for false", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([read(1), read(2)])
        const throws: TimeTravel.Predicate = {
          source: "boom",
          holds: ({ state }) => {
            if (state.shared.readings["room/look"] === 2) throw new Error("two is too many")
            return false
          },
        }
        const gives = { source: "number", holds: () => 3 as unknown as boolean }
        const broken = { _tag: "PredicateFailed", predicate: "boom", position: 2, reason: "two is too many" }
        expect(yield* Effect.flip(travel.bisect(throws))).toMatchObject(broken)
        expect(yield* Effect.flip(Stream.runDrain(travel.watch(null, throws)))).toMatchObject(broken)
        expect(yield* Effect.flip(travel.bisect(gives))).toMatchObject({ position: 0, reason: "it returned 3" })
      }),
    ),
  )
})
