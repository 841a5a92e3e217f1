import { describe, expect, it } from "vitest"
import * as Likeness from "./likeness.ts"

/** Whether a page says what was found, by a likeness of its own. */
const isAlike = (page: string, found: string): boolean => {
  const lines = found.split("\n")
  return Likeness.make().asFound(page.split("\n"), lines).join("\n") === found
}

const [OURS, THEIRS] = ["01a1ffd3-2a22-7ef5-a14f-30b3b924ffa2", "0195b2c1-0000-7000-8000-0123456789ab"]

describe("the likeness of a page to what was found", () => {
  it("a page is like what was found where ids, times, hashes, durations, processes and the width of columns differ", () => {
    for (const [page, found] of [
      [`@7  ${OURS}  done`, `@7  ${THEIRS}  done`],
      ["@7  2026-11-21T20:36:31.386Z  a", "@7  2027-01-02T00:00:00.000Z  a"],
      [`hash ${"a".repeat(64)}`, `hash ${"0".repeat(64)}`],
      ["steps 7 in 502 ms", "steps 7 in 1.2 s"],
      ["boiler, process 12", "boiler, process 31337"],
      ["heat      5  4.4   19.3   20.9", "heat      5  104.4  119.3  1,120.9"],
      ["  at   after", "  at      after"],
    ] as const) {
      expect([page, isAlike(page, found)]).toEqual([page, true])
    }
  })

  it("a page is not like what was found where anything else differs", () => {
    for (const [page, found] of [
      ["@7  a", "@8  a"],
      ["net -1.8", "net -1.7"],
      ["a\nb", "a"],
      ["a", "a\nb"],
      ["a\nb", "b\na"],
      ["└─ a", "   └─ a"],
      ["heat  5  4", "heat  5  5"],
      [`@7  ${OURS}`, "@7  none"],
      ["steps 7 in 502 ms", "steps 8 in 502 ms"],
      ["a.b", "axb"],
    ] as const) {
      expect([page, isAlike(page, found)]).toEqual([page, false])
    }
  })

  it("a page's … stands for what was left out, and for nothing else", () => {
    expect(isAlike("a … c", "a b c")).toBe(true)
    expect(isAlike("a … c", "a b d")).toBe(false)
    expect(isAlike("a\n…\nd", "a\nb\nc\nd")).toBe(true)
    expect(isAlike("a\n…\nd\n…", "a\nb\nc\nd\ne")).toBe(true)
    expect(isAlike("a\n…\nd", "a\nb\nc")).toBe(false)
    expect(isAlike("a\n…\nd", "a\nb\nd\ne")).toBe(false)
  })
})

describe("ids and times", () => {
  it("ids and times of the page are those of the run that stood in their place, and the other way round", () => {
    const likeness = Likeness.make()
    likeness.asFound(["id  ", `id  ${OURS}`, "at 2026-11-21T20:36:31Z"], [`id  ${THEIRS}`, "at 2027-01-01T00:00:00Z"])
    expect(likeness.names(`show ${OURS}`)).toBe(true)
    expect(likeness.names("show @7")).toBe(false)
    expect(likeness.inThisRun(`show ${OURS} 2026-11-21T20:36:31Z`)).toBe(`show ${THEIRS} 2027-01-01T00:00:00Z`)
    expect(likeness.inThePage(`shown ${THEIRS}`)).toBe(`shown ${OURS}`)
  })
})
