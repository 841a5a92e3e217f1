import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as Days from "../../src/studio/overview/Days.ts"
import type { LogInfo } from "../../src/studio/wire/Log.ts"
import type { TaskOverview } from "../../src/studio/wire/Overview.ts"
import type { TaskList } from "../../src/studio/wire/Task.ts"
import { event, inTask, requestOf, type Unplaced } from "../projections/given.ts"
import { temporaryDirectory } from "../temporary.ts"
import { page, query, served } from "./given.ts"

const usage = { inputTokens: 1_000, outputTokens: 50 }
const prices = "test@1"

const asked = (model: string, more: object): ReadonlyArray<Unplaced> => [
  event("ModelCalled", { provider: "acme", model, requestDigest: "0".repeat(64), request: {} }),
  event("ModelResponded", { response: {}, usage, ...more }),
]

const opened = (agent: string, occurredAt: number) =>
  event("TaskOpened", { goal: `Goal of ${agent}`, measures: [], agent }, { occurredAt })

const closed = (outcome: "achieved" | "failed", occurredAt: number) =>
  event("TaskClosed", { outcome, reason: `it ${outcome}` }, { occurredAt })

const AT = Date.UTC(2026, 2, 28, 23, 30)
const HOUR = 3_600_000

/** Five tasks: a known cost, a partly unknown one, an unknown one, none, and an open one. */
const EVENTS = [
  ...inTask("known", [
    opened("a@1", AT),
    ...asked("big", { cost: { usd: 0.25, prices } }),
    ...asked("small", { cost: { usd: 0.05, prices } }),
    closed("achieved", AT + 2_000),
  ]),
  ...inTask("partly", [
    opened("a@1", AT + HOUR),
    ...asked("big", { cost: { usd: 0.5, prices } }),
    ...asked("big", { usage: { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] } }),
    closed("failed", AT + HOUR + 8_000),
  ]),
  ...inTask("unknown", [opened("b@1", AT + 26 * HOUR), ...asked("big", {}), closed("failed", AT + 26 * HOUR + 4_000)]),
  ...inTask("none", [opened("b@1", AT + 26 * HOUR), closed("achieved", AT + 26 * HOUR + 1_000)]),
  ...inTask("open", [opened("__proto__", AT + 27 * HOUR)]),
]

const onEvents = <A, E>(test: Effect.Effect<A, E, Layer.Layer.Success<ReturnType<typeof served>>>) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    yield* Effect.scoped(
      Effect.gen(function* () {
        const log = Context.get(yield* Layer.build(SqliteEventLog.layer({ filename })), EventLog)
        for (const one of EVENTS) {
          const request = requestOf(one)
          const { occurredAt } = one.envelope
          const events = request.events.map((each) => ({
            ...each,
            ...(occurredAt === undefined ? {} : { occurredAt }),
          }))
          yield* log.append({ ...request, events })
        }
      }),
    )
    return yield* Effect.provide(test, served(filename))
  })

/** The overview once everything is counted. */
const counted = (parameters: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const { get } = yield* page
    yield* Effect.repeat(get<LogInfo>("/api/log"), { until: ({ head, indexed }) => indexed === head })
    return yield* Effect.repeat(get<TaskOverview>(`/api/overview?${query(parameters)}`), {
      until: ({ counted }) => counted !== null,
    })
  })

const listed = (parameters: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { get } = yield* page
    return (yield* get<TaskList>(`/api/tasks?${query({ order: "oldest", ...parameters })}`)).rows.map(({ id }) => id)
  })

describe("the overview of all tasks", () => {
  it.scopedLive("has the numbers of their audits, and says what is unknown", () =>
    onEvents(
      Effect.gen(function* () {
        const { get } = yield* page
        const all = yield* counted()
        expect(all).toMatchObject({
          tasks: 5,
          all: 5,
          states: { achieved: 2, failed: 2 },
          score: null,
          counted: {
            durationMs: { tasks: 4, median: expect.any(Number) },
            // Of five calls, one has no tokens and two have no cost.
            use: { calls: 5, inputTokens: 4_000, outputTokens: 200, unmetered: 1, cost: { usd: null, atLeast: 0.8 } },
            withModels: 3,
          },
        })
        const known = yield* counted({ model: "acme/small" })
        expect(known.counted?.use?.cost).toEqual({ usd: 0.3, atLeast: 0.3 })
        expect((yield* counted({ agent: "b@1", state: "achieved" })).counted?.use).toBe(null)
        const log = yield* EventLog
        const { rows } = yield* get<TaskList>("/api/tasks")
        for (const { id, durationMs, models, steps } of rows) {
          const audit = yield* Effect.provideService(TaskAudit.load(id), EventLog, log)
          expect({ id, durationMs, steps }).toEqual({ id, durationMs: audit.durationMs, steps: audit.steps })
          expect(models?.use ?? null).toEqual(
            audit.model === undefined
              ? null
              : {
                  calls: audit.model.calls,
                  inputTokens: audit.model.inputTokens,
                  outputTokens: audit.model.outputTokens,
                  unmetered: audit.model.unmetered,
                  cost: { usd: audit.model.cost.usd, atLeast: audit.model.cost.atLeast },
                },
          )
          expect(models?.models).toEqual(Object.keys(audit.model?.byModel ?? {}))
        }
      }),
    ),
  )

  it.scopedLive("counts for each filter the tasks that pass all others", () =>
    onEvents(
      Effect.gen(function* () {
        const { choices, tasks, states } = yield* counted({ state: "failed", agent: "a@1", zone: "Europe/Berlin" })
        expect({ tasks, states }).toEqual({ tasks: 1, states: { failed: 1 } })
        expect(choices).toMatchObject({
          states: { achieved: 1, failed: 1 },
          questions: 0,
          agents: [
            { name: "a@1", tasks: 1 },
            { name: "b@1", tasks: 1 },
          ],
          models: [{ name: "acme/big", tasks: 1 }],
        })
        const all = yield* counted({ zone: "Europe/Berlin" })
        expect(all.choices.agents.map(({ name }) => name)).toEqual(["a@1", "b@1", "__proto__"])
        const { unit, slots } = all.choices.days
        // The clocks of Berlin went forward at two o'clock that night.
        expect({ unit, first: slots[0], second: slots[1] }).toEqual({
          unit: "hour",
          first: { day: "2026-03-29T00", states: { achieved: 1 } },
          second: { day: "2026-03-29T01", states: { failed: 1 } },
        })
        expect(slots.at(-1)?.day).toBe("2026-03-30T04")
        expect(yield* listed({ day: "2026-03-29", zone: "Europe/Berlin" })).toEqual(["known", "partly"])
        expect(yield* listed({ day: "2026-03-28" })).toEqual(["known"])
      }),
    ),
  )

  it.scopedLive("filters by cost, tokens, time and model, where an unknown value is never 0", () =>
    onEvents(
      Effect.gen(function* () {
        const { refused } = yield* page
        yield* counted()
        expect(yield* listed({ where: "task.cost > 0.1" })).toEqual(["known"])
        expect(yield* listed({ where: "task.cost < 0.1" })).toEqual([])
        expect(yield* listed({ where: "task.costAtLeast > 0.1" })).toEqual(["known", "partly"])
        expect(yield* listed({ where: "task.tokens <= 1050" })).toEqual(["unknown"])
        expect(yield* listed({ where: "task.durationMs > 0.0" })).toEqual(["known", "partly", "unknown", "none"])
        expect(yield* listed({ where: '"acme/small" in task.models' })).toEqual(["known"])
        expect(yield* listed({ where: 'task.model == "acme/big"' })).toEqual(["partly", "unknown"])
        expect(yield* listed({ where: "task.cost > 100.0" })).toEqual([])
        expect(yield* refused(`/api/tasks?${query({ where: "task.csot > 1" })}`)).toMatchObject({ status: 400 })
        expect(yield* listed({ model: "acme/small" })).toEqual(["known"])
        expect(yield* listed({ text: "achieved" })).toEqual(["known", "none"])
        expect(yield* listed({ text: "it failed", agent: "b@1" })).toEqual(["unknown"])
        expect(yield* listed({ state: "questions" })).toEqual([])
        expect(yield* refused("/api/tasks?zone=Mars/Olympus")).toMatchObject({ status: 400 })
        expect(yield* refused("/api/tasks?day=yesterday")).toMatchObject({ status: 400 })
      }),
    ),
  )

  it.scopedLive("shows why each task has the words of a search", () =>
    onEvents(
      Effect.gen(function* () {
        const { get } = yield* page
        const { rows, found } = yield* get<TaskList>(`/api/tasks?${query({ text: "it failed" })}`)
        expect(rows.map(({ id }) => id).sort()).toEqual(["partly", "unknown"])
        expect(found).toMatchObject({ cut: false, widened: false })
        expect(found?.hits.map(({ task, type, kind }) => ({ task, type, kind }))).toEqual(
          rows.map(({ id }) => ({ task: id, type: "TaskClosed", kind: "error" })),
        )
      }),
    ),
  )
})

describe("the slots of a log's days", () => {
  const slots = (...hours: ReadonlyArray<string>) =>
    Days.of(
      hours.map((hour) => ({ hour, state: "achieved" })),
      "UTC",
    )

  it("are as long as fits, without gaps", () => {
    expect(slots()).toMatchObject({ slots: [] })
    expect(slots("2026-02-27T23", "2026-02-28T01").slots.map(({ day }) => day)).toEqual([
      "2026-02-27T23",
      "2026-02-28T00",
      "2026-02-28T01",
    ])
    const days = slots("2026-02-27T00", "2026-03-05T00", "2026-03-05T10")
    expect({ unit: days.unit, days: days.slots.length, last: days.slots.at(-1) }).toEqual({
      unit: "day",
      days: 7,
      last: { day: "2026-03-05", states: { achieved: 2 } },
    })
    expect(slots("2025-11-01T00", "2026-03-05T00")).toMatchObject({ unit: "month", slots: { length: 5 } })
    expect(slots("1970-01-01T00", "2026-03-05T00")).toMatchObject({ unit: "year", slots: { length: 57 } })
    expect(slots("1970-01-01T00", "9999-03-05T00")).toMatchObject({ unit: "year", slots: { length: 2 } })
  })

  it("are those of a zone's clock", () => {
    const at = Date.UTC(2026, 9, 25, 0, 30)
    const hours = [0, 1, 2].map((hour) => Days.hourIn("Europe/Berlin")(at + hour * HOUR))
    expect(hours).toEqual(["2026-10-25T02", "2026-10-25T02", "2026-10-25T03"])
    expect(Days.hourIn("Asia/Kathmandu")(at)).toBe("2026-10-25T06")
    expect(["UTC", "Europe/Berlin", "Mars/Olympus", ""].map(Days.isZone)).toEqual([true, true, false, false])
  })
})
