import { Effect, Exit, Scope } from "effect"
import { expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import * as Kernel from "../../src/kernel/Kernel.ts"
import { TaskQueue } from "../../src/kernel/queue/TaskQueue.ts"
import { temporaryDirectory } from "../temporary.ts"
import { all, next } from "./runnerTrial.ts"
import { schema, sql, urlOf } from "./server.ts"

/** An agent that never decides. */
const stuck: Agent.DecidingAgent = { name: "desk", version: "1.0.0", decide: () => new Promise(() => {}) }

const append = (task: string, type: "TaskOpened" | "TaskCancelled", payload: object) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({
      stream: `task/${task}`,
      taskId: task,
      actor: "human:ada",
      events: [{ type, payload: { ...payload } }],
    }),
  )

const opening = { goal: "x", measures: [], agent: "desk@1.0.0" }

it("a kernel leaves tasks to the runners of the same log: it abandons, resumes and closes none of them", () =>
  Effect.gen(function* () {
    const name = yield* schema
    const log = yield* Effect.promise(() => urlOf(name))
    const workspace = yield* temporaryDirectory
    yield* Effect.gen(function* () {
      yield* (yield* TaskQueue).submit({ id: "queued", agent: "desk", goal: "x" })
      yield* Hindcast.runner({ log, workspace, agents: [stuck], name: "one", trust: true })
      yield* next(0, ["TaskOpened"], 1)
      yield* append("child", "TaskOpened", { ...opening, parent: { taskId: "queued" } })
      yield* append("own", "TaskOpened", opening)
      yield* Effect.gen(function* () {
        const { tasks } = yield* Kernel.Kernel
        const refusal = yield* Effect.flip(tasks.resume("queued", stuck))
        expect(refusal.message).toContain("it is in the queue: a runner continues it")
        // The kernel sees both requests, in this order.
        yield* append("child", "TaskCancelled", { by: "ada" })
        yield* append("own", "TaskCancelled", { by: "ada" })
        yield* next(0, ["TaskClosed"], 1)
      }).pipe(Effect.provide(Hindcast.layer({ log, workspace, onOpenTasks: "resume", trust: true })))
      expect((yield* all(["TaskClosed", "TaskResumed"])).map(({ taskId }) => taskId)).toEqual(["own"])
    }).pipe(Effect.provide(Hindcast.layerLog({ log, workspace })))
  }).pipe(Effect.scoped, Effect.runPromise))

it("a runner ends the children that a task from another runner brought along", () =>
  Effect.gen(function* () {
    const name = yield* schema
    const log = yield* Effect.promise(() => urlOf(name))
    const workspace = yield* temporaryDirectory
    yield* Effect.gen(function* () {
      yield* (yield* TaskQueue).submit({ id: "queued", agent: "desk", goal: "x" })
      const options = { log, workspace, trust: true }
      const first = yield* Scope.make()
      yield* Scope.extend(Hindcast.runner({ ...options, agents: [stuck], name: "one" }), first)
      yield* next(0, ["TaskOpened"], 1)
      // It starts before the child opens.
      yield* Hindcast.runner({ ...options, agents: [{ ...stuck, decide: () => ({ done: "achieved" }) }], name: "two" })
      yield* append("child", "TaskOpened", { ...opening, parent: { taskId: "queued" } })
      yield* Scope.close(first, Exit.void)
      yield* next(0, ["TaskClosed"], 2)
      expect((yield* all(["TaskResumed", "TaskClosed"])).map(({ taskId, type }) => [type, taskId])).toEqual([
        ["TaskResumed", "queued"],
        ["TaskClosed", "queued"],
        ["TaskClosed", "child"],
      ])
    }).pipe(Effect.provide(Hindcast.layerLog({ log, workspace })))
  }).pipe(Effect.scoped, Effect.runPromise))

it("a runner opens the log again after the server lost its last commits, and goes on", () =>
  Effect.gen(function* () {
    const name = yield* schema
    const log = yield* Effect.promise(() => urlOf(name))
    const workspace = yield* temporaryDirectory
    const agent: Agent.DecidingAgent = { name: "desk", version: "1.0.0", decide: () => ({ done: "achieved" }) }
    const close = (id: string) =>
      Effect.gen(function* () {
        yield* (yield* TaskQueue).submit({ id, agent: "desk", goal: "x" })
        yield* next(0, ["TaskClosed"], 1, ({ taskId }) => taskId === id)
        return (yield* (yield* EventLog).head).position
      }).pipe(Effect.provide(Hindcast.layerLog({ log, workspace })))
    yield* Hindcast.runner({ log, workspace, agents: [agent], name: "one", trust: true })
    const kept = yield* close("a")
    yield* close("b")
    // As a fail-over to a replica without the tail does.
    yield* Effect.promise(() =>
      sql(
        `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM ${name}.events WHERE position > ${kept}; COMMIT`,
      ),
    )
    expect(yield* close("c")).toBeGreaterThan(kept)
  }).pipe(Effect.scoped, Effect.runPromise))
