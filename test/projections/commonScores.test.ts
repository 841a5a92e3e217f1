import { describe, expect, it } from "vitest"
import * as CommonScores from "../../src/projections/comparison/CommonScores.ts"

const row = (set: string, rubric: string, more: Partial<CommonScores.ScoredBy> = {}): CommonScores.ScoredBy => ({
  set,
  label: "live",
  critic: "rule@4",
  rubric,
  rubricDigest: `digest of ${rubric}`,
  pointers: [],
  position: 1,
  finished: true,
  ...more,
})

describe("the score sets of two tasks", () => {
  it("are compared by one rubric and critic of both, even if another counts for each alone", () => {
    const a = [row("a-live", "live"), row("a-mending", "mending", { label: "mending", position: 5 })]
    const b = [row("b-mending", "mending", { label: "mending", position: 9 })]
    const choices = CommonScores.of([a, b])
    expect(choices.map(({ rubric, sets }) => [rubric, sets])).toEqual([
      ["mending", ["a-mending", "b-mending"]],
      ["live", ["a-live", null]],
    ])
    expect(CommonScores.chosen(choices, [], ["a-live", "b-mending"])?.rubric).toBe("mending")
    // A link may choose the other, by any of its sets.
    expect(CommonScores.chosen(choices, ["a-live"], [])?.sets).toEqual(["a-live", null])
    expect(CommonScores.chosen(choices, ["gone"], [])?.rubric).toBe("mending")
  })

  it("never are of rubrics with one name but other contents, or of other critics", () => {
    const a = [row("a", "mending")]
    expect(CommonScores.of([a, [row("b", "mending", { rubricDigest: "other" })]])).toHaveLength(2)
    expect(CommonScores.of([a, [row("b", "mending", { critic: "model" })]])).toHaveLength(2)
    expect(CommonScores.of([a, [row("b", "mending")]])).toHaveLength(1)
  })

  it("are the official or the newest finished ones of a rubric, and say if none is finished", () => {
    const a = [
      row("1", "mending", { pointers: ["official"] }),
      row("2", "mending", { label: "again" }),
      row("3", "mending", { finished: false }),
    ]
    const b = [row("4", "mending", { finished: false })]
    expect(CommonScores.of([a, b])).toEqual([
      {
        labels: ["live"],
        rubric: "mending",
        critic: "rule@4",
        sets: ["1", "4"],
        unfinished: [false, true],
        all: ["1", "2", "3", "4"],
      },
    ])
    expect(CommonScores.chosen(CommonScores.of([[], []]), [], [])).toBeNull()
  })
})
