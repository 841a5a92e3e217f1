import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { momentsOf, netAt } from "../../../src/studio/page/model/rewards.ts"
import { netsOf, PAGE, pageOf } from "../../../src/studio/page/panes/nets.ts"
import { byMeasure, differs, inWords } from "../../../src/studio/page/panes/verdicts.ts"
import type { VerdictCell, VerdictRow } from "../../../src/studio/wire/Scoring.ts"
import type { RewardRow } from "../../../src/studio/wire/Task.ts"

const reward = (at: number, amount: number, position = at): RewardRow => ({
  position,
  at,
  because: [at],
  kind: amount < 0 ? "punishment" : "reward",
  amount,
  moments: [{ at, amount }],
  measure: "m",
  name: "n",
  rationale: null,
})

const rewards = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: -9, max: 9 })), { maxLength: 200 })
  .map((given) => given.map(([at, amount]) => reward(at, amount)).sort((a, b) => a.at - b.at))

describe("nets along a course", () => {
  it("are, at each position, the sum of all that was given until there", () => {
    fc.assert(
      fc.property(rewards, fc.integer({ min: 0, max: 501 }), (given, position) => {
        const moments = momentsOf(given)
        expect(netsOf(moments)(position)).toBe(netAt(moments, position))
      }),
    )
  })
})

describe("a page of rewards", () => {
  it("has the last reward that is not after the position, and all pages together have each reward once", () => {
    fc.assert(
      fc.property(rewards, fc.integer({ min: 0, max: 501 }), (given, position) => {
        const here = given.findLast(({ at }) => at <= position)
        const shown = pageOf(given, null, position)
        expect(shown.rows.length).toBeLessThanOrEqual(PAGE)
        if (here !== undefined) expect(shown.rows).toContain(here)
        const all = Array.from({ length: shown.pages }, (_, number) => pageOf(given, number, position).rows).flat()
        expect(all).toEqual(given)
      }),
    )
  })

  it("that does not exist is the nearest one that does", () => {
    const given = Array.from({ length: PAGE + 1 }, (_, at) => reward(at + 1, 1))
    expect(pageOf(given, 9, 1)).toMatchObject({ number: 1, pages: 2 })
    expect(pageOf(given, -1, 1)).toMatchObject({ number: 0, pages: 2 })
    expect(pageOf([], null, 7)).toEqual({ rows: [], number: 0, pages: 1 })
  })
})

const verdict = (given: Partial<VerdictCell> = {}): VerdictCell => ({
  weight: 0.5,
  when: "It burst.",
  rule: null,
  times: 1,
  amount: -0.5,
  because: [7],
  rationale: null,
  unscored: null,
  ...given,
})

const row = (...verdicts: ReadonlyArray<VerdictCell | null>): VerdictRow => ({
  measure: "boiler/safe",
  name: "burst",
  kind: "punishment",
  verdicts,
})

describe("verdicts beside each other", () => {
  it("differ in what they came to, not in the words of their rules", () => {
    expect(differs(row(verdict(), verdict({ when: "Otherwise.", because: [9] })))).toBe(false)
    expect(differs(row(verdict(), verdict({ amount: -1 })))).toBe(true)
    expect(differs(row(verdict(), verdict({ times: 2 })))).toBe(true)
    expect(differs(row(verdict({ times: 0, amount: 0 }), verdict({ times: 0, amount: 0, unscored: "no" })))).toBe(true)
    expect(differs(row(verdict(), null))).toBe(true)
    expect(differs(row(null, null))).toBe(false)
  })

  it("stand by their measures, each once", () => {
    const rows = ["a", "b", "a"].map((measure, index) => ({ ...row(verdict()), measure, name: `${index}` }))
    expect([...byMeasure(rows)].map(([measure, own]) => [measure, own.map(({ name }) => name)])).toEqual([
      ["a", ["0", "2"]],
      ["b", ["1"]],
    ])
  })

  it("are said in words", () => {
    expect(inWords(null)).toBe("not in its rubric")
    expect(inWords(verdict({ times: 3, rule: "true" }))).toBe("held 3 times\nweight 0.5\nIt burst.\nrule: true")
    expect(inWords(verdict({ times: 0 }))).toContain("did not hold")
    expect(inWords(verdict({ times: 0, unscored: "no model" }))).toContain("undecided: no model")
  })
})
