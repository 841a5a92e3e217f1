import { it } from "@effect/vitest"
import { Effect } from "effect"
import { afterEach, describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, eventsOf, model, text, turn, typesOf } from "./given.ts"

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
