import { describe, expect, it } from "vitest"
import { killRecordings } from "../cli/files/kills.ts"

const KILLS = 30

describe("recordings of files, killed at moments spread over all of their writes", () => {
  it.each(["recorder", "program"] as const)(
    "leave whole snapshots, an untouched .git, and the next one continues (%s)",
    async (means) => {
      const { wrong, kills, writes, restored, lastChanges } = await killRecordings(means, KILLS)
      console.log(`${means}: ${kills} kills at one of ${writes} writes; ${restored} snapshots restored whole.`)
      expect(wrong).toEqual([])
      // Some end before the write: how many a recording has varies a little.
      expect(kills).toBeGreaterThanOrEqual(0.9 * KILLS)
      expect(restored).toBeGreaterThan(KILLS)
      expect(lastChanges).toBeGreaterThan(0)
    },
    900_000,
  )
})
