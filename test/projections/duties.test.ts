import { describe, expect, it } from "vitest"
import { onDuty } from "../../src/projections/queue/Duties.ts"

const runner = (draining = false) => ({
  ...{ runner: "r", version: "1", host: "h", pid: 1, slots: 1, agents: [], labels: [], startedAt: 0 },
  draining,
})

describe("the duties of a log", () => {
  it("are those of the session that began first", () => {
    expect(onDuty({ b: runner(), a: runner() })).toBe("b")
    expect(onDuty({ a: runner() })).toBe("a")
  })

  it("go over while it drains, and to nobody if all do", () => {
    expect(onDuty({ b: runner(true), a: runner() })).toBe("a")
    expect(onDuty({ b: runner(true) })).toBeUndefined()
    expect(onDuty({})).toBeUndefined()
  })
})
