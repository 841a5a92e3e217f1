import assert from "node:assert/strict"
import { Schema } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as CurriculumRuns from "../../src/projections/curricula/CurriculumRuns.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import { findNonJson } from "../../src/values/Json.ts"
import { deepFreeze, event, place } from "./given.ts"

const { projection } = CurriculumRuns

const id = fc.constantFrom("one", "__proto__", "constructor", "")
const stage = fc.constantFrom("a", "__proto__")
const attempt = fc.integer({ min: 1, max: 3 })
const decision = fc.constantFrom("PROCEED" as const, "REPEAT_STEP" as const, "APPLY_HINT" as const, "FAIL" as const)
const sha = "a".repeat(64)
const verdicts = [{ path: "/x", rule: "true", digest: sha, result: "held" as const }]

/** Events of curricula in any order, also such as no run has. */
const curricula = fc.array(
  fc.tuple(id, stage, attempt, decision, fc.nat(6)).map(([curriculumId, stage, attempt, decision, kind]) => {
    const place = { curriculumId, stage, attempt }
    switch (kind) {
      case 0:
      case 1:
        return event("CurriculumStarted", {
          curriculumId,
          name: "n",
          version: "1",
          digest: sha,
          curriculum: {},
          agent: "a@1",
          seed: 1,
        })
      case 2:
        return event("StageAttempted", { ...place, taskIds: ["t"] })
      case 3:
        return event("CurriculumDecided", {
          ...place,
          decision,
          verdicts,
          evidence: {},
          taskIds: [],
          scoreSets: [],
          because: [1],
        })
      case 4:
        return event("GuidanceGiven", { ...place, tutor: "t", gives: "hint", content: "x", because: [] })
      case 5:
        return event("AgentDeveloped", { curriculumId, agent: "a@1", to: stage, because: [] })
      default:
        return event("CurriculumEnded", { curriculumId, result: "failed", because: [] })
    }
  }),
  { maxLength: 30 },
)

describe("the runs of curricula", () => {
  it("fold in two parts as at once, into plain JSON of their schema, whatever the order of events", () => {
    const isState = Schema.is(projection.state)
    fc.assert(
      fc.property(curricula, fc.nat(30), (unplaced, cut) => {
        const events = place(unplaced)
        const first = deepFreeze(fold(projection, events.slice(0, cut)))
        const whole = fold(projection, events)
        assert.deepStrictEqual(fold(projection, events.slice(cut), first), whole)
        expect(isState(whole)).toBe(true)
        expect(findNonJson(whole)).toBeUndefined()
      }),
    )
  })

  it("keep the first start, the first decision of an attempt, and the first end", () => {
    fc.assert(
      fc.property(curricula, curricula, (before, after) => {
        const earlier = fold(projection, place(before))
        const later = fold(projection, place([...before, ...after]))
        for (const [key, run] of Object.entries(earlier)) {
          const now = Object.entries(later).find(([name]) => name === key)?.[1]
          expect(now?.at).toBe(run.at)
          if (run.ended !== null) expect(now?.ended).toEqual(run.ended)
          for (const [index, { decided }] of run.attempts.entries())
            if (decided !== null) expect(now?.attempts[index]?.decided).toEqual(decided)
        }
      }),
    )
  })
})
