import { it } from "@effect/vitest"
import { Effect, Either, Exit, Fiber, Scope } from "effect"
import { describe, expect } from "vitest"
import * as AppendValidation from "../../src/events/append/AppendValidation.ts"
import * as DirectAppend from "../../src/events/append/DirectAppend.ts"
import * as Writer from "../../src/events/append/Writer.ts"
import { type Appended, type AppendRequest, NoStream, VersionConflict } from "../../src/events/log/EventLog.ts"
import * as PersonalDataKeys from "../../src/events/payload/PersonalDataKeys.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"

const request: AppendRequest = {
  stream: "a",
  actor: "human:test",
  events: [{ type: "NoteAdded", payload: { about: "", text: "" } }],
}

const answered: Appended = { position: 1, version: 1, events: [] }

/** A writer whose commits only count their batches. */
const counting = Effect.gen(function* () {
  const batches: Array<number> = []
  const append = yield* Writer.make(
    "test",
    AppendValidation.make(Vocabulary.core, PersonalDataKeys.memory()),
    (requests) => {
      batches.push(requests.length)
      return Either.right(requests.map(() => Either.right(answered)))
    },
  )
  return { append, batches }
})

const times = (count: number) => Array.from({ length: count })

describe("the writer", () => {
  it.scopedLive("commits together what gathers, and one alone at once", () =>
    Effect.gen(function* () {
      const { append, batches } = yield* counting
      yield* append(request)
      yield* Effect.all(
        times(50).map(() => append(request)),
        { concurrency: "unbounded" },
      )
      expect(batches).toEqual([1, 50])
    }),
  )

  it.scopedLive("commits appends without a fiber together with the others, and tells each its own result", () =>
    Effect.gen(function* () {
      const orders: Array<ReadonlyArray<string>> = []
      const conflict = new VersionConflict({ stream: "lost", expected: NoStream, actual: 1, missed: [] })
      const append = yield* Writer.make(
        "test",
        AppendValidation.make(Vocabulary.core, PersonalDataKeys.memory()),
        (requests) => {
          orders.push(requests.map(({ stream }) => stream))
          if (requests.some(({ stream }) => stream === "broken")) throw new Error("a defect")
          return Either.right(
            requests.map(({ stream }) => (stream === "lost" ? Either.left(conflict) : Either.right(answered))),
          )
        },
      )
      const never = () => Promise.reject(new Error("expected no fiber"))
      const direct = DirectAppend.appending({ append }, never)
      const to = (stream: string) => direct({ ...request, stream })
      const fiber = yield* Effect.fork(append({ ...request, stream: "fiber" }))
      yield* Effect.yieldNow()
      const ends = yield* Effect.promise(() =>
        Promise.allSettled([to("a"), to("lost"), to(""), ...times(5000).map(() => to("many"))]),
      )
      yield* Fiber.join(fiber)
      expect(ends.slice(0, 2)).toEqual([
        { status: "fulfilled", value: answered },
        { status: "rejected", reason: conflict },
      ])
      expect(ends[2]).toMatchObject({ status: "rejected", reason: { _tag: "InvalidEvent" } })
      expect(ends.slice(3).every(({ status }) => status === "fulfilled")).toBe(true)
      expect(orders[0]?.slice(0, 4)).toEqual(["fiber", "a", "lost", "many"])
      expect(orders.flat()).toHaveLength(5003)
      yield* Effect.promise(() => expect(to("broken")).rejects.toThrow("a defect"))
    }),
  )

  it.live("refuses appends without a fiber once it is closed, and runs those of a view by the view's own append", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { append, batches } = yield* Scope.extend(counting, scope)
      const view = (request: AppendRequest) => append({ ...request, timeline: "another" })
      const asked: Array<unknown> = []
      const viewed = DirectAppend.appending({ append: view }, (effect) => {
        asked.push(effect)
        return Effect.runPromise(effect)
      })
      expect(yield* Effect.promise(() => viewed(request))).toEqual(answered)
      expect([asked.length, batches]).toEqual([1, [1]])
      const direct = DirectAppend.appending({ append }, Effect.runPromise)
      const waiting = direct(request)
      yield* Scope.close(scope, Exit.void)
      expect(yield* Effect.promise(() => waiting)).toEqual(answered)
      yield* Effect.promise(() => expect(direct(request)).rejects.toMatchObject({ _tag: "LogUnavailable" }))
    }),
  )

  it.scopedLive("lets more than 4,096 requests wait for room, and commits all of them", () =>
    Effect.gen(function* () {
      const check = AppendValidation.make(Vocabulary.core, PersonalDataKeys.memory())
      let [admitted, committed, most, largest] = [0, 0, 0, 0]
      const admit: typeof check = (request) => {
        admitted += 1
        most = Math.max(most, admitted - committed)
        return check(request)
      }
      const append = yield* Writer.make("test", admit, (requests) => {
        committed += requests.length
        largest = Math.max(largest, requests.length)
        return Either.right(requests.map(() => Either.right(answered)))
      })
      yield* Effect.all(
        times(10_000).map(() => append(request)),
        { concurrency: "unbounded" },
      )
      expect({ admitted, committed, most, largest }).toEqual({
        admitted: 10_000,
        committed: 10_000,
        most: 4096,
        largest: 1024,
      })
    }),
  )

  it.scopedLive("takes appends in the order in which they came, also those that waited for room", () =>
    Effect.gen(function* () {
      const taken: Array<string> = []
      const append = yield* Writer.make(
        "test",
        AppendValidation.make(Vocabulary.core, PersonalDataKeys.memory()),
        (requests) => {
          taken.push(...requests.map(({ stream }) => stream))
          return Either.right(requests.map(() => Either.right(answered)))
        },
      )
      const came: Array<string> = []
      // Who has had its turn comes again at once, while others still wait for room.
      const twice = (index: number) =>
        Effect.forEach(["", " again"], (again) => {
          came.push(`${index}${again}`)
          return append({ ...request, stream: `${index}${again}` })
        })
      yield* Effect.forEach(
        Array.from({ length: 6000 }, (_, index) => index),
        twice,
        { concurrency: "unbounded" },
      )
      expect(taken).toEqual(came)
    }),
  )

  it.scopedLive("answers those that lost before those that won, so that they are ahead when they try again", () =>
    Effect.gen(function* () {
      const lost = new VersionConflict({ stream: "a", expected: NoStream, actual: 1, missed: [] })
      const append = yield* Writer.make(
        "test",
        AppendValidation.make(Vocabulary.core, PersonalDataKeys.memory()),
        (requests) =>
          Either.right(requests.map((_, index) => (index === 0 ? Either.right(answered) : Either.left(lost)))),
      )
      const order: Array<number> = []
      yield* Effect.forEach(
        [0, 1, 2],
        (index) =>
          Effect.ensuring(
            Effect.exit(append(request)),
            Effect.sync(() => order.push(index)),
          ),
        { concurrency: "unbounded" },
      )
      expect(order).toEqual([1, 2, 0])
    }),
  )

  it.scopedLive("goes on when those that wait are interrupted, also with others behind them", () =>
    Effect.gen(function* () {
      const { append, batches } = yield* counting
      const impatient = yield* Effect.forEach(times(4096), () => Effect.fork(append(request)))
      const patient = yield* Effect.fork(append(request))
      yield* Effect.yieldNow()
      yield* Fiber.interruptAll(impatient)
      expect(yield* Fiber.join(patient)).toEqual(answered)
      expect(batches.reduce((sum, size) => sum + size, 0)).toBeGreaterThanOrEqual(1)
    }),
  )

  it.scopedLive("goes on when all that wait are interrupted, however many they are", () =>
    Effect.gen(function* () {
      const { append, batches } = yield* counting
      const impatient = yield* Effect.forEach(times(20_000), () => Effect.fork(append(request)))
      yield* Effect.yieldNow()
      yield* Fiber.interruptAll(impatient)
      expect(yield* append(request)).toEqual(answered)
      expect(batches).toEqual([1])
    }),
  )

  it.live("commits what waits when it closes, and refuses what comes later", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { append, batches } = yield* Scope.extend(counting, scope)
      const waiting = yield* Effect.fork(append(request))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      expect(yield* Fiber.join(waiting)).toEqual(answered)
      expect(batches).toEqual([1])
      expect((yield* Effect.flip(append(request))).message).toContain("it was closed")
    }),
  )

  it.scopedLive("answers a commit that throws to everybody who waited", () =>
    Effect.gen(function* () {
      const append = yield* Writer.make(
        "test",
        AppendValidation.make(Vocabulary.core, PersonalDataKeys.memory()),
        () => {
          throw new Error("a bug")
        },
      )
      const exits = yield* Effect.all(
        times(3).map(() => Effect.exit(append(request))),
        { concurrency: "unbounded" },
      )
      expect(exits.map((exit) => Exit.isFailure(exit) && exit.cause._tag)).toEqual(["Die", "Die", "Die"])
    }),
  )
})
