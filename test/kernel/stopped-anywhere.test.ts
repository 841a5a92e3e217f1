import { it } from "@effect/vitest"
import { Effect, Exit, Fiber, TestClock } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { about, seen } from "./given.ts"
import { loseLease } from "./lostLease.ts"
import { gate, prepared, stoppedAnywhere } from "./stoppedAnywhere.ts"
import { testKernel } from "./testKernel.ts"

/** All appends are in `test/long/`. */
const STEP = 4

describe("a kernel that is stopped before one of its appends while another one takes over", () => {
  it.scoped(
    `appends nothing more when it goes on, and answers LeaseLost: every ${STEP}th append`,
    () =>
      Effect.gen(function* () {
        const places = yield* stoppedAnywhere(2, STEP)
        expect(places.length).toBeGreaterThanOrEqual(8)
      }),
    { timeout: 240_000 },
  )
})

describe("a kernel that waits for a person while another one takes over", () => {
  it.scoped("answers LeaseLost, and not that its question was withdrawn", () =>
    Effect.gen(function* () {
      const directory = yield* prepared
      const kernel = yield* testKernel({ directory, gate })
      const first = yield* kernel.start
      const acting = yield* first.run(
        Effect.gen(function* () {
          const task = yield* (yield* Kernel).tasks.open({ goal: "fail" })
          const acting = yield* Effect.forkDaemon(Effect.exit(task.act("room/fail")))
          yield* seen(about("ConfirmationRequested"))
          return acting
        }),
      )
      loseLease(kernel.log)
      const second = yield* (yield* testKernel({ directory })).start
      const log = yield* second.run(EventLog)
      const before = yield* log.head
      // It looks for what other processes say.
      yield* TestClock.adjust("100 millis")
      const exit = yield* Fiber.join(acting)
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ _tag: "Fail", error: { _tag: "LeaseLost" } })
      expect(yield* log.head).toEqual(before)
    }),
  )
})
