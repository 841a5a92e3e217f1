/** The coverage of the intervals of comparisons, over 2,000 simulated ones of each kind, as `docs/scoring.md` has it. */
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { coverageOf, type Name } from "../projections/comparison/Coverage.ts"

const COMPARISONS = 2_000
const DRAWS = 1_000

const page = fs.readFileSync(new URL("../../docs/scoring.md", import.meta.url), "utf8")

/** The least and greatest coverage of intervals of 20 and 60 pairs, and the greatest share without one. */
const EXPECTED: ReadonlyArray<readonly [Name, { least: number; most: number; refused: number }]> = [
  ["normal", { least: 0.93, most: 0.97, refused: 0.01 }],
  ["exponential", { least: 0.93, most: 0.97, refused: 0.01 }],
  ["lognormal", { least: 0.9, most: 0.97, refused: 0.01 }],
  ["0.9 in one of ten, else −0.1", { least: 0.95, most: 1, refused: 0.5 }],
  ["1 in three of ten, else 0", { least: 0.95, most: 1, refused: 0.02 }],
  ["0 in four of ten, else normal", { least: 0.92, most: 0.97, refused: 0.2 }],
]

const COLUMNS = [10, 20, 60]

describe.each(EXPECTED)("the 95 % interval of %s differences", (name, { least, most, refused }) => {
  const row = page.split("\n").find((line) => line.startsWith(`| ${name} `))
  const cells = (row ?? "").split("|").map((cell) => cell.trim())

  it.each(COLUMNS)("of %d pairs covers their mean as often as it should, and as the page says", (pairs) => {
    const coverage = coverageOf(name, pairs, COMPARISONS, DRAWS)
    const [covered, none] = [coverage.covered / coverage.shown, coverage.refused / COMPARISONS]
    if (pairs >= 20) {
      expect(covered).toBeGreaterThanOrEqual(least)
      expect(covered).toBeLessThanOrEqual(most)
      expect(none).toBeLessThanOrEqual(refused)
    }
    const column = 2 + 2 * COLUMNS.indexOf(pairs)
    expect(cells.slice(column, column + 2)).toEqual([percent(covered), percent(none)])
  })
})

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
