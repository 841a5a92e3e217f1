import * as path from "node:path"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import { CaughtUp, EventLog, layerSqlite, type Query } from "../../../src/events/index.ts"
import { temporaryDirectory } from "../../temporary.ts"
import * as child from "./child.ts"

/**
 * Lets processes append to one log at once, each so many events to a stream of its own and as many to one that all contend for,
 * while this process follows the log. Answers how many conflicts each met.
 */
export const contend = (names: ReadonlyArray<string>, count: number) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const events = 2 * count * names.length
    return yield* Effect.gen(function* () {
      const log = yield* EventLog
      const followed = yield* Effect.fork(
        Stream.runCollect(
          // All events, and the one marker.
          Stream.take(log.follow(), events + 1),
        ),
      )
      const ended = yield* Effect.forEach(names, (name) => child.report("contender", { filename, name, count }), {
        concurrency: "unbounded",
      })
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events })
      const seen = [...(yield* followed)]
      expect(seen.filter((item) => item instanceof CaughtUp)).toHaveLength(1)
      const positions = seen.filter((item) => "id" in item).map(({ position }) => position)
      expect(positions).toEqual(range(1, events))

      const read = (query: Query) => Effect.map(Stream.runCollect(log.read(query)), (found) => [...found])
      for (const name of names) {
        const own = yield* read({ stream: name, timeline: "main" })
        expect(own.map(({ payload }) => payload.text)).toEqual(range(0, count - 1).map(String))
      }
      const contested = yield* read({ stream: "contested", timeline: "main" })
      expect(contested.map(({ version }) => version)).toEqual(range(1, count * names.length))
      expect(new Set(contested.map(({ payload }) => payload.text)).size).toBe(count * names.length)
      return ended
    }).pipe(Effect.provide(layerSqlite({ filename })))
  })

const range = (from: number, until: number) => Array.from({ length: until - from + 1 }, (_, index) => from + index)
