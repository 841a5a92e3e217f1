import { it } from "@effect/vitest"
import { Effect, Exit, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import type { Projection } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { append, counter, onLog, read } from "./onLog.ts"

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
      {
        ...list((state, { position }) => [...state, position]),
        builder: () => ({ apply: () => {}, state: () => [7] }),
      },
      /`builder` and its `evolve` gave different states/,
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
          builder: (from) => {
            let count = from
            return {
              apply: (event) => {
                count = evolve(count, event)
              },
              state: () => count,
            }
          },
        }
        const current = Effect.flatMap(Projector.Projector, (projector) => projector.current(projection))
        const defect = yield* defectOf(unchecked(current))
        expect(defect).toMatchObject({ _tag: "FoldFailed", projection: "Counter@1", position: 2, type: "SensorRead" })
      }),
    ),
  )
})

const defectOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isFailure(exit) && exit.cause._tag === "Die" ? exit.cause.defect : undefined,
  )

/** The same with a projector that does not check, and folds every event once. */
const unchecked = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.provide(body, Layer.fresh(Projector.layerWith({ checks: false })))
