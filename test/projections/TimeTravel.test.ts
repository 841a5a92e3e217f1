import assert from "node:assert/strict"
import { isDeepStrictEqual } from "node:util"
import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as JsonPatch from "../../src/projections/patch/JsonPatch.ts"
import * as JsonPointer from "../../src/projections/patch/JsonPointer.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as TimeTravel from "../../src/projections/timetravel/TimeTravel.ts"
import { type Json, pointerKeys } from "../../src/values/Json.ts"
import { arbitraryEvents } from "./arbitraryEvents.ts"
import { event, idOf, inTask, type Unplaced } from "./given.ts"
import { append, onLog, read } from "./onLog.ts"

const environment = EnvironmentState.projection
const someEvents = arbitraryEvents(20).filter((events) => events.length > 0)

const patchOf = (differences: ReadonlyArray<TimeTravel.Difference>) =>
  differences.map(({ event: _, ...patch }) => patch)

/** Every path of a value and of what is in it. */
const pathsOf = (value: Json | undefined, path = ""): ReadonlyArray<string> => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.keys(value).flatMap((key) => pathsOf(JsonPointer.member(value, key), `${path}${JsonPointer.write([key])}`))
    : []),
]

describe("time travel", () => {
  it.live("finds patches that lead from state to state, forward and back, each operation with its event", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(someEvents, fc.nat(20), fc.nat(20), (unplaced, a, b) =>
          Effect.runPromise(
            onLog(
              Effect.gen(function* () {
                const travel = yield* TimeTravel.TimeTravel
                const events = yield* append(unplaced)
                const [from, to] = [a % (events.length + 1), b % (events.length + 1)]
                const states = [from, to].map((at) => fold(environment, events.slice(0, at)))
                const differences = yield* travel.diff(from, to)
                const patched = JsonPatch.apply(states[0], patchOf(differences))
                assert.deepStrictEqual(Either.getOrThrow(patched), states[1])
                for (const { event } of differences) {
                  expect(event).toBeGreaterThan(Math.min(from, to))
                  expect(event).toBeLessThanOrEqual(Math.max(from, to))
                }
              }),
            ),
          ),
        ),
        { numRuns: 30 },
      ),
    ),
  )

  it.live("blames for every path the event that comparing all states one by one finds", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(someEvents, (unplaced) =>
          Effect.runPromise(
            onLog(
              Effect.gen(function* () {
                const travel = yield* TimeTravel.TimeTravel
                const events = yield* append(unplaced)
                const states = Array.from({ length: events.length + 1 }, (_, at) =>
                  fold(environment, events.slice(0, at)),
                )
                const paths = new Set(states.flatMap((state) => pathsOf(state)))
                const at = (position: number, path: string) => JsonPointer.valueAt(states[position], pointerKeys(path))
                for (const path of [...paths].slice(0, 60)) {
                  let expected: number | null = null
                  for (let position = 1; position < states.length; position++) {
                    if (!isDeepStrictEqual(at(position, path), at(position - 1, path))) expected = position
                  }
                  const { event, value } = yield* travel.blame(path)
                  expect([path, event?.position ?? null]).toEqual([path, expected])
                  assert.deepStrictEqual(value, at(events.length, path))
                }
              }),
            ),
          ),
        ),
        { numRuns: 20 },
      ),
    ),
  )

  it.live("names in a diff the last event that changed each path", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([read(1), read(2, "room/smell"), read(3), read(4), read(4)])
        expect(yield* travel.diff(1, 5)).toEqual([
          { op: "add", path: "/shared/readings/room~1smell", value: 2, event: 2 },
          { op: "replace", path: "/shared/readings/room~1look", value: 4, event: 4 },
        ])
        expect(yield* travel.diff("@5", "main@3")).toEqual([
          { op: "replace", path: "/shared/readings/room~1look", value: 3, event: 4 },
        ])
        expect(yield* travel.diff(4, 5)).toEqual([])
      }),
    ),
  )

  it.live("names, for a list that grew, the last event that changed the list", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([read({ seen: [1, 2], n: 1 }), read({ seen: [2], n: 1 }), read({ seen: [2], n: 2 })])
        expect(yield* travel.diff(1, 3)).toEqual([
          { op: "remove", path: "/shared/readings/room~1look/seen/0", event: 2 },
          { op: "replace", path: "/shared/readings/room~1look/n", value: 2, event: 3 },
        ])
      }),
    ),
  )

  it.live("reads the state, or a part of it, as it stood", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([read(null), read({ list: [5] })])
        expect(yield* travel.stateAt(1, "/shared/readings")).toEqual({ "room/look": null })
        expect(yield* travel.stateAt(1, "/shared/readings/room~1look")).toBe(null)
        expect(yield* travel.stateAt(2, "/shared/readings/room~1look/list/0")).toBe(5)
        expect(yield* travel.stateAt(0)).toEqual(environment.initial)
        for (const path of ["/shared/readings/room~1smell", "/shared/readings/room~1look/list/length"]) {
          expect(yield* Effect.flip(travel.stateAt(2, path))).toMatchObject({ _tag: "PathNotFound", path, at: 2 })
        }
        expect(yield* Effect.flip(travel.stateAt(2, "shared"))).toMatchObject({ _tag: "PathInvalid" })
      }),
    ),
  )

  it.live("blames for a vanished path the event that took it away", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        const patch = [{ op: "remove" as const, path: "/lamp" }]
        yield* append(
          inTask("t1", [
            event("EnvironmentReset", { plugin: "room", seed: 1, options: {}, state: { lamp: true } }),
            event("EnvironmentChanged", { plugin: "room", patch }),
          ]),
        )
        const lamp = "/tasks/t1/environment/room/lamp"
        expect(yield* travel.blame(lamp)).toMatchObject({ value: undefined, event: { position: 2 } })
        expect(yield* travel.blame(lamp, 1)).toMatchObject({ value: true, at: 1, event: { position: 1 } })
      }),
    ),
  )

  it.live("says of a path that never was which there are", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        yield* append([read(1), read(1, "room/smell")])
        const error = yield* Effect.flip(travel.blame("/shared/readings/room~1taste/strong"))
        expect(error).toMatchObject({ _tag: "PathNeverExisted", at: 2, parent: "/shared/readings" })
        expect(error.message).toContain("/shared/readings/room~1look, /shared/readings/room~1smell")
        expect(yield* travel.blame("/shared/pending")).toMatchObject({ value: {}, event: null })
      }),
    ),
  )

  it.live("follows causes up to the root, and stops at one that is missing or comes round again", () =>
    onLog(
      Effect.gen(function* () {
        const travel = yield* TimeTravel.TimeTravel
        const caused = (id: number, by: number | null): Unplaced => ({
          ...read(id),
          envelope: { id: idOf(id), causationId: by === null ? null : idOf(by) },
        })
        yield* append([caused(1, null), caused(2, 1), caused(3, 2), caused(4, 99), caused(5, 6), caused(6, 5)])
        const why = (moment: number | string) =>
          Effect.map(travel.why(moment), (chain) => chain.map(({ position }) => position))
        expect(yield* why(3)).toEqual([3, 2, 1])
        expect(yield* why(idOf(2))).toEqual([2, 1])
        expect(yield* why("@4")).toEqual([4])
        expect(yield* why(6)).toEqual([6, 5])
        expect(yield* Effect.flip(travel.why(0))).toMatchObject({ _tag: "EventNotFound" })
        expect(yield* Effect.flip(travel.why(7))).toMatchObject({ _tag: "PositionOutOfRange", asked: 7, head: 6 })
      }),
    ),
  )
})
