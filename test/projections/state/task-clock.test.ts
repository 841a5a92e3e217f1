import { Effect, Either } from "effect"
import fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import * as AuditPage from "../../../src/cli/pages/audit/AuditPage.ts"
import { plain } from "../../../src/cli/terminal/Style.ts"
import { type CoreNewEvent, EventLog } from "../../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../../src/events/memory/MemoryEventLog.ts"
import * as Timelines from "../../../src/events/read/Timelines.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as RuleCritic from "../../../src/kernel/critics/rules/RuleCritic.ts"
import * as TaskSelection from "../../../src/kernel/scoring/TaskSelection.ts"
import * as TaskAudit from "../../../src/projections/audit/TaskAudit.ts"
import * as TaskClock from "../../../src/projections/state/TaskClock.ts"

const HOUR = 3_600_000

const event = (type: string, atMs: number, payload: Event["payload"] = {}, timeline = "main"): Event => ({
  position: 1 + atMs,
  id: `01890000-0000-7000-8000-${String(atMs).padStart(12, "0")}`,
  timeline,
  stream: "task/t1",
  version: 1 + atMs,
  type,
  schemaVersion: 1,
  taskId: "t1",
  causationId: null,
  actor: "kernel",
  occurredAt: atMs,
  recordedAt: atMs,
  payload,
  hash: "",
})

const OPENED = event("TaskOpened", 0, { goal: "g", measures: [], agent: "a@1" })
const read = (atMs: number, timeline?: string) =>
  event("SensorRead", atMs, { sensor: "a/b", reading: 1, priority: 0, latencyMs: 1 }, timeline)
const closed = (atMs: number, timeline?: string) => event("TaskClosed", atMs, { outcome: "achieved" }, timeline)

/** Recorded for 400 ms, forked an hour later, and closed 300 ms after that. */
const FORKED = [
  ...[OPENED, read(400)],
  event("TimelineForked", HOUR, { parent: "main", at: 401, overrides: {} }, "fork-1"),
  ...[read(HOUR + 100, "fork-1"), closed(HOUR + 300, "fork-1")],
]

/** Its kernel died after 400 ms; an hour later another one went on. */
const RESUMED = [
  ...[OPENED, read(400)],
  event("TaskResumed", HOUR, { agent: "a@1", at: 401, inDoubt: [] }),
  ...[read(HOUR + 100), closed(HOUR + 300)],
]

const secondsIn = (events: ReadonlyArray<Event>) => {
  const rule = { name: "quick", when: "w", weight: 1, rule: "task.outcome == 'achieved' && elapsed < 1000" }
  const slow = { name: "slow", when: "w", weight: 1, rule: "elapsed == 700" }
  const rubric = { name: "time", measures: [{ name: "m", description: "d", rewards: [rule, slow] }] }
  return RuleCritic.judge(rubric, "t1", events).map((judgement) => judgement.name)
}

describe.each([
  ["forked", FORKED],
  ["resumed", RESUMED],
] as const)("the time of a task that was %s", (_, events) => {
  it("is its own, without what lay before that, and says so", () => {
    const audit = Either.getOrThrow(TaskAudit.fold("t1", events))
    expect(audit).toMatchObject({ durationMs: 700, leftOutMs: HOUR - 400, openedAt: 0, closedAt: HOUR + 300 })
    const page = AuditPage.lines(plain, audit).join("\n")
    expect(page).toContain("in 700 ms, without 3599.6 s before it was forked or resumed")
  })

  it("is what rules are told", () => {
    expect(secondsIn(events)).toEqual(["quick", "slow"])
  })
})

describe("the time of a task that went through", () => {
  it("is that from its opening to its close", () => {
    const audit = Either.getOrThrow(TaskAudit.fold("t1", [OPENED, read(400), closed(700)]))
    expect(audit.durationMs).toBe(700)
    expect(audit).not.toHaveProperty("leftOutMs")
  })

  it("counts nothing where the log's clock was set back, and goes on from there", () => {
    const setBack = [OPENED, read(HOUR), read(HOUR + 400)].map((event, index) =>
      index === 0 ? { ...event, occurredAt: HOUR, recordedAt: HOUR } : event,
    )
    const audit = Either.getOrThrow(TaskAudit.fold("t1", [...setBack, read(100), closed(300)]))
    expect(audit).toMatchObject({ durationMs: 600, openedAt: HOUR, closedAt: 300 })
    expect(secondsIn([...setBack, read(100), closed(400)])).toEqual(["quick", "slow"])
  })

  it("goes to the latest time where a source tells times out of order, and counts none twice", () => {
    const imported = [0, 900, 200, 700, 1000, 950].map((occurredAt, index) => ({
      ...read(2 * HOUR + index),
      occurredAt,
    }))
    const [first, ...rest] = imported
    const elapsed: Array<number> = []
    let clock = TaskClock.start(first ?? OPENED)
    for (const event of rest) {
      clock = TaskClock.after(clock, event)
      elapsed.push(clock.elapsedMs)
    }
    expect(elapsed).toEqual([900, 900, 900, 1000, 1000])
  })

  it("never goes back, and is no longer than what the clock went forward", () => {
    const time = fc.integer({ min: 0, max: 5_000 })
    const times = fc.array(fc.record({ occurredAt: time, recordedAt: time }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(times, fc.boolean(), (moments, isLive) => {
        const events = moments.map(({ occurredAt, recordedAt }) => ({
          ...read(1),
          occurredAt: isLive ? recordedAt : occurredAt,
          recordedAt,
        }))
        const [first = read(1), ...rest] = events
        let clock = TaskClock.start(first)
        let forward = 0
        let before = first
        for (const event of rest) {
          const next = TaskClock.after(clock, event)
          expect(next.elapsedMs).toBeGreaterThanOrEqual(clock.elapsedMs)
          expect(TaskClock.momentOf(next, { occurredAt: next.lastAt })).toBe(first.occurredAt + next.elapsedMs)
          forward += Math.max(0, event.occurredAt - before.occurredAt)
          before = event
          clock = next
        }
        if (isLive) expect(clock.elapsedMs).toBe(forward)
      }),
    )
  })

  const clockChanged = (atMs: number, byMs: number) => event("ClockChanged", atMs, { byMs })

  it.each([
    ["forward", [clockChanged(HOUR + 500, HOUR)], 500],
    ["back", [clockChanged(500 - HOUR, -HOUR)], 500],
    ["forward, after an event of another process", [read(HOUR + 300), clockChanged(HOUR + 500, HOUR)], 500],
    [
      "back, after events of another process",
      [read(300 - HOUR), read(400 - HOUR), clockChanged(500 - HOUR, -HOUR)],
      500,
    ],
    ["forward, to before what was counted", [clockChanged(500, 2 * HOUR)], 0],
  ])("is what passed where the clock was seen to be set %s", (_, events, elapsedMs) => {
    const last = events.at(-1) ?? OPENED
    const clock = events.reduce(TaskClock.after, TaskClock.after(TaskClock.start(OPENED), read(100)))
    expect(clock).toMatchObject({ elapsedMs, leftOutMs: 0 })
    expect(TaskClock.momentOf(clock, last)).toBe(elapsedMs)
    const audit = Either.getOrThrow(TaskAudit.fold("t1", [OPENED, read(100), ...events, closed(last.occurredAt + 200)]))
    expect(audit.durationMs).toBe(elapsedMs + 200)
    expect(audit).not.toHaveProperty("leftOutMs")
  })

  it("is what passed but for changes of the clock that were not seen, whoever records between", () => {
    const step = fc.record({
      passed: fc.integer({ min: 0, max: 2_000 }),
      jump: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -HOUR, max: HOUR })),
      isOwn: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
        let [passed, wall, seen] = [0, 10 * HOUR, 10 * HOUR]
        let clock = TaskClock.start({ ...OPENED, occurredAt: wall, recordedAt: wall })
        const take = (type: string, payload = {}) => {
          clock = TaskClock.after(clock, event(type, wall, payload))
        }
        for (const { passed: by, jump, isOwn } of steps) {
          passed += by
          wall += by + jump
          const byMs = wall - passed - seen
          if (isOwn && Math.abs(byMs) >= 1_000) {
            take("ClockChanged", { byMs })
            seen += byMs
            expect(clock.elapsedMs).toBe(passed)
          }
          take("SensorRead")
          expect(clock.elapsedMs).toBe(passed + (wall - passed - seen) + clock.untoldMs)
        }
      }),
    )
  })

  it("goes on from there where the log's clock was put back before a fork", () => {
    const clock = TaskClock.after(TaskClock.start(read(HOUR)), read(400, "fork-1"))
    expect(TaskClock.after(clock, read(500, "fork-1"))).toMatchObject({ elapsedMs: 100, leftOutMs: 0 })
  })
})

describe("the time by which tasks are selected", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Appends events of a task to a log, each at its time. */
  const appended = (timeline: string, events: ReadonlyArray<readonly [atMs: number, event: CoreNewEvent]>) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      for (const [atMs, event] of events) {
        vi.setSystemTime(HOUR + atMs)
        const stream = event.type === "TimelineForked" ? `timeline/${timeline}` : "task/t1"
        yield* log.append({ timeline, stream, taskId: "t1", actor: "kernel", events: [event] })
      }
    })

  const seen: CoreNewEvent = { type: "SensorRead", payload: { sensor: "a/b", reading: 1, priority: 0, latencyMs: 1 } }
  const open: CoreNewEvent = { type: "TaskOpened", payload: { goal: "g", measures: [], agent: "a@1" } }
  const close: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved" } }

  /** The tasks of a timeline that an expression selects. */
  const selected = (timeline: string, where: string) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const view = Timelines.view(log, yield* Timelines.named(log, timeline))
      const { position } = yield* log.head
      const tasks = yield* TaskSelection.tasks(view, position, { select: { where } })
      return yield* TaskSelection.of(view, tasks, { select: { where } }).pipe(
        Effect.catchTag("NoTaskSelected", () => Effect.succeed([])),
      )
    })

  it("is the task's own where it was forked or resumed long after", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const resumed: CoreNewEvent = { type: "TaskResumed", payload: { agent: "a@1", at: 2, inDoubt: [] } }
    const forked: CoreNewEvent = {
      type: "TimelineForked",
      payload: { timeline: "fork-1", parent: "main", at: 2, overrides: {} },
    }
    const found = await Effect.runPromise(
      Effect.gen(function* () {
        yield* appended("main", [
          ...[[0, open] as const, [400, seen] as const],
          ...[[HOUR, resumed] as const, [HOUR + 200, close] as const],
        ])
        yield* appended("fork-1", [
          [9 * HOUR, forked],
          [9 * HOUR + 300, close],
        ])
        return {
          main: yield* selected("main", "task.durationMs == 600"),
          fork: yield* selected("fork-1", "task.durationMs == 700"),
          none: yield* selected("fork-1", "task.durationMs > 700"),
        }
      }).pipe(Effect.provide(MemoryEventLog.layer())),
    )
    expect(found).toEqual({ main: ["t1"], fork: ["t1"], none: [] })
  })
})
