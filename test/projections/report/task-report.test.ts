import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as TaskAudit from "../../../src/projections/audit/TaskAudit.ts"
import * as TaskReport from "../../../src/projections/report/TaskReport.ts"
import type { Json } from "../../../src/values/Json.ts"
import { event, inTask, place, START, sha, type Unplaced } from "../given.ts"

const argsDigest = sha("a")
const opened = event("TaskOpened", { goal: "Find it", measures: [], agent: "me@1" })
const closed = event("TaskClosed", { outcome: "achieved" })
const read = (reading: Json) => event("SensorRead", { sensor: "room/look", reading, priority: 0, latencyMs: 1 })
const commanded = (commandId: string) =>
  event("ActuatorCommanded", { commandId, actuator: "room/go", args: {}, argsDigest, priority: 0 })
const asked = event("ConfirmationRequested", {
  confirmationId: "q",
  commandId: "a",
  argsDigest,
  shown: {},
  expiresAt: START,
})

const reportOf = (events: ReadonlyArray<Unplaced>) => {
  const placed = place(inTask("t", events))
  const audit = Either.getOrThrow(TaskAudit.fold("t", placed))
  const draft = TaskReport.begin(audit, audit.scores[0] ?? null, ({ type }) => type)
  for (const each of placed) draft.add(each)
  return draft.report()
}

describe("the report of a task", () => {
  it("marks what happened from its beginning to how it ended, and what people were asked", () => {
    const { lanes, questions, positions, elapsedMs } = reportOf([
      ...[opened, read(1), commanded("a"), asked],
      event("ConfirmationDecided", {
        confirmationId: "q",
        approved: false,
        by: "ann",
        channel: "cli",
        argsDigest,
        waitedMs: 900,
      }),
      event("CommandDenied", { commandId: "a", rule: "r", reason: "no" }),
      event("SensorFailed", { sensor: "room/look", error: { code: "no", message: "no" } }),
      ...[commanded("b"), closed],
    ])
    expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(elapsedMs.at(-1)).toBe(8_000)
    expect(lanes).toEqual({
      sensed: [
        { from: 1, to: 1, ending: null },
        { from: 6, to: 6, ending: "failed" },
      ],
      decided: [],
      acted: [
        { from: 2, to: 5, ending: "denied" },
        { from: 7, to: 7, ending: null },
      ],
      asked: [{ from: 3, to: 4, ending: "rejected" }],
      changed: [],
    })
    expect(questions).toEqual([{ position: 4, actuator: "room/go", ending: "rejected", by: "ann", waitedMs: 900 }])
  })

  it("lists the first events, the last and those that the score cites, all in the order of the log", () => {
    const rubric = { measures: [{ name: "tidy", rewards: [{ name: "found", weight: 1 }] }] }
    const events = [opened, ...Array.from({ length: 600 }, (_, index) => read(index)), closed]
    const { listed } = reportOf([
      ...events,
      event("ScoringStarted", {
        scoreSetId: "s",
        taskIds: ["t"],
        rubric,
        rubricDigest: sha("r"),
        critic: "rule@4",
        criticDigest: sha("c"),
        label: "live",
        range: { from: 1, to: 602 },
      }),
      event("RewardGiven", {
        scoreSetId: "s",
        measure: "tidy",
        name: "found",
        weight: 1,
        amount: 1,
        because: [400, 590],
      }),
    ])
    const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
    expect(listed.map(({ position }) => position)).toEqual([...from(1, 250), 400, ...from(502, 602)])
  })

  it("shares amounts among the events that they cite, in order; what cites nothing is given at the end", () => {
    const rubric = { measures: [{ name: "tidy", rewards: [{ name: "found", weight: 1 }] }] }
    const verdict = { scoreSetId: "s", measure: "tidy", weight: 1 }
    const { evidence, positions } = reportOf([
      ...[opened, read(1), commanded("a"), closed],
      event("ScoringStarted", {
        scoreSetId: "s",
        taskIds: ["t"],
        rubric,
        rubricDigest: sha("r"),
        critic: "c",
        criticDigest: sha("c"),
        label: "live",
        range: { from: 1, to: 4 },
      }),
      event("PunishmentGiven", { ...verdict, name: "noise", amount: 0.6, because: [3, 2] }),
      event("RewardGiven", { ...verdict, name: "found", amount: 1, because: [] }),
    ])
    expect(positions).toEqual([1, 2, 3, 4])
    expect(evidence).toEqual([
      { position: 2, index: 1, name: "noise", amount: -0.3 },
      { position: 3, index: 2, name: "noise", amount: -0.3 },
      { position: 4, index: 3, name: "found", amount: 1 },
    ])
  })

  it("follows the numbers in readings, and how long lists are; what never changes is no trace", () => {
    const { traces } = reportOf([
      opened,
      read({ steps: 0, things: ["lamp"], size: 7 }),
      read({ steps: 1, things: ["lamp"], size: 7 }),
      read({ steps: 2, things: [], size: 7 }),
    ])
    expect(traces).toEqual([
      {
        sensor: "room/look",
        path: "steps",
        points: [
          [1, 0],
          [2, 1],
          [3, 2],
        ],
      },
      {
        sensor: "room/look",
        path: "things: number of entries",
        points: [
          [1, 1],
          [2, 1],
          [3, 0],
        ],
      },
    ])
  })

  it("the report of a long task lists its first and last events, and keeps as many points as can be drawn", () => {
    const { listed, traces, positions } = reportOf([
      opened,
      ...Array.from({ length: 9_000 }, (_, turn) => read(turn)),
      closed,
    ])
    expect(positions).toHaveLength(9_002)
    expect(listed).toHaveLength(350)
    expect([listed[0]?.type, listed.at(-1)?.type]).toEqual(["TaskOpened", "TaskClosed"])
    const points = traces[0]?.points ?? []
    expect(points.length).toBeLessThanOrEqual(2_000)
    expect(points.length).toBeGreaterThan(900)
    expect(points.every(([index, value]) => index === value + 1)).toBe(true)
  })
})
