import { describe, expect, it } from "vitest"
import { TaskOutcome } from "../../src/events/vocabulary/Tasks.ts"
import { judgedBy } from "../../src/importing/inspect/Scores.ts"
import * as Outcome from "../../src/projections/summary/Outcome.ts"

describe("the outcome in one word", () => {
  it("is open, finished where nobody judged an achieved task, and otherwise the recorded one", () => {
    expect(Outcome.of({ outcome: null })).toBe("open")
    expect(Outcome.of({ outcome: "achieved", unjudged: true })).toBe("finished")
    expect(TaskOutcome.literals.map((outcome) => Outcome.of({ outcome }))).toEqual(TaskOutcome.literals)
    expect(Outcome.of({ outcome: "failed", unjudged: true })).toBe("failed")
  })

  it("of a sample of Inspect follows its scorers where they agree on 1 or 0, and is finished otherwise", () => {
    const scored = (...values: ReadonlyArray<unknown>) =>
      judgedBy({ scores: Object.fromEntries(values.map((value, index) => [`scorer-${index}`, { value }])) })
    expect(scored("C")).toBe("achieved")
    expect(scored("I")).toBe("failed")
    expect(scored(1, true, "C")).toBe("achieved")
    expect(scored(0, "N")).toBe("failed")
    expect(scored("C", "I")).toBe("finished")
    expect(scored("P")).toBe("finished")
    expect(scored(7)).toBe("finished")
    expect(scored("hologram")).toBe("finished")
    expect(scored({ a: 1 })).toBe("finished")
    expect(scored()).toBe("finished")
    expect(judgedBy({})).toBe("finished")
    expect(judgedBy(null)).toBe("finished")
  })
})
