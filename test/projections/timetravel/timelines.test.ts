import { it } from "@effect/vitest"
import { Chunk, Effect, Stream } from "effect"
import { describe, expect } from "vitest"
import { MAIN } from "../../../src/events/log/EventLog.ts"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import { event, idOf, type Unplaced } from "../given.ts"
import { append, onLog, read } from "../onLog.ts"

const LOOK = "/shared/readings/room~1look"
const SMELL = "/shared/readings/room~1smell"

const on = (timeline: string, { envelope, ...unplaced }: Unplaced): Unplaced => ({
  ...unplaced,
  envelope: { ...envelope, timeline },
})

const fork = (timeline: string, parent: string, at: number): Unplaced =>
  on(timeline, event("TimelineForked", { timeline, parent, at, overrides: {} }))

/** main: 1 2 @3=3 . . 4@6 . ; fork-1 from main@2: @4, 21@5, 22@7 and a smell @8. */
const branched = append([
  ...[read(1), read(2), read(3)],
  ...[fork("fork-1", MAIN, 2), on("fork-1", read(21)), read(4), on("fork-1", read(22))],
  on("fork-1", read("smoke", "room/smell")),
])

const collected = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

const is = (reading: number): TimeTravel.Predicate => ({
  source: `look is ${reading}`,
  holds: ({ state }) => state.shared.readings["room/look"] === reading,
})

const onBranches = <A, E>(body: (travel: TimeTravel.TimeTravel.Service) => Effect.Effect<A, E>) =>
  onLog(Effect.zipRight(branched, Effect.flatMap(TimeTravel.TimeTravel, body)))

describe("of two timelines", () => {
  it.live("each has its own state, blame and history, which begins with what they share", () =>
    onBranches((travel) =>
      Effect.gen(function* () {
        expect(yield* travel.stateAt("fork-1@now", LOOK)).toBe(22)
        expect(yield* travel.stateAt("main@now", LOOK)).toBe(4)
        expect(yield* travel.stateAt("fork-1@2", LOOK)).toBe(2)
        expect(yield* travel.stateAt("now", LOOK)).toBe(4)
        expect(yield* travel.blame(LOOK, "fork-1@now")).toMatchObject({ value: 22, event: { position: 7 } })
        expect(yield* travel.blame(LOOK)).toMatchObject({ value: 4, event: { position: 6 } })
        const historyOf = (range: TimeTravel.Range) =>
          Effect.map(collected(travel.history(LOOK, range)), (turns) => turns.map(({ event }) => event.position))
        expect(yield* historyOf({ until: "fork-1@now" })).toEqual([1, 2, 5, 7])
        expect(yield* historyOf({ until: "fork-1@now", since: "@2" })).toEqual([5, 7])
        expect(yield* historyOf({ since: "fork-1@2" })).toEqual([5, 7])
        expect(yield* historyOf({})).toEqual([1, 2, 3, 6])
        expect(yield* Effect.flip(travel.blame(SMELL))).toMatchObject({ _tag: "PathNeverExisted" })
        expect(yield* travel.blame(SMELL, 8)).toMatchObject({ event: { position: 8 } })
      }),
    ),
  )

  it.live("a predicate is asked about each by itself", () =>
    onBranches((travel) =>
      Effect.gen(function* () {
        expect(yield* travel.bisect(is(22), { to: "fork-1@now" })).toMatchObject({ timeline: "fork-1", first: 7 })
        expect(yield* travel.bisect(is(22))).toMatchObject({ timeline: MAIN, first: null })
        expect(yield* travel.bisect(is(2), { to: 8 })).toMatchObject({ timeline: "fork-1", first: 2 })
        const watched = yield* collected(travel.watch(LOOK, is(21), { until: "fork-1@now" }))
        expect(watched.map(({ position }) => position)).toEqual([5])
      }),
    ),
  )

  it.live("a diff goes back to where they parted, and names for each operation the event that made it", () =>
    onBranches((travel) =>
      Effect.gen(function* () {
        expect(yield* travel.diff("main@now", "fork-1@now")).toEqual([
          { op: "add", path: SMELL, value: "smoke", event: 8 },
          { op: "replace", path: LOOK, value: 22, event: 7 },
        ])
        expect(yield* travel.diff("fork-1@now", "main@now")).toEqual([
          { op: "remove", path: SMELL, event: 8 },
          { op: "replace", path: LOOK, value: 4, event: 6 },
        ])
        // Nothing changed it on main since: what differs is undone.
        expect(yield* travel.diff("fork-1@now", "main@2")).toContainEqual({
          op: "replace",
          path: LOOK,
          value: 2,
          event: 7,
        })
      }),
    ),
  )

  it.live(
    "what came of an event is of one of them: that of the moment, or the named one; with its forks where they are asked for",
    () => {
      const caused = (id: number, timeline: string, by: number | null) =>
        on(timeline, { ...read(id), envelope: { id: idOf(id), causationId: by === null ? null : idOf(by) } })
      return onLog(
        Effect.gen(function* () {
          const travel = yield* TimeTravel.TimeTravel
          yield* append([
            ...[caused(1, MAIN, null), caused(2, MAIN, 1), fork("fork-1", MAIN, 2)],
            ...[caused(4, "fork-1", 2), caused(5, MAIN, 2), fork("fork-2", "fork-1", 4), caused(7, "fork-2", 4)],
          ])
          const of = (moment: string | number, options: TimeTravel.EffectsOptions = {}) =>
            Effect.map(travel.effects(moment, options), ({ timeline, forks, events }) => ({
              timeline,
              forks,
              at: events.map(({ event }) => event.position),
            }))
          expect(yield* of(1)).toEqual({ timeline: MAIN, forks: ["fork-1", "fork-2"], at: [1, 2, 5] })
          expect(yield* of("fork-1@1")).toEqual({ timeline: "fork-1", forks: ["fork-2"], at: [1, 2, 4] })
          expect(yield* of(idOf(1), { timeline: "fork-2" })).toMatchObject({ timeline: "fork-2", at: [1, 2, 4, 7] })
          expect(yield* of("fork-1@1", { forks: true })).toMatchObject({ at: [1, 2, 4, 7] })
          expect(yield* of(1, { forks: true })).toMatchObject({ at: [1, 2, 4, 7, 5] })
          expect(yield* Effect.flip(travel.effects(5, { timeline: "fork-1" }))).toMatchObject({
            _tag: "PositionElsewhere",
            timeline: "fork-1",
            found: MAIN,
          })
          expect(yield* Effect.flip(travel.effects(1, { timeline: "none" }))).toMatchObject({
            _tag: "TimelineNotFound",
          })
        }),
      )
    },
  )

  it.live("are aligned from where they part", () =>
    onBranches((travel) =>
      Effect.gen(function* () {
        const { shared, pairs, ...counts } = yield* travel.align({ timeline: MAIN }, { timeline: "fork-1" })
        expect({ shared, ...counts }).toMatchObject({ shared: 2, same: 0, changed: 2, onlyInA: 0, onlyInB: 2 })
        expect(pairs.map(({ a, b }) => [a?.position ?? null, b?.position ?? null])).toEqual([
          [null, 4],
          [3, 5],
          [6, 7],
          [null, 8],
        ])
        expect(yield* travel.align({ timeline: "fork-1" }, { timeline: "fork-1" })).toMatchObject({ divergence: null })
      }),
    ),
  )

  it.live("a moment of the one is no moment of the other, and is refused wherever moments are asked for", () =>
    onBranches((travel) =>
      Effect.gen(function* () {
        const elsewhere = { _tag: "PositionElsewhere", asked: 5, timeline: MAIN, found: "fork-1" }
        expect(yield* Effect.flip(travel.stateAt("main@5"))).toMatchObject(elsewhere)
        expect(yield* Effect.flip(travel.diff("@1", "main@5"))).toMatchObject(elsewhere)
        expect(yield* Effect.flip(travel.blame(LOOK, "main@5"))).toMatchObject(elsewhere)
        expect(yield* Effect.flip(travel.bisect(is(1), { from: "main@5" }))).toMatchObject(elsewhere)
        expect(yield* Effect.flip(travel.bisect(is(1), { from: 5, to: 6 }))).toMatchObject(elsewhere)
        expect(yield* Effect.flip(Stream.runDrain(travel.history(LOOK, { since: 5, until: 6 })))).toMatchObject(
          elsewhere,
        )
        expect(yield* Effect.flip(Stream.runDrain(travel.watch(LOOK, is(1), { until: "main@5" })))).toMatchObject(
          elsewhere,
        )
        expect(yield* Effect.flip(travel.why("main@5"))).toMatchObject(elsewhere)
        expect(yield* Effect.flip(travel.effects("main@5"))).toMatchObject(elsewhere)
      }),
    ),
  )
})
