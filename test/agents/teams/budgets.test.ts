import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, FiberId, Option } from "effect"
import * as Agent from "../../../src/agents/Agent.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import * as TreeAudit from "../../../src/projections/tree/TreeAudit.ts"
import { about, seen } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, eventsOf, text } from "../given.ts"
import { answering } from "./given.ts"

const payloads = (events: ReadonlyArray<Event>, type: string) =>
  events.flatMap((event) => (event.type === type ? [event.payload] : []))

/** Agents whose answers use 110 tokens each: `worker` calls `hold` before it ends, `top` calls `tick` `turns` times. */
const given = (budget: { readonly tokens?: number; readonly steps?: number }, turns: number) => {
  const free = Deferred.unsafeMake<void>(FiberId.none)
  const go = Deferred.unsafeMake<void>(FiberId.none)
  const hold = Tool.make({
    ...({ description: "Holds", risk: "none", idempotent: true } as const),
    run: () => Effect.as(Deferred.await(free), "let go"),
  })
  const tick = Tool.make({
    ...({ description: "Ticks", risk: "none", idempotent: true } as const),
    run: () => Effect.as(Deferred.await(go), "tick"),
  })
  const worker = () =>
    Agent.fromModel({
      ...{ name: "worker", version: "1", tools: ["program/hold"] },
      model: answering([[call("h", "program__hold")], [text("Held.")]]).model,
    })
  const top = (own = budget) =>
    Agent.fromModel({
      ...{ name: "top", version: "1", tools: ["program/tick"], budget: own },
      model: answering([
        ...Array.from({ length: turns }, (_, index) => [call(`t${index}`, "program__tick")]),
        [text("All done.")],
      ]).model,
    })
  const done = (of: Deferred.Deferred<void>) => Deferred.succeed(of, undefined)
  return { worker, top, tools: { hold, tick } as never, free: done(free), go: done(go) }
}

/** The task `top` and a child that a program starts while the agent of `top` waits for its first tool. */
const started = (
  { worker, top, tools }: ReturnType<typeof given>,
  child: { readonly budget?: object } = {},
  start = Effect.flatMap(testKernel({ tools, onOpenTasks: "resume" }), (kernel) => kernel.start),
) =>
  Effect.gen(function* () {
    const { run } = yield* start
    const { tasks, replay } = yield* run(Kernel)
    const working = yield* Effect.fork(tasks.run(top(), { id: "top", goal: "x" }))
    yield* run(seen(about("CommandDispatched")))
    const below = yield* Effect.fork(tasks.run(worker(), { id: "below", goal: "y", parent: "top", ...child }))
    yield* run(seen(about("CommandDispatched"), 2))
    return { run, tasks, replay, working, below }
  })

describe("a child that a program starts", () => {
  it.scopedLive(
    "takes its part of its parent's budget: its agent waits for the rest of the part, and no more is used",
    () =>
      Effect.gen(function* () {
        const of = given({ tokens: 550 }, 20)
        const { run, working, below, replay } = yield* started(of, { budget: { tokens: 220 } })
        yield* of.go
        // After three answers, only the child's part is left.
        yield* run(seen(about("ModelResponded"), 4))
        expect(Option.isNone(yield* Fiber.poll(working))).toBe(true)
        yield* of.free
        expect(yield* Fiber.join(below)).toMatchObject({ outcome: "achieved" })
        expect(yield* Fiber.join(working)).toMatchObject({ outcome: "truncated" })
        const counted = payloads(yield* run(eventsOf("top")), "TasksBelowCounted")
        expect(counted[0]).toMatchObject({ tasks: 1, open: 1, tokens: 220 })
        expect(counted.at(-1)).toMatchObject({ tasks: 1, open: 0, steps: 2, commands: 1, tokens: 220 })
        expect((yield* run(TreeAudit.load("top"))).total).toMatchObject({ tokens: 550 })
        expect(yield* replay("top", of.top())).toMatchObject({ verdict: "identical", complete: true })
      }),
  )

  it.scopedLive(
    "lets its parent wait with all that it paid for in the log, also an answer with refused calls only",
    () =>
      Effect.gen(function* () {
        const of = given({ tokens: 550 }, 20)
        const top = () =>
          Agent.fromModel({
            ...{ name: "top", version: "1", tools: ["program/tick"], budget: { tokens: 550 } },
            model: answering([
              [call("t0", "program__tick")],
              [call("t1", "program__tick")],
              [call("t2", "no_such_tool")],
              [text("All done.")],
            ]).model,
          })
        const { run, working, below } = yield* started({ ...of, top }, { budget: { tokens: 220 } })
        yield* of.go
        yield* run(seen(about("DecisionMade"), 4))
        expect(payloads(yield* run(eventsOf("top")), "ModelResponded")).toHaveLength(3)
        yield* of.free
        yield* Fiber.join(below)
        expect(yield* Fiber.join(working)).toMatchObject({ outcome: "truncated" })
      }),
  )

  it.scopedLive("gives back what it did not use", () =>
    Effect.gen(function* () {
      const of = given({ tokens: 551 }, 3)
      const { run, working, below, replay } = yield* started(of, {})
      yield* of.go
      yield* of.free
      // It got all that was left, 441 tokens, and used 220.
      expect(yield* Fiber.join(below)).toMatchObject({ outcome: "achieved" })
      expect(yield* Fiber.join(working)).toMatchObject({ outcome: "achieved" })
      expect((yield* run(TreeAudit.load("top"))).total).toMatchObject({ tokens: 660 })
      const [first] = yield* run(eventsOf("below"))
      expect(first?.payload).toMatchObject({ limits: { budget: { tokens: 441 } } })
      expect(yield* replay("top", of.top())).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("is one of several that start at once: each gets its part, and none more than is left", () =>
    Effect.gen(function* () {
      const of = given({ tokens: 1110 }, 1)
      const { run, tasks, working } = yield* started(of, { budget: { tokens: 400 } })
      const started2 = yield* Effect.all(
        [1, 2, 3].map((number) =>
          Effect.fork(tasks.run(of.worker(), { id: `c${number}`, goal: "z", parent: "top", budget: { tokens: 300 } })),
        ),
      )
      yield* run(seen(about("CommandDispatched"), 4))
      const parts = yield* Effect.forEach(["c1", "c2", "c3"], (id) => run(eventsOf(id)))
      expect(parts.map(([opened]) => opened?.payload).map((payload) => Object(payload).limits?.budget.tokens)).toEqual([
        ...[300, 300, undefined],
      ])
      expect(yield* Effect.flip(Fiber.join(started2[2] as never))).toMatchObject({
        _tag: "ChildRefused",
        limit: "budget",
      })
      yield* of.free
      yield* of.go
      yield* Fiber.await(working)
    }),
  )

  it.scopedLive("keeps its part over an end of the kernel, and is counted once by the agent that resumes", () =>
    Effect.gen(function* () {
      const before = given({ tokens: 550 }, 20)
      const { start, directory } = yield* testKernel({ tools: before.tools, onOpenTasks: "resume" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { tasks, working, below } = yield* started(before, { budget: { tokens: 220 } }, start)
          yield* tasks.suspend
          yield* Fiber.await(working)
          yield* Fiber.await(below)
        }),
      )
      const of = given({ tokens: 550 }, 20)
      yield* of.go
      const { run } = yield* (yield* testKernel({ tools: of.tools, onOpenTasks: "resume", directory })).start
      const { tasks, replay } = yield* run(Kernel)
      const working = yield* Effect.fork(tasks.resume("top", of.top()))
      yield* run(seen(about("ModelResponded"), 4))
      // The child is not resumed yet, and still has its part.
      expect(Option.isNone(yield* Fiber.poll(working))).toBe(true)
      yield* of.free
      expect(yield* tasks.resume("below", of.worker())).toMatchObject({ outcome: "achieved" })
      expect(yield* Fiber.join(working)).toMatchObject({ outcome: "truncated" })
      expect((yield* run(TreeAudit.load("top"))).total).toMatchObject({ tokens: 550 })
      expect(yield* replay("top", of.top())).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("takes nothing of a fork of its parent", () =>
    Effect.gen(function* () {
      const of = given({ tokens: 550 }, 3)
      const { run, working, below } = yield* started(of, { budget: { tokens: 220 } })
      yield* of.go
      yield* of.free
      yield* Fiber.await(below)
      yield* Fiber.await(working)
      const { fork } = yield* run(Kernel)
      const asked = (yield* run(eventsOf("top"))).filter(({ type }) => type === "ModelCalled")
      const at = (asked.at(-1)?.position ?? 1) - 1
      const forked = yield* fork(of.top(), { task: "top", at, acceptUnrewound: true })
      expect(forked.audit).toMatchObject({ outcome: "achieved" })
    }),
  )
})
