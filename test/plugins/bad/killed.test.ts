import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { sayWhichTiers, tiers } from "../tiers.ts"
import { killHost } from "./killed.ts"

sayWhichTiers()

describe.each(tiers)("a host that is killed in the %s tier", (tier) => {
  it("leaves no process of its plugins behind, not even of those that spin", async () => {
    const { processes, left } = await Effect.runPromise(killHost(tier, 4, 2_000))
    expect(processes).toBeGreaterThanOrEqual(4)
    expect(left).toEqual([])
  })
})
