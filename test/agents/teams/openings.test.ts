import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Agent from "../../../src/agents/Agent.ts"
import { EventLog, MAIN } from "../../../src/events/log/EventLog.ts"
import type { TaskBudget } from "../../../src/events/vocabulary/Tasks.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as AgentCalls from "../../../src/kernel/teams/AgentCalls.ts"
import * as ChildTasks from "../../../src/kernel/teams/ChildTasks.ts"
import * as ProgramChildren from "../../../src/kernel/teams/ProgramChildren.ts"
import * as TreeLimits from "../../../src/kernel/teams/TreeLimits.ts"
import * as Spending from "../../../src/projections/tree/Spending.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { eventsOf, text } from "../given.ts"
import { answering } from "./given.ts"

describe("a child that opens", () => {
  it.live("keeps its part when its opening ends while the next child's budget is computed", () =>
    Effect.gen(function* () {
      const members: Record<string, object> = {
        top: { agent: "top@1", from: 1, outcome: null, budget: { tokens: 100 } },
      }
      const firstMayOpen = yield* Deferred.make<void>()
      const firstOpened = yield* Deferred.make<void>()
      let sums = 0
      const children = ChildTasks.make({
        log: { readPage: () => Effect.succeed([]) } as never,
        // As of its call, like the projector's.
        projector: { current: () => Effect.sync(() => ({ ...members })) } as never,
        running: { has: () => true, budgetOf: () => undefined },
        spending: {
          ended: () => Effect.succeed(Spending.none),
          of: () =>
            Effect.gen(function* () {
              sums += 1
              if (sums === 2) {
                yield* Deferred.succeed(firstMayOpen, undefined)
                yield* Deferred.await(firstOpened)
              }
              return Spending.none
            }),
          forget: () => undefined,
        },
        limits: {},
        left: [],
      })
      const parts: Record<string, TaskBudget | undefined> = {}
      const open = (id: string, mayOpen: Effect.Effect<void>) =>
        children.open({ taskId: "top" }, { id, goal: "x", limits: { budget: { tokens: 60 } } } as never, ({ limits }) =>
          Effect.gen(function* () {
            yield* mayOpen
            parts[id] = limits?.budget
            const from = Object.keys(members).length + 1
            members[id] = { agent: "a@1", from, outcome: null, budget: limits?.budget, parent: { taskId: "top" } }
            return { id } as never
          }),
        )
      const first = yield* Effect.fork(
        Effect.zipRight(open("first", Deferred.await(firstMayOpen)), Deferred.succeed(firstOpened, undefined)),
      )
      yield* Effect.yieldNow()
      yield* open("second", Effect.void)
      yield* Fiber.join(first)
      expect(parts).toEqual({ first: { tokens: 60 }, second: { tokens: 40 } })
    }),
  )

  it.scopedLive("is cancelled if its parent ends before its opening does", () =>
    Effect.gen(function* () {
      const { layerLog } = yield* testKernel()
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const append = (taskId: string, type: string, payload: object) =>
          log.append({ stream: `task/${taskId}`, taskId, actor: "kernel", events: [{ type, payload } as never] })
        const opening = { goal: "x", agent: "a@1", measures: [] }
        const children = ChildTasks.make({
          log,
          projector: { current: () => Effect.succeed({}) } as never,
          running: { has: () => true, budgetOf: () => undefined },
          spending: {
            of: () => Effect.succeed(Spending.none),
            ended: () => Effect.succeed(Spending.none),
            forget: () => undefined,
          },
          limits: {},
          left: [],
        })
        const ended = children.ended({ taskId: "top", timeline: MAIN })
        yield* append("top", "TaskOpened", opening)
        const late = (id: string, meanwhile: Effect.Effect<unknown, unknown>) =>
          children.open({ taskId: "top" }, { id, goal: "x" } as never, () =>
            Effect.gen(function* () {
              yield* append(id, "TaskOpened", { ...opening, parent: { taskId: "top" } })
              yield* Effect.orDie(meanwhile)
              return { id } as never
            }),
          )
        yield* late("early", Effect.void)
        yield* late("late", Effect.zipRight(append("top", "TaskClosed", { outcome: "achieved" }), ended))
        for (const taskId of ["early", "late"]) {
          const events = yield* log.readPage({ taskId }, 10)
          expect(events.map(({ type }) => type)).toEqual(["TaskOpened", "TaskCancelled"])
        }
      }).pipe(Effect.provide(layerLog))
    }),
  )

  it.scopedLive("counts until the top of its tree has ended, and then its sums are forgotten", () =>
    Effect.gen(function* () {
      const { layerLog } = yield* testKernel()
      yield* Effect.gen(function* () {
        const forgotten: Array<string> = []
        const children = ChildTasks.make({
          log: yield* EventLog,
          projector: { current: () => Effect.succeed({}) } as never,
          running: { has: () => true, budgetOf: () => undefined },
          spending: {
            of: () => Effect.succeed(Spending.none),
            ended: () => Effect.succeed(Spending.none),
            forget: (taskId) => forgotten.push(taskId),
          },
          limits: {},
          left: [],
        })
        const opened = (taskId: string, id: string) =>
          children.open({ taskId }, { id, goal: "x" } as never, () => Effect.succeed({ id } as never))
        yield* opened("top", "child")
        yield* opened("child", "grandchild")
        for (const taskId of ["grandchild", "child"]) yield* children.ended({ taskId, timeline: MAIN })
        expect(forgotten).toEqual([])
        yield* children.ended({ taskId: "top", timeline: MAIN })
        expect(forgotten.sort()).toEqual(["child", "grandchild", "top"])
      }).pipe(Effect.provide(layerLog))
    }),
  )

  it.scopedLive("is paused like its parent, and continued if that was continued meanwhile", () =>
    Effect.gen(function* () {
      const { layerLog } = yield* testKernel()
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const append = (taskId: string, type: string, payload: object) =>
          log.append({ stream: `task/${taskId}`, taskId, actor: "kernel", events: [{ type, payload } as never] })
        const opening = { goal: "x", agent: "a@1", measures: [] }
        const events = (id: string, before: Effect.Effect<unknown, unknown>) =>
          Effect.gen(function* () {
            const slow: EventLog.Service = Object.create(log, {
              append: { value: (request: never) => Effect.zipRight(Effect.orDie(before), log.append(request)) },
            })
            const children = ChildTasks.make({
              log: slow,
              projector: { current: () => Effect.succeed({}) } as never,
              running: { has: () => true, budgetOf: () => undefined },
              spending: {
                of: () => Effect.succeed(Spending.none),
                ended: () => Effect.succeed(Spending.none),
                forget: () => undefined,
              },
              limits: {},
              left: [],
            })
            yield* children.open({ taskId: "top" }, { id, goal: "x" } as never, () =>
              Effect.as(append(id, "TaskOpened", { ...opening, parent: { taskId: "top" } }), { id } as never),
            )
            return (yield* log.readPage({ taskId: id }, 10)).map(({ type }) => type)
          })
        yield* append("top", "TaskOpened", opening)
        yield* append("top", "TaskPaused", { by: "p" })
        expect(yield* events("first", Effect.void)).toEqual(["TaskOpened", "TaskPaused"])
        const continued = append("top", "TaskContinued", { by: "p" })
        expect(yield* events("second", continued)).toEqual(["TaskOpened", "TaskPaused", "TaskContinued"])
      }).pipe(Effect.provide(layerLog))
    }),
  )

  it.scopedLive("counts in its parent's budget if the parent looks for its children meanwhile", () =>
    Effect.gen(function* () {
      const { layerLog } = yield* testKernel()
      yield* Effect.gen(function* () {
        const top = { agent: "top@1", from: 1, outcome: null }
        const child = { agent: "a@1", from: 2, outcome: null, parent: { taskId: "top" }, budget: { tokens: 60 } }
        let looks = 0
        const program: ProgramChildren.ProgramChildren = ProgramChildren.make({
          log: yield* EventLog,
          projector: {
            current: () =>
              Effect.sync(() => {
                looks += 1
                if (looks > 1) return { top, child }
                program.opened({ taskId: "top" }, "child")
                return { top }
              }),
          } as never,
          spending: {
            of: () => Effect.succeed(Spending.none),
            ended: () => Effect.succeed(Spending.none),
            forget: () => undefined,
          },
        })
        expect(yield* program.below({ taskId: "top", timeline: MAIN })).toMatchObject({ tasks: 1, open: 1, tokens: 60 })
      }).pipe(Effect.provide(layerLog))
    }),
  )
})

describe("the part of a budget that an open child takes", () => {
  const tokens = (count: number): Spending.Spending => ({ ...Spending.none, tokens: count })

  it("is not larger for what its request under way may use", () => {
    expect(TreeLimits.taken(tokens(1_044), tokens(0), { tokens: 110 })).toMatchObject({ tokens: 110 })
    expect(TreeLimits.taken(tokens(1_144), tokens(100), { tokens: 110 })).toMatchObject({ tokens: 110 })
  })

  it("is what it used, where it used more, and what it may use, where it has no part", () => {
    expect(TreeLimits.taken(tokens(300), tokens(300), { tokens: 110 })).toMatchObject({ tokens: 300 })
    expect(TreeLimits.taken(tokens(1_044), tokens(0), undefined)).toMatchObject({ tokens: 1_044 })
    expect(TreeLimits.taken(tokens(1_044), tokens(0), { steps: 2 })).toMatchObject({ tokens: 1_044, steps: 2 })
  })
})

describe("a fork of a called agent's task", () => {
  it.scopedLive("neither answers for it nor counts in what it used", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const { tasks, fork } = yield* run(Kernel)
      const worker = (words: string) =>
        Agent.fromModel({ name: "worker", version: "1", model: answering([[text(words)]]).model })
      yield* tasks.run(worker("Yes."), { id: "child", goal: "x" })
      const asked = (yield* run(eventsOf("child"))).find(({ type }) => type === "ModelCalled")
      const { timeline } = yield* fork(worker("No."), { task: "child", at: (asked?.position ?? 1) - 1 })
      expect(timeline).not.toBe(MAIN)
      const log = yield* run(EventLog)
      const uses: Array<unknown> = []
      const called = yield* AgentCalls.call({
        log,
        running: { has: () => false },
        run: () => Effect.dieMessage("it has a task"),
        resume: () => Effect.dieMessage("its task has ended"),
      })({ agent: () => worker("Never."), goal: () => "x" }, {}, {
        ...{ taskId: "top", timeline: MAIN, commandId: "child" },
        onChild: ({ used }: { readonly used?: unknown }) => uses.push(used),
      } as never)
      expect(called).toMatchObject({ task: "child", answer: "Yes." })
      expect(uses).toMatchObject([{ steps: 1, tokens: 110 }])
    }),
  )
})
