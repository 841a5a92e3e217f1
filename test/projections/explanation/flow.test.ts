import { describe, expect, it } from "vitest"
import { story } from "./courses.ts"

describe("the course of a task", () => {
  it("has each command with its end, and what told the agents something", () => {
    const { add, goal, input, reading, step, begin, end, course } = story()
    goal("Do it")
    input("now")
    reading("shop/state", 1)
    step("shop/buy", { sku: "a" }, { result: "done", latencyMs: 5 })
    step("shop/sell", {}, { error: ["E", "no"] })
    step("shop/steal", {}, { denied: ["law", "never"] })
    end(begin("shop/lose", {}), { unknown: true })
    begin("shop/open", {})
    add("IoAnswered", { io: "clock", result: 7 })
    add("GuideApplied", { systemPrompt: "Be good" })
    add("GuideApplied", {})
    add("EnvironmentChanged", { changes: [] })
    add("TaskClosed", { outcome: "failed" })
    const { steps, sources, changes, closed, troubles } = course()
    expect(steps.map(({ actuator, at, end }) => [actuator, at, end])).toEqual([
      ["shop/buy", 4, { kind: "succeeded", at: 5, result: "done", ms: 5 }],
      ["shop/sell", 6, { kind: "failed", at: 7, code: "E", message: "no" }],
      ["shop/steal", 8, { kind: "denied", at: 9, rule: "law", reason: "never" }],
      ["shop/lose", 10, { kind: "unknown", at: 11 }],
      ["shop/open", 12, null],
    ])
    expect(steps[0]).toMatchObject({ by: "ada", taskId: "t", args: { sku: "a" } })
    expect(sources.map(({ at, from, value, step }) => [at, from, value, step?.at ?? null])).toEqual([
      [1, "goal", "Do it", null],
      [2, "input", "now", null],
      [3, "shop/state", 1, null],
      [5, "shop/buy", "done", 4],
      [7, "shop/sell", "no", 6],
      [13, "clock", 7, null],
      [14, "guide", "Be good", null],
      [15, "guide", null, null],
    ])
    expect(changes.map(({ at }) => at)).toEqual([16])
    expect(closed?.position).toBe(17)
    expect(troubles.map(({ at, type }) => [at, type])).toEqual([[11, "CommandOutcomeUnknown"]])
  })

  it("names the actor where no agent asked, and skips the ends of commands that it did not see", () => {
    const { add, end, course } = story()
    for (const how of [{ result: "x" }, { error: ["E", "no"] }, { denied: ["r", ""] }, { unknown: true }] as const)
      end("elsewhere", how)
    add("ActuatorCommanded", { commandId: "c", actuator: "shop/buy", args: {} })
    const { steps, sources, closed } = course()
    expect(steps).toMatchObject([{ by: "agent", at: 5, end: null }])
    expect([sources, closed]).toEqual([[], null])
  })
})

describe("the flow of values", () => {
  it("goes from results to commands, and the newest source of a value counts", () => {
    const { goal, reading, step, course, flow } = story()
    goal("use token-1")
    reading("s", "token-1")
    const first = step("a/get", { q: "token-1" }, { result: { id: "token-1" } })
    const last = step("b/use", { id: "token-1" })
    const { usesOf, usersOf } = flow()
    const { steps } = course()
    const own = flow()
    expect([usesOf, own.usersOf(first + 1).map(({ at }) => at)]).toEqual([usesOf, [last]])
    expect(usersOf(2).map(({ at }) => at)).toEqual([first])
    expect(usersOf(1)).toEqual([])
    expect(usesOf(steps[0] ?? never())).toEqual([])
  })

  it("says what a failure depends on, through several commands", () => {
    const { reading, step, flow } = story()
    reading("s", "seed-1")
    const one = step("a/get", { q: "seed-1" }, { result: "token-2" })
    const other = step("a/other", { q: "word" }, { result: "unused-3" })
    const last = step("b/use", { id: "token-2" }, { error: ["E", "no"] })
    const { isUsed, isSymptom } = flow(last + 1)
    expect([1, one, one + 1, last, last + 1].map(isUsed)).toEqual([true, true, true, true, true])
    expect([other, other + 1, 99].map(isUsed)).toEqual([false, false, false])
    expect([last, one].map(isSymptom)).toEqual([true, false])
    expect([1, one, last].map(flow().isUsed)).toEqual([false, false, false])
  })

  it("knows the identifiers that were told before a position, also those in texts", () => {
    const { goal, step, flow } = story()
    goal("Cancel order-1, then (order-2)")
    step("a/get", {}, { result: { id: "key-3" } })
    const { toldBefore, isTold } = flow()
    expect(toldBefore(1)).toEqual([])
    expect(toldBefore(2)).toEqual(["order-1", "order-2"])
    expect(toldBefore(9)).toEqual(["order-1", "order-2", "key-3"])
    expect([isTold("KEY-3", 3), isTold("KEY-3", 4)]).toEqual([false, true])
  })

  it("searches the newest hundred sources", () => {
    const { reading, step, flow } = story()
    reading("s", "token-1")
    for (let index = 0; index < 99; index++) reading("s", "other")
    step("b/use", { id: "token-1" })
    expect(flow().usersOf(1)).toHaveLength(1)
    reading("s", "other")
    step("b/use", { id: "token-1" })
    expect(flow().usersOf(1)).toHaveLength(1)
  })

  it("reads at most four million characters", () => {
    const { reading, step, flow } = story()
    reading("s", `token-1 ${"x".repeat(4_100_000)}`)
    reading("s", "x".repeat(4_100_000))
    step("b/use", { id: "token-1" })
    expect(flow().usersOf(1)).toEqual([])
  })
})

const never = (): never => {
  throw new Error("expected a step")
}
