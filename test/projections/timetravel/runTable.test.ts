import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as GroupVerdict from "../../../src/projections/timetravel/table/GroupVerdict.ts"
import * as RunTable from "../../../src/projections/timetravel/table/RunTable.ts"
import { event, inTask, sha, type Unplaced } from "../given.ts"
import { append, onLog } from "../onLog.ts"

const verdict = (a: ReadonlyArray<number | null>, b: ReadonlyArray<number | null>) =>
  GroupVerdict.of([
    { label: "A", scores: a },
    { label: "B", scores: b },
  ])[0]

describe("what scores of several runs say", () => {
  it("is a count that decides nothing, as long as there are few", () => {
    expect(verdict([1, 1, 1], [2, 3, 4])).toMatchObject({
      pairs: 3,
      higher: 3,
      mean: 2,
      interval: null,
      p: null,
      sentence: "B scored higher than A in 3 of 3; that is too few to tell.",
    })
    expect(verdict([1, 1, 1, 1], [2, 1, 0, 0])?.sentence).toBe(
      "B scored lower than A in 2 of 4, the same in 1, higher in 1; that is too few to tell.",
    )
    expect(verdict([1], [1])?.sentence).toBe("B scored the same as A in 1 of 1; that is too few to tell.")
  })

  it("is a difference with its interval only where enough runs vary, and is called chance where it may be", () => {
    const zeros = Array.from({ length: 14 }, () => 0)
    const clear = verdict(
      zeros,
      zeros.map((_, index) => 1 + (index % 5) / 10),
    )
    expect(clear?.interval?.low).toBeGreaterThan(0)
    expect(clear?.sentence).toMatch(
      /^B scored higher than A by 1\.\d+ on average \(95 % interval .* to .*, 14 pairs\)\.$/,
    )
    const chance = verdict(
      zeros,
      zeros.map((_, index) => ((index % 7) - 3) / 10),
    )
    expect(chance?.sentence).toContain("which may be chance.")
    const equal = verdict(
      zeros,
      zeros.map(() => 1),
    )
    expect(equal?.interval).toBeNull()
    expect(equal?.sentence).toMatch(/^B scored higher than A in 14 of 14\. All differences are the same\./)
  })

  it("leaves out runs without a score: unknown is not 0", () => {
    expect(verdict([null, 1], [5, 0])).toMatchObject({ pairs: 1, lower: 1, higher: 0 })
    expect(verdict([null], [5])).toMatchObject({ pairs: 0, mean: null, sentence: "B and A have no scores to compare." })
    expect(GroupVerdict.of([])).toEqual([])
  })

  it("is corrected for the number of groups", () => {
    const zeros = Array.from({ length: 14 }, () => 0)
    const other = zeros.map((_, index) => (index % 5) / 10 - 0.05)
    const alone = verdict(zeros, other)
    const among = GroupVerdict.of([
      { label: "A", scores: zeros },
      ...["B", "C", "D", "E"].map((label) => ({ label, scores: other })),
    ])
    expect(among[0]?.p ?? 0).toBeGreaterThan(alone?.p ?? 1)
  })
})

const RUBRIC = { name: "mending", measures: [{ name: "care", rewards: [{ name: "good", weight: 1 }] }] }

const scoring = (set: string, taskIds: ReadonlyArray<string>, nets: ReadonlyArray<number>): ReadonlyArray<Unplaced> => [
  event("ScoringStarted", {
    scoreSetId: set,
    label: "mending",
    rubric: RUBRIC,
    rubricDigest: sha(JSON.stringify(RUBRIC)),
    critic: "rule@4",
    criticDigest: sha("rule"),
    taskIds,
    range: { from: 1, to: 1 },
  }),
  ...taskIds.flatMap((taskId, index) =>
    inTask(taskId, [
      event("RewardGiven", {
        scoreSetId: set,
        measure: "care",
        name: "good",
        weight: nets[index] ?? 0,
        amount: nets[index] ?? 0,
        because: [],
      }),
    ]),
  ),
  event("ScoringFinished", { scoreSetId: set, totals: {} }),
]

const run = (taskId: string, agent: string, act: string): ReadonlyArray<Unplaced> =>
  inTask(taskId, [
    event("TaskOpened", { goal: "Mend it", measures: [], agent, plugins: [] }),
    event("DecisionMade", { agent, choice: { act: "look" } }),
    event("DecisionMade", { agent, choice: { act } }),
    event("TaskClosed", { outcome: "achieved" }),
  ])

describe("several runs in a table", () => {
  it.live("have a name, a score by one rubric, and the decision at which each leaves the first", () =>
    onLog(
      Effect.gen(function* () {
        yield* append([
          ...run("t1", "careful@1", "mend"),
          ...run("t2", "fast@1", "hit"),
          ...run("t3", "careful@1", "mend"),
          ...run("t4", "fast@1", "hit"),
          ...run("t5", "idle@1", "wait"),
          ...scoring("s1", ["t1", "t2", "t3", "t4"], [1, 0.5, 1, 0.2]),
        ])
        const on = (...ids: ReadonlyArray<string>) => RunTable.load(ids.map((taskId) => ({ timeline: "main", taskId })))
        const table = yield* on("t1", "t2", "t3", "t4", "t5")
        expect(table.runs.map(({ label, net, split }) => [label, net, split?.deed ?? null])).toEqual([
          ["A1 (careful)", 1, null],
          ["B1 (fast)", 0.5, "called hit"],
          ["A2 (careful)", 1, null],
          ["B2 (fast)", 0.2, "called hit"],
          ["C (idle)", null, "called wait"],
        ])
        expect(table.runs[1]?.split).toMatchObject({ at: { first: 3, here: 7 } })
        expect(table.runs[2]?.split).toMatchObject({ at: null, sentence: "All 2 decisions of both are the same." })
        expect(table.scored).toMatchObject({ rubric: "mending", sets: ["s1", "s1", "s1", "s1", null] })
        expect(table.groups.map(({ label, runs, scored, mean }) => [label, runs, scored, mean])).toEqual([
          ["A (careful)", 2, 2, 1],
          ["B (fast)", 2, 2, 0.35],
          ["C (idle)", 1, 0, null],
        ])
        expect(table.verdicts).toEqual([
          "B (fast) scored lower than A (careful) in 2 of 2; that is too few to tell.",
          "C (idle) and A (careful) have no scores to compare.",
          "Without a score by mending: C (idle).",
          "The groups have different numbers of runs: those without a partner do not count.",
        ])
        expect(yield* Effect.flip(on("t1"))).toMatchObject({ _tag: "RunsInvalid", found: 1 })
        expect(yield* Effect.flip(on("t1", "nobody"))).toMatchObject({ _tag: "TaskNotFound" })
      }),
    ),
  )
})
