import { describe, expect, it } from "vitest"
import { IdSet, idOf, idsWithin } from "../../src/importing/runs/EventIds.ts"

const UUID_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("ids of what is imported", () => {
  it("are the same for the same parts, and others for others", () => {
    expect(idOf("a", "b")).toBe(idOf("a", "b"))
    expect(idOf("a", "b")).not.toBe(idOf("ab"))
    expect(idOf("a", "b")).toMatch(UUID_8)
    const id = idsWithin("claude-code", "session")
    expect(id("1")).toBe(idsWithin("claude-code", "session")("1"))
    expect(id("1")).toMatch(UUID_8)
    expect(id("1")).not.toBe(id("2"))
  })

  it("begin alike where they are of one whole, and otherwise where they are not", () => {
    const begin = (id: string) => id.slice(0, 13)
    const id = idsWithin("claude-code", "session")
    expect(begin(id("1"))).toBe(begin(id("2")))
    expect(begin(id("1"))).not.toBe(begin(idsWithin("claude-code", "other")("1")))
    expect(begin(id("1"))).not.toBe(begin(idsWithin("codex", "session")("1")))
  })

  it("are told apart by a set, also the 200,000 of one run", () => {
    const set = new IdSet()
    const id = idsWithin("claude-code", "session")
    const numbers = Array.from({ length: 200_000 }, (_, number) => String(number))
    expect(numbers.filter((number) => !set.add(id(number)))).toEqual([])
    expect(numbers.filter((number) => !set.has(id(number)))).toEqual([])
    expect(set.add(id("0"))).toBe(false)
    expect(set.has(id("another"))).toBe(false)
  })
})
