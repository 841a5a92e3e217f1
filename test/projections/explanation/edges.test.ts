import { describe, expect, it } from "vitest"
import { story } from "./courses.ts"

const price = (price: number) => ({ sku: "sku-77", price })

describe("sources that disagree", () => {
  it("may be two results of one command: only a sensor's readings change by themselves", () => {
    const { step, of } = story()
    step("a/look", { q: "x" }, { result: price(12) })
    step("a/look", { q: "x" }, { result: price(13) })
    expect(of("sources disagree")).toMatchObject([{ at: 2 }])
  })

  it("disagree if the change came before both, ended after the second, or was the second itself", () => {
    const early = story()
    early.step("shop/set", { sku: "sku-77" })
    early.step("a/look", { q: "x" }, { result: price(12) })
    early.step("b/look", { q: "x" }, { result: price(13) })
    expect(early.of("sources disagree")).toHaveLength(1)
    const late = story()
    late.step("a/look", { q: "x" }, { result: price(12) })
    const change = late.begin("shop/set", { sku: "sku-77" })
    late.step("b/look", { q: "x" }, { result: price(13) })
    late.end(change, { result: "done" })
    expect(late.of("sources disagree")).toHaveLength(1)
    const itself = story()
    itself.step("a/look", { q: "x" }, { result: price(12) })
    itself.step("b/look", { sku: "sku-77" }, { result: price(13) })
    expect(itself.of("sources disagree")).toHaveLength(1)
  })

  it("name a later use if none was before the second", () => {
    const { step, of } = story()
    step("a/look", { q: "x" }, { result: { ...price(12), note: "only-9" } })
    step("b/look", { q: "x" }, { result: price(13) })
    step("shop/buy", { note: "only-9" })
    expect(of("sources disagree")[0]?.says).toMatch(/shop\/buy .* @5 used the first\.$/)
  })
})

describe("a stale read", () => {
  it("is none if the read itself was repeated by others", () => {
    const { step, of } = story()
    step("shop/look", { q: "x" }, { result: { sku: "sku-77" } })
    step("shop/look", { sku: "sku-77" }, { result: "x" }, "bob")
    step("shop/buy", { sku: "sku-77" })
    expect(of("stale read")).toEqual([])
  })
})

describe("a command after an input", () => {
  it("is not one after a reading or a result that says the same", () => {
    const { reading, step, of } = story()
    reading("shop/state", "sku-77")
    step("shop/buy", { sku: "sku-77" }, { result: "sku-77" })
    step("shop/buy", { sku: "sku-77" })
    expect(of("after an input")).toEqual([])
  })
})

describe("the flow of values", () => {
  it("is none from the goal, which nobody read", () => {
    const { goal, step, flow } = story()
    goal("use token-1")
    step("b/use", { id: "token-1" })
    expect(flow().usersOf(1)).toEqual([])
  })

  it("searches no source before the newest hundred", () => {
    const { reading, step, flow } = story()
    reading("s", "token-1")
    for (let index = 0; index < 100; index++) reading("s", "other")
    step("b/use", { id: "token-1" })
    expect(flow().usersOf(1)).toEqual([])
  })

  it("goes through the results of commands that ran at the same time", () => {
    const { begin, end, step, flow } = story()
    const one = begin("a/get", { q: "token-2" })
    step("b/get", { q: "token-1" }, { result: "token-2" })
    end(one, { result: "token-1" })
    step("a/again", { q: "token-1" }, { result: "token-1" })
    const last = step("c/use", { id: "token-1", other: "token-2" })
    expect([1, 2, last].map(flow(last + 1).isUsed)).toEqual([true, true, true])
  })
})
