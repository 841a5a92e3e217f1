import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { type DecidedAppend, decider } from "../../src/events/log/Decider.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (text: string): DecidedAppend => ({
  actor: "human:test",
  events: [{ type: "NoteAdded", payload: { about: "", text } }],
})

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** So many logs on one file, each as another process would open it. */
const logsOn = (count: number) =>
  Effect.flatMap(temporaryDirectory, (directory) =>
    Effect.forEach(range(count), () =>
      Effect.map(Layer.build(Layer.fresh(layerSqlite({ filename: path.join(directory, "log.db") }))), (context) =>
        Context.get(context, EventLog),
      ),
    ),
  )

const texts = (log: EventLog.Service, stream: string) =>
  Effect.map(log.readPage({ stream }, 1000), (events) => events.map(({ payload }) => payload.text))

describe("decisions about a stream", () => {
  it.scopedLive(
    "decisions of 64 fibers about a stream are made in the order in which they came, each of them once",
    () =>
      Effect.gen(function* () {
        const [log] = yield* logsOn(1)
        if (log === undefined) return
        const { decide } = decider(log)
        let made = 0
        const turns = (fiber: number) =>
          Effect.forEach(range(3), (turn) =>
            decide("contested", (version) =>
              Effect.sync(() => {
                made += 1
                return note(`${turn} ${fiber} after ${version}`)
              }),
            ),
          )
        yield* Effect.forEach(range(64), turns, { concurrency: "unbounded" })
        const expected = range(3).flatMap((turn) =>
          range(64).map((fiber) => `${turn} ${fiber} after ${turn * 64 + fiber}`),
        )
        expect(yield* texts(log, "contested")).toEqual(expected)
        expect(made).toBe(3 * 64)
      }),
  )

  it.scopedLive("rest on what the stream says when they are appended, also where other processes append to it", () =>
    Effect.gen(function* () {
      const logs = yield* logsOn(2)
      const counting = logs.flatMap((log) => {
        const { decide } = decider(log)
        return range(20).map(() => decide("counter", (version) => Effect.succeed(note(String(version + 1)))))
      })
      yield* Effect.all(counting, { concurrency: "unbounded" })
      const [log] = logs
      expect(log && (yield* texts(log, "counter"))).toEqual(range(40).map((index) => String(index + 1)))
    }),
  )

  it.scopedLive(
    "may be to append nothing, may fail, and keep nobody waiting who comes after one that was interrupted",
    () =>
      Effect.gen(function* () {
        const [log] = yield* logsOn(1)
        if (log === undefined) return
        const { decide } = decider(log)
        const goOn = yield* Deferred.make<void>()
        const slow = yield* Effect.fork(decide("a", () => Effect.as(Deferred.await(goOn), note("slow"))))
        yield* Effect.yieldNow()
        const impatient = yield* Effect.fork(decide("a", () => Effect.succeed(note("impatient"))))
        yield* Effect.yieldNow()
        const patient = yield* Effect.fork(decide("a", () => Effect.succeed(note("patient"))))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(impatient)
        // Another stream has a queue of its own.
        expect(yield* decide("b", () => Effect.succeed(undefined))).toBeUndefined()
        expect(yield* Effect.flip(decide("b", () => Effect.fail("undecided")))).toBe("undecided")
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(slow)
        yield* Fiber.join(patient)
        expect(yield* texts(log, "a")).toEqual(["slow", "patient"])
        expect(yield* texts(log, "b")).toEqual([])
      }),
  )
})
