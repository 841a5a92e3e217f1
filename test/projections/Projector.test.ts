import assert from "node:assert/strict"
import { it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Layer, Schema, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/Event.ts"
import * as EventLog from "../../src/events/index.ts"
import * as EnvironmentState from "../../src/projections/EnvironmentState.ts"
import { fold, type Projection } from "../../src/projections/Projection.ts"
import * as Projector from "../../src/projections/Projector.ts"
import { arbitraryEvents } from "./arbitraryEvents.ts"
import { event, requestOf, type Unplaced } from "./given.ts"
import { append, counter, onLog, read } from "./onLog.ts"

const environment = EnvironmentState.projection
const someEvents = arbitraryEvents(20).filter((events) => events.length > 0)

describe("a projector", () => {
  it.live("gives the state at any position as the fold of the events up to it", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(someEvents, (unplaced) =>
          Effect.runPromise(
            onLog(
              Effect.gen(function* () {
                const projector = yield* Projector.Projector
                const events = yield* append(unplaced)
                const check = (at: number) =>
                  Effect.map(projector.stateAt(environment, at), (state) =>
                    assert.deepStrictEqual(state, fold(environment, events.slice(0, at))),
                  )
                for (let at = 0; at <= events.length; at++) yield* check(at)
                assert.deepStrictEqual(yield* projector.current(environment), fold(environment, events))
                // Now that the present is cached, the past must not be taken from it.
                for (let at = events.length; at >= 0; at--) yield* check(at)
              }),
            ),
          ),
        ),
        { numRuns: 20 },
      ),
    ),
  )

  it.live("folds more than a page of events, and only the new ones the next time", () =>
    onLog(
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const projector = yield* Projector.Projector
        const many = (count: number) => requestOfMany(Array.from({ length: count }, (_, index) => read(index)))
        yield* log.append(many(2_000))
        let evolved = 0
        const base = counter()
        const spied: Projection<number> = {
          ...base,
          evolve: (count, event) => {
            evolved += 1
            return base.evolve(count, event)
          },
        }
        expect(yield* projector.current(spied)).toBe(2_000)
        yield* log.append(many(5))
        expect(yield* projector.currentWithPosition(spied)).toEqual({ position: 2_005, state: 2_005 })
        expect(evolved).toBe(2_005)
        expect(yield* projector.stateAt(spied, 1_500)).toBe(1_500)
        expect(yield* projector.current(spied)).toBe(2_005)
      }).pipe(unchecked),
    ),
  )

  it.live("answers concurrent calls with everything committed before each", () =>
    onLog(
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const projector = yield* Projector.Projector
        const counted = counter()
        yield* Effect.forEach(
          Array.from({ length: 50 }, (_, index) => index),
          (index) =>
            Effect.gen(function* () {
              const { position } = yield* log.append(requestOf(read(index)))
              const { position: reached, state } = yield* projector.currentWithPosition(counted)
              expect(reached).toBeGreaterThanOrEqual(position)
              expect(state).toBe(reached)
            }),
          { concurrency: "unbounded", discard: true },
        )
        expect(yield* projector.current(counted)).toBe(50)
      }),
    ),
  )

  it.live("shows the state after the history and after every later change", () =>
    onLog(
      Effect.gen(function* () {
        const projector = yield* Projector.Projector
        const started = yield* Deferred.make<void>()
        yield* append([read(1), read(2)])
        const fiber = yield* projector.changes(counter()).pipe(
          Stream.tap(() => Deferred.succeed(started, undefined)),
          Stream.take(4),
          Stream.runCollect,
          Effect.fork,
        )
        yield* Deferred.await(started)
        const note = event("NoteAdded", { about: "x", text: "changes nothing" })
        yield* append([read(3), note, read(4), read(5)])
        expect(Chunk.toReadonlyArray(yield* Fiber.join(fiber))).toEqual([
          { position: 2, state: 2 },
          { position: 3, state: 3 },
          { position: 5, state: 4 },
          { position: 6, state: 5 },
        ])
      }),
    ),
  )

  it.live("refuses a position that the log does not have", () =>
    onLog(
      Effect.gen(function* () {
        const projector = yield* Projector.Projector
        yield* append([read(1)])
        for (const asked of [-1, 2, 0.5, Number.NaN]) {
          const error = yield* Effect.flip(projector.stateAt(environment, asked))
          expect(error).toMatchObject({ _tag: "PositionOutOfRange", asked, head: 1 })
        }
        expect(yield* projector.stateAt(environment, 0)).toBe(environment.initial)
      }),
    ),
  )

  it.live("dies of a projection that throws, and names it, the position and the type", () =>
    onLog(
      Effect.gen(function* () {
        const projector = yield* Projector.Projector
        yield* append([read(1), event("NoteAdded", { about: "x", text: "y" })])
        const broken: Projection<number> = {
          ...counter(),
          evolve: (count, { type }) => {
            if (type === "NoteAdded") throw new Error("no notes, please")
            return count
          },
        }
        expect(yield* defectOf(projector.current(broken))).toMatchObject({
          _tag: "FoldFailed",
          projection: "Counter@1",
          position: 2,
          type: "NoteAdded",
        })
      }),
    ),
  )

  it.live("shows every state in turn while many append at once", () =>
    onLog(
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const projector = yield* Projector.Projector
        const [writers, each] = [8, 40]
        yield* append([read(0)])
        const started = yield* Deferred.make<void>()
        const seeing = yield* projector.changes(counter()).pipe(
          Stream.tap(() => Deferred.succeed(started, undefined)),
          Stream.takeUntil(({ state }) => state === 1 + writers * each),
          Stream.runCollect,
          Effect.fork,
        )
        const writer = (name: number) =>
          Effect.forEach(
            Array.from({ length: each }, (_, index) => index),
            (index) => log.append(requestOf(read(index, `room/${name}`))),
            { discard: true },
          )
        const writing = yield* Effect.fork(
          Effect.all(
            Array.from({ length: writers }, (_, name) => writer(name)),
            { concurrency: "unbounded" },
          ),
        )
        yield* Deferred.await(started)
        yield* Fiber.join(writing)
        const seen = Chunk.toReadonlyArray(yield* Fiber.join(seeing))
        const first = seen[0]?.state ?? 0
        expect(seen).toEqual(
          Array.from({ length: 1 + writers * each - first + 1 }, (_, index) => ({
            position: first + index,
            state: first + index,
          })),
        )
      }),
    ),
  )

  it.live("leaves other timelines alone", () =>
    onLog(
      Effect.gen(function* () {
        const projector = yield* Projector.Projector
        const elsewhere = { ...read(2), envelope: { timeline: "fork" } }
        yield* append([read(1), elsewhere, read(3)])
        expect(yield* projector.current(counter())).toBe(2)
        expect(yield* projector.stateAt(counter(), 2)).toBe(1)
      }),
    ),
  )
})

const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isFailure(exit) && exit.cause._tag === "Die" ? exit.cause.defect : undefined,
  )

describe("a projector that checks", () => {
  /** Of two events, the second is where the projection is found at fault. */
  const expectFault = (projection: Projection<ReadonlyArray<number>>, why: RegExp) =>
    onLog(
      Effect.gen(function* () {
        const projector = yield* Projector.Projector
        yield* append([read(1), read(2)])
        const defect = yield* defectOf(projector.current(projection))
        expect(defect).toMatchObject({ _tag: "FoldFailed", projection: "List@3", position: 2, type: "SensorRead" })
        expect(String(defect)).toMatch(why)
        // Unchecked, it goes its way.
        const own = Effect.flatMap(Projector.Projector, (own) => own.current(projection))
        expect(yield* defectOf(unchecked(own))).toBeUndefined()
      }),
    )

  const list = (evolve: Projection<Array<number>>["evolve"]): Projection<ReadonlyArray<number>> => ({
    name: "List",
    version: 3,
    state: Schema.Array(Schema.Number),
    initial: [],
    // What changes its input does so against its type.
    evolve: (state, event) => evolve(state as Array<number>, event),
  })

  it.live("names one that changes its state", () =>
    expectFault(
      list((state, { position }) => {
        if (position === 1) return [1]
        state.push(position)
        return state
      }),
      /List@3 failed at @2 \(SensorRead\).*not extensible/,
    ),
  )

  it.live("names one that changes an event", () =>
    expectFault(
      list((state, { position, payload }) => {
        if (position === 2) Object.assign(payload, { reading: 0 })
        return state
      }),
      /read only/,
    ),
  )

  it.live("names one that depends on anything but state and event", () => {
    let calls = 0
    return expectFault(
      list((state, { position }) => (position === 2 ? [...state, ++calls] : state)),
      /two different states/,
    )
  })

  it.live("names one whose two ways to fold differ", () =>
    expectFault(
      { ...list((state, { position }) => [...state, position]), evolveAll: () => [7] },
      /evolveAll.* another state/,
    ),
  )

  it.live("names one whose state is not JSON", () =>
    expectFault(
      list((state, { position }) => (position === 2 ? [Number.NaN] : state)),
      /its state has NaN at \/0/,
    ),
  )

  it.live("is not needed to name the event at which a batch failed", () =>
    onLog(
      Effect.gen(function* () {
        yield* append([read(1), read(2)])
        const evolve = (count: number, { position }: Event): number => {
          if (position === 2) throw new Error("no second event, please")
          return count
        }
        const projection: Projection<number> = {
          ...counter(),
          evolve,
          evolveAll: (count, events) => [...events].reduce(evolve, count),
        }
        const current = Effect.flatMap(Projector.Projector, (projector) => projector.current(projection))
        const defect = yield* defectOf(unchecked(current))
        expect(defect).toMatchObject({ _tag: "FoldFailed", projection: "Counter@1", position: 2, type: "SensorRead" })
      }),
    ),
  )
})

/** The same with a projector that does not check, and folds every event once. */
const unchecked = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.provide(body, Layer.fresh(Projector.layerWith({ checks: false })))

const requestOfMany = (events: ReadonlyArray<Unplaced>) => ({
  stream: "test",
  actor: "test",
  events: events.map(({ type, payload }) => ({ type, payload })),
})
