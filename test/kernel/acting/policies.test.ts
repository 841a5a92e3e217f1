import { it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Schema, TestClock } from "effect"
import { describe, expect } from "vitest"
import type * as Agent from "../../../src/agents/Agent.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { ProgressReport } from "../../../src/kernel/acting/policies/Progress.ts"
import { Confirmations } from "../../../src/kernel/gate/Confirmations.ts"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { eventsOf } from "../../agents/given.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { about, seen } from "../given.ts"
import { type TestKernelOptions, testKernel } from "../testKernel.ts"

/** A kernel with tools, and an open task. */
const opened = (options: TestKernelOptions) =>
  Effect.gen(function* () {
    const kernel = yield* testKernel(options)
    const { run } = yield* kernel.start
    const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "call tools", id: "t" })))
    return { ...kernel, run, task, typesOf: (id: string) => Effect.map(run(eventsOf("t")), typesIn(id)) }
  })

const typesIn = (id: string) => (events: ReadonlyArray<{ type: string; payload: JsonObject }>) =>
  events.filter(({ payload }) => payload.commandId === id).map(({ type }) => type)

/** A tool that fails so often before it succeeds, and what its calls got. */
const failing = (times: number, options: { readonly [option: string]: unknown } = { idempotent: true }) => {
  const got: Array<{ readonly attempt: number; readonly key: string }> = []
  const tool = Tool.make({
    description: "Fails at first",
    args: Schema.Struct({ order: Schema.optional(Schema.String) }),
    risk: "none",
    retry: { times: 3, waitMs: 0 },
    ...options,
    run: ({ order }, { attempt, idempotencyKey }) => {
      got.push({ attempt, key: idempotencyKey })
      if (got.length <= times) throw Object.assign(new Error(`no ${got.length}`), { code: "Busy" })
      return order ?? "done"
    },
  })
  return { got, tool }
}

describe("a command of a tool with retries", () => {
  it.scopedLive("is tried again until it succeeds, and each failed attempt is on record", () =>
    Effect.gen(function* () {
      const { got, tool } = failing(2)
      const { run, task, typesOf } = yield* opened({ tools: { tool } })
      const outcome = yield* task.act("program/tool")
      expect(outcome).toMatchObject({ status: "succeeded", result: "done" })
      const { commandId } = outcome
      expect(yield* typesOf(commandId)).toEqual([
        ...["ActuatorCommanded", "CommandAllowed", "CommandDispatched", "CommandAttemptFailed"],
        ...["CommandAttemptFailed", "CommandSucceeded"],
      ])
      const events = yield* run(eventsOf("t"))
      const attempts = events.filter(({ type }) => type === "CommandAttemptFailed")
      expect(attempts.map(({ payload }) => payload)).toMatchObject([
        { attempt: 1, error: { code: "Busy", message: "no 1" }, retryInMs: 0 },
        { attempt: 2, error: { code: "Busy", message: "no 2" }, retryInMs: 0 },
      ])
      // Each attempt causes the next one.
      expect(attempts[1]?.causationId).toBe(attempts[0]?.id)
      expect(got).toEqual([1, 2, 3].map((attempt) => ({ attempt, key: commandId })))
      yield* task.close("achieved")
      const audit = yield* run(Effect.flatMap(Kernel, ({ audit }) => audit("t")))
      expect(audit.acting).toMatchObject({ commanded: 1, succeeded: 1, failed: 0, retries: 2 })
    }),
  )

  it.scopedLive("fails with its last error once its retries are used up", () =>
    Effect.gen(function* () {
      const { got, tool } = failing(9)
      const { task } = yield* opened({ tools: { tool } })
      expect(yield* task.act("program/tool")).toMatchObject({ status: "failed", error: { message: "no 4" } })
      expect(got).toHaveLength(4)
    }),
  )

  it.scopedLive("is not tried again after a time-out, whose outcome nobody knows, or for invalid arguments", () =>
    Effect.gen(function* () {
      let calls = 0
      const slow = Tool.make({
        description: "Never ends",
        risk: "none",
        idempotent: true,
        timeout: 20,
        retry: { times: 3, waitMs: 0 },
        run: () => {
          calls += 1
          return Effect.never
        },
      })
      const picky = Tool.make({
        description: "Decodes",
        args: Schema.Struct({ a: Schema.NumberFromString }),
        risk: "none",
        idempotent: true,
        retry: { times: 3, waitMs: 0 },
        run: () => null,
      })
      const { task, typesOf } = yield* opened({ tools: { slow, picky } })
      const late = yield* task.act("program/slow")
      expect(late).toMatchObject({ status: "failed", error: { code: "CallTimedOut" } })
      expect(calls).toBe(1)
      const wrong = yield* task.act("program/picky", { a: "x" })
      expect(wrong).toMatchObject({ status: "failed" })
      expect(yield* typesOf(wrong.commandId)).not.toContain("CommandAttemptFailed")
    }),
  )

  it.scopedLive("sends each attempt with the tool's own key, also where the tool is only keyed", () =>
    Effect.gen(function* () {
      const { got, tool } = failing(1, { idempotencyKey: ({ order }: { order: string }) => `order-${order}` })
      const { task } = yield* opened({ tools: { tool } })
      expect(yield* task.act("program/tool", { order: "7" })).toMatchObject({ result: "7" })
      expect(got).toEqual([
        { attempt: 1, key: "order-7" },
        { attempt: 2, key: "order-7" },
      ])
      const broken = failing(0, { idempotencyKey: () => " ", retry: undefined })
      const other = yield* opened({ tools: { tool: broken.tool } })
      expect(yield* other.task.act("program/tool")).toMatchObject({ error: { code: "IdempotencyKeyInvalid" } })
      expect(broken.got).toEqual([])
      // Every further attempt would have the same key.
      const retried = failing(0, { idempotencyKey: () => " " })
      const third = yield* opened({ tools: { tool: retried.tool } })
      const { commandId } = yield* third.task.act("program/tool", { order: "7" })
      expect(yield* third.typesOf(commandId)).not.toContain("CommandAttemptFailed")
    }),
  )

  it.scoped("waits twice as long before each further attempt", () =>
    Effect.gen(function* () {
      const { got, tool } = failing(9, { idempotent: true, retry: { times: 2, waitMs: 60_000 } })
      const { run, task } = yield* opened({ tools: { tool } })
      const acting = yield* Effect.fork(task.act("program/tool"))
      const attempts = (count: number) =>
        run(seen(({ type, payload }) => type === "CommandAttemptFailed" && payload.attempt === count))
      yield* attempts(1)
      yield* TestClock.adjust(59_999)
      expect(got).toHaveLength(1)
      yield* TestClock.adjust(1)
      yield* attempts(2)
      yield* TestClock.adjust(119_999)
      expect(got).toHaveLength(2)
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(acting)).toMatchObject({ status: "failed", error: { message: "no 3" } })
    }),
  )

  it.scoped("gives its turn to other commands while it waits", () =>
    Effect.gen(function* () {
      const { got, tool } = failing(1, { idempotent: true, sequential: true, retry: { times: 2, waitMs: 60_000 } })
      const { run, task } = yield* opened({ tools: { tool } })
      const first = yield* Effect.fork(task.act("program/tool", { order: "first" }))
      yield* run(seen(about("CommandAttemptFailed")))
      expect(yield* task.act("program/tool", { order: "second" })).toMatchObject({ result: "second" })
      expect(got).toHaveLength(2)
      yield* TestClock.adjust(60_000)
      expect(yield* Fiber.join(first)).toMatchObject({ result: "first" })
      expect(got.map(({ attempt }) => attempt)).toEqual([1, 1, 2])
    }),
  )

  it.scopedLive("is sent again by the next kernel, if the first one died between two attempts", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const agent: Agent.Agent = {
        name: "giver",
        version: "1",
        decide: ({ step, lastOutcome }) =>
          step === 0 ? { act: "program/tool" } : { done: "achieved", reason: JSON.stringify(lastOutcome) },
      }
      const { got, tool } = failing(1, { idempotencyKey: () => "one", retry: { times: 3, waitMs: 600_000 } })
      const options = { tools: { tool }, directory, onOpenTasks: "resume" } as const
      yield* Effect.gen(function* () {
        const { run } = yield* (yield* testKernel(options)).start
        const working = Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: "t", goal: "go" }))
        yield* Effect.forkDaemon(Effect.exit(run(working)))
        yield* run(seen(about("CommandAttemptFailed")))
      }).pipe(Effect.scoped)
      const { run } = yield* (yield* testKernel(options)).start
      const report = yield* run(
        Effect.gen(function* () {
          const { tasks, replay } = yield* Kernel
          const { outcome } = yield* tasks.resume("t", agent)
          return { outcome, replayed: yield* replay("t", agent), events: yield* eventsOf("t") }
        }),
      )
      expect(report).toMatchObject({ outcome: "achieved", replayed: { verdict: "identical", complete: true } })
      expect(report.events.filter(({ type }) => type === "CommandDispatched")).toHaveLength(2)
      expect(got.map(({ key }) => key)).toEqual(["one", "one"])
    }),
  )

  it.scopedLive.each([
    [{ retry: { times: 1 } }, "tools.tool.retry"],
    [{ idempotent: true, retry: { times: 0 } }, "tools.tool.retry"],
    [{ idempotent: true, retry: { times: 11 } }, "tools.tool.retry"],
    [{ sequential: true, concurrent: true }, "tools.tool.sequential"],
    [{ maxResultBytes: 3 }, "tools.tool.maxResultBytes"],
    [{ cacheFor: 0 }, "tools.tool.cacheFor"],
    [{ idempotencyKey: "key" }, "tools.tool.idempotencyKey"],
  ] as const)("refuses policies that mean nothing: %j", ([policies, path]) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const tool = Tool.make({ description: "d", ...(policies as object), run: () => null })
      const refused = yield* Effect.flip(
        Effect.scoped(
          Effect.provide(
            Effect.void,
            Hindcast.layer({ log: `${directory}/log.db`, workspace: directory, tools: { tool } }),
          ),
        ),
      )
      expect(String((refused as Error).message)).toContain(path)
    }),
  )
})

describe("a sequential tool", () => {
  it.scopedLive("never runs twice at the same time in one task", () =>
    Effect.gen(function* () {
      let [running, most] = [0, 0]
      let requested: Promise<unknown> = Promise.resolve()
      const declared = (sequential: boolean) =>
        Tool.make({
          description: "d",
          risk: "none",
          sequential,
          run: async () => {
            running += 1
            most = Math.max(most, running)
            // All calls are requested by then, so that they begin if they may.
            await requested
            for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
            running -= 1
            return null
          },
        })
      const { run, task } = yield* opened({ tools: { one: declared(true), many: declared(false) } })
      const four = (actuator: string, before: number) =>
        Effect.suspend(() => {
          requested = Effect.runPromise(run(seen(about("ActuatorCommanded"), before + 4)))
          return Effect.all(
            Array.from({ length: 4 }, () => task.act(actuator)),
            { concurrency: "unbounded" },
          )
        })
      yield* four("program/one", 0)
      expect(most).toBe(1)
      yield* four("program/many", 4)
      expect(most).toBeGreaterThan(1)
    }),
  )
})

describe("a result that is kept", () => {
  const counting = (cacheFor: number) => {
    let calls = 0
    const tool = Tool.make({
      description: "Counts its calls",
      args: Schema.Struct({ of: Schema.String }),
      risk: "none",
      cacheFor,
      run: ({ of }) => {
        calls += 1
        if (of === "fail") throw new Error("no")
        return `${of} ${calls}`
      },
    })
    return { tool, calls: () => calls }
  }

  it.scopedLive("stands for equal commands, whose event names the command that it is from", () =>
    Effect.gen(function* () {
      const { tool, calls } = counting(3_600_000)
      const { run, task, typesOf } = yield* opened({ tools: { tool } })
      const first = yield* task.act("program/tool", { of: "a" })
      const second = yield* task.act("program/tool", { of: "a" })
      expect([first, second]).toMatchObject([{ result: "a 1" }, { result: "a 1" }])
      expect(yield* task.act("program/tool", { of: "b" })).toMatchObject({ result: "b 2" })
      for (const _ of [1, 2])
        expect(yield* task.act("program/tool", { of: "fail" })).toMatchObject({ status: "failed" })
      expect(calls()).toBe(4)
      expect(yield* typesOf(second.commandId)).toEqual(["ActuatorCommanded", "CommandAllowed", "CommandSucceeded"])
      const events = yield* run(eventsOf("t"))
      const end = events.findLast(({ payload }) => payload.commandId === second.commandId)
      expect(end?.payload).toEqual({ commandId: second.commandId, result: "a 1", cachedFrom: first.commandId })
      // Another task starts without results.
      const other = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "g", id: "other" })))
      expect(yield* other.act("program/tool", { of: "a" })).toMatchObject({ result: "a 5" })
      yield* task.close("achieved")
      const audit = yield* run(Effect.flatMap(Kernel, ({ audit }) => audit("t")))
      expect(audit.acting).toMatchObject({ commanded: 5, succeeded: 3, failed: 2, cached: 1 })
    }),
  )

  it.scoped("ends after its time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const { tool, calls } = counting(600_000)
      const { task } = yield* opened({ tools: { tool } })
      yield* task.act("program/tool", { of: "a" })
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) + 300_000)
      expect(yield* task.act("program/tool", { of: "a" })).toMatchObject({ result: "a 1" })
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) + 600_000)
      expect(yield* task.act("program/tool", { of: "a" })).toMatchObject({ result: "a 2" })
      expect(calls()).toBe(2)
    }),
  )

  it.scopedLive("passes the gate first: a person who refuses an equal command refuses its result, too", () =>
    Effect.gen(function* () {
      const { tool, calls } = counting(3_600_000)
      const { run, task } = yield* opened({ tools: { tool }, gate: { default: "confirm" } })
      const answered = (approved: boolean, after: number) =>
        Effect.gen(function* () {
          const acting = yield* Effect.fork(task.act("program/tool", { of: "a" }))
          const asked = yield* run(seen(({ type, position }) => type === "ConfirmationRequested" && position > after))
          const confirmationId = String(asked.payload.confirmationId)
          yield* run(
            Effect.flatMap(Confirmations, ({ decide }) =>
              decide(confirmationId, { approved, by: "ada", channel: "test" }),
            ),
          )
          return { outcome: yield* Fiber.join(acting), at: asked.position }
        })
      const first = yield* answered(true, 0)
      expect(first.outcome).toMatchObject({ status: "succeeded", result: "a 1" })
      const second = yield* answered(false, first.at)
      expect(second.outcome).toMatchObject({ status: "denied" })
      expect((yield* answered(true, second.at)).outcome).toMatchObject({ status: "succeeded", result: "a 1" })
      expect(calls()).toBe(1)
    }),
  )

  const asked = (after: number) => seen(({ type, position }) => type === "ConfirmationRequested" && position > after)

  const approve = ({ payload }: { readonly payload: JsonObject }) =>
    Effect.flatMap(Confirmations, ({ decide }) =>
      decide(String(payload.confirmationId), { approved: true, by: "ada", channel: "test" }),
    )

  it.scoped("is too old if its time has passed when a person approves its use, and the tool is called", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const { tool, calls } = counting(60_000)
      const { run, task, typesOf } = yield* opened({ tools: { tool }, gate: { default: "confirm" } })
      const first = yield* Effect.fork(task.act("program/tool", { of: "a" }))
      const question = yield* run(asked(0))
      yield* run(approve(question))
      expect(yield* Fiber.join(first)).toMatchObject({ result: "a 1" })
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) + 30_000)
      const second = yield* Effect.fork(task.act("program/tool", { of: "a" }))
      const again = yield* run(asked(question.position))
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) + 60_000)
      yield* run(approve(again))
      const outcome = yield* Fiber.join(second)
      expect(outcome).toMatchObject({ result: "a 2" })
      expect(yield* typesOf(outcome.commandId)).toContain("CommandDispatched")
      expect(calls()).toBe(2)
    }),
  )

  it.scopedLive("is not used if the tool was deactivated, or the task was ended by others, in the meantime", () =>
    Effect.gen(function* () {
      const { tool } = counting(3_600_000)
      const gate = { default: "confirm" } as const
      const { run, task } = yield* opened({ tools: { tool }, gate })
      const first = yield* Effect.fork(task.act("program/tool", { of: "a" }))
      const question = yield* run(asked(0))
      yield* run(approve(question))
      yield* Fiber.join(first)
      const second = yield* Effect.fork(task.act("program/tool", { of: "a" }))
      const again = yield* run(asked(question.position))
      yield* run(Effect.flatMap(Kernel, ({ plugins }) => plugins.deactivate("program")))
      yield* run(approve(again))
      expect(yield* Fiber.join(second)).toMatchObject({ status: "denied", rule: "active-actuators" })
      yield* run(Effect.flatMap(Kernel, ({ plugins }) => plugins.activate("program")))
      const third = yield* Effect.fork(task.act("program/tool", { of: "a" }))
      const last = yield* run(asked(again.position))
      const append = (type: string, payload: JsonObject) => {
        const events = [{ type, payload }]
        return run(
          Effect.flatMap(EventLog, (log) => log.append({ stream: "task/t", taskId: "t", actor: "human:ada", events })),
        )
      }
      yield* append("TaskPaused", { by: "ada" })
      yield* run(approve(last))
      yield* run(seen(about("CommandAllowed"), 3))
      yield* append("TaskClosed", { outcome: "failed" })
      yield* append("TaskContinued", { by: "ada" })
      expect(yield* Fiber.join(third)).toMatchObject({ status: "denied", rule: "open-task" })
    }),
  )

  it.scopedLive("is the same in a replay and a fork, which knows no result of a later time", () =>
    Effect.gen(function* () {
      const { tool, calls } = counting(3_600_000)
      const results: Array<unknown> = []
      const agent: Agent.Agent = {
        name: "asker",
        version: "1",
        decide: ({ step, lastOutcome }) => {
          if (lastOutcome?.status === "succeeded") results.push(lastOutcome.result)
          return step < 3 ? { act: "program/tool", args: { of: "a" } } : { done: "achieved" }
        },
      }
      const { run } = yield* (yield* testKernel({ tools: { tool } })).start
      const report = yield* run(
        Effect.gen(function* () {
          const { tasks, replay, fork } = yield* Kernel
          yield* tasks.run(agent, { id: "asked", goal: "go" })
          const replayed = yield* replay("asked", agent)
          const events = yield* eventsOf("asked")
          const firstEnd = events.find(({ type }) => type === "CommandSucceeded")
          const afterFirst = yield* fork(agent, { task: "asked", at: firstEnd?.position ?? 0, acceptUnrewound: true })
          const open = events.find(({ type }) => type === "TaskOpened")
          const before = yield* fork(agent, { task: "asked", at: open?.position ?? 0, acceptUnrewound: true })
          return { replayed, afterFirst, before }
        }),
      )
      expect(report.replayed).toMatchObject({ verdict: "identical", complete: true })
      // The run, its replay, the fork after the first result, and the fork before it, which calls the tool again.
      expect(results).toEqual([...Array(9).fill("a 1"), ...Array(3).fill("a 2")])
      expect(calls()).toBe(2)
    }),
  )
})

describe("the progress of a tool", () => {
  const reporting = Tool.make({
    description: "Reports",
    risk: "none",
    run: (_, { progress }) => {
      progress(0.5)
      progress("half\u202e done")
      progress(Number.NaN)
      progress({} as never)
      return "ok"
    },
  })

  it.scopedLive("is shown at once, and recorded as one with the outcome", () =>
    Effect.gen(function* () {
      const shown: Array<ProgressReport> = []
      const { run, task } = yield* opened({
        tools: { reporting },
        onProgress: (report) => {
          shown.push(report)
          if (shown.length === 1) throw new Error("a listener broke")
        },
      })
      const { commandId } = yield* task.act("program/reporting")
      const events = yield* run(eventsOf("t"))
      const end = events.find(({ type }) => type === "CommandSucceeded")
      const at = expect.any(Number)
      const reports = [0.5, "half\u202e done"]
      expect(end?.payload.progress).toEqual({ reports: reports.map((report) => ({ afterMs: at, report })) })
      expect(shown).toEqual(
        reports.map((report) => ({ taskId: "t", commandId, actuator: "program/reporting", report })),
      )
    }),
  )

  it.scopedLive(
    "keeps a bounded number of reports, the last one among them, and those of a call that is interrupted",
    () =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const endless = Tool.make({
          description: "Never ends",
          risk: "none",
          run: (_, { progress }) => {
            for (let report = 1; report <= 1_000; report++) progress(report / 1_000)
            return Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
          },
        })
        const { run, task } = yield* opened({ tools: { endless } })
        const acting = yield* Effect.fork(task.act("program/endless"))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(acting)
        const end = (yield* run(eventsOf("t"))).find(({ type }) => type === "CommandFailed")
        const { reports = [], omitted } = Object(end?.payload.progress)
        expect([reports.length, reports.at(-1)?.report, omitted]).toEqual([100, 1, 900])
        expect(yield* run(Effect.flatMap(EventLog, (log) => log.verify))).toMatchObject({ _tag: "Intact" })
      }),
  )
})
