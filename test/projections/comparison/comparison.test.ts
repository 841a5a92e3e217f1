import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ComparisonPage from "../../../src/cli/pages/scores/ComparisonPage.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import * as ComparisonHtml from "../../../src/html/ComparisonHtml.ts"
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
    expect(of.p?.method).toBe("sampled")
    // How many patterns are drawn depends on the pairs.
    expect([...ComparisonHtml.pieces(of, { log: "l", head: 1, by: "h" })].join("")).toContain(
      "flipping signs (over random patterns of signs)",
    )
  })

  it("a comparison of equal differences has an answer: no interval, with the reason, and no effect size", () => {
    const [a, b] = [
      tasks(Array.from({ length: 22 }, () => ({ lost: 1.275 }))),
      tasks(Array.from({ length: 22 }, () => ({}))),
    ]
    const of = compare(scored("a", a), scored("b", b))
    expect(of).toMatchObject({ difference: 1.275, interval: null, p: null, noInterval: { reason: "equal" } })
    expect(of.effectSize).toBeNull()
    // None passes by either: that has an interval, of three outcomes.
    expect(of.passes).toMatchObject({ difference: 0, p: 1, interval: { method: "score" } })
  })

  it("of two gains in ten pairs does not conclude that B is better: no interval excludes 0 next to p = 0.5", () => {
    const [a, b] = [1, 0].map((first) =>
      Array.from({ length: 10 }, (_, at) => (at < 2 ? { found: 1 - first } : { found: at % 2 })),
    )
    const of = compare(scored("a", tasks(a ?? [])), scored("b", tasks(b ?? [])))
    expect(of).toMatchObject({ interval: null, p: null, noInterval: { reason: "alike" } })
    expect(of.passes).toMatchObject({ difference: 0.2, p: 0.5, adjusted: 1, interval: { method: "score" } })
    expect(of.passes.interval?.low).toBeLessThan(0)
    const text = ComparisonPage.lines(plain, of).join("\n")
    expect(text).toContain("−0.133 to +0.51 (score interval of three outcomes)")
    expect(text).toContain("0.500 (McNemar's exact test); by Holm for 2 comparisons 1.000")
    expect(text).toContain("none, and no p-value. Only 2 of 10 differ from the rest")
  })

  it("corrects p for the two comparisons that it makes, and says where that takes clearness away", () => {
    const amounts = Array.from({ length: 40 }, (_, at) => ({
      found: (at % 7) / 7,
      lost: at < 10 ? 2 : at < 13 ? -1 : 0,
    }))
    const [a, b] = [
      tasks(amounts.map(({ found }) => ({ found: found + 0.1 }))),
      tasks(amounts.map(({ found, lost }) => ({ found: found + 0.1, lost }))),
    ]
    const of = compare(scored("a", a), scored("b", b))
    expect(of.correction).toEqual({ method: "holm", comparisons: 2 })
    const [p, passes] = [of.p?.value ?? 1, of.passes.p ?? 1]
    const [smaller, larger] = [Math.min(p, passes), Math.max(p, passes)]
    expect([of.p?.adjusted, of.passes.adjusted].sort()).toEqual([2 * smaller, Math.max(2 * smaller, larger)].sort())
    const text = (each: Comparison.Comparison) => ComparisonPage.lines(plain, each).join("\n")
    const page = (each: Comparison.Comparison) =>
      [...ComparisonHtml.pieces(each, { log: "l", head: 1, by: "h" })].join("")
    expect(text(of)).toContain("2 comparisons are made here, of values and of passes: Holm's p accounts for both.")
    expect(page(of)).toContain(
      "This page makes 2 comparisons, of values and of passes: p-values by Holm allow for both.",
    )
    const unclear = {
      ...of,
      interval: { low: 0.1, high: 0.5, method: "studentized" as const },
      p: { value: 0.03, adjusted: 0.06, method: "exact" as const },
    }
    expect(text(unclear)).toContain("By Holm's p, an interval here that excludes 0 is not significant.")
    expect(page(unclear)).toContain("but this is not clear among all comparisons on this page")
  })

  it("speaks of Holm only where a p is shown, and counts a comparison that has none", () => {
    const said = (of: Comparison.Comparison) => [
      ComparisonPage.lines(plain, of).join("\n"),
      [...ComparisonHtml.pieces(of, { log: "l", head: 1, by: "h" })].join(""),
    ]
    const [a, b] = [
      scored("a", tasks(Array.from({ length: 30 }, () => ({ lost: 1 })))),
      scored("b", tasks(Array.from({ length: 30 }, () => ({})))),
    ]
    const one = compare(a, b)
    expect([one.p, one.passes.p, one.passes.adjusted]).toEqual([null, 1, 1])
    const [text, page] = said(one)
    expect(text).toContain("of values and of passes: Holm's p accounts for both, including the one that has no p.")
    expect(page).toContain("p-values by Holm allow for both, also for the one that has no p-value.")
    const none = compare(a, b, { groupOf: (taskId) => String(Number(taskId.slice(1)) % 15) })
    expect(none).toMatchObject({ descriptive: false, p: null, passes: { p: null, adjusted: null } })
    for (const each of said(none)) expect(each).not.toContain("Holm")
  })

  it("leaves out, and names, tasks whose value is no finite number", () => {
    const [a, b] = [scored("a", { t1: {}, t2: {} }), scored("b", { t1: { found: Number.NaN }, t2: { found: 1 } })]
    expect(compare(a, b)).toMatchObject({ incomparable: ["t1"], pairs: [{ taskId: "t2" }], difference: 1 })
    expect(compare(scored("a", { t1: {} }), scored("b", { t1: { found: Number.NaN } }))).toMatchObject({
      pairs: [],
      difference: null,
      interval: null,
      p: null,
      correction: null,
      passes: { difference: null, interval: null, p: null, adjusted: null },
    })
  })

  it("takes passes of one family together as well", () => {
    const [a, b] = [
      tasks(Array.from({ length: 60 }, () => ({}))),
      tasks(Array.from({ length: 60 }, (_, at) => ({ found: at % 12 < 6 ? 1 : 0 }))),
    ]
    const alone = compare(scored("a", a), scored("b", b))
    const of = compare(scored("a", a), scored("b", b), { groupOf: (taskId) => String(Number(taskId.slice(1)) % 12) })
    expect(alone.passes).toMatchObject({ test: "mcnemar", interval: { method: "score" } })
    expect(of.passes).toMatchObject({ test: "resampled", interval: { method: "studentized" } })
    expect(of.passes.p).toBeGreaterThan(1000 * (alone.passes.p ?? 1))
    expect(ComparisonPage.lines(plain, of).join("\n")).not.toContain("McNemar")
  })

  it("says of how many pairs the rubrics differ, and which they are", () => {
    const by = (name: string, digests: ReadonlyArray<string | null>): NamedScoring => ({
      name,
      label: name,
      scoreSetIds: [name],
      scores: new Map(digests.map((rubricDigest, at) => [`t${at}`, { ...score({}), rubricDigest }])),
    })
    const of = compare(by("a", ["x", "x", null]), by("b", ["x", "y", "y"]))
    expect(of).toMatchObject({ otherRubrics: 1, a: { rubrics: ["x"] }, b: { rubrics: ["x", "y"] } })
    expect(ComparisonPage.lines(plain, of).join("\n")).toContain("different in 1 pair: x in A, x, y in B")
    expect(compare(by("a", ["x"]), by("b", ["x"])).otherRubrics).toBe(0)
  })

  it("says whether what decided decides alike again", () => {
    const by = (name: string, critic: string): NamedScoring => ({
      name,
      label: name,
      scoreSetIds: [name],
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
        expect(back.p).toEqual(there.p)
        expect(back.passes.p).toBe(there.passes.p)
        for (const [one, other] of [
          [there.interval, back.interval],
          [there.passes.interval, back.passes.interval],
        ] as const) {
          expect([other?.low, other?.high]).toEqual(one ? [0 - one.high, 0 - one.low] : [undefined, undefined])
        }
        const share = (of: Comparison.Comparison) => of.changes.reduce((sum, { difference }) => sum + difference, 0)
        expect(share(there)).toBeCloseTo(there.difference ?? 0, 6)
      }),
      { numRuns: 60 },
    )
  })
})
