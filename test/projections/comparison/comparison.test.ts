import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ComparisonPage from "../../../src/cli/pages/scores/ComparisonPage.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import type { Score } from "../../../src/projections/audit/Scores.ts"
import * as Comparison from "../../../src/projections/comparison/Comparison.ts"
import type { NamedScoring } from "../../../src/projections/comparison/SetScores.ts"

interface Amounts {
  readonly found?: number
  readonly lost?: number
  readonly unscored?: boolean
  readonly possible?: number
}

const score = ({ found = 0, lost = 0, unscored = false, possible = 1 }: Amounts): Score => {
  const verdict = (name: string, amount: number) => ({
    name,
    weight: 1,
    times: amount > 0 ? 1 : 0,
    amount,
    because: amount > 0 ? [7] : [],
  })
  const net = Math.round((found - lost) * 1e9) / 1e9
  return {
    scoreSetId: "s",
    label: "l",
    critic: "rule@4",
    rubricDigest: null,
    at: 1,
    finished: true,
    earned: found,
    lost,
    net,
    possible,
    normalized: possible === 0 ? null : net / possible,
    unscored: unscored ? [{ measure: "m", name: "u", reason: "no rule" }] : [],
    measures: [
      { plugin: "room", measure: "m", rewards: [verdict("found", found)], punishments: [verdict("bumped", lost)] },
    ],
  }
}

const scored = (name: string, tasks: Readonly<Record<string, Amounts>>): NamedScoring => ({
  name,
  label: name,
  scoreSetIds: [name],
  scores: new Map(Object.entries(tasks).map(([taskId, amounts]) => [taskId, score(amounts)])),
})

const compare = (a: NamedScoring, b: NamedScoring, options?: Comparison.Options) =>
  Either.getOrThrow(Comparison.compare(a, b, options))

/** Tasks `t0`, `t1` …, one for each of these. */
const tasks = (amounts: ReadonlyArray<Amounts>) => Object.fromEntries(amounts.map((each, at) => [`t${at}`, each]))

describe("a comparison", () => {
  it("pairs by task, and says which tasks only one of the two has", () => {
    const of = compare(
      scored("a", { t1: { found: 1 }, t2: { found: 0.5 }, t3: {} }),
      scored("b", { t2: { found: 0.25, lost: 0.5 }, t3: { found: 0.5 }, t4: {} }),
    )
    expect(of.pairs).toEqual([
      { taskId: "t2", a: 0.5, b: -0.25, difference: -0.75 },
      { taskId: "t3", a: 0, b: 0.5, difference: 0.5 },
    ])
    expect(of).toMatchObject({ onlyInA: ["t1"], onlyInB: ["t4"], difference: -0.125, wins: 1, ties: 0, losses: 1 })
    expect(of.passes).toMatchObject({ gained: ["t3"], lost: ["t2"] })
  })

  it("says what each reward and punishment adds to the difference, the largest first", () => {
    const of = compare(
      scored("a", { t1: { found: 1, lost: 0.2 }, t2: { found: 1 } }),
      scored("b", { t1: { found: 0.2, lost: 0.2 }, t2: { found: 1, lost: 0.4 } }),
    )
    expect(of.changes).toEqual([
      { measure: "room/m", kind: "reward", name: "found", tasks: 1, difference: -0.4 },
      { measure: "room/m", kind: "punishment", name: "bumped", tasks: 1, difference: -0.2 },
    ])
    expect(of.difference).toBe(-0.6)
  })

  it("a comparison of few pairs is descriptive only, and concludes nothing", () => {
    const nine = tasks(Array.from({ length: 9 }, () => ({ found: 1 })))
    const none = tasks(Array.from({ length: 9 }, () => ({})))
    const of = compare(scored("a", none), scored("b", nine))
    expect(of).toMatchObject({ descriptive: true, interval: null, p: null, difference: 1 })
    expect(of.passes.p).toBeNull()
  })

  it("a comparison of enough pairs has an interval and a p-value, the same for the same seed", () => {
    const amounts = Array.from({ length: 30 }, (_, at) => ({ found: (at % 7) / 7, lost: (at % 3) / 10 }))
    const [a, b] = [scored("a", tasks(amounts)), scored("b", tasks(amounts.map(({ found }) => ({ found }))))]
    const of = compare(a, b)
    expect(of.interval?.low).toBeGreaterThan(0)
    expect(of.p?.value).toBeLessThan(0.001)
    expect(compare(a, b)).toEqual(of)
  })

  it("a comparison of equal differences has an answer: no interval, with the reason, and no effect size", () => {
    const [a, b] = [
      tasks(Array.from({ length: 22 }, () => ({ lost: 1.275 }))),
      tasks(Array.from({ length: 22 }, () => ({}))),
    ]
    const of = compare(scored("a", a), scored("b", b))
    expect(of).toMatchObject({ difference: 1.275, interval: null, noInterval: { reason: "equal" }, effectSize: null })
    expect(of.p?.value).toBeLessThan(0.001)
  })

  it("says of how many pairs the rubrics differ, and which they are", () => {
    const by = (name: string, digests: ReadonlyArray<string | null>): NamedScoring => ({
      ...{ name, label: name, scoreSetIds: [name] },
      scores: new Map(digests.map((rubricDigest, at) => [`t${at}`, { ...score({}), rubricDigest }])),
    })
    const of = compare(by("a", ["x", "x", null]), by("b", ["x", "y", "y"]))
    expect(of).toMatchObject({ otherRubrics: 1, a: { rubrics: ["x"] }, b: { rubrics: ["x", "y"] } })
    expect(ComparisonPage.lines(plain, of).join("\n")).toContain("different in 1 pair: x in A, x, y in B")
    expect(compare(by("a", ["x"]), by("b", ["x"])).otherRubrics).toBe(0)
  })

  it("says whether what decided decides alike again", () => {
    const by = (name: string, critic: string): NamedScoring => ({
      ...{ name, label: name, scoreSetIds: [name] },
      scores: new Map([["t1", { ...score({}), critic }]]),
    })
    const rules = by("a", "rule@4")
    expect(compare(rules, by("b", "rule@4+plugin:room@1.0.0")).exact).toBe(true)
    expect(compare(rules, by("b", "timed-rule@4")).exact).toBe(false)
    expect(compare(rules, by("b", "rule@4+model:acme/large")).exact).toBe(false)
  })

  it("takes tasks of one family together: thirty tasks of three families conclude nothing", () => {
    const [a, b] = [
      tasks(Array.from({ length: 30 }, () => ({}))),
      tasks(Array.from({ length: 30 }, () => ({ found: 1 }))),
    ]
    const of = compare(scored("a", a), scored("b", b), { groupOf: (taskId) => String(Number(taskId.slice(1)) % 3) })
    expect(of).toMatchObject({ groups: 3, descriptive: true })
    expect(of.pairs).toHaveLength(30)
  })

  it("a comparison by normalized value leaves out, and names, tasks by whose rubric nothing is possible", () => {
    const of = compare(
      scored("a", { t1: { found: 1, possible: 2 }, t2: { possible: 0 } }),
      scored("b", { t1: { found: 2, possible: 2 }, t2: {} }),
      { value: "normalized", passAbove: 0.5 },
    )
    expect(of.pairs).toEqual([{ taskId: "t1", a: 0.5, b: 1, difference: 0.5 }])
    expect(of.incomparable).toEqual(["t2"])
    expect(of.passes.gained).toEqual(["t1"])
  })

  it("counts the pairs of which something could not be decided", () => {
    const of = compare(scored("a", { t1: { unscored: true }, t2: {} }), scored("b", { t1: {}, t2: {} }))
    expect([of.a.unscored, of.b.unscored]).toEqual([1, 0])
  })

  it("a comparison without a task in common is refused", () => {
    const error = Either.getOrThrow(Either.flip(Comparison.compare(scored("a", { t1: {} }), scored("b", { t2: {} }))))
    expect(error).toMatchObject({ _tag: "NothingInCommon", tasksOfA: 1, tasksOfB: 1 })
    expect(error.message).toContain("no task in common")
  })

  it("a comparison the other way round says the opposite", () => {
    const amounts = fc.record({ found: fc.integer({ min: 0, max: 10 }), lost: fc.integer({ min: 0, max: 10 }) })
    fc.assert(
      fc.property(fc.array(fc.tuple(amounts, amounts), { minLength: 1, maxLength: 14 }), (both) => {
        const [a, b] = [
          scored("a", tasks(both.map(([one]) => one))),
          scored("b", tasks(both.map(([, other]) => other))),
        ]
        const [there, back] = [compare(a, b), compare(b, a)]
        expect(back.difference).toBe(0 - (there.difference ?? 0) + 0)
        expect([back.wins, back.losses]).toEqual([there.losses, there.wins])
        expect(back.passes.gained).toEqual(there.passes.lost)
        expect(back.p?.value).toBe(there.p?.value)
        const share = (of: Comparison.Comparison) => of.changes.reduce((sum, { difference }) => sum + difference, 0)
        expect(share(there)).toBeCloseTo(there.difference ?? 0, 6)
      }),
      { numRuns: 60 },
    )
  })
})
