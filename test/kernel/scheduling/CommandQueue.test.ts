import { it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { LogUnavailable } from "../../../src/events/log/EventLog.ts"
import * as CommandQueue from "../../../src/kernel/acting/queue/CommandQueue.ts"

/** Waits for a turn, runs a command, and gives the turn back, as the acting kernel does. */
const inTurn = <A, E>(
  queue: CommandQueue.CommandQueue,
  slot: CommandQueue.Slot,
  command: Effect.Effect<A, E>,
  waiting: <A2, E2>(effect: Effect.Effect<A2, E2>) => Effect.Effect<A2, E2> = (effect) => effect,
): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    queue.enqueue(slot),
    ({ given }) => Effect.zipRight(waiting(given), command),
    ({ giveBack }) => giveBack,
  )

/** Commands that end when they are told to, and what has begun so far. */
const commands = (queue: CommandQueue.CommandQueue) => {
  const begun: Array<string> = []
  const submit = (actuator: string, lane: CommandQueue.Lane, priority = 0) =>
    Effect.gen(function* () {
      const told = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        Effect.uninterruptibleMask((restore) => {
          const command = Effect.zipRight(
            Effect.sync(() => begun.push(actuator)),
            restore(Deferred.await(told)),
          )
          return inTurn(queue, { lane, actuator, priority }, command, restore)
        }),
      )
      // It is in the queue, or under way.
      yield* Effect.yieldNow()
      yield* Effect.yieldNow()
      return { actuator, fiber, end: Effect.zipRight(Deferred.succeed(told, undefined), Fiber.join(fiber)) }
    })
  return { begun, submit }
}

const lane = (name: string, capacity = 1): CommandQueue.Lane => ({ name, capacity })
const unchanged = Effect.succeed(() => undefined)

describe("the command queue", () => {
  it.effect("counts the commands of a narrow lane in the wider one, too", () =>
    Effect.gen(function* () {
      const { begun, submit } = commands(CommandQueue.make(unchanged))
      const narrow = (name: string) => ({ ...lane(name), within: lane("desk", 2) })
      const one = yield* submit("one", narrow("one"))
      const again = yield* submit("again", narrow("one"))
      const two = yield* submit("two", narrow("two"))
      const three = yield* submit("three", narrow("three"))
      expect(begun).toEqual(["one", "two"])
      yield* two.end
      expect(begun).toEqual(["one", "two", "three"])
      yield* one.end
      expect(begun).toEqual(["one", "two", "three", "again"])
      yield* again.end
      yield* three.end
    }),
  )

  it.effect("gives a plugin one turn at a time, to the highest priority and among equals to the first that came", () =>
    Effect.gen(function* () {
      const { begun, submit } = commands(CommandQueue.make(unchanged))
      const desk = lane("desk")
      const first = yield* submit("first", desk)
      const low = yield* submit("low", desk, 1)
      const later = yield* submit("later", desk, 5)
      const latest = yield* submit("latest", desk, 5)
      expect(begun).toEqual(["first"])
      for (const { end } of [first, later, latest, low]) yield* end
      expect(begun).toEqual(["first", "later", "latest", "low"])
    }),
  )

  it.effect("lets a concurrent plugin have as many under way as it has room for", () =>
    Effect.gen(function* () {
      const { begun, submit } = commands(CommandQueue.make(unchanged))
      const wide = lane("wide", 2)
      const one = yield* submit("one", wide)
      yield* submit("two", wide)
      yield* submit("three", wide)
      expect(begun).toEqual(["one", "two"])
      yield* one.end
      yield* Effect.yieldNow()
      expect(begun).toEqual(["one", "two", "three"])
    }),
  )

  it.effect("does not let a plugin that is busy hold up another one", () =>
    Effect.gen(function* () {
      const { begun, submit } = commands(CommandQueue.make(unchanged))
      yield* submit("busy", lane("a"))
      yield* submit("waits", lane("a"), 100)
      yield* submit("other", lane("b"), -100)
      expect(begun).toEqual(["busy", "other"])
    }),
  )

  it.effect("takes priorities as they are when a turn is given", () =>
    Effect.gen(function* () {
      const now = new Map<string, number>()
      const { begun, submit } = commands(CommandQueue.make(Effect.sync(() => (actuator) => now.get(actuator))))
      const desk = lane("desk")
      const first = yield* submit("first", desk)
      yield* submit("high", desk, 10)
      yield* submit("low", desk, 1)
      now.set("low", 11)
      yield* first.end
      yield* Effect.yieldNow()
      expect(begun).toEqual(["first", "low"])
    }),
  )

  it.effect("goes by the priorities that commands came with while the registry cannot be read", () =>
    Effect.gen(function* () {
      const unreadable = Effect.fail(new LogUnavailable({ log: "log.db", reason: "it was taken away" }))
      const { begun, submit } = commands(CommandQueue.make(unreadable))
      const desk = lane("desk")
      const first = yield* submit("first", desk)
      const low = yield* submit("low", desk, 1)
      const high = yield* submit("high", desk, 2)
      for (const { end } of [first, high, low]) yield* end
      expect(begun).toEqual(["first", "high", "low"])
    }),
  )

  it.effect("gives the turn on when a command fails or dies", () =>
    Effect.gen(function* () {
      const queue = CommandQueue.make(unchanged)
      const turn = { lane: lane("desk"), actuator: "a", priority: 0 }
      expect(yield* Effect.flip(inTurn(queue, turn, Effect.fail("no")))).toBe("no")
      const died = yield* Effect.exit(inTurn(queue, turn, Effect.die("broken")))
      expect(Exit.isFailure(died) && Cause.isDie(died.cause)).toBe(true)
      expect(yield* inTurn(queue, turn, Effect.succeed("done"))).toBe("done")
    }),
  )

  it("runs every command once, except those interrupted while they wait, within every lane's room", () => {
    const command = fc.record({
      lane: fc.nat({ max: 2 }),
      priority: fc.integer({ min: 0, max: 3 }),
      interrupted: fc.boolean(),
    })
    return fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 30 }), (given) =>
        Effect.gen(function* () {
          const { begun, submit } = commands(CommandQueue.make(unchanged))
          const rooms = [1, 2, 3]
          const submitted = yield* Effect.forEach(given, ({ lane: number, priority }, index) =>
            submit(String(index), lane(String(number), rooms[number] ?? 1), priority),
          )
          const atOnce = new Set(begun)
          for (const [number, room] of rooms.entries()) {
            const inLane = given.filter((one) => one.lane === number)
            const going = inLane.filter((one) => atOnce.has(String(given.indexOf(one))))
            expect(going).toHaveLength(Math.min(room, inLane.length))
          }
          const gone = submitted.filter(({ actuator }, index) => given[index]?.interrupted && !atOnce.has(actuator))
          yield* Effect.forEach(gone, ({ fiber }) => Fiber.interrupt(fiber))
          const left = submitted.filter((one) => !gone.includes(one))
          yield* Effect.forEach(left, ({ end }) => end, { concurrency: "unbounded" })
          expect(begun.toSorted()).toEqual(left.map(({ actuator }) => actuator).toSorted())
        }).pipe(Effect.runPromise),
      ),
    )
  })
})
