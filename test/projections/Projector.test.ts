import assert from "node:assert/strict"
import { it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import { fold, type Projection } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
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

  it.live("keeps nothing of a fold that broke, and folds again from where it was", () =>
    onLog(
      Effect.gen(function* () {
        const projector = yield* Projector.Projector
        let isBroken = false
        const base = counter()
        const breaking: Projection<number> = {
          ...base,
          evolve: (count, event) => {
            if (isBroken && event.payload.reading === 3) throw new Error("broken")
            return base.evolve(count, event)
          },
        }
        yield* append([read(1)])
        expect(yield* projector.currentWithPosition(breaking)).toEqual({ position: 1, state: 1 })
        yield* append([read(2), read(3), read(4)])
        isBroken = true
        expect(Exit.isFailure(yield* Effect.exit(projector.current(breaking)))).toBe(true)
        isBroken = false
        expect(yield* projector.currentWithPosition(breaking)).toEqual({ position: 4, state: 4 })
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
        const exit = yield* Effect.exit(projector.current(broken))
        const defect = Exit.isFailure(exit) && exit.cause._tag === "Die" ? exit.cause.defect : undefined
        expect(defect).toMatchObject({
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

/** The same with a projector that does not check, and folds every event once. */
const unchecked = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.provide(body, Layer.fresh(Projector.layerWith({ checks: false })))

const requestOfMany = (events: ReadonlyArray<Unplaced>) => ({
  stream: "test",
  actor: "test",
  events: events.map(({ type, payload }) => ({ type, payload })),
})
