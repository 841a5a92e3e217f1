import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as TimeTravel from "../../../src/projections/timetravel/TimeTravel.ts"
import { idOf, type Unplaced } from "../given.ts"
import { append, onLog, read } from "../onLog.ts"

const caused = (id: number, by: number | null): Unplaced => ({
  ...read(id),
  envelope: { id: idOf(id), causationId: by === null ? null : idOf(by), taskId: id % 3 === 0 ? "t" : null },
})

/** What came of an event, by looking at all of them again and again: the tree in order. */
const naive = (events: ReadonlyArray<Event>, root: Event, depth = 0): ReadonlyArray<readonly [number, number]> => [
  [root.position, depth],
  ...events
    .filter(({ causationId, position }) => causationId === root.id && position > root.position)
    .flatMap((event) => naive(events, event, depth + 1)),
]

describe("what came of an event", () => {
  it.live("is the tree of all that names it as a cause, and what names those, whatever the causes", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.option(fc.nat(11)), { minLength: 1, maxLength: 12 }), (causes) =>
          Effect.runPromise(
            onLog(
              Effect.gen(function* () {
                const travel = yield* TimeTravel.TimeTravel
                const events = yield* append(causes.map((by, index) => caused(index + 1, by === null ? null : by + 1)))
                for (const root of events) {
                  const { events: found, more } = yield* travel.effects(root.position)
                  const tree = found.map(({ event, depth }) => [event.position, depth])
                  expect({ tree, more }).toEqual({ tree: naive(events, root), more: false })
                }
              }),
            ),
          ),
        ),
        { numRuns: 20 },
      ),
    ),
  )

  it.live("stops at as many as are asked for, and says that there may be more", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([caused(1, null), ...Array.from({ length: 8 }, (_, index) => caused(index + 2, index + 1))])
        const found = yield* travel.effects(idOf(1), { limit: 3 })
        expect(found.events.map(({ event, depth }) => [event.position, depth])).toEqual([
          [1, 0],
          [2, 1],
          [3, 2],
          [4, 3],
        ])
        expect(found).toMatchObject({ more: true, until: 4 })
        expect(yield* travel.effects("@9")).toMatchObject({ events: [{ event: { position: 9 } }], more: false })
        expect(yield* Effect.flip(travel.effects(0))).toMatchObject({ _tag: "EventNotFound" })
        expect(yield* Effect.flip(travel.effects(10))).toMatchObject({ _tag: "PositionOutOfRange", head: 9 })
      }),
    ),
  )
})
