/** Conformance tests of reads: filters and pages. */

import { Effect, Stream } from "effect"
import { expect } from "vitest"
import * as Chain from "../integrity/Chain.ts"
import * as EventLog from "../log/EventLog.ts"
import { note, readAll, type Test, textOf } from "./given.ts"

export const reading = (test: Test): void => {
  test(
    "an empty log has head 0 and the hash of nothing",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      expect(yield* log.head).toEqual({ position: 0, hash: Chain.GENESIS })
      expect(yield* Stream.runCollect(log.read()).pipe(Effect.map((events) => [...events]))).toEqual([])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 0 })
    }),
  )

  test(
    "reads filter by range, timeline, stream, version, task and type",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(note("a", ["1", "2", "3"]))
      yield* log.append({ ...note("b", ["4"]), taskId: "t1" })
      yield* log.append({ ...note("a", ["5"]), taskId: "t2", timeline: "other" })
      yield* log.append({
        stream: "b",
        actor: "human:test",
        events: [{ type: "TagAdded", payload: { about: "x", tag: "6" } }],
      })
      const positions = (query: EventLog.Query) =>
        Effect.map(readAll(log, query), (events) => events.map((event) => event.position))
      expect(yield* positions({ after: 2, until: 4 })).toEqual([3, 4])
      expect(yield* positions({ stream: "a" })).toEqual([1, 2, 3, 5])
      expect(yield* positions({ stream: "a", timeline: "main" })).toEqual([1, 2, 3])
      expect(yield* positions({ stream: "a", timeline: "main", afterVersion: 1 })).toEqual([2, 3])
      expect(yield* positions({ timeline: "other" })).toEqual([5])
      expect(yield* positions({ taskId: "t1" })).toEqual([4])
      expect(yield* positions({ types: ["TagAdded"] })).toEqual([6])
      expect(yield* positions({ types: ["TagAdded", "NoteAdded"], after: 4 })).toEqual([5, 6])
      expect(yield* positions({ types: ["Unheard"] })).toEqual([])
      expect(yield* positions({ stream: "nowhere" })).toEqual([])
    }),
  )

  test(
    "pages have neither gaps nor repeats, whatever their length",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const texts = Array.from({ length: 2500 }, (_, index) => String(index))
      yield* log.append(note("a", texts))
      expect((yield* readAll(log)).map(textOf)).toEqual(texts)
      expect((yield* log.readPage({ after: 10 }, 5)).map((event) => event.position)).toEqual([11, 12, 13, 14, 15])
    }),
  )
}
