import assert from "node:assert/strict"
import { it } from "@effect/vitest"
import { Effect, Either, Schema, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as EventLog from "../../src/events/index.ts"
import { PAGE_SIZE } from "../../src/events/read/Pages.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import * as Sum from "../../src/values/Sum.ts"
import { turnsDuring } from "../turns.ts"
import { arbitraryEvents } from "./arbitraryEvents.ts"
import { event, inTask, place, START, sha, type Unplaced } from "./given.ts"
import { append, onLog } from "./onLog.ts"

const opened = event("TaskOpened", { goal: "Find the document", measures: ["room/tidy"], agent: "me@1" })
const closed = event("TaskClosed", { outcome: "achieved", reason: "found it" })
const read = (sensor: string, latencyMs: number) =>
  event("SensorRead", { sensor, reading: null, priority: 0, latencyMs })
const commanded = (commandId: string, actuator = "room/go") =>
  event("ActuatorCommanded", { commandId, actuator, args: {}, argsDigest: sha("a"), priority: 0 })
const allowed = (commandId: string) => event("CommandAllowed", { commandId, rule: "all" })
const denied = (commandId: string) => event("CommandDenied", { commandId, rule: "none", reason: "no" })
const succeeded = (commandId: string, latencyMs: number) =>
  event("CommandSucceeded", { commandId, result: null, latencyMs })
const unknown = (commandId: string) => event("CommandOutcomeUnknown", { commandId })
const asked = (confirmationId: string, commandId: string) =>
  event("ConfirmationRequested", {
    confirmationId,
    commandId,
    argsDigest: sha("a"),
    shown: {},
    expiresAt: START + 3_600_000,
  })
const decided = (confirmationId: string, approved: boolean, waitedMs: number) =>
  event("ConfirmationDecided", { confirmationId, approved, by: "ann", channel: "cli", argsDigest: sha("a"), waitedMs })

const rubric: JsonObject = {
  measures: [
    {
      plugin: "room",
      name: "tidy",
      description: "Keeps the room tidy",
      rewards: [
        { name: "found", when: "found", weight: 0.1 },
        { name: "quick", when: "quickly", weight: 0.2 },
        { name: "quiet", when: "quietly", weight: 0.5 },
      ],
      punishments: [{ name: "noise", when: "loud", weight: 0.05, per: "occurrence" }],
    },
    {
      name: "own",
      description: "Of no plugin",
      rewards: [{ name: "style", when: "nice", weight: 0.4 }],
      punishments: [],
    },
  ],
}

const scoringStarted = (scoreSetId: string, taskIds: ReadonlyArray<string>, measures: JsonObject = rubric) =>
  event("ScoringStarted", {
    scoreSetId,
    taskIds,
    rubric: measures,
    rubricDigest: sha("rubric"),
    critic: "rule",
    criticDigest: sha("critic"),
    label: scoreSetId,
    range: { from: 1, to: 9 },
  })
const scoringFinished = (scoreSetId: string) => event("ScoringFinished", { scoreSetId, totals: {} })
const verdict = (
  measure: string,
  name: string,
  weight: number,
  because: ReadonlyArray<number>,
  scoreSetId = "live",
) => ({
  scoreSetId,
  measure,
  name,
  weight,
  amount: weight * Math.max(1, because.length),
  because,
})

const auditOf = (...events: ReadonlyArray<Unplaced>) =>
  Either.getOrThrow(TaskAudit.fold("t1", place(inTask("t1", [opened, ...events]))))
const scoreOf = (...events: ReadonlyArray<Unplaced>) => auditOf(...events).scores[0]

describe("the audit of a task", () => {
  it("says what the task was, when, how long it took and how it ended", () => {
    expect(auditOf(commanded("c1"), closed, event("NoteAdded", { about: "t1", text: "afterwards" }))).toMatchObject({
      taskId: "t1",
      goal: "Find the document",
      agent: "me@1",
      timeline: "main",
      outcome: "achieved",
      reason: "found it",
      range: { from: 1, to: 3 },
      openedAt: START,
      closedAt: START + 2_000,
      durationMs: 2_000,
      steps: 1,
    })
  })

  it("has null for what an open task does not have yet, and no word on models that were not asked", () => {
    const audit = auditOf(read("room/look", 1))
    expect(audit).toMatchObject({
      outcome: null,
      closedAt: null,
      durationMs: null,
      range: { from: 1, to: 2 },
      scores: [],
    })
    expect(audit).not.toHaveProperty("reason")
    expect(audit).not.toHaveProperty("model")
    expect(audit.confirming.medianWaitMs).toBe(null)
  })

  it("counts readings by sensor, with exact quantiles of their latency", () => {
    const readings = Array.from({ length: 1_001 }, (_, index) => read("room/look", (index * 10) % 1_001))
    const failed = event("SensorFailed", { sensor: "room/hear", error: { code: "timeout", message: "late" } })
    const skipped = event("SensorSkipped", { sensor: "room/hear", reason: "deadline" })
    expect(auditOf(...readings, failed, skipped, skipped).sensing).toEqual({
      reads: 1_001,
      pushed: 0,
      failures: 1,
      skipped: 2,
      byComponent: {
        "room/look": {
          reads: 1_001,
          pushed: 0,
          failures: 0,
          skipped: 0,
          latencyMs: { p50: 500, p95: 950, max: 1_000 },
        },
        "room/hear": { reads: 0, pushed: 0, failures: 1, skipped: 2, latencyMs: null },
      },
    })
  })

  it("counts what a sensor pushed, and leaves it out of the latencies: nobody waited for it", () => {
    const pushed = { ...read("room/bell", 0), envelope: { actor: "plugin:room@1.0.0" } }
    const asked = { ...read("room/look", 0), envelope: { actor: "kernel" } }
    const { sensing } = auditOf(pushed, read("room/bell", 8), pushed, asked, pushed)
    expect(sensing).toMatchObject({ reads: 5, pushed: 3 })
    expect(sensing.byComponent).toMatchObject({
      "room/bell": { reads: 4, pushed: 3, latencyMs: { p50: 8, p95: 8, max: 8 } },
      "room/look": { reads: 1, pushed: 0, latencyMs: { p50: 0 } },
    })
  })

  it("takes no part in what comes before its opening and after its close, but for the outcome of a command", () => {
    const late = (commandId: string) => [succeeded(commandId, 7), commanded("c3"), read("room/look", 1)]
    const story = [read("room/look", 1), opened, commanded("c1"), commanded("c2"), unknown("c2"), closed, ...late("c2")]
    const audit = Either.getOrThrow(TaskAudit.fold("t1", place(inTask("t1", story))))
    expect(audit.sensing.reads).toBe(0)
    expect(audit.acting).toMatchObject({ commanded: 2, succeeded: 1, unknown: 0 })
    expect(audit.range).toEqual({ from: 2, to: 6 })
  })

  it("takes the mean of the two middle values for the median of an even number", () => {
    const { latencyMs } =
      auditOf(read("a/b", 40), read("a/b", 10), read("a/b", 20), read("a/b", 30)).sensing.byComponent["a/b"] ?? {}
    expect(latencyMs).toEqual({ p50: 25, p95: 38.5, max: 40 })
  })

  it("counts every command once, by how it ended", () => {
    const acting = auditOf(
      ...["c1", "c2", "c3", "c4", "c5", "c6"].map((id) => commanded(id)),
      commanded("c7", "room/take"),
      succeeded("c1", 5),
      event("CommandFailed", { commandId: "c2", error: { code: "x", message: "y" }, latencyMs: 7 }),
      denied("c3"),
      asked("q4", "c4"),
      event("ConfirmationExpired", { confirmationId: "q4" }),
      denied("c4"),
      unknown("c5"),
      unknown("c6"),
      succeeded("c6", 9),
    ).acting
    const go = { commanded: 6, succeeded: 2, failed: 1, denied: 1, expired: 1, unknown: 1 }
    expect(acting).toEqual({
      ...go,
      commanded: 7,
      byComponent: {
        "room/go": { ...go, latencyMs: { p50: 7, p95: expect.closeTo(8.8), max: 9 } },
        "room/take": { commanded: 1, succeeded: 0, failed: 0, denied: 0, expired: 0, unknown: 0, latencyMs: null },
      },
    })
  })

  it("counts successes without a recorded result, and outcomes that a plugin told after a crash, once", () => {
    const unrecorded = { reason: "expected at most 8388608 bytes, found 9000000" }
    const settledBy = "bank@1.0.0"
    const error = { code: "x", message: "y" }
    const acting = auditOf(
      ...["c1", "c2", "c3"].map((id) => commanded(id)),
      event("CommandSucceeded", { commandId: "c1", result: null, latencyMs: 1, unrecorded, settledBy }),
      event("CommandSucceeded", { commandId: "c1", result: null, latencyMs: 1, unrecorded, settledBy }),
      event("CommandFailed", { commandId: "c2", error, settledBy }),
      succeeded("c3", 5),
    ).acting
    expect(acting).toMatchObject({ commanded: 3, succeeded: 2, failed: 1, unrecorded: 1, settled: 2 })
    expect(auditOf(commanded("c1"), succeeded("c1", 5)).acting).not.toHaveProperty("unrecorded")
  })

  it("tells what people decided from what passed without them", () => {
    const confirming = auditOf(
      ...[commanded("c1"), allowed("c1")],
      ...[commanded("c2"), asked("q2", "c2"), decided("q2", true, 100), allowed("c2")],
      ...[commanded("c3"), asked("q3", "c3"), decided("q3", false, 300), denied("c3")],
      ...[commanded("c4"), asked("q4", "c4"), event("ConfirmationExpired", { confirmationId: "q4" }), denied("c4")],
    ).confirming
    expect(confirming).toEqual({ requested: 3, approved: 1, rejected: 1, expired: 1, automatic: 1, medianWaitMs: 200 })
  })

  it("measures a patch of very many keys in time that grows with their number", () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => ({ op: "add" as const, path: `/k${index}`, value: 1 }))
    const changed = event("EnvironmentChanged", { plugin: "room", patch: [...keys, ...keys.slice(0, 10)] })
    expect(auditOf(changed, changed).changes).toEqual({ operations: 200_020, paths: 100_000 })
  })

  it("measures how much of the world changed, in operations and distinct paths", () => {
    const changed = (plugin: string, ...paths: ReadonlyArray<string>) =>
      event("EnvironmentChanged", { plugin, patch: paths.map((path) => ({ op: "add", path, value: 1 })) })
    const { changes } = auditOf(changed("room", "/a", "/a/b", "/a"), changed("room", "/a/b"), changed("attic", "/a"))
    expect(changes).toEqual({ operations: 5, paths: 3 })
  })

  it("is not there for a task that was never opened, and says how to find those that were", () => {
    const missing = Either.getOrThrow(Either.flip(TaskAudit.fold("t2", place(inTask("t1", [opened])))))
    expect(missing).toMatchObject({ _tag: "TaskNotFound", taskId: "t2" })
    expect(missing.message).toContain("`hindcast task ls`")
  })
})

describe("a task that is closed twice", () => {
  it("keeps its first outcome, in the audit and in the environment's state", () => {
    const events = place(inTask("t1", [opened, closed, event("TaskClosed", { outcome: "failed" })]))
    const state = fold(EnvironmentState.projection, events)
    expect(Either.getOrThrow(TaskAudit.fold("t1", events)).outcome).toBe("achieved")
    expect(EnvironmentState.taskScope(state, "t1")).toMatchObject({ open: false, outcome: "achieved" })
  })
})

describe("the scores of a task", () => {
  const given = [
    scoringStarted("live", ["t1"]),
    event("RewardGiven", verdict("room/tidy", "found", 0.1, [3])),
    event("RewardGiven", verdict("room/tidy", "quick", 0.2, [4])),
    event("PunishmentGiven", verdict("room/tidy", "noise", 0.05, [5, 6, 7])),
    event("MeasureUnscored", { scoreSetId: "live", measure: "own", name: "style", reason: "no model" }),
  ]

  it("list every reward and punishment of the rubric, also those that never held, and sum to the digit", () => {
    expect(scoreOf(...given, scoringFinished("live"))).toEqual({
      scoreSetId: "live",
      label: "live",
      critic: "rule",
      rubricDigest: sha("rubric"),
      at: 2,
      finished: true,
      earned: 0.3,
      lost: 0.15,
      net: 0.15,
      possible: 1.2,
      normalized: 0.125,
      unscored: [{ measure: "own", name: "style", reason: "no model" }],
      measures: [
        {
          plugin: "room",
          measure: "tidy",
          rewards: [
            { name: "found", weight: 0.1, times: 1, amount: 0.1, because: [3] },
            { name: "quick", weight: 0.2, times: 1, amount: 0.2, because: [4] },
            { name: "quiet", weight: 0.5, times: 0, amount: 0, because: [] },
          ],
          punishments: [{ name: "noise", weight: 0.05, times: 3, amount: 0.15, because: [5, 6, 7] }],
        },
        {
          plugin: null,
          measure: "own",
          rewards: [{ name: "style", weight: 0.4, times: 0, amount: 0, because: [] }],
          punishments: [],
        },
      ],
    })
  })

  it("show a scoring that did not end as unfinished", () => {
    expect(scoreOf(...given)?.finished).toBe(false)
  })

  it("have no normalized value where nothing is possible", () => {
    expect(scoreOf(scoringStarted("live", ["t1"], { measures: [] }))).toMatchObject({ possible: 0, normalized: null })
  })

  it("count what the rubric does not list, such as an environment's own reward", () => {
    const own = Array.from({ length: 1_000 }, (_, index) =>
      event("RewardGiven", { ...verdict("environment", "reward", 1, [index]), amount: 0.1 }),
    )
    const score = scoreOf(scoringStarted("live", ["t1"]), ...own)
    expect(score).toMatchObject({ earned: 100, net: 100, possible: 1.2 })
    expect(score?.measures.at(-1)).toMatchObject({
      plugin: null,
      measure: "environment",
      rewards: [{ name: "reward", times: 1_000, amount: 100 }],
    })
  })

  it("are kept apart by score set, in the order in which they began", () => {
    const { scores } = auditOf(
      ...given,
      scoringStarted("again", ["t0", "t1"]),
      event("RewardGiven", verdict("room/tidy", "quiet", 0.5, [3], "again")),
      scoringStarted("elsewhere", ["t0"]),
    )
    expect(scores.map(({ scoreSetId, net }) => [scoreSetId, net])).toEqual([
      ["live", 0.15],
      ["again", 0.5],
    ])
  })

  it("are shown also where the start of their scoring is not in the log", () => {
    expect(scoreOf(event("RewardGiven", verdict("room/tidy", "found", 0.1, [3])))).toMatchObject({
      rubricDigest: null,
      earned: 0.1,
      finished: false,
    })
  })

  it("survive a rubric that is none", () => {
    for (const strange of [{}, { measures: 5 }, { measures: [null, { name: 3 }, { name: "a", rewards: [{}] }] }]) {
      const measures: JsonObject = strange as JsonObject
      expect(scoreOf(scoringStarted("live", ["t1"], measures))).toMatchObject({ possible: 0, measures: [] })
    }
  })

  it("add up exactly to 1e-9, however many they are", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -100_000, max: 100_000 }), { maxLength: 2_000 }), (thousandths) => {
        const exact = thousandths.reduce((sum, value) => sum + value, 0) / 1_000
        expect(Sum.of(thousandths.map((value) => value / 1_000))).toBe(exact + 0)
      }),
    )
  })
})

describe("an audit from the log", () => {
  const rescored = [
    scoringStarted("rescore", ["t0", "t1"]),
    ...inTask("t1", [event("RewardGiven", verdict("room/tidy", "found", 0.1, [3], "rescore"))]),
    scoringFinished("rescore"),
    scoringStarted("other", ["t2"]),
  ]

  it.live("is what the fold of the whole log is", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitraryEvents(25), fc.nat(5), (some, at) =>
          Effect.runPromise(
            onLog(
              Effect.gen(function* () {
                const story = [...some.slice(0, at), ...inTask("1", [opened]), ...some.slice(at)]
                const events = yield* append(story)
                const audit = yield* TaskAudit.load("1")
                assert.deepStrictEqual(audit, Either.getOrThrow(TaskAudit.fold("1", events)))
                expect(Schema.is(TaskAudit.TaskAudit)(audit)).toBe(true)
              }),
            ),
          ),
        ),
        { numRuns: 30 },
      ),
    ),
  )

  it.live("finds scorings that belong to no task but name this one", () =>
    onLog(
      Effect.gen(function* () {
        yield* append([...inTask("t1", [opened, closed]), ...rescored])
        const audit = yield* TaskAudit.load("t1")
        expect(audit.scores).toMatchObject([{ scoreSetId: "rescore", at: 3, finished: true, earned: 0.1 }])
      }),
    ),
  )

  it.live("lets timers and other input have their turn between pages", () =>
    onLog(
      Effect.gen(function* () {
        const pages = 4
        const readings = Array.from({ length: pages * PAGE_SIZE }, () => read("room/look", 1))
        const log = yield* EventLog.EventLog
        yield* append(inTask("t1", [opened]))
        yield* log.append({ stream: "task/t1", taskId: "t1", actor: "test", events: readings })
        expect(yield* turnsDuring(TaskAudit.load("t1"))).toBeGreaterThanOrEqual(pages)
        expect(yield* turnsDuring(Stream.runDrain(log.read({})))).toBeGreaterThanOrEqual(pages)
      }),
    ),
  )

  it.live("is a typed error for a task that was never opened", () =>
    onLog(
      Effect.gen(function* () {
        yield* append(rescored)
        expect(yield* Effect.flip(TaskAudit.load("t9"))).toMatchObject({ _tag: "TaskNotFound", taskId: "t9" })
      }),
    ),
  )
})
