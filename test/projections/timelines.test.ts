import { it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Option, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { CaughtUp, EventLog, MAIN } from "../../src/events/log/EventLog.ts"
import * as Moment from "../../src/events/read/Moment.ts"
import * as Timelines from "../../src/events/read/Timelines.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { event, type Unplaced } from "./given.ts"
import { append, onLog, read } from "./onLog.ts"

const fork = (timeline: string, parent: string, at: number): Unplaced =>
  event("TimelineForked", { timeline, parent, at, overrides: {} }, { timeline })

const on = (timeline: string, reading: number): Unplaced => {
  const { envelope, ...rest } = read(reading)
  return { ...rest, envelope: { ...envelope, timeline } }
}

const viewOf = (name: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    return Timelines.view(log, yield* Timelines.named(log, name))
  })

/** main 1 2 3 _ 4 _ ; fork-1 from @2: 21 22 ; fork-2 from fork-1's first: 31 */
const branched = Effect.gen(function* () {
  yield* append([read(1), read(2), read(3)])
  yield* append([fork("fork-1", MAIN, 2), on("fork-1", 21), read(4), on("fork-1", 22)])
  yield* append([fork("fork-2", "fork-1", 5), on("fork-2", 31), read(5)])
})

const readings = (events: ReadonlyArray<Event>) =>
  events.filter(({ type }) => type === "SensorRead").map(({ payload }) => payload.reading)

const historyOf = (name: string) =>
  Effect.gen(function* () {
    const view = yield* viewOf(name)
    return readings(Chunk.toReadonlyArray(yield* Stream.runCollect(view.read({ timeline: name }))))
  })

describe("a timeline", () => {
  it.live("tells its ancestors' events up to where it left them, then its own", () =>
    onLog(
      Effect.gen(function* () {
        yield* branched
        expect(yield* historyOf(MAIN)).toEqual([1, 2, 3, 4, 5])
        expect(yield* historyOf("fork-1")).toEqual([1, 2, 21, 22])
        expect(yield* historyOf("fork-2")).toEqual([1, 2, 21, 31])
        const known = yield* Timelines.list(yield* EventLog)
        expect(known.map(({ name, parent }) => [name, parent])).toEqual([
          [MAIN, null],
          ["fork-1", { name: MAIN, at: 2 }],
          ["fork-2", { name: "fork-1", at: 5 }],
        ])
      }),
    ),
  )

  it.live("is read in pages of any size, from and to any position", () =>
    onLog(
      Effect.gen(function* () {
        yield* branched
        const view = yield* viewOf("fork-2")
        const all = yield* view.readPage({ timeline: "fork-2" }, 100)
        for (let limit = 1; limit <= all.length; limit++) {
          for (let after = 0; after <= 10; after++) {
            for (let until = after; until <= 10; until++) {
              const expected = all.filter(({ position }) => position > after && position <= until).slice(0, limit)
              expect(yield* view.readPage({ timeline: "fork-2", after, until }, limit)).toEqual(expected)
            }
          }
        }
      }),
    ),
  )

  it.live("takes what is appended to a view of it, and is followed without a gap", () =>
    onLog(
      Effect.gen(function* () {
        yield* branched
        const view = yield* viewOf("fork-1")
        const followed = yield* Effect.fork(
          view.follow({ timeline: "fork-1", after: 1 }).pipe(Stream.take(6), Stream.runCollect),
        )
        yield* Effect.yieldNow()
        const { events } = yield* view.append({ stream: "test", actor: "test", events: [read(23)].map(plain) })
        expect(events[0]?.timeline).toBe("fork-1")
        const seen = Chunk.toReadonlyArray(yield* Fiber.join(followed))
        expect(readings(seen.filter((one): one is Event => !(one instanceof CaughtUp)))).toEqual([2, 21, 22, 23])
        expect(seen.filter((one) => one instanceof CaughtUp)).toHaveLength(1)
        expect(yield* historyOf(MAIN)).toEqual([1, 2, 3, 4, 5])
      }),
    ),
  )

  it.live("a timeline that no event has forked is refused, with those there are", () =>
    onLog(
      Effect.gen(function* () {
        yield* branched
        const error = yield* Effect.flip(viewOf("fork-9"))
        expect(error).toMatchObject({ _tag: "TimelineNotFound", known: [MAIN, "fork-1", "fork-2"] })
        expect(error.message).toMatch(
          /^There is no timeline "fork-9" in this log\. Known: main, fork-1, fork-2\. Did you mean /,
        )
      }),
    ),
  )

  it.live("cannot be forked twice, nor from one that is not there, nor from what is still to come", () =>
    onLog(
      Effect.gen(function* () {
        yield* append([read(1), fork("a", MAIN, 1), fork("a", MAIN, 0), fork("b", "x", 1), fork("c", MAIN, 99)])
        const known = yield* Timelines.list(yield* EventLog)
        expect(known.map(({ name, parent }) => [name, parent?.at])).toEqual([
          [MAIN, undefined],
          ["a", 1],
        ])
      }),
    ),
  )
})

describe("a projector", () => {
  it.live("folds each timeline by its own history", () =>
    onLog(
      Effect.gen(function* () {
        yield* branched
        const projector = yield* Projector.Projector
        const forked = yield* projector.on("fork-2")
        expect((yield* forked.current(EnvironmentState.projection)).shared.readings).toEqual({ "room/look": 31 })
        expect((yield* projector.current(EnvironmentState.projection)).shared.readings).toEqual({ "room/look": 5 })
        expect((yield* forked.stateAt(EnvironmentState.projection, 4)).shared.readings).toEqual({ "room/look": 2 })
        expect(yield* projector.on("fork-2")).toBe(forked)
        expect(yield* Effect.flip(projector.on("fork-3"))).toMatchObject({ _tag: "TimelineNotFound" })
      }),
    ),
  )

  it.live("starts a fork at main's snapshots, and never at what main did after", () =>
    onLog(
      Effect.gen(function* () {
        yield* append(Array.from({ length: 1_200 }, (_, index) => read(index)))
        const projector = yield* Projector.Projector
        yield* projector.current(EnvironmentState.projection)
        yield* append([fork("f", MAIN, 700), on("f", -1)])
        const view = yield* viewOf("f")
        const forked = yield* projector.on("f")
        for (const at of [0, 499, 500, 700, 900, 1_202]) {
          const events = yield* view.readPage({ timeline: "f", until: at }, 2_000)
          expect(yield* forked.stateAt(EnvironmentState.projection, at)).toEqual(
            fold(EnvironmentState.projection, events),
          )
        }
      }),
    ),
  )
})

describe("a moment", () => {
  const located = (moment: Moment.Moment) =>
    Effect.map(Moment.locate(moment), ({ timeline, position }) => ({ timeline, position }))

  it.live("is of the timeline it names, or of the one that its event is of", () =>
    onLog(
      Effect.gen(function* () {
        yield* branched
        const log = yield* EventLog
        const [last] = yield* log.readPage({ after: 8 }, 1)
        expect(yield* located("@3")).toEqual({ timeline: MAIN, position: 3 })
        expect(yield* located("@5")).toEqual({ timeline: "fork-1", position: 5 })
        expect(yield* located("fork-2@5")).toEqual({ timeline: "fork-2", position: 5 })
        expect(yield* located("fork-2@1")).toEqual({ timeline: "fork-2", position: 1 })
        expect(yield* located("fork-2@0")).toEqual({ timeline: "fork-2", position: 0 })
        expect(yield* located(last?.id ?? "")).toEqual({ timeline: "fork-2", position: 9 })
        expect(yield* located("fork-1@2999-01-01")).toEqual({ timeline: "fork-1", position: 7 })
        expect(yield* located("2999-01-01")).toEqual({ timeline: MAIN, position: 10 })
        expect(yield* located("fork-1@1999-01-01")).toEqual({ timeline: "fork-1", position: 0 })
      }),
    ),
  )

  it.live("a moment of another timeline than it names is refused, and the message says of which", () =>
    onLog(
      Effect.gen(function* () {
        yield* branched
        const error = yield* Effect.flip(located("main@5"))
        expect(error).toMatchObject({ _tag: "PositionElsewhere", asked: 5, timeline: MAIN, found: "fork-1" })
        expect(error.message).toContain("@5 is not on timeline main: its event belongs to timeline fork-1")
        expect(yield* Effect.flip(located("fork-1@3"))).toMatchObject({ _tag: "PositionElsewhere", found: MAIN })
        expect(yield* Effect.flip(located("fork-2@7"))).toMatchObject({ _tag: "PositionElsewhere", found: "fork-1" })
        expect(yield* Effect.flip(located("fork-7@1"))).toMatchObject({ _tag: "TimelineNotFound" })
        expect(yield* Effect.flip(located("fork-1@11"))).toMatchObject({ _tag: "PositionOutOfRange" })
      }),
    ),
  )
})

describe("any tree of timelines", () => {
  it.live(
    "is read as its definition says",
    () =>
      Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.array(fc.record({ act: fc.constantFrom("read", "read", "read", "fork"), of: fc.nat(), at: fc.nat() }), {
              maxLength: 30,
            }),
            (acts) => Effect.runPromise(onLog(grown(acts))),
          ),
          { numRuns: 20 },
        ),
      ),
    30_000,
  )

  const grown = (acts: ReadonlyArray<{ readonly act: string; readonly of: number; readonly at: number }>) =>
    Effect.gen(function* () {
      const histories = new Map<string, Array<number>>([[MAIN, []]])
      let position = 0
      for (const { act, of, at } of acts) {
        const names = [...histories.keys()]
        const name = names[of % names.length] ?? MAIN
        position += 1
        if (act === "read") {
          histories.get(name)?.push(position)
          yield* append([on(name, position)])
        } else {
          const forkAt = at % position
          const forked = `f${names.length}`
          histories.set(forked, [...(histories.get(name) ?? []).filter((one) => one <= forkAt), position])
          yield* append([fork(forked, name, forkAt)])
        }
      }
      for (const [name, expected] of histories) {
        const view = yield* viewOf(name)
        const events = yield* view.readPage({ timeline: name }, 1_000)
        expect(events.map((one) => one.position)).toEqual(expected)
        const last = Option.fromNullable(expected.at(-1))
        if (Option.isSome(last))
          expect(yield* located(name, last.value)).toEqual({ timeline: name, position: last.value })
      }
    })

  const located = (name: string, position: number) => Moment.locate(`${name}@${position}`)
})

const plain = ({ type, payload }: Unplaced) => ({ type, payload })
