import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { Model, Turn } from "../../src/agents/models/Model.ts"
import * as Scripted from "../../src/agents/models/Scripted.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Timelines from "../../src/events/read/Timelines.ts"
import * as CriticModel from "../../src/kernel/critics/Model.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Scoring } from "../../src/kernel/scoring/Scoring.ts"
import { ModelCallFailed, type ModelCallResponse } from "../../src/kernel/tasks/ModelCalls.ts"
import * as Audits from "../../src/projections/audit/Audits.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { counter, eventsOf } from "./given.ts"

const usage = { inputTokens: 1000, outputTokens: 10, cachedTokens: 400 }

/** A model whose price is known, by the name of one that is sold. */
const priced = (turns: Parameters<typeof Scripted.scripted>[0]["turns"]) =>
  Scripted.scripted({ provider: "anthropic", model: "claude-sonnet-4-5", turns })

const agentOf = (model: Model) => fromModel({ model })

const adds = Scripted.calls([{ tool: "counter__add", args: { by: 1 } }], { usage })

describe("the audit of an agent from a model", () => {
  it.scopedLive("counts an answer that cannot be recorded: by its tokens, or as an unknown cost, never as none", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const costOf = (turn: unknown, id: string) => {
        const model = { ...priced([]), turn: () => Effect.succeed(turn as never) }
        return run(
          Effect.flatMap(Kernel, ({ tasks }) => Effect.exit(tasks.run(agentOf(model), { goal: "g", id }))),
        ).pipe(
          Effect.zipRight(run(TaskAudit.load(id))),
          Effect.map(({ model }) => model),
        )
      }
      const long = Scripted.says("x".repeat(9_000_000), usage)
      expect(yield* costOf(long, "long")).toMatchObject({
        calls: 1,
        failed: 1,
        inputTokens: 1000,
        outputTokens: 10,
        unmetered: 0,
        cost: { usd: expect.any(Number), unpriced: 0, prices: [expect.stringMatching(/^genai-prices@/)] },
      })
      expect(yield* costOf({ parts: [], finish: "stop", usage: {} }, "odd")).toMatchObject({
        calls: 1,
        failed: 1,
        unmetered: 1,
        cost: { usd: null, unpriced: 1 },
      })
    }),
  )

  it.scopedLive("has no cost, in its events too, where nobody said what was used: it is not 0", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const model = priced([Scripted.says("Done.", { inputTokens: 0, outputTokens: 0 })])
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agentOf(model), { goal: "g" })))
      expect(audit.model?.cost).toMatchObject({ usd: null, unpriced: 1 })
      const events = yield* run(eventsOf(audit.taskId))
      expect(events.filter(({ payload }) => payload.cost !== undefined)).toEqual([])
    }),
  )

  it.scopedLive("says which field of a usage is not recorded, once, and which one may be meant", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const told: Array<string> = []
      const collecting = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void told.push(String(message))),
      )
      const misspelt = { inputTokens: 5, outputTokens: 1, cachedToken: 4 }
      const model = {
        ...priced([]),
        turn: () => Effect.succeed({ ...Scripted.says("Done."), usage: misspelt } as Turn),
      }
      for (const id of ["one", "two"])
        yield* run(
          Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agentOf(model), { goal: "g", id })).pipe(
            Effect.provide(collecting),
          ),
        )
      expect(told.filter((line) => line.includes("usage of"))).toEqual([
        expect.stringMatching(
          /anthropic\/claude-sonnet-4-5.* found cachedToken, which is not recorded\. Did you mean cachedTokens/,
        ),
      ])
    }),
  )

  it.scopedLive("says what its calls used and cost, those that failed among them, and so does the list of tasks", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const cut = { kind: "cut-off" as const, reason: "no end", usage, retryAfterMs: 1 }
      const busy = { kind: "rate-limited" as const, reason: "later", retryAfterMs: 1 }
      const model = priced([busy, cut, adds, Scripted.says("Done.", usage)])
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agentOf(model), { goal: "Count" })))
      const events = yield* run(eventsOf(audit.taskId))
      const costs = events.flatMap(({ payload }) => (payload.cost === undefined ? [] : [Object(payload.cost).usd]))
      expect(costs).toHaveLength(3)
      const usd = expect.closeTo(
        costs.reduce((sum, each) => sum + each, 0),
        9,
      )
      const used = {
        calls: 4,
        failed: 2,
        inputTokens: 3000,
        outputTokens: 30,
        cachedTokens: 1200,
        unmetered: 0,
        cost: { usd, atLeast: usd, unpriced: 0, prices: [expect.stringMatching(/^genai-prices@/)] },
      }
      expect(audit.model).toMatchObject({ ...used, byModel: { "anthropic/claude-sonnet-4-5": used } })
      expect(yield* run(TaskAudit.load(audit.taskId))).toEqual(audit)
      const tasks = yield* run(Effect.flatMap(Projector, ({ current }) => current(Tasks.projection)))
      expect(tasks[audit.taskId]?.model).toEqual({
        calls: 4,
        inputTokens: 3000,
        outputTokens: 30,
        unmetered: 0,
        cost: { usd, atLeast: usd, unpriced: 0 },
      })
    }),
  )

  it.scopedLive("has what a cancelled call used and cost", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const streaming = yield* Deferred.make<void>()
      const endless: Model = {
        provider: "anthropic",
        model: "claude-sonnet-4-5",
        turn: (_, onDelta, onUsage) =>
          Effect.gen(function* () {
            onUsage?.(usage)
            onDelta({ index: 0, kind: "text", text: "I be" })
            yield* Deferred.succeed(streaming, undefined)
            return yield* Effect.never
          }),
      }
      const audit = yield* run(
        Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const fiber = yield* Effect.fork(tasks.run(agentOf(endless), { goal: "Go", id: "cut" }))
          yield* Deferred.await(streaming)
          yield* Fiber.interrupt(fiber)
          return yield* TaskAudit.load("cut")
        }),
      )
      expect(audit.model).toMatchObject({
        calls: 1,
        failed: 1,
        inputTokens: 1000,
        outputTokens: 10,
        unmetered: 0,
        cost: { unpriced: 0, usd: expect.any(Number) },
      })
      expect(audit.model?.cost.usd).toBeGreaterThan(0)
    }),
  )

  it.scopedLive("tells the models of one task apart, of which one has no price", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const audit = yield* run(
        Effect.gen(function* () {
          const { tasks } = yield* Kernel
          const task = yield* tasks.open({ goal: "Ask two" })
          const cost = { usd: 0.5, prices: "own@1" }
          const ask = (model: string, answering: Effect.Effect<ModelCallResponse, ModelCallFailed>) =>
            Effect.either(task.consult({ provider: "p", model, request: {} }, answering))
          yield* ask("dear", Effect.succeed({ response: "a", usage, cost }))
          yield* ask("local", Effect.succeed({ response: "b", usage }))
          const failure = { provider: "p", model: "dear", kind: "refused", reason: "no", usage, cost } as const
          yield* ask("dear", Effect.fail(new ModelCallFailed(failure)))
          yield* task.close("achieved")
          return yield* TaskAudit.load(task.id)
        }),
      )
      expect(audit.model).toMatchObject({
        calls: 3,
        failed: 1,
        inputTokens: 3000,
        cost: { usd: null, atLeast: 1, unpriced: 1, prices: ["own@1"] },
        byModel: {
          "p/dear": { calls: 2, failed: 1, cost: { usd: 1, unpriced: 0 } },
          "p/local": { calls: 1, failed: 0, cost: { usd: null, atLeast: 0, unpriced: 1 } },
        },
      })
    }),
  )

  it.scopedLive("leaves out what a critic's model used to score the task", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const { taskId, model } = yield* run(
        Effect.flatMap(Kernel, ({ tasks }) =>
          tasks.run(agentOf(priced([Scripted.says("Done.", usage)])), { goal: "Say it" }),
        ),
      )
      const judge = CriticModel.scripted("judge@1", () => ({ verdict: false, because: [], rationale: "no" }))
      const rubric = {
        name: "polite",
        measures: [
          {
            name: "polite",
            description: "Is it polite?",
            rewards: [{ name: "thanks", when: "It says thank you.", weight: 1 }],
          },
        ],
      }
      yield* run(Effect.flatMap(Scoring, ({ rescore }) => rescore({ rubric, critics: { model: { model: judge } } })))
      const called = yield* run(Effect.flatMap(EventLog, (log) => log.readPage({ types: ["ModelCalled"] }, 100)))
      expect(called.map(({ actor }) => actor.split(":")[0])).toEqual(["kernel", "critic", "critic", "critic"])
      const audit = yield* run(TaskAudit.load(taskId))
      expect(audit.scores.map(({ label }) => label)).toContain("polite")
      expect(audit.model).toEqual(model)
      expect(model?.calls).toBe(1)
    }),
  )

  it.scopedLive("of a fork has what its history has: the calls before it, and its own, also of another model", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [counter] })).start
      const { taskId, model } = yield* run(
        Effect.flatMap(Kernel, ({ tasks }) =>
          tasks.run(agentOf(priced([adds, adds, Scripted.says("Two.", usage)])), { goal: "Count" }),
        ),
      )
      const asked = (yield* run(eventsOf(taskId))).filter(({ type }) => type === "ModelCalled")
      const inFork = (timeline: string, at: number) =>
        run(
          Effect.gen(function* () {
            const { fork } = yield* Kernel
            const other = Scripted.scripted({ provider: "own", model: "small", turns: [Scripted.says("One.", usage)] })
            const { audit } = yield* fork(agentOf(other), {
              at: `main@${at}`,
              task: taskId,
              timeline,
              acceptUnrewound: true,
            })
            const log = yield* EventLog
            const view = Timelines.view(log, yield* Timelines.named(log, timeline))
            const loaded = yield* Effect.provideService(TaskAudit.load(taskId), EventLog, view)
            expect(loaded.model).toEqual(audit.model)
            return audit.model
          }),
        )
      const second = asked[1]?.position ?? 0
      expect(yield* inFork("before", second - 1)).toMatchObject({
        calls: 2,
        inputTokens: 2000,
        cost: { usd: null, unpriced: 1 },
        byModel: { "anthropic/claude-sonnet-4-5": { calls: 1, cost: { unpriced: 0 } }, "own/small": { calls: 1 } },
      })
      // The request that was under way at the fork is in its history, without its answer: what it cost is not known.
      expect(yield* inFork("amidst", second)).toMatchObject({
        calls: 3,
        unmetered: 1,
        cost: { usd: null, unpriced: 2 },
        byModel: { "anthropic/claude-sonnet-4-5": { calls: 2, cost: { unpriced: 1 } }, "own/small": { calls: 1 } },
      })
      // What happens in a fork costs its origin nothing.
      expect((yield* run(TaskAudit.load(taskId))).model).toEqual(model)
      const all: Array<TaskAudit.TaskAudit> = []
      yield* run(Audits.forEach((audit) => all.push(audit)))
      expect(all.map((audit) => audit.model)).toEqual([model])
    }),
  )
})
