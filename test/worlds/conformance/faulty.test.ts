import { describe, expect, it } from "vitest"
import { checkWorld } from "../../../src/testing.ts"

/** The world with the mistakes, in its process. */
const failing = async (wrong: string) => {
  const { findings } = await checkWorld("test/worlds/samples/faulty", {
    ...{ consent: "flags", seeds: [1], options: { wrong } },
  })
  return findings.flatMap((finding) => (finding.status === "failed" ? [`${finding.number} ${finding.name}`] : []))
}

describe("a world with one mistake fails exactly the check of that mistake", () => {
  it("and without one, none", { timeout: 60_000 }, async () => {
    expect(await failing("")).toEqual([])
  })

  it.each([
    ["no-reward", "20 step-answered"],
    ["surprise", "20 step-answered"],
    ["reward-nan", "23 reward-finite"],
    ["reward-null", "23 reward-finite"],
    ["term-number", "24 flags-boolean"],
    ["info-list", "49 step-info-is-an-object"],
    ["stranger", "38 results-for-live-agents"],
    ["omitted", "38 results-for-live-agents"],
    ["reversed", "50 results-in-order"],
    ["mask-short", "43 masks-respected"],
    ["mask-lies", "43 masks-respected"],
  ])("%s: %s", { timeout: 60_000 }, async (wrong, check) => {
    expect(await failing(wrong)).toEqual([check])
  })
})
