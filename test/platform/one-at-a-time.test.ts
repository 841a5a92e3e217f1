import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, FiberId, Scheduler } from "effect"
import * as OneAtATime from "../../src/platform/OneAtATime.ts"

describe("effects that run one at a time", () => {
  it.effect("go in the order in which they came", () =>
    Effect.gen(function* () {
      const alone = OneAtATime.make()
      const seen: Array<string> = []
      let inside = 0
      const one = (name: string) =>
        alone(
          Effect.gen(function* () {
            inside += 1
            expect(inside).toBe(1)
            yield* Effect.yieldNow()
            seen.push(name)
            inside -= 1
          }),
        )
      yield* Effect.forEach(["a", "b", "c", "d"], one, { concurrency: "unbounded" })
      expect(seen).toEqual(["a", "b", "c", "d"])
    }),
  )

  it.effect("go on after one that failed, died or was interrupted", () =>
    Effect.gen(function* () {
      const alone = OneAtATime.make()
      expect(yield* Effect.either(alone(Effect.fail("no")))).toMatchObject({ left: "no" })
      expect(Exit.isFailure(yield* Effect.exit(alone(Effect.die("never"))))).toBe(true)
      const begun = yield* Deferred.make<void>()
      const stuck = yield* Effect.fork(alone(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(stuck)
      expect(yield* alone(Effect.succeed("free"))).toBe("free")
    }),
  )

  it.effect("leave nobody waiting when one is interrupted while it waits, or as it gets its turn", () =>
    Effect.gen(function* () {
      for (const giveTurnFirst of [false, true]) {
        const alone = OneAtATime.make()
        const end = yield* Deferred.make<void>()
        const ran: Array<string> = []
        const first = yield* Effect.fork(alone(Deferred.await(end)))
        const second = yield* Effect.fork(alone(Effect.sync(() => ran.push("second"))))
        const third = yield* Effect.fork(alone(Effect.sync(() => ran.push("third"))))
        yield* Effect.yieldNow()
        if (giveTurnFirst) Deferred.unsafeDone(end, Effect.void)
        yield* Fiber.interruptFork(second)
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(first)
        yield* Fiber.await(second)
        yield* Fiber.join(third)
        expect(ran.at(-1)).toBe("third")
        expect(yield* alone(Effect.succeed("free"))).toBe("free")
      }
    }),
  )

  it.effect("stay alone whichever operation of the runtime one of them is interrupted at", () =>
    Effect.gen(function* () {
      for (let operation = 1; operation <= 30; operation++) yield* interruptedAt(operation)
    }),
  )
})

/** Interrupts the second of three where it gives way to other fibers at an operation. */
const interruptedAt = (operation: number) =>
  Effect.gen(function* () {
    const alone = OneAtATime.make()
    const end = yield* Deferred.make<void>()
    let inside = 0
    let most = 0
    const enters = Effect.sync(() => {
      inside += 1
      most = Math.max(most, inside)
    })
    const leaves = Effect.sync(() => {
      inside -= 1
    })
    const one = alone(
      Effect.acquireUseRelease(
        enters,
        () => Deferred.await(end),
        () => leaves,
      ),
    )
    const first = yield* Effect.fork(one)
    yield* Effect.yieldNow()
    const second = yield* Effect.fork(Effect.withScheduler(one, givingWayAt(operation)))
    const third = yield* Effect.fork(one)
    yield* Effect.yieldNow()
    second.unsafeInterruptAsFork(FiberId.none)
    yield* Effect.repeatN(Effect.yieldNow(), 20)
    expect({ operation, inside, most }).toEqual({ operation, inside: 1, most: 1 })
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(first)
    yield* Fiber.await(second)
    yield* Fiber.join(third)
    expect(yield* alone(Effect.succeed("free"))).toBe("free")
  })

/** The scheduler, as it is when a fiber has had its share of operations just then. */
const givingWayAt = (operation: number): Scheduler.Scheduler => {
  let operations = 0
  return {
    scheduleTask: (task, priority, fiber) => Scheduler.defaultScheduler.scheduleTask(task, priority, fiber),
    shouldYield: () => {
      operations += 1
      return operations === operation ? 0 : false
    },
  }
}
