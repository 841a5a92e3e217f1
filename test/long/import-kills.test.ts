import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { killFollowing, killImports } from "../importing/kills.ts"
import { temporaryDirectory } from "../temporary.ts"

describe("an import that is killed again and again", () => {
  it.scopedLive("is completed by the next, with no event missing or twice, and every score set whole", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { kills, events, expected, verified, again } = yield* Effect.promise(() => killImports(directory, 40))
      expect(kills).toBeGreaterThan(0)
      expect([...events].sort()).toEqual([...expected].sort())
      expect(verified).toContain("Intact")
      expect(again).toContain("Nothing was imported.")
    }),
  )

  it.scopedLive("while it follows growing sessions is completed by the next, with no event missing or twice", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { kills, events, expected, verified } = yield* Effect.promise(() => killFollowing(directory, 20))
      expect(kills).toBe(20)
      expect([...events].sort()).toEqual([...expected].sort())
      expect(verified).toContain("Intact")
    }),
  )
})
