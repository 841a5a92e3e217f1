import { Either } from "effect"
import { describe, expect, it } from "vitest"
import type { Score } from "../../src/projections/audit/Scores.ts"
import * as Trend from "../../src/projections/comparison/Trend.ts"

/** A score of a measure with one reward, which came to so much of 1, and of another one without any. */
const scored = (amount: number, more: Partial<Score> = {}): Score => ({
  scoreSetId: "s",
  label: "live",
  critic: "rule",
  rubricDigest: null,
  at: 1,
  finished: true,
  earned: amount + 0.5,
  lost: 0,
  net: amount + 0.5,
  possible: 2,
  normalized: (amount + 0.5) / 2,
  unscored: [],
  measures: [
    {
      plugin: "room",
      measure: "progress",
      rewards: [{ name: "far", weight: 1, times: 1, amount, because: [] }],
      punishments: [],
    },
    {
      plugin: null,
      measure: "style",
      rewards: [{ name: "nice", weight: 1, times: 1, amount: 0.5, because: [] }],
      punishments: [],
    },
  ],
  ...more,
})

interface Given {
  readonly agent: string
  readonly amounts: ReadonlyArray<number | null | Score>
}

/** Tasks of agents in turn, each with a score, or without one. */
const given = (...agents: ReadonlyArray<Given>) => {
  const tasks = agents.flatMap(({ agent, amounts }, at) =>
    amounts.map((amount, index) => ({
      amount,
      task: { taskId: `${agent}-${index}`, agent, from: 100 * index + at + 1, outcome: "achieved" },
    })),
  )
  const scores = tasks.flatMap(({ task, amount }) =>
    amount === null ? [] : [[task.taskId, typeof amount === "number" ? scored(amount) : amount] as const],
  )
  return {
    tasks: tasks.map(({ task }) => task),
    scoring: { name: "live", label: "live", scoreSetIds: ["s"], scores: new Map(scores) },
  }
}

const trendOf = (agents: ReadonlyArray<Given>, options?: Trend.Options) => {
  const { tasks, scoring } = given(...agents)
  return Either.getOrThrow(Trend.trend(tasks, scoring, options))
}
const rising = Array.from({ length: 24 }, (_, index) => index / 24)
const still = Array.from({ length: 24 }, (_, index) => (index * 7) % 3)

describe("a trend", () => {
  it("says that an agent gets better, worse, or that chance may as well have done it", () => {
    const { series } = trendOf([
      { agent: "up@1", amounts: rising },
      { agent: "down@1", amounts: rising.toReversed() },
      { agent: "still@1", amounts: still },
    ])
    expect(series.map(({ agent, answer }) => [agent, answer])).toEqual([
      ["up@1", "better"],
      ["down@1", "worse"],
      ["still@1", "unclear"],
    ])
    expect(series[0]).toMatchObject({ tau: 1, p: { method: "exact" } })
    expect(series[0]?.slope?.perTask).toBeCloseTo(1 / 24, 10)
    expect(series[1]).toMatchObject({ tau: -1 })
  })

  it("holds first and last third against each other, and shows the median of what is around", () => {
    const [series] = trendOf([{ agent: "a", amounts: [0, 0, 9, 0, 0, 1, 1, 1, 1, 1, 1] }]).series
    expect(series).toMatchObject({
      first: { tasks: 3, mean: 3.5, median: 0.5 },
      last: { tasks: 3, mean: 1.5, median: 1.5 },
    })
    expect(series?.points.map(({ median }) => median)).toEqual([0.5, 0.5, 0.5, 0.5, 1.5, 1.5, ...Array(5).fill(1.5)])
  })

  it("concludes nothing from fewer than ten scored tasks", () => {
    const nine = trendOf([{ agent: "a", amounts: [...rising.slice(0, 9), null, null] }]).series[0]
    expect(nine).toMatchObject({ scored: 9, unscored: 2, answer: "descriptive", tau: null, p: null, slope: null })
    expect(nine?.first).toMatchObject({ tasks: 3 })
    expect(trendOf([{ agent: "a", amounts: rising.slice(0, 10) }]).series[0]).toMatchObject({ answer: "better" })
  })

  it("takes into account that several agents are looked at", () => {
    const some = [0, 1, 1, 2, 0, 3, 1, 2, 2, 3]
    const alone = trendOf([{ agent: "a", amounts: some }]).series[0]
    expect(alone).toMatchObject({ answer: "better" })
    expect(alone?.p?.adjusted).toBe(alone?.p?.value)
    const short = { agent: "short", amounts: [1, 2, 3] }
    const many = ["b", "c"].map((agent) => ({ agent, amounts: still.slice(0, 12) }))
    const among = trendOf([short, { agent: "a", amounts: some }, ...many]).series
    expect(among[1]?.p?.value).toBe(alone?.p?.value)
    expect(among[1]?.p?.adjusted).toBeCloseTo(3 * (alone?.p?.value ?? 0), 12)
    expect(among.map(({ answer }) => answer)).toEqual(["descriptive", "unclear", "unclear", "unclear"])
  })

  it("never takes a task without a score for one that scored nothing", () => {
    const gaps = rising.flatMap((amount) => [null, amount])
    const [series] = trendOf([{ agent: "a", amounts: gaps }]).series
    expect(series).toMatchObject({ tasks: 48, scored: 24, unscored: 24, answer: "better", tau: 1 })
    // The slope is that of a task, scored or not.
    expect(series?.slope?.perTask).toBeCloseTo(1 / 48, 10)
    expect(series?.points[1]).toMatchObject({ number: 4, at: 301 })
  })

  it("is of one measure where one is named, and of shares of what was possible where they are asked for", () => {
    const agents = [{ agent: "a", amounts: rising }]
    const last = (options: Trend.Options) => trendOf(agents, options).series[0]?.points.at(-1)?.value
    expect(last({})).toBeCloseTo(23 / 24 + 0.5, 8)
    expect(last({ value: "normalized" })).toBeCloseTo((23 / 24 + 0.5) / 2, 8)
    expect(last({ measure: "room/progress" })).toBeCloseTo(23 / 24, 8)
    expect(trendOf(agents, { measure: "style" }).series[0]).toMatchObject({
      answer: "unclear",
      tau: 0,
      p: { value: 1 },
      slope: { perTask: 0, low: 0, high: 0 },
    })
  })

  it("leaves out what nothing could decide, and says of what a part could not be decided", () => {
    const progress = { measure: "room/progress", name: "far", reason: "no model" }
    const style = { measure: "style", name: "nice", reason: "no model" }
    const amounts = [scored(1, { unscored: [progress] }), scored(1, { unscored: [progress, style] }), 1]
    const of = (options: Trend.Options) => trendOf([{ agent: "a", amounts }], options).series[0]
    expect(of({})).toMatchObject({ scored: 2, unscored: 1, undecided: 1 })
    expect(of({ measure: "room/progress" })).toMatchObject({ scored: 1, unscored: 2, undecided: 0 })
    expect(of({ measure: "style" })).toMatchObject({ scored: 2, unscored: 1, undecided: 0 })
  })

  it("says how many points stand in a scoring that was not finished", () => {
    const [series] = trendOf([{ agent: "a", amounts: [1, scored(1, { finished: false })] }]).series
    expect(series).toMatchObject({ scored: 2, unfinished: 1 })
  })

  it("leaves open tasks out, and takes closed ones in the order in which they were opened", () => {
    const { tasks, scoring } = given({ agent: "a", amounts: rising })
    const open = { taskId: "open", agent: "a", from: 5, outcome: null }
    const [series] = Either.getOrThrow(Trend.trend([...tasks.toReversed(), open], scoring)).series
    expect(series).toMatchObject({ tasks: 24, answer: "better" })
    expect(series?.points[0]).toMatchObject({ taskId: "a-0", number: 1 })
  })

  it("joins agents as one where they are named alike", () => {
    const agents = ["walker@1", "walker@2"].map((agent) => ({ agent, amounts: rising.slice(0, 6) }))
    const { series } = trendOf(agents, { agentOf: ({ agent }) => agent.split("@")[0] ?? agent })
    expect(series).toMatchObject([{ agent: "walker", tasks: 12, answer: "better" }])
  })

  it("has the very same value for any number of tasks of one score", () => {
    const [series] = trendOf([{ agent: "a", amounts: Array(2_000).fill(0.25) }]).series
    expect(series).toMatchObject({ answer: "unclear", tau: 0, p: { value: 1, method: "normal" } })
  })
})

describe("what cannot be answered", () => {
  it("is an error that names the measures there are", () => {
    const { tasks, scoring } = given({ agent: "a", amounts: rising })
    const refused = Either.getOrThrow(Either.flip(Trend.trend(tasks, scoring, { measure: "room/progres" })))
    expect(refused).toMatchObject({ _tag: "MeasureNotFound", known: ["room/progress", "style"] })
    expect(refused.message).toContain('No measure "room/progres" is in the scores "live"')
  })

  it("is an error where no chosen task has a score", () => {
    const { tasks, scoring } = given({ agent: "a", amounts: [null, null] })
    const refused = Either.getOrThrow(Either.flip(Trend.trend(tasks, scoring)))
    expect(refused).toMatchObject({ _tag: "NothingScored", tasks: 2 })
    expect(refused.message).toContain("found 2 closed tasks without a score")
    expect(Either.getOrThrow(Either.flip(Trend.trend([], scoring))).message).toContain("found no closed task")
  })
})
