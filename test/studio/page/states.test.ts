import { isDeepStrictEqual } from "node:util"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as JsonPatch from "../../../src/projections/patch/JsonPatch.ts"
import { differences } from "../../../src/studio/page/model/differences.ts"
import { LoadedSlice } from "../../../src/studio/page/model/LoadedSlice.ts"
import { oldReadings } from "../../../src/studio/page/model/oldReadings.ts"
import { applied } from "../../../src/studio/page/model/patch.ts"
import type { Change, CourseSlice, Entry } from "../../../src/studio/wire/CourseSlice.ts"
import { type Json, pointerKeys, valueAt } from "../../../src/values/Json.ts"

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 0, 1, "a", "__proto__"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "a/b", "~", "__proto__", "0"), tie("value"), { maxKeys: 4 }),
  ),
})).value

/** The patch of the log's own as changes of the page: it has `add`, `remove` and `replace` alone. */
const changesOf = (before: Json, after: Json): ReadonlyArray<Change> =>
  JsonPatch.diff(before, after) as ReadonlyArray<Change>

const entry = (position: number, changes: ReadonlyArray<Change>): Entry => ({
  position,
  id: `id-${position}`,
  type: "SensorRead",
  kind: "reading",
  bad: false,
  task: "t",
  timeline: "main",
  actor: "kernel",
  recordedAt: position,
  occurredAt: position,
  cause: null,
  line: "",
  payload: null,
  length: 0,
  unreadable: [],
  changes,
})

const chunkOf = (state: Json, entries: ReadonlyArray<Entry>, rest: Partial<CourseSlice> = {}): CourseSlice => ({
  timeline: "main",
  task: "t",
  number: 0,
  offset: 0,
  full: false,
  written: {},
  views: [],
  aside: [],
  state: { shared: {}, tasks: { t: state } },
  entries,
  ...rest,
})

describe("changes", () => {
  it("lead from one state to the other, as the log's own patches do, and leave the first as it was", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const copy = structuredClone(before)
        expect(changesOf(before, after).reduce(applied, before)).toEqual(after)
        expect(before).toEqual(copy)
      }),
    )
  })

  it("of a place that is not there change nothing", () => {
    expect(applied({ a: 1 }, { op: "replace", path: "/b/c", value: 2 })).toEqual({ a: 1 })
    expect(applied([1], { op: "add", path: "/7", value: 2 })).toEqual([1])
    expect(applied([1], { op: "add", path: "/x", value: 2 })).toEqual([1])
  })
})

describe("differences of two states", () => {
  it("are none if they are equal, and each says both values as they are", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const found = differences(before, after)
        expect(found.length === 0).toBe(isDeepStrictEqual(before, after))
        for (const { path, before: was, after: is } of found) {
          expect(valueAt(before, pointerKeys(path))).toEqual(was)
          expect(valueAt(after, pointerKeys(path))).toEqual(is)
        }
      }),
    )
  })
})

describe("a chunk", () => {
  it("has the state at each of its entries, in whatever order they are asked for", () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 6 }), fc.array(fc.nat(6)), (states, asked) => {
        const [first = null] = states
        const entries = states.slice(1).map((state, index) =>
          entry(
            index + 1,
            changesOf(states[index] ?? null, state).map((change) => ({ ...change, path: `/tasks/t${change.path}` })),
          ),
        )
        const chunk = new LoadedSlice(chunkOf(first, entries))
        for (const index of asked.filter((each) => each < states.length))
          expect(valueAt(chunk.stateAfter(index - 1), ["tasks", "t"])).toEqual(states[index])
      }),
    )
  })

  it("has what other events changed between its entries from then on", () => {
    const aside = [{ position: 2, changes: [{ op: "add", path: "/shared/door", value: "open" }] }] as const
    const chunk = new LoadedSlice(chunkOf({}, [entry(1, []), entry(3, []), entry(5, [])], { aside }))
    const doors = [-1, 0, 1, 2].map((index) => valueAt(chunk.stateAfter(index), ["shared", "door"]))
    expect(doors).toEqual([undefined, undefined, "open", "open"])
  })

  it("takes what comes live behind its entries", () => {
    const chunk = new LoadedSlice(chunkOf({}, [entry(1, [])]))
    expect(chunk.stateAfter(0)).toEqual({ shared: {}, tasks: { t: {} } })
    chunk.append(entry(2, [{ op: "add", path: "/tasks/t/lamp", value: "on" }]))
    expect(valueAt(chunk.stateAfter(1), ["tasks", "t", "lamp"])).toBe("on")
  })

  it("names the event that wrote a value, something above it, or what was known before", () => {
    const chunk = new LoadedSlice(
      chunkOf(
        { a: { b: 1 }, c: 1 },
        [
          entry(11, [{ op: "replace", path: "/tasks/t/a", value: { b: 2 } }]),
          entry(12, [{ op: "replace", path: "/tasks/t/a/b", value: 3 }]),
        ],
        { written: { "/tasks/t/c": 7, "/tasks/t/a/b": 5 } },
      ),
    )
    const writers = [-1, 0, 1].map((index) => chunk.writerOf("/tasks/t/a/b", index))
    expect(writers).toEqual([5, 11, 12])
    expect(chunk.writerOf("/tasks/t/c", 1)).toBe(7)
    expect(chunk.writerOf("/tasks/t/nothing", 1)).toBeUndefined()
  })
})

describe("a reading", () => {
  const chunk = new LoadedSlice(
    chunkOf({ readings: {}, environment: {} }, [
      entry(1, [{ op: "add", path: "/tasks/t/environment/boiler", value: { bar: 1 } }]),
      entry(2, [{ op: "add", path: "/tasks/t/readings/boiler~1pressure", value: { bar: 1.1 } }]),
      entry(3, [{ op: "replace", path: "/tasks/t/environment/boiler/bar", value: 2.5 }]),
    ]),
  )
  const frameAt = (index: number) => ({
    position: index + 1,
    entry: chunk.entries[index] ?? null,
    before: chunk.stateAfter(index - 1),
    after: chunk.stateAfter(index),
    chunk,
    index,
  })

  it("is old from the moment at which the world went on, and not before", () => {
    expect([...oldReadings(frameAt(1), "/tasks/t").keys()]).toEqual([])
    expect([...oldReadings(frameAt(2), "/tasks/t")]).toEqual([
      ["/tasks/t/readings/boiler~1pressure/bar", { world: 2.5, since: 3 }],
    ])
  })
})
