import { describe, expect, it } from "vitest"
import { scoringOf } from "../../../src/studio/page/screens/compare/scoringName.ts"
import type { CommonScore } from "../../../src/studio/wire/Scoring.ts"

const score = (labels: ReadonlyArray<string>, ...all: ReadonlyArray<string>): CommonScore => ({
  ...{ rubric: "r", critic: "rule@4", labels, sets: all, all },
  unfinished: all.map(() => false),
})

describe("the name of a scoring in links", () => {
  it("is the label that its score sets share, so that it scores each task", () => {
    const strict = score(["strict"], "s1", "s2")
    expect(scoringOf(strict, [strict, score(["live"], "s3", "s4")])).toBe("strict")
  })

  it("is one of its sets where the label names another rubric's scores, too, or is missing", () => {
    const live = score(["live"], "s1", "s2")
    expect(scoringOf(live, [live, score(["live"], "s3")])).toBe("s1")
    expect(scoringOf(score(["a", "b"], "s5"), [])).toBe("s5")
    expect(scoringOf(score([""], "s6"), [])).toBe("s6")
  })
})
