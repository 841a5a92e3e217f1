import { it } from "@effect/vitest"
import { Effect } from "effect"
import { afterEach, describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, model, text, turn } from "./given.ts"

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
})
