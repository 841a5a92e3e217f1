import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { z } from "zod"
import * as Agent from "../../../src/agents/Agent.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import type { Tools } from "../../../src/kernel/program/Tool.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import * as TreeAudit from "../../../src/projections/tree/TreeAudit.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, eventsOf, model, text } from "../given.ts"

const planner = (turns: Parameters<typeof model>[0], options: Partial<Agent.ModelAgentOptions> = {}) => {
  const scripted = model(turns, "planner")
  return { ...scripted, agent: Agent.fromModel({ model: scripted.model, name: "planner", version: "1", ...options }) }
}

const worker = (turns: Parameters<typeof model>[0], options: Partial<Agent.ModelAgentOptions> = {}) => {
  const scripted = model(turns, "worker")
  const agent = Agent.fromModel({ model: scripted.model, name: "worker", version: "1", tools: [], ...options })
  return { ...scripted, agent }
}

const kernelWith = (tools: Tools, options: Parameters<typeof testKernel>[0] = {}) =>
  Effect.flatMap(testKernel({ tools: tools as never, ...options }), ({ start }) => start)

const payloadsOf = (events: ReadonlyArray<Event>, type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload)

const openings = Effect.flatMap(EventLog, (log) => log.readPage({ types: ["TaskOpened"] }, 100))

describe("an agent as a tool", () => {
  it.scopedLive("works on a child task with a cause, whose answer is the result of the call", () =>
    Effect.gen(function* () {
      const inner = worker([[text("It is 42.")]])
      const outer = planner([[call("a", "program__ask", { goal: "What is it?" })], [text("The worker says 42.")]])
      const { run } = yield* kernelWith({ ask: Agent.asTool(inner.agent) })
      const audit = yield* run(
        Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer.agent, { id: "top", goal: "Find out" })),
      )
      expect(audit.outcome).toBe("achieved")
      const events = yield* run(eventsOf("top"))
      const [commanded] = events.filter(({ type }) => type === "ActuatorCommanded")
      const [dispatched] = events.filter(({ type }) => type === "CommandDispatched")
      const child = String(commanded?.payload.commandId)
      const [, opened] = yield* run(openings)
      expect(opened).toMatchObject({
        taskId: child,
        causationId: dispatched?.id,
        payload: { goal: "What is it?", agent: "worker@1", parent: { taskId: "top", commandId: child } },
      })
      expect(payloadsOf(events, "CommandSucceeded")).toMatchObject([
        {
          result: { task: child, outcome: "achieved", answer: "It is 42." },
          child: { taskId: child, outcome: "achieved", used: { steps: 1, commands: 0, tokens: 110, usd: null } },
        },
      ])
      expect(outer.requests[1]?.messages.at(-1)).toMatchObject({
        role: "tool",
        content: [{ isError: false, content: { answer: "It is 42." } }],
      })
      const tree = yield* run(TreeAudit.load("top"))
      expect(tree.total).toMatchObject({ tasks: 2, open: 0, commands: 1, calls: 3, tokens: 330, usd: null })
      expect(tree.tasks.map(({ taskId, depth, own, all }) => [taskId, depth, own.calls, all.calls])).toEqual([
        ["top", 0, 2, 3],
        [child, 1, 1, 1],
      ])
    }),
  )

  it.scopedLive("gives each of several called together its part of the budget, and pays for what they used", () =>
    Effect.gen(function* () {
      const inner = worker([[text("One.")], [text("Two.")]])
      const outer = planner(
        [
          [call("a", "program__ask", { goal: "1" }), call("b", "program__ask", { goal: "2" })],
          [call("c", "program__ask", { goal: "3" })],
        ],
        { budget: { tokens: 330 } },
      )
      const { run } = yield* kernelWith({ ask: Agent.asTool(inner.agent, { budget: { steps: 5 } }) })
      const audit = yield* run(
        Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer.agent, { id: "top", goal: "Both" })),
      )
      // 110 for its own turn and 110 for each child.
      expect(audit).toMatchObject({ outcome: "truncated", reason: "its budget of 330 tokens is used up" })
      const events = yield* run(eventsOf("top"))
      expect(payloadsOf(events, "ActuatorCommanded")).toMatchObject([
        { budget: { tokens: 110 } },
        { budget: { tokens: 110 } },
      ])
      const [, ...children] = yield* run(openings)
      expect(children.map(({ payload }) => payload.limits)).toEqual([
        { budget: { tokens: 110, steps: 5 } },
        { budget: { tokens: 110, steps: 5 } },
      ])
      expect(inner.requests).toHaveLength(2)
      const { total } = yield* run(TreeAudit.load("top"))
      expect(total).toMatchObject({ tasks: 3, tokens: 330, outcomes: { achieved: 2, truncated: 1 } })
    }),
  )

  it.scopedLive("starts nothing once the budget of the task is used up", () =>
    Effect.gen(function* () {
      const inner = worker([[text("Never asked.")]])
      const asks: Agent.DecidingAgent = {
        name: "asks",
        version: "1",
        decide: ({ lastOutcome }) =>
          lastOutcome === null ? { act: "program/ask", args: { goal: "x" } } : { done: "achieved" },
      }
      const { run } = yield* kernelWith({ ask: Agent.asTool(inner.agent) })
      yield* run(
        Effect.flatMap(Kernel, ({ tasks }) =>
          tasks.run(asks, { id: "top", goal: "Ask", budget: { commands: 1, usd: 3 } }),
        ),
      )
      const events = yield* run(eventsOf("top"))
      expect(payloadsOf(events, "CommandFailed")).toMatchObject([
        {
          error: {
            code: "ChildRefused",
            message:
              "Task top can start no further task: expected a budget of commands that is not used up, found nothing left of it.",
          },
        },
      ])
      expect(yield* run(openings)).toHaveLength(1)
    }),
  )

  it.scopedLive("is bounded in depth: an agent that calls itself gets a clear error", () =>
    Effect.gen(function* () {
      const calls = (goal: string): Agent.DecidingAgent => ({
        name: "recursive",
        version: "1",
        decide: ({ lastOutcome }) =>
          lastOutcome === null
            ? { act: "program/again", args: { goal } }
            : lastOutcome.status === "succeeded"
              ? { done: "achieved" }
              : { done: "failed", reason: lastOutcome.status === "failed" ? lastOutcome.error.message : "denied" },
      })
      const agent = calls("again")
      const { run } = yield* kernelWith({ again: Agent.asTool(agent) }, { trees: { maxDepth: 2 } })
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: "top", goal: "again" })))
      expect(yield* run(openings)).toHaveLength(3)
      expect(audit.outcome).toBe("failed")
      expect(audit.reason).toContain(
        "expected at most 2 generations of children (`trees.maxDepth`), found one that is 2 below the top",
      )
    }),
  )

  it.scopedLive("is bounded in number, also where several are started at once", () =>
    Effect.gen(function* () {
      const inner = worker([[text("One.")], [text("Two.")], [text("Three.")]])
      const outer = planner([[1, 2, 3].map((n) => call(`c${n}`, "program__ask", { goal: String(n) })), [text("Done.")]])
      const { run } = yield* kernelWith({ ask: Agent.asTool(inner.agent) }, { trees: { maxTasks: 3 } })
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer.agent, { id: "top", goal: "All" })))
      const events = yield* run(eventsOf("top"))
      expect(payloadsOf(events, "CommandSucceeded")).toHaveLength(2)
      expect(payloadsOf(events, "CommandFailed")).toMatchObject([
        { error: { code: "ChildRefused", message: expect.stringContaining("expected at most 3 tasks in a tree") } },
      ])
      expect(yield* run(openings)).toHaveLength(3)
    }),
  )

  it.scopedLive("fails the call where the child fails, and still counts what it used", () =>
    Effect.gen(function* () {
      const inner = worker([[call("x", "nothing")]])
      const outer = planner([[call("a", "program__ask", { goal: "x" })], [text("It failed.")]])
      const { run } = yield* kernelWith({ ask: Agent.asTool(inner.agent) })
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer.agent, { id: "top", goal: "Try" })))
      const [failed] = payloadsOf(yield* run(eventsOf("top")), "CommandFailed")
      expect(failed).toMatchObject({
        error: { code: "ChildTaskEnded", message: expect.stringContaining("ended as failed: Agent worker@1 failed") },
        child: { outcome: "failed", used: { steps: 1 } },
      })
    }),
  )

  it.scopedLive("does not wait for the tools of its caller: 40 agents at once that each call a tool", () =>
    Effect.gen(function* () {
      const inner: Agent.DecidingAgent = {
        name: "inner",
        version: "1",
        decide: ({ lastOutcome }) => (lastOutcome === null ? { act: "program/tick", args: {} } : { done: "achieved" }),
      }
      const many = Array.from({ length: 40 }, (_, n) => call(`c${n}`, "program__ask", { goal: String(n) }))
      const outer = planner([many, [text("Done.")]])
      const tick = Tool.make({ description: "Ticks", risk: "none", run: () => 1 })
      const { run } = yield* kernelWith({ ask: Agent.asTool(inner), tick })
      const audit = yield* run(
        Effect.flatMap(Kernel, ({ tasks }) => tasks.run(outer.agent, { id: "top", goal: "Map" })),
      )
      expect(audit).toMatchObject({ outcome: "achieved", acting: { succeeded: 40 } })
    }),
  )

  it("refuses options that fit no call", () => {
    const { agent } = worker([])
    expect(() => Agent.asTool({ name: "none" } as never)).toThrow(/agent: expected an agent/)
    expect(() => Agent.asTool(agent, { args: z.object({ city: z.string() }) })).toThrow(
      /goal: expected a function from the arguments to the goal, found nothing/,
    )
    expect(() => Agent.asTool(agent, { budget: { tokens: -1 } })).toThrow(/budget.tokens/)
  })
})
