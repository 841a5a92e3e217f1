import { it } from "@effect/vitest"
import { Effect } from "effect"
import { afterEach, describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import * as EventSummary from "../../src/projections/summary/EventSummary.ts"
import { about, seen } from "../kernel/given.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { call, eventsOf, failed, model, text, turn, typesOf } from "./given.ts"

const HOUR_MS = 3_600_000
const wallClock = Date.now

afterEach(() => {
  Date.now = wallClock
})

const tools = { look: Tool.make({ description: "looks", risk: "none", run: () => "seen" }) }

/** A model whose first turn sets the clock, and whose turns take some milliseconds. */
const settingTheClock = (byMs: number, turns: number) =>
  model([
    ...Array.from({ length: turns }, (_, number) => () => {
      if (number === 0) Date.now = () => wallClock() + byMs
      return Effect.delay(Effect.succeed(turn([call(`c${number}`, "program__look")])), "10 millis")
    }),
    [text("Done.")],
  ]).model

const outcomeOf = (byMs: number, turns: number, wallMs: number) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel({ tools })).start
    const agent = fromModel({ model: settingTheClock(byMs, turns), budget: { wallMs } })
    return (yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "look" })))).outcome
  })

describe("a budget of time", () => {
  it.scopedLive("is not used up by a clock that is set forward", () =>
    Effect.map(outcomeOf(5 * HOUR_MS, 2, 60_000), (outcome) => expect(outcome).toBe("achieved")),
  )

  it.scopedLive("ends although the clock is set back", () =>
    Effect.map(outcomeOf(-HOUR_MS, 200, 500), (outcome) => expect(outcome).toBe("truncated")),
  )

  it.scopedLive("ends a running tool, whose signal aborts, and is replayed", () =>
    Effect.gen(function* () {
      let aborted = false
      const never = Tool.make({
        description: "waits",
        risk: "none",
        run: (_, { signal }) =>
          new Promise(() => {
            signal.addEventListener("abort", () => {
              aborted = true
            })
          }),
      })
      const { run } = yield* (yield* testKernel({ tools: { never } })).start
      const agentOf = (turns: Parameters<typeof model>[0]) =>
        fromModel({ model: model(turns).model, budget: { wallMs: 400 } })
      const agent = agentOf([[call("a", "program__never")], [text("Done.")]])
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "wait", id: "t" })))
      expect([audit.outcome, aborted]).toEqual(["truncated", true])
      const events = yield* run(eventsOf("t"))
      expect(events.find(({ type }) => type === "CommandFailed")?.payload.error).toMatchObject({
        code: "Interrupted",
        message: expect.stringContaining("whether it took effect is not known"),
      })
      expect(typesOf(events)).toContain("BudgetExceeded")
      const replayed = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay("t", agentOf([]))))
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("ends a question that waits for a person, whose command is not executed", () =>
    Effect.gen(function* () {
      const gate = { default: "confirm", confirmWithinMs: 60_000 } as const
      const { run } = yield* (yield* testKernel({ tools, gate })).start
      const scripted = model([[call("a", "program__look")], [text("Done.")]])
      const agent = fromModel({ model: scripted.model, budget: { wallMs: 400 } })
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "ask", id: "t" })))
      expect(audit.outcome).toBe("truncated")
      const denied = (yield* run(eventsOf("t"))).find(({ type }) => type === "CommandDenied")
      expect(denied?.payload).toMatchObject({ rule: "interrupted", reason: expect.stringContaining("not executed") })
    }),
  )
})

describe("an interrupting input", () => {
  it.scopedLive("stops the running tool, and the agent hears it in its next turn", () =>
    Effect.gen(function* () {
      const said = { type: "InputReceived", payload: { source: "chat", content: "Stop!", delivery: "interrupting" } }
      const tools = {
        never: Tool.make({
          description: "waits until somebody interrupts",
          risk: "low",
          run: () =>
            Effect.zipRight(
              Effect.flatMap(EventLog, (log) =>
                log.append({ stream: "task/t", taskId: "t", actor: "chat", events: [said as never] }),
              ),
              Effect.never,
            ),
        }),
        after: Tool.make({ description: "comes later", risk: "low", run: () => "ran" }),
      }
      const { run } = yield* (yield* testKernel({ tools: tools as never })).start
      const scripted = model([[call("a", "program__never"), call("b", "program__after")], [text("Stopped.")]])
      const agent = fromModel({ model: scripted.model })
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "wait", id: "t" })))
      const told = JSON.stringify(scripted.requests[1]?.messages)
      expect(told).toContain("an input interrupted it; whether it took effect is not known")
      expect(told).toContain("not executed: an input interrupted it before its turn")
      expect(told).toContain("Stop!")
    }),
  )
})

describe("a budget of time across kernels", () => {
  /** A model whose first turn calls a tool, and whose second never answers. */
  const stalling = () =>
    model([() => Effect.delay(Effect.succeed(turn([call("a", "program__look")])), "300 millis"), () => Effect.never])
      .model

  /** The task is worked on for 300 ms, its kernel ends, the clock is set, and the next one goes on with a budget. */
  const resumed = (byMs: number, wallMs: number) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const kernel = Effect.flatMap(testKernel({ directory, tools, onOpenTasks: "resume" }), ({ start }) => start)
      yield* Effect.gen(function* () {
        const { run } = yield* kernel
        const agent = fromModel({ model: stalling(), budget: { wallMs: 60_000 } })
        const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "look", id: "t" })))
        yield* Effect.forkDaemon(Effect.exit(working))
        yield* run(seen(about("ModelCalled"), 2))
      }).pipe(Effect.scoped)
      Date.now = () => wallClock() + byMs
      const { run } = yield* kernel
      const scripted = model([[text("Done.")]])
      const agent = fromModel({ model: scripted.model, budget: { wallMs } })
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.resume("t", agent)))
      return { audit, events: yield* run(eventsOf("t")), asked: scripted.requests.length }
    })

  it.scopedLive("counts what was used before, although the clock was set back meanwhile", () =>
    Effect.gen(function* () {
      const { audit, events, asked } = yield* resumed(-HOUR_MS, 250)
      expect([audit.outcome, asked]).toEqual(["truncated", 0])
      expect(audit.durationMs).toBeGreaterThanOrEqual(0)
      const [first, second] = events.filter(({ type }) => type === "ModelCalled").map(({ payload }) => payload.workedMs)
      expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(299)
      expect(events.find(({ type }) => type === "BudgetExceeded")?.payload).toMatchObject({ budget: "wallMs" })
    }),
  )

  it.scopedLive("does not count how far a clock was set forward meanwhile", () =>
    Effect.map(resumed(5 * HOUR_MS, 60_000), ({ audit, asked }) =>
      expect([audit.outcome, asked]).toEqual(["achieved", 1]),
    ),
  )

  it.scopedLive("ends a question that an earlier kernel asked, whose command is not executed", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const gate = { default: "confirm", confirmWithinMs: 60_000 } as const
      const kernel = Effect.flatMap(testKernel({ directory, tools, gate, onOpenTasks: "resume" }), ({ start }) => start)
      const agentOf = (wallMs: number) =>
        fromModel({ model: model([[call("a", "program__look")], [text("Done.")]]).model, budget: { wallMs } })
      yield* Effect.gen(function* () {
        const { run } = yield* kernel
        const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agentOf(60_000), { goal: "ask", id: "t" })))
        yield* Effect.forkDaemon(Effect.exit(working))
        yield* run(seen(about("ConfirmationRequested")))
      }).pipe(Effect.scoped)
      const { run } = yield* kernel
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.resume("t", agentOf(1_000))))
      expect(audit.outcome).toBe("truncated")
      const events = yield* run(eventsOf("t"))
      expect(events.find(({ type }) => type === "CommandDenied")?.payload).toMatchObject({ rule: "interrupted" })
      expect(typesOf(events).filter((type) => type === "ActuatorCommanded")).toHaveLength(1)
    }),
  )
})

describe("the duration of a task", () => {
  /** The task's audit and events, of an agent whose first turn sets the clock and whose turns take 10 ms each. */
  const lived = (byMs: number) =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ tools })).start
      const agent = fromModel({ model: settingTheClock(byMs, 2) })
      const startedAt = performance.now()
      const audit = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "look", id: "t" })))
      const passedMs = performance.now() - startedAt
      const replayed = yield* run(
        Effect.flatMap(Kernel, ({ replay }) => replay("t", fromModel({ model: model([]).model }))),
      )
      return { audit, passedMs, replayed, events: yield* run(eventsOf("t")) }
    })

  it.scopedLive.each([5 * HOUR_MS, -HOUR_MS, 5_000])(
    "is the time that passed where the clock is set by %d ms",
    (byMs) =>
      Effect.gen(function* () {
        const { audit, passedMs, replayed, events } = yield* lived(byMs)
        expect(audit.durationMs).toBeGreaterThanOrEqual(19)
        expect(audit.durationMs).toBeLessThanOrEqual(Math.ceil(passedMs) + 2)
        const changes = events.filter(({ type }) => type === "ClockChanged")
        expect(changes).toHaveLength(1)
        expect(Math.abs(Number(changes[0]?.payload.byMs) - byMs)).toBeLessThan(100)
        expect(EventSummary.of(changes[0] as Event)).toMatch(byMs < 0 ? /^set back by/ : /^set forward by/)
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      }),
  )

  it.scopedLive("has no change of the clock on record where there was none", () =>
    Effect.map(lived(0), ({ events }) => expect(typesOf(events)).not.toContain("ClockChanged")),
  )
})

describe("a wait before a model is asked again", () => {
  it.scopedLive("is recorded with the failure, and a replay follows it", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const agent = fromModel({
        model: model([failed("rate-limited", "too many", 2), failed("overloaded", "busy", 3), [text("Done.")]]).model,
        budget: { wallMs: 60_000 },
      })
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "ask", id: "t" })))
      const failures = (yield* run(eventsOf("t"))).filter(({ type }) => type === "ModelFailed")
      expect(failures.map(({ payload }) => payload.retryInMs)).toEqual([2, 3])
      expect(EventSummary.of(failures[0] as Event)).toBe("waits 1 s: rate-limited: too many")
      const replayed = yield* run(Effect.flatMap(Kernel, ({ replay }) => replay("t", agent)))
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("that is longer than the budget lasts is not begun: the task fails and says so", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel()).start
      const scripted = model([failed("rate-limited", "too many", HOUR_MS)])
      const agent = fromModel({ model: scripted.model, budget: { wallMs: 60_000 } })
      yield* Effect.exit(run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "ask", id: "t" }))))
      const events = yield* run(eventsOf("t"))
      expect(events.find(({ type }) => type === "ModelFailed")?.payload).not.toHaveProperty("retryInMs")
      expect(events.find(({ type }) => type === "TaskClosed")?.payload).toMatchObject({
        outcome: "failed",
        reason: expect.stringContaining("it would have to wait 10 min 0 s, which is longer than its budget of time"),
      })
      expect(scripted.requests).toHaveLength(1)
    }),
  )
})
