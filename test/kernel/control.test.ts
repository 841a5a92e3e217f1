import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { TaskControl } from "../../src/kernel/control/TaskControl.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { eventsOf, typesOf } from "../agents/given.ts"
import { temporaryDirectory } from "../temporary.ts"
import { about, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

/** A tool that answers when a test says so. */
const gated = Effect.gen(function* () {
  const opened = yield* Deferred.make<void>()
  const begun = yield* Deferred.make<void>()
  const executed: Array<string> = []
  const tool = Tool.make({
    description: "It waits",
    risk: "none",
    run: ({ name }) => {
      executed.push(String(name))
      Deferred.unsafeDone(begun, Effect.void)
      return name === "first" ? Effect.as(Deferred.await(opened), name) : name
    },
    args: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  })
  return { executed, tools: { wait: tool }, begun: Deferred.await(begun), open: Deferred.succeed(opened, undefined) }
})

const agent: Agent.Agent = {
  name: "waiter",
  version: "1",
  decide: ({ step }) =>
    step < 2 ? { act: "program/wait", args: { name: step === 0 ? "first" : "second" } } : { done: "achieved" },
}

const ada = { by: "ada" }

/** A kernel whose agent waits for its first command, and another process on the same log. */
const working = Effect.gen(function* () {
  const { executed, tools, begun, open } = yield* gated
  const given = yield* testKernel({ tools })
  const { run } = yield* given.start
  const audit = yield* Effect.fork(
    run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: "t", goal: "wait" }))),
  )
  yield* begun
  const elsewhere = <A, E>(effect: (control: TaskControl.Service) => Effect.Effect<A, E>) =>
    Effect.provide(Effect.flatMap(TaskControl, effect), given.layerLog)
  return { ...given, run, audit, executed, open, elsewhere }
})

describe("a task that is paused from another process", () => {
  it.scopedLive("finishes what is under way, begins nothing new until it is continued, and is replayed", () =>
    Effect.gen(function* () {
      const { run, audit, executed, open, elsewhere } = yield* working
      const paused = yield* elsewhere((control) => control.pause("t", { ...ada, reason: "lunch" }))
      expect(paused).toMatchObject({ type: "TaskPaused", actor: "human:ada", payload: { by: "ada", reason: "lunch" } })
      yield* open
      yield* run(seen(about("CommandSucceeded")))
      // It was told: its next event is what it waits with.
      const state = yield* run(Effect.flatMap(Projector, (projector) => projector.current(Tasks.projection)))
      expect(state.t).toMatchObject({ outcome: null, asked: { what: "paused", by: "ada", reason: "lunch" } })
      expect(executed).toEqual(["first"])
      yield* elsewhere((control) => control.continue("t", ada))
      expect(yield* Fiber.join(audit)).toMatchObject({ outcome: "achieved" })
      expect(executed).toEqual(["first", "second"])
      const types = typesOf(yield* run(eventsOf("t")))
      expect(types.indexOf("TaskContinued")).toBeLessThan(types.lastIndexOf("CommandDispatched"))
      expect(types.slice(types.indexOf("TaskPaused"), types.indexOf("TaskContinued"))).not.toContain(
        "CommandDispatched",
      )
      const replayed = yield* run(Effect.flatMap(Kernel, (kernel) => kernel.replay("t", agent)))
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
    }),
  )
})

describe("a command that was approved while its task was paused or cancelled", () => {
  const asking = Effect.gen(function* () {
    const executed: Array<string> = []
    const publish = Tool.make({ description: "It publishes", run: () => executed.push("published") })
    const given = yield* testKernel({ tools: { publish }, gate: { default: "confirm" } })
    const { run } = yield* given.start
    const publishing: Agent.Agent = {
      name: "publisher",
      version: "1",
      decide: ({ step }) => (step === 0 ? { act: "program/publish" } : { done: "achieved" }),
    }
    const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(publishing, { id: "t", goal: "publish" })))
    const audit = yield* Effect.fork(working)
    const { payload } = yield* run(seen(about("ConfirmationRequested")))
    const approve = Effect.flatMap(Confirmations, (people) =>
      people.decide(String(payload.confirmationId), { approved: true, by: "ada", channel: "test" }),
    )
    return { ...given, run, executed, audit, approve }
  })

  it.scopedLive("is not dispatched before the task is continued", () =>
    Effect.gen(function* () {
      const { run, layerLog, executed, audit, approve } = yield* asking
      // From another process, and at once: the kernel has not looked yet.
      yield* Effect.provide(
        Effect.zipRight(
          Effect.flatMap(TaskControl, (control) => control.pause("t", ada)),
          approve,
        ),
        layerLog,
      )
      yield* run(seen(about("CommandAllowed")))
      // Another task has the time to be run from its opening to its score.
      const idle: Agent.Agent = { name: "idle", version: "1", decide: () => ({ done: "achieved" }) }
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(idle, { goal: "nothing" })))
      expect(executed).toEqual([])
      yield* Effect.provide(
        Effect.flatMap(TaskControl, (control) => control.continue("t", ada)),
        layerLog,
      )
      expect(yield* Fiber.join(audit)).toMatchObject({ outcome: "achieved" })
      expect(executed).toEqual(["published"])
      const types = typesOf(yield* run(eventsOf("t")))
      expect(types.indexOf("CommandDispatched")).toBeGreaterThan(types.indexOf("TaskContinued"))
    }),
  )

  it.scopedLive("is never dispatched once the task is cancelled", () =>
    Effect.gen(function* () {
      const { run, layerLog, executed, audit, approve } = yield* asking
      yield* Effect.provide(
        Effect.zipRight(
          Effect.flatMap(TaskControl, (control) => control.cancel("t", ada)),
          approve,
        ),
        layerLog,
      )
      expect(yield* Effect.flip(Fiber.join(audit))).toMatchObject({ _tag: "TaskClosed" })
      expect(executed).toEqual([])
      expect(typesOf(yield* run(eventsOf("t")))).not.toContain("CommandDispatched")
    }),
  )
})

describe("a task that nobody works on", () => {
  it.scopedLive("is closed by the running kernel when it is cancelled", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const thinking: Agent.Agent = { name: "thinker", version: "1", decide: () => new Promise<never>(() => {}) }
      yield* Effect.gen(function* () {
        const { run } = yield* (yield* testKernel({ directory, onOpenTasks: "resume" })).start
        const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(thinking, { id: "t", goal: "think" })))
        yield* Effect.forkDaemon(Effect.exit(working))
        yield* run(seen(about("TaskOpened")))
      }).pipe(Effect.scoped)
      const { start, layerLog } = yield* testKernel({ directory, onOpenTasks: "resume" })
      const { run } = yield* start
      yield* Effect.provide(
        Effect.flatMap(TaskControl, (control) => control.cancel("t", ada)),
        layerLog,
      )
      const closed = yield* run(seen(about("TaskClosed")))
      expect(closed.payload).toEqual({ outcome: "abandoned", reason: "ada cancelled it" })
      expect(yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.unfinished))).toEqual([])
    }),
  )
})

describe("a task that is cancelled from another process", () => {
  it.scopedLive("is interrupted and closed as abandoned, with who wanted it and why", () =>
    Effect.gen(function* () {
      const { run, audit, executed, elsewhere } = yield* working
      yield* elsewhere((control) => control.cancel("t", { ...ada, reason: "too dear" }))
      const exit = yield* Effect.flip(Fiber.join(audit))
      expect(exit).toMatchObject({ _tag: "TaskClosed" })
      const closed = yield* run(seen(about("TaskClosed")))
      expect(closed.payload).toEqual({ outcome: "abandoned", reason: "ada cancelled it: too dear" })
      expect(executed).toEqual(["first"])
      const replayed = yield* run(Effect.flatMap(Kernel, (kernel) => kernel.replay("t", agent)))
      expect(replayed).toMatchObject({ verdict: "identical", complete: false })
    }),
  )

  it.scopedLive("is cancelled while it is paused, too", () =>
    Effect.gen(function* () {
      const { run, elsewhere } = yield* working
      yield* elsewhere((control) => control.pause("t", ada))
      yield* elsewhere((control) => control.cancel("t", ada))
      expect((yield* run(seen(about("TaskClosed")))).payload).toMatchObject({ reason: "ada cancelled it" })
    }),
  )
})

describe("an agent that thinks by itself", () => {
  it.scopedLive("ends when its task is cancelled, and a fork of a cancelled task can be cancelled again", () =>
    Effect.gen(function* () {
      const thinking: Agent.Agent = { name: "thinker", version: "1", decide: () => new Promise<never>(() => {}) }
      const { start, layerLog } = yield* testKernel({})
      const { run } = yield* start
      const working = yield* Effect.fork(
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(thinking, { id: "t", goal: "think" }))),
      )
      const opened = yield* run(seen(about("TaskOpened")))
      const elsewhere = <A, E>(effect: (control: TaskControl.Service) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(TaskControl, effect), layerLog)
      yield* elsewhere((control) => control.cancel("t", ada))
      expect(yield* Effect.flip(Fiber.join(working))).toMatchObject({ _tag: "TaskClosed", because: "cancelled" })
      const cancelled = yield* run(seen(about("TaskCancelled")))
      const forking = yield* Effect.fork(
        run(
          Effect.flatMap(Kernel, (kernel) =>
            kernel.fork(speaking, { at: cancelled.position, task: "t", timeline: "again", fresh: true }),
          ),
        ),
      )
      yield* run(seen(about("MessageSent")))
      expect(opened.position).toBeLessThan(cancelled.position)
      expect(yield* elsewhere((control) => control.stop(ada))).toMatchObject([{ timeline: "again" }])
      expect(yield* Effect.flip(Fiber.join(forking))).toMatchObject({ _tag: "TaskClosed" })
    }),
  )
})

/** An agent that says something, and then thinks. */
const speaking: Agent.Agent = {
  name: "speaker",
  version: "1",
  decide: ({ step }) => (step === 0 ? { say: "I think" } : new Promise<never>(() => {})),
}

describe("stop", () => {
  it.scopedLive("ends all tasks of a kernel at once", () =>
    Effect.gen(function* () {
      const { run, elsewhere } = yield* working
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ id: "u", goal: "be there" })))
      const cancelled = yield* elsewhere((control) => control.stop({ by: "ada", reason: "enough" }))
      expect(cancelled.map(({ taskId }) => taskId)).toEqual(["t", "u"])
      yield* run(seen(about("TaskClosed"), 2))
      expect(yield* elsewhere((control) => control.stop(ada))).toEqual([])
      const log = yield* run(EventLog)
      expect((yield* log.verify)._tag).toBe("Intact")
    }),
  )
})

describe("a request about a task is refused where", () => {
  const refused = (effect: Effect.Effect<unknown, { readonly message: string }>) =>
    Effect.map(Effect.flip(effect), ({ message }) => message)

  it.scopedLive("there is nothing to do, the task is closed, or there is none", () =>
    Effect.gen(function* () {
      const { audit, open, elsewhere } = yield* working
      const ask = (effect: (control: TaskControl.Service) => Effect.Effect<unknown, { readonly message: string }>) =>
        refused(elsewhere(effect) as Effect.Effect<unknown, { readonly message: string }>)
      expect(yield* ask((control) => control.continue("t", ada))).toBe(
        "Task t: expected a paused one, found one that is not paused. Nothing was recorded.",
      )
      const { position } = yield* elsewhere((control) => control.pause("t", ada))
      expect(yield* ask((control) => control.pause("t", ada))).toBe(
        `Task t: expected one that is not paused, found one that is paused, since @${position}. Nothing was recorded.`,
      )
      yield* elsewhere((control) => control.continue("t", ada))
      yield* open
      yield* Fiber.join(audit)
      expect(yield* ask((control) => control.cancel("t", ada))).toContain(
        "expected an open one, found one that was closed as achieved",
      )
      expect(yield* ask((control) => control.pause("x", ada))).toContain("x")
      expect(yield* ask((control) => control.pause("t", { by: "", reasons: "" } as never))).toContain("tasks.pause")
      expect(yield* ask((control) => control.pause("t", { ...ada, timeline: "nowhere" }))).toContain("nowhere")
    }),
  )
})
