import { describe, expect, it } from "vitest"
import * as RecentResults from "../../../src/kernel/acting/policies/RecentResults.ts"

const repeated = { actuator: "desk/look", argsDigest: "d", digest: "one" }
const result = { commandId: "c", result: "seen" }
const at = (wall: number, monotonic = wall): RecentResults.Moment => ({ wall, monotonic })

describe("recent results", () => {
  it("are of the same version of a plugin", () => {
    const results = RecentResults.make()
    results.add(repeated, result, at(0), 100)
    expect(results.find(repeated, at(1), 100)).toMatchObject(result)
    expect(results.find({ ...repeated, digest: "two" }, at(1), 100)).toBeUndefined()
    expect(results.find({ ...repeated, agentId: "ada" }, at(1), 100)).toBeUndefined()
  })

  it("age while the wall clock is set back, and while the monotonic clock stands still", () => {
    const results = RecentResults.make()
    results.add(repeated, result, at(1_000, 0), 100)
    expect(results.find(repeated, at(0, 100), 100)).toMatchObject(result)
    expect(results.find(repeated, at(0, 101), 100)).toBeUndefined()
    expect(results.find(repeated, at(1_101, 0), 100)).toBeUndefined()
  })

  it("are bounded in their size together: the oldest go first", () => {
    const results = RecentResults.make()
    const of = (index: number) => ({ ...repeated, argsDigest: String(index) })
    const megabyte = "x".repeat(1_000_000)
    for (let index = 0; index < 20; index++) results.add(of(index), { commandId: "c", result: megabyte }, at(0), 100)
    const kept = Array.from({ length: 20 }, (_, index) => results.find(of(index), at(0), 100) !== undefined)
    expect(kept).toEqual([...Array(5).fill(false), ...Array(15).fill(true)])
    // One that is too large alone is not kept, and takes no room of others.
    results.add(of(20), { commandId: "c", result: "x".repeat(16_000_001) }, at(0), 100)
    expect([19, 20].map((index) => results.find(of(index), at(0), 100) !== undefined)).toEqual([true, false])
  })

  it("that are over make room first", () => {
    const results = RecentResults.make()
    const of = (index: number) => ({ ...repeated, argsDigest: String(index) })
    const large = { commandId: "c", result: "x".repeat(7_000_000) }
    results.add(of(0), large, at(0), 1_000)
    results.add(of(1), large, at(1), 100)
    results.add(of(2), large, at(500), 1_000)
    expect([0, 1, 2].map((index) => results.find(of(index), at(500), 1_000) !== undefined)).toEqual([true, false, true])
  })
})
