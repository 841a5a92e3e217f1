import { Effect, Layer, Schema } from "effect"
import * as Stream from "effect/Stream"
import { afterAll, describe, expect, it } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import * as Kernel from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { TaskQueue } from "../../../src/kernel/queue/TaskQueue.ts"
import * as Queue from "../../../src/projections/queue/Queue.ts"
import { workplace } from "../../workplace.ts"

const place = workplace()
afterAll(place.remove)

let count = 0
const newLog = () => place.file(`queue-${count++}.db`)

/** An agent that is done after a number of adds. */
const adder = (adds = 1, name = "adder"): Agent.DecidingAgent => ({
  name,
  version: "1.0.0",
  decide: ({ step }) => (step < adds ? { act: "program/add", args: { a: step, b: 1 } } : { done: "achieved" }),
})

const tools = {
  add: Tool.make({
    description: "Adds",
    risk: "none",
    args: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
    run: ({ a, b }) => Effect.succeed({ sum: a + b }),
  }),
}

const onLog = <A, E>(log: string, effect: Effect.Effect<A, E, TaskQueue | EventLog>) =>
  Effect.provide(effect, Hindcast.layerLog({ log, workspace: place.directory }))

const eventsOf = (log: string, types?: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Event>, unknown> =>
  onLog(
    log,
    Effect.flatMap(EventLog, (events) =>
      Effect.map(Stream.runCollect(events.read(types === undefined ? {} : { types })), (all) => [...all]),
    ),
  )

const submit = (log: string, options: Parameters<TaskQueue.Service["submit"]>[0]) =>
  onLog(
    log,
    Effect.flatMap(TaskQueue, (queue) => queue.submit(options)),
  )

/** A task that another process opened. */
const opened = (log: string, task: string, parent?: string) =>
  onLog(
    log,
    Effect.flatMap(EventLog, (events) =>
      events.append({
        stream: `task/${task}`,
        taskId: task,
        actor: "kernel",
        events: [
          {
            type: "TaskOpened",
            payload: {
              ...{ goal: "x", measures: [], agent: "adder@1.0.0" },
              ...(parent === undefined ? {} : { parent: { taskId: parent } }),
            },
          },
        ],
      }),
    ),
  )

/** Waits until the log has so many events of a type. */
const until = (log: string, type: string, number: number) =>
  onLog(
    log,
    Effect.flatMap(EventLog, (events) =>
      events.follow({ types: [type] }).pipe(
        Stream.filter((item) => "type" in item),
        Stream.take(number),
        Stream.runDrain,
      ),
    ),
  )

const run = <A, E>(effect: Effect.Effect<A, E, never>) => Effect.runPromise(effect)

const refused = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

describe("a runner on a file", () => {
  it("works on queued tasks by priority, and closes them", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        for (const [id, priority] of [
          ["low", 0],
          ["high", 5],
          ["middle", 1],
        ] as const)
          yield* submit(log, { id, agent: "adder", goal: `add ${id}`, priority })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const runner = yield* Hindcast.runner({
              log,
              workspace: place.directory,
              agents: [adder()],
              tools,
              slots: 1,
            })
            yield* until(log, "TaskClosed", 3)
            yield* runner.drain
          }),
        )
        const events = yield* eventsOf(log, ["TaskOpened", "TaskClosed", "RunnerStarted", "RunnerStopped"])
        expect(events.map(({ type, taskId }) => [type, taskId])).toEqual([
          ["RunnerStarted", null],
          ["TaskOpened", "high"],
          ["TaskClosed", "high"],
          ["TaskOpened", "middle"],
          ["TaskClosed", "middle"],
          ["TaskOpened", "low"],
          ["TaskClosed", "low"],
          ["RunnerStopped", null],
        ])
        expect(
          yield* onLog(
            log,
            Effect.flatMap(TaskQueue, ({ queued }) => queued),
          ),
        ).toEqual({})
      }),
    ))

  it("records what a replay and a fork answer alike: the queue is no part of the task", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        yield* submit(log, { id: "t", agent: "adder", goal: "add", seed: 3 })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const runner = yield* Hindcast.runner({ log, workspace: place.directory, agents: [adder(2)], tools })
            yield* until(log, "TaskClosed", 1)
            yield* runner.drain
          }),
        )
        yield* Effect.gen(function* () {
          const kernel = yield* Kernel.Kernel
          const { divergence } = yield* kernel.replay("t", adder(2))
          expect(divergence).toBeNull()
          const [succeeded] = yield* eventsOf(log, ["CommandSucceeded"])
          const forked = yield* kernel.fork(adder(3), {
            task: "t",
            at: succeeded?.position ?? 0,
            acceptUnrewound: true,
          })
          expect(forked).toMatchObject({ audit: { outcome: "achieved" } })
        }).pipe(Effect.provide(Hindcast.layer({ log, workspace: place.directory, tools, gate: { default: "allow" } })))
        const own = yield* onLog(
          log,
          Effect.flatMap(EventLog, (events) =>
            events.readPage({ taskId: "t", types: ["TaskClaimed", "TaskSubmitted"] }, 9),
          ),
        )
        expect(own).toEqual([])
      }),
    ))

  it("works on a task whose claim it does not know, because the log's answer was lost", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const log = newLog()
          const runner = yield* Hindcast.runner({ log, workspace: place.directory, agents: [adder()], tools })
          const [started] = yield* eventsOf(log, ["RunnerStarted"])
          const own = { runner: runner.name, session: String(started?.payload.session) }
          const claim = { task: "t", claim: "0198a0b1-0000-7000-8000-00000000abcd", epoch: 1 }
          yield* onLog(
            log,
            Effect.flatMap(EventLog, (events) =>
              events.append({
                stream: Queue.submissionStream("t"),
                actor: "kernel",
                events: [{ type: "TaskSubmitted", payload: { task: "t", agent: "adder", goal: "add", priority: 0 } }],
                with: [
                  {
                    stream: Queue.STREAM,
                    actor: "kernel",
                    events: [{ type: "TasksClaimed", payload: { ...own, claims: [{ ...claim, attempts: 1 }] } }],
                  },
                  {
                    stream: Queue.claimStream("t", claim.claim),
                    actor: "kernel",
                    events: [{ type: "TaskClaimed", payload: { ...claim, ...own } }],
                  },
                ],
              }),
            ),
          )
          yield* until(log, "TaskClosed", 1)
          expect((yield* eventsOf(log, ["TaskClaimed", "TaskReleased"])).map(({ type }) => type)).toEqual([
            "TaskClaimed",
            "TaskReleased",
            "TaskClaimed",
          ])
          yield* runner.drain
        }),
      ),
    ))

  it("leaves queued tasks open that a kernel finds: the next runner continues them", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        yield* submit(log, { id: "t", agent: "adder", goal: "add" })
        // An agent that never decides: closing the runner leaves the task as it is.
        const stuck: Agent.DecidingAgent = { name: "adder", version: "1.0.0", decide: () => new Promise(() => {}) }
        yield* Effect.scoped(
          Effect.zipRight(
            Hindcast.runner({ log, workspace: place.directory, agents: [stuck], tools }),
            until(log, "TaskOpened", 1),
          ),
        )
        yield* opened(log, "child", "t")
        yield* opened(log, "grandchild", "child")
        yield* opened(log, "stranger")
        yield* Effect.scoped(Layer.build(Hindcast.layer({ log, workspace: place.directory, onOpenTasks: "abandon" })))
        expect((yield* eventsOf(log, ["TaskClosed"])).map(({ taskId }) => taskId)).toEqual(["stranger"])
        // Nor does a kernel resume them: on a server, a runner may work on them at that moment.
        const never: Agent.DecidingAgent = {
          ...stuck,
          decide: () => Promise.reject(new Error("a kernel worked on it")),
        }
        yield* Effect.gen(function* () {
          const kernel = yield* Kernel.Kernel
          for (const task of ["t", "child"]) {
            const refusal = yield* refused(kernel.tasks.resume(task, never))
            expect(refusal._tag).toBe("NotResumable")
            expect(refusal.message).toContain("a runner continues it")
          }
        }).pipe(
          Effect.provide(
            Hindcast.layer({ log, workspace: place.directory, onOpenTasks: "resume", agents: [never], tools }),
          ),
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const runner = yield* Hindcast.runner({ log, workspace: place.directory, agents: [adder(0)], tools })
            yield* until(log, "TaskClosed", 4)
            yield* runner.drain
          }),
        )
        expect((yield* eventsOf(log, ["TaskResumed", "TaskClosed"])).map(({ type, taskId }) => [type, taskId])).toEqual(
          [
            ["TaskClosed", "stranger"],
            ["TaskResumed", "t"],
            ["TaskClosed", "t"],
            ["TaskClosed", "child"],
            ["TaskClosed", "grandchild"],
          ],
        )
      }),
    ))
})

describe("bad input", () => {
  it("of a runner is named, all mistakes at once", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        const none = yield* refused(Effect.scoped(Hindcast.runner({ log, agents: [] })))
        expect(none.message).toContain("agents: expected at least one agent, found none")
        const twice = yield* refused(Effect.scoped(Hindcast.runner({ log, agents: [adder(), adder()], slots: 0 })))
        expect(twice.message).toContain('expected agents with different names, found two named "adder"')
        expect(twice.message).toContain("slots: expected a whole number")
      }),
    ))

  it("starts no runner on a foreign log, and writes nothing to it", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        const before = process.env.HINDCAST_STATE
        process.env.HINDCAST_STATE = place.file("strangers-state")
        yield* submit(log, { id: "t", agent: "adder", goal: "add" }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              if (before === undefined) delete process.env.HINDCAST_STATE
              else process.env.HINDCAST_STATE = before
            }),
          ),
        )
        const error = yield* refused(Effect.scoped(Hindcast.runner({ log, agents: [adder()], tools })))
        expect(error).toMatchObject({ _tag: "ForeignLog" })
        expect((yield* eventsOf(log)).map(({ type }) => type)).toEqual(["TaskSubmitted"])
      }),
    ))

  it("of a submission is named, and nothing is recorded", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        for (const [options, message] of [
          [{ agent: "a@1", goal: "g" }, "an agent's name, without its version"],
          [{ agent: "a", goal: " " }, "goal"],
          [{ agent: "a", goal: "g", priority: 0.5 }, "priority"],
          [{ agent: "a", goal: "g", labels: ["two words"] }, "labels"],
          [{ agent: "a", goal: "g", notBefore: Number.NaN }, "notBefore"],
          [{ agent: "a", goal: "g", id: "kernel" }, "Task id"],
          [{ agent: "a", goal: "g", id: "12" }, "Task id"],
        ] as const) {
          const error = yield* refused(submit(log, options))
          expect(error.message).toContain(message)
        }
        expect(yield* eventsOf(log)).toEqual([])
        yield* submit(log, { agent: "a", goal: "g", id: "once" })
        expect(yield* refused(submit(log, { agent: "a", goal: "g", id: "once" }))).toMatchObject({
          _tag: "TaskIdTaken",
        })
      }),
    ))

  it("of whoever controls the queue is named", () =>
    run(
      Effect.gen(function* () {
        const log = newLog()
        yield* submit(log, { agent: "a", goal: "g", id: "waits" })
        const asked = <A, E>(ask: (queue: TaskQueue.Service) => Effect.Effect<A, E>) =>
          refused(onLog(log, Effect.flatMap(TaskQueue, ask)))
        expect((yield* asked((queue) => queue.drain("nobody", { by: "ada" }))).message).toBe(
          'Runner "nobody": expected the name of a runner, found no runner in this log.',
        )
        expect((yield* asked((queue) => queue.requeue("none", { by: "ada" }))).message).toContain(
          "found one that was never submitted, or is closed",
        )
        expect((yield* asked((queue) => queue.requeue("waits", { by: "ada" }))).message).toContain(
          "found one that waits for a runner already",
        )
        expect((yield* asked((queue) => queue.limit({ agents: { a: -1 }, by: "ada" }))).message).toContain("agents")
      }),
    ))
})
