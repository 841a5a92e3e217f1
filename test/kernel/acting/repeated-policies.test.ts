import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as Timelines from "../../../src/events/read/Timelines.ts"
import type * as Agent from "../../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { eventsOf } from "../../agents/given.ts"
import type { Sample } from "../given.ts"
import { testKernel } from "../testKernel.ts"

/** Calls one tool after the other, and ends with the outcomes as its reason. */
const calling = (...calls: ReadonlyArray<readonly [actuator: string, args?: JsonObject]>): Agent.DecidingAgent => {
  const got: Array<unknown> = []
  return {
    name: "caller",
    version: "1",
    decide: ({ step, lastOutcome }) => {
      if (step === 0) got.length = 0
      else got.push(lastOutcome?.status === "succeeded" ? lastOutcome.result : lastOutcome?.status)
      const [actuator, args = {}] = calls[step] ?? []
      return actuator === undefined ? { done: "achieved", reason: JSON.stringify(got) } : { act: actuator, args }
    },
  }
}

const openedAt = (events: ReadonlyArray<{ readonly type: string; readonly position: number }>) =>
  events.find(({ type }) => type === "TaskOpened")?.position ?? 0

/** The events of a fork's own. */
const eventsIn = (timeline: string, at: number) =>
  Effect.gen(function* () {
    const view = Timelines.view(yield* EventLog, yield* Timelines.named(yield* EventLog, timeline))
    return (yield* view.readPage({ timeline, taskId: "t" }, 1_000)).filter(({ position }) => position > at)
  })

describe("a fork on the recording", () => {
  it.scopedLive("gives commands that had an earlier result their recorded outcomes, and those after them theirs", () =>
    Effect.gen(function* () {
      let calls = 0
      const tool = (cacheFor?: number) =>
        Tool.make({
          description: "d",
          risk: "none",
          ...(cacheFor === undefined ? {} : { cacheFor }),
          run: () => ++calls,
        })
      const { run } = yield* (yield* testKernel({ tools: { look: tool(3_600_000), other: tool() } })).start
      const agent = calling(["program/look"], ["program/look"], ["program/other"])
      const forked = yield* run(
        Effect.gen(function* () {
          const { tasks, fork } = yield* Kernel
          yield* tasks.run(agent, { id: "t", goal: "look" })
          const at = openedAt(yield* eventsOf("t"))
          return yield* fork(agent, { task: "t", at, io: "recorded" })
        }),
      )
      expect(forked.audit).toMatchObject({ outcome: "achieved", reason: "[1,1,2]" })
      expect(calls).toBe(2)
    }),
  )

  it.scopedLive("does not retry a command that failed for good", () =>
    Effect.gen(function* () {
      let calls = 0
      const failing = Tool.make({
        description: "d",
        risk: "none",
        idempotent: true,
        retry: { times: 2, waitMs: 0 },
        run: () => {
          calls += 1
          throw new Error("no")
        },
      })
      const { run } = yield* (yield* testKernel({ tools: { failing } })).start
      const agent = calling(["program/failing"])
      const { forked, types } = yield* run(
        Effect.gen(function* () {
          const { tasks, fork } = yield* Kernel
          yield* tasks.run(agent, { id: "t", goal: "fail" })
          const at = openedAt(yield* eventsOf("t"))
          const forked = yield* fork(agent, { task: "t", at, io: "recorded" })
          return { forked, types: (yield* eventsIn(forked.timeline, at)).map(({ type }) => type) }
        }),
      )
      expect(forked.audit).toMatchObject({ outcome: "achieved", reason: '["failed"]' })
      expect(types).toContain("CommandFailed")
      expect(types).not.toContain("CommandAttemptFailed")
      expect(calls).toBe(3)
    }),
  )
})

/** A wall whose painter fails at each second attempt, and whose viewer keeps what it saw. */
const wall: Sample = {
  name: "wall",
  environment: true,
  rewind: ["snapshot", "re-execution"],
  actuators: [
    { name: "paint", risk: "none", idempotent: true, retry: { times: 3, waitMs: 0 } },
    { name: "view", risk: "none", cacheFor: 3_600_000 },
  ],
  entry: `
    let colour = "white", calls = 0
    export default {
      actuators: {
        paint: ({ attempt }, args) => {
          calls += 1
          if (calls % 3 !== 0) throw new Error("no paint at call " + calls + ", attempt " + attempt)
          colour = args.colour
          return colour
        },
        view: () => colour,
      },
      environment: {
        reset: () => { colour = "white"; calls = 0 },
        restore: (ctx, _, state) => { colour = state.colour },
        state: () => ({ colour }),
      },
    }`,
}

describe("a fork that acts", () => {
  it.scopedLive("does not use results of a world that it overrides, or that an earlier fork has overridden", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [wall] })).start
      const agent = calling(["wall/view"], ["wall/view"], ["wall/view"])
      const reasons = yield* run(
        Effect.gen(function* () {
          const { tasks, fork } = yield* Kernel
          yield* tasks.run(agent, { id: "t", goal: "view" })
          const at = (yield* eventsOf("t")).find(({ type }) => type === "CommandSucceeded")?.position ?? 0
          const same = yield* fork(agent, { task: "t", at })
          const blue = yield* fork(agent, { task: "t", at, overrides: { world: { wall: { colour: "blue" } } } })
          const seen = (yield* eventsIn(blue.timeline, at)).filter(({ type }) => type === "CommandSucceeded")
          const again = `${blue.timeline}@${seen[0]?.position}`
          const grand = yield* fork(agent, { task: "t", at: again })
          return [same, blue, grand].map(({ audit }) => audit.reason)
        }),
      )
      expect(reasons).toEqual(['["white","white","white"]', '["white","blue","blue"]', '["white","blue","blue"]'])
    }),
  )

  it.scopedLive("executes each recorded attempt again to restore a world", () =>
    Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ plugins: [wall] })).start
      const agent = calling(["wall/paint", { colour: "red" }], ["wall/view"])
      const forked = yield* run(
        Effect.gen(function* () {
          const { tasks, fork } = yield* Kernel
          yield* tasks.run(agent, { id: "t", goal: "paint" })
          const events = yield* eventsOf("t")
          expect(events.filter(({ type }) => type === "CommandAttemptFailed")).toHaveLength(2)
          const at = events.find(({ type }) => type === "CommandSucceeded")?.position ?? 0
          return yield* fork(agent, { task: "t", at: at + 1, rewind: "re-execution" })
        }),
      )
      expect(forked.worlds).toMatchObject([{ plugin: "wall", checked: { outcomes: 1 } }])
      expect(forked.audit).toMatchObject({ outcome: "achieved", reason: '["red","red"]' })
    }),
  )
})
