import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, FiberId } from "effect"
import * as Agent from "../../../src/agents/Agent.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as TaskControl from "../../../src/kernel/control/TaskControl.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import * as TaskList from "../../../src/projections/state/TaskList.ts"
import * as TreeAudit from "../../../src/projections/tree/TreeAudit.ts"
import { about, seen } from "../../kernel/given.ts"
import { loseLease } from "../../kernel/lostLease.ts"
import { stoppingAt } from "../../kernel/stopping.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, eventsOf, text, typesOf } from "../given.ts"
import { answering } from "./given.ts"

/** An agent that asks `asks` twice, and one that calls the tool `hold`, which lasts as long as the test wants. */
const held = (given: Partial<Parameters<typeof testKernel>[0]> = {}) =>
  Effect.gen(function* () {
    const free = Deferred.unsafeMake<void>(FiberId.none)
    const hold = Tool.make({
      description: "Holds",
      risk: "none",
      idempotent: true,
      run: () => Effect.as(Deferred.await(free), "let go"),
    })
    const inner = Agent.fromModel({
      ...{ name: "inner", version: "1", tools: ["program/hold"] },
      model: answering([[call("h", "program__hold")], [text("Held.")]]).model,
    })
    const outer = Agent.fromModel({
      ...{ name: "outer", version: "1", tools: ["program/ask"] },
      model: answering([[call("a", "program__ask", { goal: "Hold" })], [text("All done.")]]).model,
    })
    const { start, directory, log } = yield* testKernel({
      tools: { ask: Agent.asTool(inner), hold } as never,
      ...given,
    })
    return { outer, inner, free: Deferred.succeed(free, undefined), start, directory, log }
  })

const childOf = (taskId: string) =>
  Effect.map(eventsOf(taskId), (events) =>
    String(events.find(({ type }) => type === "ActuatorCommanded")?.payload.commandId),
  )

const running = Effect.gen(function* () {
  yield* seen(about("CommandDispatched"), 2)
})

describe("a tree of tasks", () => {
  it.scopedLive("is cancelled as a whole, in one commit", () =>
    Effect.gen(function* () {
      const { outer, start } = yield* held()
      const { run } = yield* start
      const working = yield* Effect.fork(
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer, { id: "top", goal: "x" }))),
      )
      yield* run(running)
      const child = yield* run(childOf("top"))
      const asked = yield* run(
        Effect.flatMap(TaskControl.TaskControl, (control) => control.cancel("top", { by: "ada", reason: "enough" })),
      )
      yield* Fiber.await(working)
      yield* run(seen(about("TaskClosed"), 2))
      const [own] = (yield* run(eventsOf(child))).filter(({ type }) => type === "TaskCancelled")
      expect(own).toMatchObject({ position: asked.position + 1, payload: { by: "ada", reason: "enough" } })
      const standings = yield* run(Effect.flatMap(EventLog, TaskList.standings))
      expect(standings.top).toMatchObject({ outcome: "abandoned" })
      expect(standings[child]).toMatchObject({ outcome: "abandoned" })
    }),
  )

  it.scopedLive("is paused and continued as a whole", () =>
    Effect.gen(function* () {
      const { outer, start, free } = yield* held()
      const { run } = yield* start
      const control = <A, E>(ask: (control: TaskControl.Service) => Effect.Effect<A, E>) =>
        run(Effect.flatMap(TaskControl.TaskControl, ask))
      const working = yield* Effect.fork(
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer, { id: "top", goal: "x" }))),
      )
      yield* run(running)
      const child = yield* run(childOf("top"))
      yield* control(({ pause }) => pause("top", { by: "ada" }))
      yield* free
      // The tool's work in progress ends; its agent does not ask its model again.
      yield* run(seen(about("CommandSucceeded")))
      expect((yield* run(Effect.flatMap(EventLog, TaskList.standings)))[child]).toMatchObject({
        outcome: null,
        asked: { what: "paused", by: "ada" },
      })
      expect(typesOf(yield* run(eventsOf(child))).filter((type) => type === "ModelCalled")).toHaveLength(1)
      yield* control(({ continue: goOn }) => goOn("top", { by: "ada" }))
      expect(yield* Fiber.join(working)).toMatchObject({ outcome: "achieved" })
      expect(typesOf(yield* run(eventsOf(child)))).toContain("TaskContinued")
    }),
  )

  it.scopedLive("ends with its parent: a child that a program started does not outlive it", () =>
    Effect.gen(function* () {
      const { inner, start } = yield* held()
      const { run } = yield* start
      const { tasks } = yield* run(Kernel)
      const top = yield* tasks.open({ id: "top", goal: "Open" })
      const working = yield* Effect.fork(tasks.run(inner, { id: "below", goal: "Hold", parent: "top" }))
      yield* run(seen(about("CommandDispatched")))
      yield* top.close("achieved")
      yield* Fiber.await(working)
      yield* run(seen(about("TaskClosed"), 2))
      const standings = yield* run(Effect.flatMap(EventLog, TaskList.standings))
      expect(standings.below).toMatchObject({
        parent: { taskId: "top" },
        outcome: "abandoned",
        reason: "kernel cancelled it: its parent, task top, ended",
      })
    }),
  )

  it.scopedLive("takes no child of a task that is not open here", () =>
    Effect.gen(function* () {
      const { inner, start } = yield* held()
      const { run } = yield* start
      const { tasks } = yield* run(Kernel)
      const top = yield* tasks.open({ id: "top", goal: "Open" })
      yield* top.close("achieved")
      for (const parent of ["top", "nobody", "__proto__"]) {
        const refused = yield* Effect.flip(tasks.run(inner, { id: `of-${parent.length}`, goal: "Hold", parent }))
        expect(refused).toMatchObject({ _tag: "ChildRefused", limit: "parent" })
        expect(refused.message).toBe(
          `Task ${parent} can start no further task: expected a parent that is an open task of this kernel, found none.`,
        )
      }
    }),
  )

  it.scopedLive("replays from its top without running a child, and each child by itself", () =>
    Effect.gen(function* () {
      const { outer, inner, start, free } = yield* held()
      const { run } = yield* start
      const kernel = yield* run(Kernel)
      yield* free
      yield* kernel.tasks.run(outer, { id: "top", goal: "x" })
      const child = yield* run(childOf("top"))
      const before = (yield* run(Effect.flatMap(EventLog, ({ head }) => head))).position
      expect(yield* kernel.replay("top", outer)).toMatchObject({ verdict: "identical", complete: true })
      expect(yield* kernel.replay(child, inner)).toMatchObject({ verdict: "identical", complete: true })
      expect((yield* run(Effect.flatMap(EventLog, ({ head }) => head))).position).toBe(before)
    }),
  )

  it.scopedLive("is forked at a moment: the fork starts children of its own, and pays for them alone", () =>
    Effect.gen(function* () {
      const { outer, start, free } = yield* held()
      const { run } = yield* start
      const kernel = yield* run(Kernel)
      yield* free
      yield* kernel.tasks.run(outer, { id: "top", goal: "x" })
      const child = yield* run(childOf("top"))
      const first = (yield* run(eventsOf("top"))).find(({ type }) => type === "ModelCalled")
      const forked = yield* kernel.fork(outer, { at: (first?.position ?? 1) - 1, task: "top", acceptUnrewound: true })
      expect(forked.audit.outcome).toBe("achieved")
      const standings = yield* run(Effect.flatMap(EventLog, TaskList.standings))
      const own = Object.entries(standings).filter(([, { parent }]) => parent?.timeline === forked.timeline)
      expect(own).toHaveLength(1)
      expect(own[0]?.[0]).not.toBe(child)
      expect((yield* run(TreeAudit.load("top"))).tasks.map(({ taskId }) => taskId)).toEqual(["top", child])
      expect((yield* run(TreeAudit.load("top", forked.timeline))).tasks.map(({ taskId }) => taskId)).toEqual([
        "top",
        own[0]?.[0],
      ])
    }),
  )

  it.scopedLive("is resumed as a whole after an orderly end in the middle of a child", () =>
    Effect.gen(function* () {
      const first = yield* held({ onOpenTasks: "resume" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { run } = yield* first.start
          const working = yield* Effect.fork(
            run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(first.outer, { id: "top", goal: "x" }))),
          )
          yield* run(running)
          yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.suspend))
          yield* Fiber.await(working)
        }),
      )
      const second = yield* held({ onOpenTasks: "resume", directory: first.directory })
      const { run } = yield* second.start
      yield* second.free
      const kernel = yield* run(Kernel)
      expect((yield* kernel.tasks.unfinished).map(({ agent }) => agent)).toEqual(["outer@1", "inner@1"])
      expect(yield* kernel.tasks.resume("top", second.outer)).toMatchObject({ outcome: "achieved" })
      const { tasks, total } = yield* run(TreeAudit.load("top"))
      expect(tasks.map(({ outcome }) => outcome)).toEqual(["achieved", "achieved"])
      expect(total).toMatchObject({ tasks: 2, calls: 4, commands: 2, tokens: 440 })
    }),
  )

  it.scopedLive(
    "is resumed as a whole, wherever its kernel stopped: no child starts twice, no cost counts twice",
    () =>
      Effect.gen(function* () {
        const places: Array<string> = []
        for (let count = 2; ; count += 3) {
          const place = yield* stoppedBefore(count)
          if (place === undefined) break
          places.push(place)
        }
        expect(places.length).toBeGreaterThan(10)
      }),
    { timeout: 180_000 },
  )
})

/** A planner that calls two agents at once and one more, each of which calls an idempotent tool. */
const stoppedBefore = (count: number) =>
  Effect.gen(function* () {
    const tick = Tool.make({ description: "Ticks", risk: "none", idempotent: true, run: () => "tick" })
    const inner = () =>
      Agent.fromModel({
        ...{ name: "inner", version: "1", tools: ["program/tick"] },
        model: answering([[call("t", "program__tick")], [text("Ticked.")]]).model,
      })
    const outer = () =>
      Agent.fromModel({
        ...{ name: "outer", version: "1", tools: ["program/ask"], budget: { tokens: 5_000 } },
        model: answering([
          [call("a", "program__ask", { goal: "1" }), call("b", "program__ask", { goal: "2" })],
          [call("c", "program__ask", { goal: "3" })],
          [text("All done.")],
        ]).model,
      })
    const tools = { ask: Agent.asTool(inner()), tick } as never
    const first = yield* stoppingAt((_, appends) => appends === count, { tools })
    const living = yield* Effect.fork(
      Effect.exit(
        Effect.scoped(
          Effect.flatMap(first.start, ({ run }) =>
            run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer(), { id: "top", goal: "x" }))),
          ),
        ),
      ),
    )
    const at = yield* Effect.raceFirst(first.stopped, Effect.as(Fiber.join(living), undefined))
    if (at === undefined) return undefined
    yield* Effect.addFinalizer(() => first.goOn)
    const where = `before append ${count}, ${at.events.map(({ type }) => type).join("+")}`
    loseLease(first.log)
    const second = yield* (yield* testKernel({ directory: first.directory, tools, onOpenTasks: "resume" })).start
    const { run } = second
    const kernel = yield* run(Kernel)
    const unfinished = (yield* kernel.tasks.unfinished).map(({ taskId }) => taskId)
    if (unfinished.includes("top")) {
      expect(yield* kernel.tasks.resume("top", outer()), where).toMatchObject({ outcome: "achieved" })
      const { tasks, total } = yield* run(TreeAudit.load("top"))
      expect(
        tasks.map(({ outcome }) => outcome),
        where,
      ).toEqual(Array.from({ length: 4 }, () => "achieved"))
      expect(total, where).toMatchObject({ tasks: 4, commands: 6, knownTokens: 110 * 9 })
      expect((yield* kernel.tasks.unfinished).length, where).toBe(0)
      expect(yield* kernel.replay("top", outer()), where).toMatchObject({ verdict: "identical", complete: true })
      for (const { taskId } of tasks.slice(1)) {
        const types = typesOf(yield* run(eventsOf(taskId)))
        expect(
          types.filter((type) => type === "TaskOpened"),
          where,
        ).toHaveLength(1)
        expect(
          types.filter((type) => type === "ModelResponded"),
          where,
        ).toHaveLength(2)
        expect(yield* kernel.replay(taskId, inner()), where).toMatchObject({ verdict: "identical" })
      }
      expect(yield* run(Effect.flatMap(EventLog, ({ verify }) => verify)), where).toMatchObject({ _tag: "Intact" })
    }
    return where
  }).pipe(Effect.scoped)

describe("a fork of a task in a tree", () => {
  it.scopedLive(
    "says what becomes of the tasks above and below it, and is refused while an agent that it called works",
    () =>
      Effect.gen(function* () {
        const { outer, inner, free, start } = yield* held()
        const { run } = yield* start
        const { tasks, fork } = yield* run(Kernel)
        const working = yield* Effect.fork(tasks.run(outer, { id: "top", goal: "x" }))
        yield* run(running)
        const child = yield* run(childOf("top"))
        const own = yield* Effect.fork(tasks.run(inner, { id: "own", goal: "y", parent: "top" }))
        yield* run(seen(about("CommandDispatched"), 3))
        const { position: at } = yield* (yield* run(EventLog)).head
        yield* free
        // The parent may end first, and cancels it then.
        yield* Fiber.await(own)
        yield* Fiber.join(working)
        const last = (yield* run(eventsOf("top"))).find(({ type }) => type === "CommandSucceeded")?.position ?? 0

        // Nobody knows half of a call: the error names the moments before and after it.
        expect(yield* Effect.flip(fork(outer, { task: "top", at }))).toMatchObject({
          _tag: "NotForkable",
          reason: expect.stringMatching(/^program\/ask was running, .* before it, or @\d+, after it$/),
        })
        const asked = (yield* run(eventsOf("top"))).find(({ type }) => type === "DecisionMade")?.position ?? 0
        const earlier = yield* fork(outer, { task: "top", at: asked - 1, acceptUnrewound: true })
        expect(earlier).toMatchObject({ tree: { above: null, kept: [], left: [] }, audit: { outcome: "achieved" } })
        // The fork's call began a task of its own.
        const { tasks: below } = yield* run(TreeAudit.load("top", earlier.timeline))
        expect(below.map(({ depth, outcome }) => [depth, outcome])).toEqual([
          [0, "achieved"],
          [1, "achieved"],
        ])
        expect(below[1]?.taskId).not.toBe(child)
        const after = yield* fork(outer, { task: "top", at: last, acceptUnrewound: true })
        expect(after.tree).toMatchObject({ above: null, kept: expect.arrayContaining([child]) })
        expect((yield* run(TreeAudit.load("top", after.timeline))).tasks).toHaveLength(1)
        // A fork of the fork shares the call, too.
        const { timeline } = after
        const log = yield* run(EventLog)
        const [said] = yield* log.readPage({ timeline, taskId: "top", types: ["ModelResponded"], after: last }, 1)
        const moment = `${timeline}@${said?.position}`
        const again = yield* fork(outer, { task: "top", at: moment, acceptUnrewound: true })
        expect(again.tree).toEqual(after.tree)

        const before = yield* run(TreeAudit.load("top"))
        const answered = (yield* run(eventsOf(child))).find(({ type }) => type === "CommandSucceeded")?.position ?? 0
        const alone = yield* fork(inner, { task: child, at: answered, acceptUnrewound: true })
        expect(alone.tree).toEqual({ above: "top", kept: [], left: [] })
        expect(yield* run(TreeAudit.load("top"))).toEqual(before)
      }),
  )
})
