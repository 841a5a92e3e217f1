import { it } from "@effect/vitest"
import { Context, Effect, Exit, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Lease, LeaseLost } from "../../src/events/log/Lease.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { testKernel } from "./testKernel.ts"

/**
 * A kernel whose lease another kernel can take. It shuts this one out of the log only a moment later: until then, the lease alone says
 * that it was lost.
 */
const losing = Effect.gen(function* () {
  let isLost = false
  const between = Layer.effectContext(
    Effect.map(Effect.all([EventLog, Lease]), ([log, lease]) =>
      Context.make(EventLog, log).pipe(
        Context.add(Lease, {
          ...lease,
          acquire: (owner) =>
            Effect.map(lease.acquire(owner), (held) => ({
              ...held,
              check: Effect.suspend(() => (isLost ? new LeaseLost({ log: log.name, owner }) : held.check)),
            })),
        }),
      ),
    ),
  )
  const executed: Array<string> = []
  const tools = { note: Tool.make({ description: "It notes", run: () => executed.push("note") }) }
  const { start } = yield* testKernel({ tools, between })
  const { run } = yield* start
  const open = Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "act", id: "t", agent: "a@1" }))
  const dispatches = Effect.flatMap(EventLog, (log) =>
    Effect.map(log.readPage({ taskId: "t", types: ["CommandDispatched"] }, 10), ({ length }) => length),
  )
  const lose = Effect.sync(() => {
    isLost = true
  })
  return { run, open, executed, dispatches, lose }
})

const LOST = { _tag: "Fail", error: { _tag: "LeaseLost" } }

const causeOf = <A, E>(exit: Exit.Exit<A, E>) => (Exit.isFailure(exit) ? exit.cause : exit.value)

describe("a kernel that has lost its lease, and is not shut out of the log yet", () => {
  it.scopedLive("dispatches no command for which nothing has to be waited", () =>
    Effect.gen(function* () {
      const { run, open, executed, dispatches, lose } = yield* losing
      yield* run(
        Effect.gen(function* () {
          const task = yield* open
          yield* task.act("program/note")
          yield* lose
          expect(causeOf(yield* Effect.exit(task.act("program/note")))).toMatchObject(LOST)
          expect(yield* dispatches).toBe(1)
        }),
      )
      expect(executed).toEqual(["note"])
    }),
  )

  it.scopedLive("dispatches no command that waits for its process and its turn", () =>
    Effect.gen(function* () {
      const { run, open, executed, dispatches, lose } = yield* losing
      yield* run(
        Effect.gen(function* () {
          const task = yield* open
          yield* lose
          expect(causeOf(yield* Effect.exit(task.act("program/note")))).toMatchObject(LOST)
          expect(yield* dispatches).toBe(0)
        }),
      )
      expect(executed).toEqual([])
    }),
  )
})
