import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { temporaryDirectory } from "../temporary.ts"
import { killFollowing, killImports } from "./kills.ts"

describe("an import that is killed", () => {
  it.scopedLive("is completed by the next, with no event missing or twice, and every score set whole", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { kills, events, expected, verified, again } = yield* Effect.promise(() => killImports(directory, 3))
      expect(kills).toBeGreaterThan(0)
      expect([...events].sort()).toEqual([...expected].sort())
      expect(verified).toContain("Intact")
      expect(again).toContain("Nothing was imported.")
    }),
  )

  it.scopedLive("while it follows growing sessions is completed by the next, with no event missing or twice", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { kills, events, expected, verified } = yield* Effect.promise(() => killFollowing(directory, 3))
      expect(kills).toBe(3)
      expect([...events].sort()).toEqual([...expected].sort())
      expect(verified).toContain("Intact")
    }),
  )
})
