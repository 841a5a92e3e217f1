/** The coverage of the intervals of comparisons, over 4,000 simulated ones of each kind, as `docs/explanation/statistics.md` has it. */
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import {
  coverageOf,
  DISTRIBUTIONS,
  type Name,
  passCoverageOf,
  passIntervals,
} from "../projections/comparison/Coverage.ts"

const COMPARISONS = 4_000
const DRAWS = 1_000

/** An interval that is shown covers the mean at least so often; and at most so many comparisons wrongly exclude 0. */
const [LEAST_COVERED, MOST_WRONG] = [0.93, 0.06]

/** In milliseconds, on a machine that does much else. */
const SLOW = 600_000

const COLUMNS = [10, 20, 60, 200]

const page = fs.readFileSync(new URL("../../docs/explanation/statistics.md", import.meta.url), "utf8")
const cellsOf = (name: string): ReadonlyArray<string> => {
  const row = page.split("\n").find((line) => line.startsWith(`| ${name} `))
  return (row ?? "").split("|").map((cell) => cell.trim())
}
const cellOf = (name: string, pairs: number) => cellsOf(name)[2 + COLUMNS.indexOf(pairs)]

const percent = (share: number): string => (100 * share).toFixed(1)

const names = Object.keys(DISTRIBUTIONS).filter((name): name is Name => name in DISTRIBUTIONS)

describe.each(names)("the 95 %% interval of differences: %s", (name) => {
  it.each(COLUMNS)(
    "of %d pairs covers their mean as often as it should, and as the page says",
    async (pairs) => {
      const { shown, covered, wrong } = await coverageOf(name, pairs, COMPARISONS, DRAWS)
      expect(wrong).toBeLessThanOrEqual(MOST_WRONG)
      if (shown > 0) expect(covered).toBeGreaterThanOrEqual(LEAST_COVERED)
      const found = shown === 0 ? "none shown" : `${percent(covered)}, ${percent(wrong)}, ${percent(shown)}`
      expect(cellOf(name, pairs)).toBe(found)
    },
    SLOW,
  )
})

describe.each([
  ["gained and lost one in fifty each", 0.02, 0.02],
  ["gained and lost one in twenty each", 0.05, 0.05],
  ["gained and lost one in ten each", 0.1, 0.1],
  ["gained one in five, lost one in fifty", 0.2, 0.02],
  ["gained one in three, lost one in ten", 1 / 3, 0.1],
])("the 95 %% interval of passes: %s", (name, gain, loss) => {
  it.each(COLUMNS)("of %d pairs covers the difference as often as it should, and as the page says", (pairs) => {
    const { covered, excluded } = passCoverageOf(passIntervals(pairs), gain, loss)
    expect(covered).toBeGreaterThanOrEqual(LEAST_COVERED)
    if (gain === loss) expect(excluded).toBeLessThanOrEqual(MOST_WRONG)
    expect(cellOf(name, pairs)).toBe(`${percent(covered)}, ${percent(excluded)}`)
  })
})

describe("the 95 % interval of passes", () => {
  it.each(COLUMNS)(
    "of %d pairs covers the difference, and does not exclude 0, whatever is gained and lost",
    (pairs) => {
      const intervals = passIntervals(pairs)
      const shares = [0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4]
      for (const gain of shares) {
        for (const loss of shares.filter((share) => share + gain < 1)) {
          const { covered, excluded } = passCoverageOf(intervals, gain, loss)
          expect(covered, `${gain} gained, ${loss} lost`).toBeGreaterThanOrEqual(0.934)
          if (gain === loss) expect(excluded, `${gain} each`).toBeLessThanOrEqual(0.042)
        }
      }
    },
  )
})
