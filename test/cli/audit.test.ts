import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import type { AppendRequest, CoreNewEvent } from "../../src/events/log/EventLog.ts"
import { sha } from "../projections/given.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")
const empty = place.file("empty.db")

/** Tasks of two agents: one learns, one does not; every fourth is not scored, the last one is open. */
const TASKS = 32
const idOf = (index: number) => `0198aaaa-0000-7000-8000-${String(100_000_000_000 + index * 7_919).slice(0, 12)}`
const agentOf = (index: number) => (index % 2 === 0 ? "learner@1.0.0" : "steady@2.1.0")

const rubric = {
  name: "plugin measures",
  measures: [
    {
      plugin: "room",
      name: "progress",
      rewards: [
        { name: "far", when: "far", weight: 1 },
        { name: "near", when: "near", weight: 1 },
      ],
      punishments: [],
    },
  ],
}

const opening = (index: number): ReadonlyArray<CoreNewEvent> => [
  {
    type: "TaskOpened",
    payload: { goal: `Goal ${index % 3} | of three`, measures: ["room/progress"], agent: agentOf(index), seed: index },
  },
  { type: "SensorRead", payload: { sensor: "room/view", reading: index, priority: 0, latencyMs: 2 } },
  {
    type: "ActuatorCommanded",
    payload: { commandId: `c${index}`, actuator: "room/go", args: {}, argsDigest: sha("a"), priority: 0 },
  },
]

const closing = (index: number): ReadonlyArray<CoreNewEvent> => [
  { type: "CommandSucceeded", payload: { commandId: `c${index}`, result: null, latencyMs: 5 } },
  { type: "TaskClosed", payload: { outcome: index % 5 === 0 ? "failed" : "achieved" } },
]

const scoring = (index: number, label: string, amount: number): ReadonlyArray<CoreNewEvent> => {
  const scoreSetId = `${label}-${String(index).padStart(4, "0")}`
  const verdict = { scoreSetId, measure: "room/progress", name: "far", weight: 1, amount, because: [2, 3] }
  return [
    {
      type: "ScoringStarted",
      payload: {
        scoreSetId,
        taskIds: [idOf(index)],
        rubric,
        rubricDigest: sha("r"),
        label,
        critic: "rule@4",
        criticDigest: sha("c"),
        range: { from: 1, to: 2 },
      },
    },
    { type: "RewardGiven", payload: verdict },
    { type: "ScoringFinished", payload: { scoreSetId, totals: {} } },
  ]
}

const requests = (index: number): ReadonlyArray<AppendRequest> => {
  const taskId = idOf(index)
  const of = (stream: string, events: ReadonlyArray<CoreNewEvent>) => ({ stream, taskId, actor: "kernel", events })
  const amount = index % 2 === 0 ? index / 10 : [1, 2, 1.5][index % 3]
  return [
    of(`task/${taskId}`, opening(index)),
    ...(index === TASKS - 1 ? [] : [of(`task/${taskId}`, closing(index))]),
    ...(index % 4 === 3 ? [] : [of(`scores/live-${index}`, scoring(index, "live", amount ?? 0))]),
    ...(index < 3 ? [of(`scores/strict-${index}`, scoring(index, "strict", 0.25))] : []),
  ]
}

beforeAll(() =>
  Effect.runPromise(
    Effect.gen(function* () {
      const made = yield* EventLog.EventLog
      for (let index = 0; index < TASKS; index++) {
        for (const request of requests(index)) yield* made.append(request)
      }
    }).pipe(
      Effect.provide(EventLog.layerSqlite({ filename: log })),
      Effect.zipRight(Effect.provide(Effect.void, EventLog.layerSqlite({ filename: empty }))),
    ),
  ),
)
afterAll(place.remove)

const on = (...args: ReadonlyArray<string>) => document(["audit", ...args, "--log", log])
const page = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await hindcast(["audit", ...args, "--log", log])
  if (code !== 0) throw new Error(stderr)
  return stdout
}
const refused = async (...args: ReadonlyArray<string>) => {
  const { code, stderr } = await hindcast(["audit", ...args, "--log", log, "--json"])
  return { code, ...JSON.parse(stderr).error }
}
const rowsOf = (found: Record<string, unknown>) =>
  found.rows as ReadonlyArray<{ taskId: string; agent: string; score: { net: number } | null }>

describe("the audit of one task", () => {
  it("is a page, a JSON document, and a Markdown document", async () => {
    const id = idOf(1)
    const [told, written, found] = await Promise.all([page(id), page(id, "--markdown"), on(id)])
    expect(told).toMatch(/^Task 0198aaaa/)
    expect(told).toMatch(/room\/view +1 +2\.0 +2\.0 +2\.0/)
    expect(written).toMatch(/^# Task `0198aaaa/)
    expect(written).toContain("| Goal | `Goal 1 \\| of three` |")
    expect(written).toContain("| `room/progress` | + | `far` | 1 | 2 | +2 | `@2` `@3` |")
    expect(found).toMatchObject({ taskId: id, sensing: { reads: 1, pushed: 0 } })
  })
})

describe("the table of all tasks", () => {
  it("has every task in the order of opening, open ones too, and says what has no score", async () => {
    const found = await on("--all")
    const rows = rowsOf(found)
    expect(found).toMatchObject({ tasks: TASKS, unscored: 8, scores: { name: "live" } })
    expect(rows.map(({ taskId }) => taskId)).toEqual(Array.from({ length: TASKS }, (_, index) => idOf(index)))
    expect(rows[3]).toMatchObject({ score: null })
    expect(rows.at(-1)).toMatchObject({ outcome: "open" })
    const told = await page("--all")
    expect(told).toContain("32 tasks. Scores: live. 8 of them have no score; they do not count as zero")
    expect(told).toMatch(/0198aaaa-\S+ +achieved +unscored/)
  })

  it("has the first tasks where it is limited, and says of all others that they are there", async () => {
    const whole = await on("--all")
    const first = await on("--all", "--limit", "4")
    expect(first).toEqual({ ...whole, rows: rowsOf(whole).slice(0, 4) })
    expect(await page("--all", "--limit", "4")).toContain(`${TASKS - 4} more`)
  })

  it("sorts, limits, and takes the scores that are named", async () => {
    const best = rowsOf(await on("--all", "--sort", "score:desc", "--limit", "2"))
    expect(best.map(({ score }) => score?.net)).toEqual([3, 2.8])
    const last = rowsOf(await on("--all", "--sort", "score"))
    expect(last.slice(-8).every(({ score }) => score === null)).toBe(true)
    expect(await on("--all", "--scores", "strict")).toMatchObject({ unscored: TASKS - 3, scores: { name: "strict" } })
  })

  it("groups, in text, JSON and Markdown", async () => {
    const { groups } = await on("--all", "--group", "agent", "--sort", "mean")
    expect(groups).toMatchObject([
      { group: "learner@1.0.0", tasks: 16, scored: 16, unscored: 0, mean: 1.5, median: 1.5 },
      { group: "steady@2.1.0", tasks: 16, scored: 8, unscored: 8 },
    ])
    expect(await page("--all", "--group", "outcome")).toMatch(/outcome +tasks +unscored +mean/)
    // What goes on in the open task, as `task ls` tells it.
    const { tasks } = await document(["task", "ls", "--outcome", "open", "--log", log])
    const [{ activity }] = tasks as readonly [{ readonly activity: string }]
    expect(activity).toBe("stopped")
    const { groups: byOutcome } = await on("--all", "--group", "outcome")
    expect(byOutcome).toContainEqual(expect.objectContaining({ group: "stopped", tasks: 1, open: { stopped: 1 } }))
    expect(await page("--all", "--group", "agent")).toMatch(/agent +tasks .*stopped/)
    const written = await page("--all", "--group", "goal", "--markdown")
    expect(written).toContain("| Stopped |")
    expect(written).toContain("| `Goal 0 \\| of three` | 11 |")
  })

  it("is of the tasks that are selected", async () => {
    const ids = async (...args: ReadonlyArray<string>) => rowsOf(await on("--all", ...args)).map(({ taskId }) => taskId)
    expect(await ids("--agent", "steady", "--outcome", "failed")).toEqual([5, 15, 25].map(idOf))
    expect(await ids("--task", idOf(4), "--task", idOf(2).slice(-8), "--where", "task.steps == 1")).toEqual(
      [2, 4].map(idOf),
    )
    expect(await ids("--until", "@12")).toEqual([0].map(idOf))
  })
})

describe("the trend of scores", () => {
  it("tells the agent that gets better from the one that does not, and allows for having looked at two", async () => {
    const { series } = await on("--trend")
    expect(series).toMatchObject([
      { agent: "learner@1.0.0", scored: 16, unscored: 0, answer: "better", tau: 1 },
      { agent: "steady@2.1.0", tasks: 15, scored: 8, unscored: 7, answer: "descriptive", p: null },
    ])
    const told = await page("--trend", "--agent", "learner", "--measure", "room/progress")
    expect(told).toContain("learner: it is getting better")
    expect(told).toMatch(/scores {2}[▁▂▃▄▅▆▇█]{16} 0 to 3/)
    expect(await page("--trend", "--markdown")).toContain("| `learner@1.0.0` | **it is getting better** |")
  })
})

describe("what does not go together, or is not there", () => {
  it("is refused with what there is", async () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, code: number, tag: string, says: string]> = [
      [[idOf(3).replace(/.$/, "x")], 3, "TaskNotFound", `Did you mean ${idOf(3)}`],
      [["--trend", "--group", "agent"], 1, "BadInput", "--group: expected it with --all, found it with --trend"],
      [["--all", "--sort", "scor"], 1, "BadInput", "Did you mean score"],
      [["--all", "--agent", "lerner"], 3, "BadInput", "Did you mean learner"],
      [["--all", "--outcome", "won"], 1, "Usage", "one of achieved, finished, failed, truncated, abandoned"],
      [["--all", "--scores", "nobody"], 3, "ScoringNotFound", "a label (live, strict)"],
      [["--trend", "--measure", "room/progres"], 3, "MeasureNotFound", "room/progress"],
      [["--trend", "--scores", "strict", "--since", "@40"], 3, "NothingScored", "without a score"],
    ]
    for (const [args, code, tag, says] of cases) {
      const found = await refused(...args)
      expect([args.join(" "), found.code, found.tag]).toEqual([args.join(" "), code, tag])
      expect(found.message).toContain(says)
    }
  })

  it("is said of a log without tasks", async () => {
    const all = await hindcast(["audit", "--all", "--log", empty])
    expect([all.code, all.stdout]).toEqual([0, "No task was opened in this log.\n"])
    const trend = await hindcast(["audit", "--trend", "--log", empty])
    expect(trend.code).toBe(3)
    expect(trend.stderr).toContain('No scoring "live" is in this log')
  })
})
