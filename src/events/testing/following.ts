import { Effect, Fiber, Stream } from "effect"
import { expect } from "vitest"
import * as EventLog from "../EventLog.ts"
import { note, type Test } from "./given.ts"

/** What following promises. */
export const following = (test: Test): void => {
  test(
    "following gives history, one marker, then what is appended, without gap or repeat",
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
    "following only some types still catches up and sees the later ones",
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
}
