import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { forkedEverywhere } from "../../kernel/forkedEverywhere.ts"
import { groupOf, inKernel, runGroup, stepping, TASK } from "./given.ts"

describe("a group that is forked at each of its events", () => {
  it.scopedLive("takes each step once, also where one of a round was denied before the others were taken", () =>
    Effect.gen(function* () {
      const group = () =>
        groupOf({ ada: stepping(({ step }) => (step === 0 ? 9 : 1)), bob: stepping(() => 1) }, { maxRounds: 2 })
      const { forked } = yield* inKernel(
        Effect.gen(function* () {
          yield* runGroup(group())
          return yield* forkedEverywhere(TASK, group)
        }),
      )
      for (const type of ["ActuatorCommanded", "CommandDenied", "CommandAllowed"]) expect(forked).toContain(type)
    }),
  )
})
