import { Effect, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import * as ProgressLine from "../../src/cli/terminal/ProgressLine.ts"

const seen = { verb: "read", unit: "events", done: 412_000, of: 1_000_000, since: 0, elapsedMs: 4_000 }

describe("a progress line", () => {
  it("shows a bar, what is done, how fast, and how long it still takes", () => {
    expect(ProgressLine.line(seen, 120)).toBe(
      "████████░░░░░░░░░░░░ read 412,000 of 1,000,000 events (41 %) · 103,000/s · 6 s left",
    )
    expect(ProgressLine.line({ ...seen, of: undefined }, 120)).toBe("read 412,000 events · 103,000/s")
    expect(ProgressLine.line({ ...seen, elapsedMs: 10 }, 120)).toMatch(/\(41 %\)$/)
    expect(ProgressLine.line({ ...seen, since: 411_990 }, 120)).toContain("· 2.5/s · 65 h 20 min left")
  })

  it("is shorter than the terminal is wide", () => {
    for (const columns of [1, 20, 80]) expect([...ProgressLine.line(seen, columns)].length).toBeLessThan(columns)
  })

  const shown = (json: boolean, isTTY: boolean) => {
    const written: Array<string> = []
    const terminal = { isTTY, columns: 80, write: (text: string) => written.push(text) }
    const work = ProgressLine.during(
      { verb: "read", unit: "events", json },
      (onProgress) =>
        Effect.gen(function* () {
          for (let done = 0; done <= 100; done++) {
            yield* onProgress(done, 100)
            yield* TestClock.adjust("10 millis")
          }
          return "done"
        }),
      terminal,
    )
    return Effect.runPromise(Effect.provide(work, TestContext.TestContext)).then((answer) => ({ answer, written }))
  }

  it("is written ten times a second at most, and wiped away at the end", async () => {
    const { answer, written } = await shown(false, true)
    expect(answer).toBe("done")
    expect(written.length).toBeLessThanOrEqual(13)
    expect(written.at(-2)).toContain("100 of 100 events (100 %)")
    expect(written.at(-1)).toBe("\r\u001b[2K")
  })

  it("is not written where nobody looks, nor beside JSON", async () => {
    expect((await shown(false, false)).written).toEqual([])
    expect((await shown(true, true)).written).toEqual([])
  })
})
