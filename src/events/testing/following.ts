/** Conformance tests of `follow`. */

import { Deferred, Effect, Fiber, Stream } from "effect"
import { expect } from "vitest"
import * as EventLog from "../log/EventLog.ts"
import { PAGE_SIZE } from "../read/Pages.ts"
import type { Event } from "../vocabulary/Event.ts"
import { note, notes, readAll, type Test } from "./given.ts"

export const following = (test: Test): void => {
  test(
    "following returns history, one marker, then new events, without gaps or repeats",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(note("a", ["1", "2", "3"]))
      const seen = yield* Effect.fork(Stream.runCollect(Stream.take(log.follow({ after: 1 }), 103)))
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) => log.append(note(`s${index}`, ["x", "y"])),
        { concurrency: 8 },
      )
      const items = [...(yield* Fiber.join(seen))]
      const positions = items.filter((item) => !(item instanceof EventLog.CaughtUp)).map((event) => event.position)
      expect(positions).toEqual(Array.from({ length: 102 }, (_, index) => index + 2))
      expect(items.filter((item) => item instanceof EventLog.CaughtUp)).toHaveLength(1)
    }),
  )

  test(
    "following only some types still catches up and receives later events",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(note("a", ["1", "2"]))
      const seen = yield* Effect.fork(Stream.runCollect(Stream.take(log.follow({ types: ["TagAdded"] }), 2)))
      yield* log.append(note("a", ["3"]))
      yield* log.append({
        stream: "a",
        actor: "human:test",
        events: [{ type: "TagAdded", payload: { about: "a", tag: "seen" } }],
      })
      const [first, second] = [...(yield* Fiber.join(seen))]
      const marker = first instanceof EventLog.CaughtUp ? first : second
      const tag = first instanceof EventLog.CaughtUp ? second : first
      expect(marker).toBeInstanceOf(EventLog.CaughtUp)
      expect(tag).toMatchObject({ type: "TagAdded", position: 4 })
    }),
  )

  test(
    "a follower receives one marker when it has caught up, whether history is empty, a page, or more",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(notes("a", 2 * PAGE_SIZE + 1))
      for (const history of [0, 1, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1, 2 * PAGE_SIZE]) {
        const head = (yield* log.head).position
        const after = head - history
        const caughtUp = yield* Deferred.make<void>()
        const seen = yield* log.follow({ after }).pipe(
          Stream.tap((item) => (isMarker(item) ? Deferred.succeed(caughtUp, undefined) : Effect.void)),
          Stream.takeUntil((item) => !isMarker(item) && item.position === head + 3),
          Stream.runCollect,
          Effect.fork,
        )
        yield* Deferred.await(caughtUp)
        yield* log.append(note("b", ["live"]))
        yield* log.append(note("b", ["live", "live"]))
        const items = [...(yield* Fiber.join(seen))].map((item) => (isMarker(item) ? "caught up" : item.position))
        const positions = Array.from({ length: history + 3 }, (_, index) => after + index + 1)
        expect(items).toEqual([...positions.slice(0, history), "caught up", ...positions.slice(history)])
      }
    }),
  )

  test(
    "each of many followers during appends receives one marker, and each selected event once",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(notes("s0", 10))
      const queries: ReadonlyArray<EventLog.Query> = [
        {},
        { stream: "s1" },
        { timeline: "main" },
        { types: ["TagAdded"] },
      ]
      const followers = yield* Effect.forEach(queries, (query) =>
        log.follow(query).pipe(
          // Every query selects the last event.
          Stream.takeUntil((item) => !isMarker(item) && item.payload.tag === "last"),
          Stream.runCollect,
          Effect.fork,
        ),
      )
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) => log.append(notes(`s${index % 4}`, 1 + (index % 3))),
        { concurrency: 8 },
      )
      const last = { type: "TagAdded" as const, payload: { about: "a", tag: "last" } }
      yield* log.append({ stream: "s1", actor: "human:test", events: [last] })
      for (const [index, query] of queries.entries()) {
        const items = [...(yield* followers[index] ?? Effect.dieMessage("nobody follows"))]
        expect(items.filter(isMarker)).toHaveLength(1)
        expect(items.filter((item) => !isMarker(item))).toEqual(yield* readAll(log, query))
      }
    }),
  )
}

const isMarker = (item: Event | EventLog.CaughtUp): item is EventLog.CaughtUp => item instanceof EventLog.CaughtUp
