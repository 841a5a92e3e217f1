import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkWorld } from "../../../src/testing.ts"
import type { Report } from "../../../src/worlds/conformance/Conformance.ts"
import { walkers } from "../samples/faulty/walkers.ts"
import { checkServed } from "./served.ts"

const DIRECTORY = "test/worlds/samples/faulty"

const failing = ({ findings }: Report) =>
  findings.flatMap((finding) => (finding.status === "failed" ? [`${finding.number} ${finding.name}`] : []))

describe("a world with one mistake fails exactly the check of that mistake", () => {
  it.live("and without one, none", () =>
    Effect.gen(function* () {
      const report = yield* checkServed(DIRECTORY, walkers, {})
      expect(failing(report)).toEqual([])
      const own = report.findings.filter(({ number }) => number > 48)
      expect(own.filter(({ status }) => status !== "passed")).toEqual([])
    }),
  )

  it.live.each<[string, string]>([
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
    ["mask-strict", "54 mask-not-too-strict"],
    ["endless", "55 episodes-end"],
    ["field-lost", "51 restore-continues"],
    ["restored-to-zero", "51 restore-continues"],
    ["observing-tires", "52 observation-without-effect"],
    ["refused-tires", "53 refusal-without-effect"],
  ])("%s: %s", ([wrong, check]) =>
    Effect.gen(function* () {
      expect(failing(yield* checkServed(DIRECTORY, walkers, { wrong }))).toEqual([check])
    }),
  )

  it.each([
    ["", []],
    ["omitted", ["38 results-for-live-agents"]],
    ["field-lost", ["51 restore-continues"]],
  ])("in its process, too: %s", { timeout: 120_000 }, async (wrong, checks) => {
    const report = await checkWorld(DIRECTORY, { consent: "flags", seeds: [1], options: { wrong } })
    expect(failing(report)).toEqual(checks)
  })
})
