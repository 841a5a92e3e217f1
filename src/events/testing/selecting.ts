/** Conformance tests of queries: every combination of filters, compared with a plain filter over all events. */

import { Effect, FastCheck } from "effect"
import { expect } from "vitest"
import { type AppendRequest, EventLog, type Query } from "../log/EventLog.ts"
import * as PartHash from "../read/PartHash.ts"
import type { Event } from "../vocabulary/Event.ts"
import { identity, readAll, type Test } from "./given.ts"

/** More events than a page, and than a backend reads without an index. */
const APPENDS = 1300

/** Per combination of filters. */
const QUERIES = 2

/** A backend on a server takes a round trip for each of thousands of pages. */
const TIMEOUT_MS = 180_000

export const selecting = (test: Test): void => {
  test(
    "every combination of filters gives the same events in the same order as filtering all of them, page by page too",
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* Effect.forEach(
        Array.from({ length: APPENDS }, (_, index) => requestOf(index)),
        log.append,
        {
          concurrency: "unbounded",
          discard: true,
        },
      )
      const all = yield* readAll(log)
      const holds = (query: Query, limit: number) =>
        Effect.gen(function* () {
          const expected = all.filter((event) => selects(query, event))
          expect((yield* readAll(log, query)).map(identity)).toEqual(expected.map(identity))
          const page = yield* log.readPage(query, limit)
          expect(page.map(identity)).toEqual(expected.slice(0, limit).map(identity))
          const next = { ...query, after: page.at(-1)?.position ?? query.after ?? 0 }
          const second = yield* log.readPage(next, limit)
          expect(second.map(identity)).toEqual(expected.slice(page.length, page.length + limit).map(identity))
        })
      for (const fields of subsets(Object.keys(VALUES))) {
        const property = FastCheck.asyncProperty(queryOf(fields, all.length), LIMIT, (query, limit) =>
          Effect.runPromise(holds(query, limit)),
        )
        yield* Effect.promise(() => FastCheck.assert(property, { numRuns: QUERIES }))
      }
      yield* parts(log, all)
      // A task that has come since, by another connection or by this one.
      yield* log.append({ ...requestOf(0), taskId: "t0" })
      const part = { index: PartHash.indexOf("t0", 3), of: 3 }
      expect((yield* readAll(log, { after: all.length, part })).map(({ taskId }) => taskId)).toEqual(["t0", "t0", "t0"])
    }),
    TIMEOUT_MS,
  )
}

/** Each event belongs to one part, whatever else is asked. */
const parts = (log: EventLog.Service, all: ReadonlyArray<Event>) =>
  Effect.gen(function* () {
    const whole = { timeline: "main" }
    for (const query of [
      {},
      whole,
      { ...whole, types: ["NoteAdded"] },
      { stream: "a" },
      { until: 700 },
      { taskId: "t1" },
    ]) {
      const expected = all.filter((event) => selects(query, event)).map(identity)
      for (const of of [1, 2, 3, 7]) {
        const found: Array<Event> = []
        for (let index = 0; index < of; index++) {
          const part = yield* readAll(log, { ...query, part: { index, of } })
          for (const { taskId } of part) expect(PartHash.indexOf(taskId, of)).toBe(index)
          const first = yield* log.readPage({ ...query, part: { index, of } }, 10)
          expect(first.map(identity)).toEqual(part.slice(0, 10).map(identity))
          found.push(...part)
        }
        expect(found.sort((one, other) => one.position - other.position).map(identity)).toEqual(expected)
      }
    }
    for (const part of [
      { index: 2, of: 2 },
      { index: -1, of: 2 },
      { index: 0, of: 0 },
      { index: 0.5, of: 1 },
    ])
      expect((yield* Effect.flip(log.readPage({ part }, 1)))._tag).toBe("InvalidQuery")
  })

/** Mixes streams, timelines, tasks and types. */
const requestOf = (index: number): AppendRequest => {
  const stream = ["a", "b", "c"][(index % 7) % 3] ?? ""
  const tag = { type: "TagAdded" as const, payload: { about: stream, tag: String(index) }, occurredAt: index % 3 }
  const text = { type: "NoteAdded" as const, payload: { about: stream, text: String(index) } }
  return {
    stream,
    actor: "human:test",
    timeline: index % 5 === 0 ? "fork" : "main",
    taskId: [null, "t1", "t2"][(index % 11) % 3] ?? null,
    events: index % 2 === 0 ? [text, tag, text] : index % 13 === 0 ? [tag] : [text],
  }
}

const selects = (query: Query, event: Event): boolean =>
  event.position > (query.after ?? 0) &&
  event.position <= (query.until ?? Number.POSITIVE_INFINITY) &&
  (query.timeline === undefined || event.timeline === query.timeline) &&
  (query.stream === undefined || event.stream === query.stream) &&
  (query.afterVersion === undefined || event.version > query.afterVersion) &&
  (query.occurredAt === undefined || event.occurredAt === query.occurredAt) &&
  (query.taskId === undefined || event.taskId === query.taskId) &&
  (query.types === undefined || query.types.includes(event.type))

const LIMIT = FastCheck.oneof(FastCheck.integer({ min: 1, max: 20 }), FastCheck.integer({ min: 1, max: 3000 }))

/** Values of each filter, some of which no event has. A version filters within a stream, so it comes with one. */
const VALUES = {
  after: (head: number) => FastCheck.record({ after: FastCheck.integer({ min: 0, max: head + 5 }) }),
  until: (head: number) => FastCheck.record({ until: FastCheck.integer({ min: 0, max: head + 5 }) }),
  timeline: () => FastCheck.record({ timeline: FastCheck.constantFrom("main", "fork", "nowhere") }),
  stream: () => FastCheck.record({ stream: FastCheck.constantFrom("a", "b", "c", "nothing") }),
  afterVersion: (head: number) =>
    FastCheck.record({
      stream: FastCheck.constantFrom("a", "b", "c"),
      afterVersion: FastCheck.integer({ min: 0, max: Math.floor(head / 4) }),
    }),
  taskId: () => FastCheck.record({ taskId: FastCheck.constantFrom("t1", "t2", "no-task", null) }),
  types: () =>
    FastCheck.record({
      types: FastCheck.subarray(["NoteAdded", "TagAdded", "Unheard"], { minLength: 0 }),
    }),
  occurredAt: () => FastCheck.record({ occurredAt: FastCheck.integer({ min: 0, max: 3 }) }),
  // No event here names another plugin: a log must not leave out any.
  plugin: () => FastCheck.record({ plugin: FastCheck.constantFrom("workspace", "nothing") }),
  // No event here is compact.
  whole: () =>
    FastCheck.record({
      whole: FastCheck.boolean(),
      condensed: FastCheck.boolean(),
      stepTypes: FastCheck.constantFrom([], ["SensorRead"]),
    }),
} satisfies Record<
  Exclude<keyof Query, "part" | "condensed" | "stepTypes">,
  (head: number) => FastCheck.Arbitrary<Query>
>

const queryOf = (fields: ReadonlyArray<string>, head: number): FastCheck.Arbitrary<Query> =>
  FastCheck.tuple(
    ...Object.entries(VALUES)
      .filter(([field]) => fields.includes(field))
      .map(([, values]) => values(head)),
  ).map((parts): Query => Object.assign({}, ...parts))

/** Each bit of the number includes or excludes an element. */
const subsets = <A>(of: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: 2 ** of.length }, (_, bits) => of.filter((_, index) => (bits >> index) % 2 === 1))
