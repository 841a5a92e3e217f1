import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { roundsWhoseKernelsDie } from "./rounds.ts"

describe("a round of several agents, wherever its kernel dies", () => {
  it.scopedLive(
    "is dispatched in one commit and ends in one, and its world takes it once: before each append",
    () =>
      Effect.gen(function* () {
        const places = yield* roundsWhoseKernelsDie(false)
        expect(places.some((types) => types.includes("CommandDispatched"))).toBe(true)
        expect(places.some((types) => types.includes("CommandSucceeded"))).toBe(true)
      }),
    { timeout: 120_000 },
  )

  it.scopedLive(
    "is dispatched in one commit and ends in one, and its world takes it once: after each append",
    () =>
      Effect.gen(function* () {
        const places = yield* roundsWhoseKernelsDie(true)
        expect(places.some((types) => types.includes("CommandDispatched"))).toBe(true)
        expect(places.some((types) => types.includes("CommandSucceeded"))).toBe(true)
      }),
    { timeout: 120_000 },
  )
})
