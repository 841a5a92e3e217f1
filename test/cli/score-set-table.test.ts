import { describe, expect, it } from "vitest"
import * as CommandHints from "../../src/cli/command/CommandHints.ts"
import * as RescoringPage from "../../src/cli/pages/scores/RescoringPage.ts"
import * as ScoreSetPage from "../../src/cli/pages/scores/ScoreSetPage.ts"
import * as ScoreSetTable from "../../src/cli/pages/scores/ScoreSetTable.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import { percent, size } from "../../src/cli/terminal/Text.ts"

const set = (n: number, more: Partial<ScoreSetTable.ScoreSetRow> = {}): ScoreSetTable.ScoreSetRow => ({
  scoreSetId: `set-${n}`,
  label: "live",
  rubric: "plugins",
  rubricDigest: "0".repeat(64),
  critic: "rule@4",
  stale: [],
  range: { from: 1, to: n },
  tasks: 1,
  finished: true,
  startedAt: n,
  by: "kernel",
  pointers: [],
  ...more,
})

const live = [1, 2, 3, 4].map((n) => set(n))
const lines = (sets: ReadonlyArray<ScoreSetTable.ScoreSetRow>, options?: { readonly all: boolean }) =>
  ScoreSetTable.lines(plain, sets, options).slice(1)

const nothing = {
  tasks: 1,
  scored: 0,
  earned: null,
  lost: null,
  net: null,
  histogram: [],
  measures: [],
  unscored: [],
  best: [],
  worst: [],
}

describe("what is suggested about a score set", () => {
  it("can be pasted: the program is called as it was started", () => {
    const unfinished = ScoreSetPage.lines(plain, { ...nothing, scoreSets: [set(7, { finished: false })] }).join("\n")
    expect(unfinished).toContain(`\`${CommandHints.command(["rescore", "--resume", "set-7"])}\` resumes it`)
    const rescored = (against: string | undefined) =>
      RescoringPage.lines(plain, { scoreSetId: "set-7", label: "strict", summary: nothing, against }).join("\n")
    const compare = (with_: string) => `\`${CommandHints.command(["compare", with_, "set-7"])}\` compares it`
    expect(rescored("live")).toContain(compare("live"))
    expect(rescored("set-6")).toContain(compare("set-6"))
    expect(rescored(undefined)).not.toContain("compare")
  })
})

describe("the table of score sets", () => {
  it("puts what many tasks scored when they closed in one line, and says how to see each", () => {
    const [folded, rescored, note, ...rest] = lines([...live, set(9, { label: "strict", tasks: 4 })], { all: false })
    expect(folded).toMatch(/^4 sets +live +4 +@1 to @4 +plugins 00000000 +rule@4/)
    expect(rescored).toMatch(/^set-9 +strict +4 +@9 /)
    expect(note).toContain("--all")
    expect(rest).toEqual([])
  })

  it("puts the returns of many tasks in a line of their own, in the order in which they began", () => {
    const returns = [11, 12, 13, 14].map((n) => set(n, { label: "return", critic: "environment", rubric: "" }))
    const [ofLive, rescored, ofReturn, note] = lines([...returns, set(9, { label: "strict" }), ...live], { all: false })
    expect(ofLive).toMatch(/^4 sets +live /)
    expect(rescored).toMatch(/^set-9 /)
    expect(ofReturn).toMatch(/^4 sets +return +4 +@11 to @14 /)
    expect(note).toMatch(/^live: .+ return: .+--all/)
    const few = lines([set(1), set(2, { label: "return" }), set(3)], { all: false })
    expect(few.map((line) => line.split(" ")[0])).toEqual(["set-1", "set-2", "set-3"])
  })

  it("lists each where all are asked for, and where there are few", () => {
    expect(lines(live, { all: true })).toHaveLength(4)
    expect(lines(live.slice(1), { all: false })).toHaveLength(3)
  })

  it("hides none that stands out: one that a pointer names, that is stale, or not finished", () => {
    const odd = [
      set(5, { pointers: ["official"] }),
      set(6, { stale: ["the measures have changed"] }),
      set(7, { finished: false }),
    ]
    const told = lines([...live, ...odd], { all: false })
    expect(told.slice(0, 4).map((line) => line.split(" ")[0])).toEqual(["4", "set-5", "set-6", "set-7"])
    expect(told[2]).toContain("stale: the measures have changed")
    expect(told[3]).toContain("unfinished")
  })
})

describe("numbers for people", () => {
  it("are rounded to what a person can use", () => {
    expect([percent(2 / 3), percent(-1.2 / 1.8), percent(1)]).toEqual(["66.7 %", "−66.7 %", "100 %"])
    expect([size(999), size(1000), size(2_873_486)]).toEqual(["999 B", "1.0 kB", "2.9 MB"])
  })
})
