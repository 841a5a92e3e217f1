import { describe, expect, it } from "vitest"
import { killRecordings } from "./kills.ts"

describe("a recording of files that is killed at one of its writes", () => {
  it.each(["recorder", "program"] as const)(
    "leaves whole snapshots, an untouched .git, and the next one continues (%s)",
    async (means) => {
      const { wrong, kills, restored, lastChanges } = await killRecordings(means, 2)
      expect(wrong).toEqual([])
      expect(kills).toBe(2)
      expect(restored).toBeGreaterThan(0)
      expect(lastChanges).toBeGreaterThan(0)
    },
  )
})
