import { it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { DecodedEvent } from "../../../src/events/read/Records.ts"
import * as OtlpTraces from "../../../src/projections/exports/OtlpTraces.ts"
import type { Span } from "../../../src/projections/exports/otlp/Span.ts"
import { encoded, event, idOf } from "./given.ts"

/** `TracesData` of opentelemetry-proto 1, in its JSON encoding: lowerCamelCase, ids in hexadecimal, 64-bit integers as text. */
const uint64 = { type: "string", pattern: "^\\d{1,20}$" }
const value = {
  oneOf: [
    ...[{ stringValue: { type: "string" } }, { intValue: { type: "string", pattern: "^-?\\d+$" } }],
    ...[{ doubleValue: { type: "number" } }, { boolValue: { type: "boolean" } }],
  ].map((properties) => ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  })),
}
const attributes = {
  type: "array",
  items: {
    type: "object",
    properties: { key: { type: "string", minLength: 1 }, value },
    required: ["key", "value"],
    additionalProperties: false,
  },
}
const span = {
  type: "object",
  properties: {
    traceId: { type: "string", pattern: "^(?!0{32})[0-9a-f]{32}$" },
    spanId: { type: "string", pattern: "^(?!0{16})[0-9a-f]{16}$" },
    parentSpanId: { type: "string", pattern: "^(?!0{16})[0-9a-f]{16}$" },
    name: { type: "string", minLength: 1 },
    kind: { enum: [1, 2, 3, 4, 5] },
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
    attributes,
    events: {
      type: "array",
      items: {
        type: "object",
        properties: { timeUnixNano: uint64, name: { type: "string", minLength: 1 }, attributes },
        required: ["timeUnixNano", "name"],
        additionalProperties: false,
      },
    },
    droppedEventsCount: { type: "integer" },
    status: {
      type: "object",
      properties: { code: { enum: [0, 1, 2] }, message: { type: "string" } },
      additionalProperties: false,
    },
  },
  required: ["traceId", "spanId", "name", "startTimeUnixNano", "endTimeUnixNano"],
  additionalProperties: false,
}
const object = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const list = (items: object) => ({ type: "array", items, minItems: 1 })
const string = { type: "string" }
const scopeSpans = list(object({ scope: object({ name: string, version: string }), spans: list(span) }))
const SCHEMA = object({ resourceSpans: list(object({ resource: object({ attributes }), scopeSpans })) })

/** The spans of all lines, each of which is a `TracesData`. */
const spansOf = (items: ReadonlyArray<DecodedEvent>, timeline: string | null = null) =>
  Effect.gen(function* () {
    const options = { service: "tests", version: "1.2.3", log: "log.db", timeline }
    const text = (yield* encoded(OtlpTraces.encoder(options), items)).toString()
    const lines = text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    const validate = new Ajv().compile(SCHEMA)
    expect(lines.flatMap((line) => (validate(line) ? [] : [validate.errors]))).toEqual([])
    for (const line of lines) {
      expect(read(line.resourceSpans[0].resource.attributes)).toEqual({
        "service.name": "tests",
        "hindcast.log": "log.db",
      })
      expect(line.resourceSpans[0].scopeSpans[0].scope).toEqual({ name: "hindcast", version: "1.2.3" })
    }
    return lines.flatMap((line): ReadonlyArray<Span> => line.resourceSpans[0].scopeSpans[0].spans)
  })

const read = (attributes: Span["attributes"]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, "intValue" in value ? Number(value.intValue) : Object.values(value)[0]]),
  )

const named = (spans: ReadonlyArray<Span>, name: string): Span => {
  const found = spans.filter((span) => span.name === name)
  expect(found.map(({ name }) => name)).toEqual([name])
  return found[0] as Span
}

const TASK = "01890000-0000-7000-8000-00000000cafe"

const at = (position: number, type: string, payload: object, causationId: string | null = null) =>
  event(position, type, payload, { taskId: TASK, causationId })

const verdict = (position: number, type: string, payload: object, taskId = TASK) =>
  event(
    position,
    type,
    { scoreSetId: "s", measure: "room/progress", name: "won", weight: 1, because: [], ...payload },
    { taskId },
  )

const STORY = [
  at(1, "TaskOpened", { goal: "find the key", measures: [], agent: "walker@1.0.0" }),
  at(2, "SensorRead", { sensor: "room/view", reading: {}, priority: 0, latencyMs: 2.5 }),
  at(3, "ModelCalled", { provider: "acme", model: "m-1", requestDigest: "", request: {} }),
  at(4, "ModelResponded", { response: {}, usage: { inputTokens: 12, outputTokens: 3 }, latencyMs: 10 }, idOf(3)),
  at(5, "DecisionMade", { agent: "walker@1.0.0", choice: { act: "room/go" } }),
  at(6, "ActuatorCommanded", { commandId: "c1", actuator: "room/go", args: { to: "hall" }, priority: 0 }),
  at(7, "ConfirmationRequested", { confirmationId: "q1", commandId: "c1", shown: { actuator: "room/go" } }),
  at(8, "ConfirmationDecided", { confirmationId: "q1", approved: true, by: "ada", channel: "cli", waitedMs: 10 }),
  at(9, "CommandAllowed", { commandId: "c1", rule: "ask" }),
  at(10, "CommandSucceeded", { commandId: "c1", result: { at: "hall" }, latencyMs: 10 }),
  at(11, "ActuatorCommanded", { commandId: "c2", actuator: "room/open", args: {}, priority: 0 }),
  at(12, "CommandFailed", { commandId: "c2", error: { code: "locked", message: "It is locked." } }),
  at(13, "SensorFailed", { sensor: "room/smell", error: { code: "timeout", message: "no answer" } }),
  at(14, "TaskClosed", { outcome: "failed", reason: "gave up" }),
  event(15, "ScoringStarted", { scoreSetId: "s", label: "live", critic: "rule@4", taskIds: [TASK] }, { taskId: null }),
  verdict(16, "RewardGiven", { amount: 0.5, rationale: "it tried" }),
  verdict(17, "PunishmentGiven", { amount: 0.25, name: "slow" }),
  event(18, "ScoringFinished", { scoreSetId: "s", totals: {} }, { taskId: null }),
]

describe("tasks as OpenTelemetry traces", () => {
  it.effect("say why the result of a command is missing, and who said after a crash what became of one", () =>
    Effect.gen(function* () {
      const unrecorded = { reason: "expected JSON, found a cycle" }
      const payload = { commandId: "c", result: null, latencyMs: 1, unrecorded, settledBy: "bank@1.0.0" }
      const spans = yield* spansOf([
        at(1, "TaskOpened", { goal: "Pay", agent: "walker@1.0.0", measures: [] }),
        at(2, "ActuatorCommanded", { commandId: "c", actuator: "bank/pay", args: {}, priority: 0 }),
        at(3, "CommandSucceeded", payload),
        at(4, "TaskClosed", { outcome: "achieved" }),
      ])
      const attributes = read(named(spans, "execute_tool bank/pay").attributes)
      expect(attributes).toMatchObject({
        "hindcast.command.unrecorded": "expected JSON, found a cycle",
        "hindcast.command.settled_by": "bank@1.0.0",
      })
      expect(attributes).not.toHaveProperty("gen_ai.tool.call.result")
    }),
  )

  it.effect("are one trace each, whose id is the task's, with the agent's invocation as its root", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf(STORY)
      const root = named(spans, "invoke_agent walker")
      expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TASK.replaceAll("-", "")]))
      expect(spans.filter(({ parentSpanId }) => parentSpanId === undefined)).toEqual([root])
      expect(root).toMatchObject({ kind: 1, status: { code: 2, message: "gave up" } })
      expect(root.startTimeUnixNano).toBe("1700000000010000000")
      expect(root.endTimeUnixNano).toBe("1700000000140000000")
      expect(read(root.attributes)).toMatchObject({
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "walker",
        "gen_ai.agent.version": "1.0.0",
        "gen_ai.conversation.id": TASK,
        "hindcast.task.outcome": "failed",
        "error.type": "failed",
      })
      expect(root.events.map(({ name }) => name)).toEqual(["decision made"])
    }),
  )

  it.effect("have a span for each reading, model call and command, with the conventions' names", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf(STORY)
      const root = named(spans, "invoke_agent walker").spanId
      expect(spans.map(({ name }) => name).sort()).toEqual([
        ...["chat m-1", "confirm room/go", "execute_tool room/go", "execute_tool room/open"],
        ...["invoke_agent walker", "read room/smell", "read room/view", "score live"],
      ])
      const chat = named(spans, "chat m-1")
      expect(chat).toMatchObject({ kind: 3, parentSpanId: root, startTimeUnixNano: "1700000000030000000" })
      expect(read(chat.attributes)).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "acme",
        "gen_ai.request.model": "m-1",
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
      })
      const go = named(spans, "execute_tool room/go")
      expect(go).toMatchObject({ parentSpanId: root, status: { code: 1 }, endTimeUnixNano: "1700000000100000000" })
      expect(read(go.attributes)).toMatchObject({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "room/go",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": '{"to":"hall"}',
        "gen_ai.tool.call.result": '{"at":"hall"}',
      })
      expect(go.events.map(({ name }) => name)).toEqual(["allowed"])
      const open = named(spans, "execute_tool room/open")
      expect(open.status).toEqual({ code: 2, message: "It is locked." })
      expect(read(open.attributes)["error.type"]).toBe("locked")
      expect(named(spans, "read room/view").startTimeUnixNano).toBe("1700000000017500000")
      expect(named(spans, "read room/smell").status).toEqual({ code: 2, message: "no answer" })
    }),
  )

  it.effect("have what model calls used and cost, those that failed or were cancelled among them", () =>
    Effect.gen(function* () {
      const asked = (position: number, model: string) =>
        at(position, "ModelCalled", { provider: "acme", model, requestDigest: "", request: {} })
      const usage = { inputTokens: 12, outputTokens: 3, cachedTokens: 4, reasoningTokens: 2 }
      const cost = { usd: 0.25, prices: "table@1" }
      const spans = yield* spansOf([
        at(1, "TaskOpened", { goal: "ask", measures: [], agent: "walker@1.0.0" }),
        ...[asked(2, "a"), at(3, "ModelResponded", { response: {}, usage, cost, latencyMs: 1 }, idOf(2))],
        ...[asked(4, "b"), at(5, "ModelFailed", { kind: "cut-off", reason: "no end", usage, cost }, idOf(4))],
        ...[asked(6, "c"), at(7, "ModelFailed", { kind: "cancelled", reason: "stopped" }, idOf(6))],
        at(8, "TaskClosed", { outcome: "abandoned" }),
        // An event after the close opens no second trace.
        at(9, "ModelFailed", { kind: "cancelled", reason: "late" }, idOf(6)),
      ])
      const used = {
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.reasoning.output_tokens": 2,
        "hindcast.model.cost.usd": 0.25,
        "hindcast.model.cost.prices": "table@1",
      }
      expect(spans).toHaveLength(4)
      expect(read(named(spans, "chat a").attributes)).toMatchObject(used)
      expect(named(spans, "chat b").status).toEqual({ code: 2, message: "no end" })
      expect(read(named(spans, "chat b").attributes)).toMatchObject({ "error.type": "cut-off", ...used })
      const cancelled = read(named(spans, "chat c").attributes)
      expect(cancelled["error.type"]).toBe("cancelled")
      expect(Object.keys(cancelled).filter((name) => /usage|cost/.test(name))).toEqual([])
    }),
  )

  it.effect("show the wait for a person within its command", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf(STORY)
      const confirm = named(spans, "confirm room/go")
      expect(confirm.parentSpanId).toBe(named(spans, "execute_tool room/go").spanId)
      expect(Number(confirm.endTimeUnixNano) - Number(confirm.startTimeUnixNano)).toBeCloseTo(10_000_000, -3)
      expect(read(confirm.attributes)).toMatchObject({
        "hindcast.confirmation.approved": true,
        "hindcast.confirmation.by": "ada",
      })
    }),
  )

  it.effect("carry what a scoring found as results of an evaluation", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf(STORY)
      const score = named(spans, "score live")
      expect(score.parentSpanId).toBe(named(spans, "invoke_agent walker").spanId)
      expect(score.events.map(({ name, attributes }) => [name, read(attributes)])).toEqual([
        [
          "gen_ai.evaluation.result",
          {
            "gen_ai.evaluation.name": "room/progress: won",
            "gen_ai.evaluation.explanation": "it tried",
            "gen_ai.evaluation.score.value": 0.5,
            "gen_ai.evaluation.score.label": "reward",
            "hindcast.position": 16,
          },
        ],
        [
          "gen_ai.evaluation.result",
          {
            "gen_ai.evaluation.name": "room/progress: slow",
            "gen_ai.evaluation.score.value": -0.25,
            "gen_ai.evaluation.score.label": "punishment",
            "hindcast.position": 17,
          },
        ],
      ])
    }),
  )

  it.effect("nest: every span is within its parent's time, but for scorings, which come after", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf(STORY)
      const byId = new Map(spans.map((span) => [span.spanId, span]))
      expect(byId.size).toBe(spans.length)
      for (const span of spans) {
        expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano))
        if (span.parentSpanId === undefined || span.name.startsWith("score ")) continue
        const parent = byId.get(span.parentSpanId)
        expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(parent?.startTimeUnixNano ?? "0"))
        expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(parent?.endTimeUnixNano ?? "0"))
      }
    }),
  )

  it.effect("are the same in every export", () =>
    Effect.gen(function* () {
      expect(yield* spansOf(STORY)).toEqual(yield* spansOf(STORY))
    }),
  )

  it.effect("end what is still under way where the events end, and begin a task where its first event is", () =>
    Effect.gen(function* () {
      const cut = yield* spansOf(STORY.slice(4, 7))
      expect(cut.map(({ name }) => name)).toEqual(["execute_tool room/go", "confirm room/go", "invoke_agent"])
      for (const span of cut) expect(read(span.attributes)["hindcast.unfinished"]).toBe(true)
      // An outcome without its command, or a verdict without its scoring, is no span.
      expect((yield* spansOf(STORY.slice(9, 10))).map(({ name }) => name)).toEqual(["invoke_agent"])
      expect(yield* spansOf(STORY.slice(15))).toEqual([])
    }),
  )

  describe("of a task that went on in a fork", () => {
    const on = (timeline: string, of: DecodedEvent): DecodedEvent => ({ ...of, link: { ...of.link, timeline } })
    const opened = at(1, "TaskOpened", { goal: "win", measures: [], agent: "walker@1" })
    const scoring = (position: number, timeline: string) => [
      event(position, "ScoringStarted", { scoreSetId: timeline, label: timeline, critic: "c" }, { taskId: null }),
      verdict(position + 1, "RewardGiven", { scoreSetId: timeline, amount: 1 }),
      event(position + 2, "ScoringFinished", { scoreSetId: timeline, totals: {} }, { taskId: null }),
    ]
    const closed = (position: number) => at(position, "TaskClosed", { outcome: "achieved" })
    const fork = [closed(4), ...scoring(5, "fork-1")].map((of) => on("fork-1", of))
    const traceOf = (spans: ReadonlyArray<Span>, name: string) => named(spans, name).traceId

    it.effect("have a trace of their own, in which the fork's scorings are", () =>
      Effect.gen(function* () {
        const spans = yield* spansOf([opened, closed(3), ...fork, ...scoring(10, "main")])
        expect(traceOf(spans, "score main")).toBe(traceOf(spans, "invoke_agent walker"))
        expect(traceOf(spans, "score fork-1")).toBe(traceOf(spans, "invoke_agent"))
        expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2)
      }),
    )

    it.effect("take as long as its own time, however long after the recording it was forked", () =>
      Effect.gen(function* () {
        const hour = 3_600_000
        const late = (of: DecodedEvent): DecodedEvent => ({
          ...of,
          link: { ...of.link, occurredAt: of.link.occurredAt + hour, recordedAt: of.link.recordedAt + hour },
        })
        const forked = at(3, "TimelineForked", { timeline: "fork-1", parent: "main", at: 2, overrides: {} })
        const command = { commandId: "c1", actuator: "room/go", args: {}, argsDigest: "", priority: 0 }
        const shared = [opened, at(2, "ActuatorCommanded", command)]
        const after = [at(4, "CommandSucceeded", { commandId: "c1", result: null, latencyMs: 1 }), closed(5)]
        const lasting = ({ startTimeUnixNano, endTimeUnixNano }: Span) =>
          Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6
        const own = [forked, ...after, ...scoring(6, "fork-1")].map((of) => on("fork-1", of))
        const [soon, later] = [
          yield* spansOf([...shared, ...own], "fork-1"),
          yield* spansOf([...shared, ...own.map(late)], "fork-1"),
        ]
        for (const spans of [soon, later]) {
          // Positions are 10 ms apart, and what lies between the last shared event and the fork does not count.
          expect(lasting(named(spans, "invoke_agent walker"))).toBe(30)
          expect(spans.filter(({ name }) => name.includes("room/go")).map(lasting)).toEqual([10])
        }
        const root = read(named(later, "invoke_agent walker").attributes)
        expect(root).toMatchObject({ "hindcast.task.left_out_ms": hour + 10 })
      }),
    )

    it.effect("are one trace from its opening on, where the fork's history is exported", () =>
      Effect.gen(function* () {
        const spans = yield* spansOf([opened, ...fork], "fork-1")
        const root = named(spans, "invoke_agent walker")
        expect(read(root.attributes)).toMatchObject({
          "hindcast.timeline": "fork-1",
          "hindcast.task.outcome": "achieved",
        })
        expect(named(spans, "score fork-1").parentSpanId).toBe(root.spanId)
        expect(spans.map(({ traceId }) => traceId)).toEqual([root.traceId, root.traceId])
      }),
    )
  })

  it.effect.each([3_600_000, -3_600_000])("take the time that passed where the clock was set by %i ms", (byMs) =>
    Effect.gen(function* () {
      const set = (of: DecodedEvent): DecodedEvent => ({
        ...of,
        link: { ...of.link, occurredAt: of.link.occurredAt + byMs, recordedAt: of.link.recordedAt + byMs },
      })
      const spans = yield* spansOf([
        at(1, "TaskOpened", { goal: "g", measures: [], agent: "walker@1.0.0" }),
        at(2, "ActuatorCommanded", { commandId: "c1", actuator: "room/go", args: {}, priority: 0 }),
        set(at(3, "ClockChanged", { byMs })),
        set(at(4, "CommandSucceeded", { commandId: "c1", result: null, latencyMs: 20 })),
        set(at(5, "TaskClosed", { outcome: "achieved" })),
      ])
      const lasting = ({ startTimeUnixNano, endTimeUnixNano }: Span) =>
        Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6
      expect(lasting(named(spans, "invoke_agent walker"))).toBe(40)
      expect(spans.filter(({ name }) => name.includes("room/go")).map(lasting)).toEqual([20])
    }),
  )

  it.effect("come in lines of at most 500 spans, and one scoring of many tasks is a span in each", () =>
    Effect.gen(function* () {
      const tasks = Array.from({ length: 700 }, (_, index) => `t${index}`)
      const items = [
        ...tasks.flatMap((taskId, index) => [
          event(2 * index + 1, "TaskOpened", { goal: "", measures: [], agent: "a" }, { taskId }),
          event(2 * index + 2, "TaskClosed", { outcome: "achieved" }, { taskId }),
        ]),
        event(5000, "ScoringStarted", { scoreSetId: "s", label: "all", critic: "c", taskIds: tasks }, { taskId: null }),
        ...tasks.map((taskId, index) => verdict(5001 + index, "RewardGiven", { amount: 1 }, taskId)),
        event(9000, "ScoringFinished", { scoreSetId: "s", totals: {} }, { taskId: null }),
      ]
      const spans = yield* spansOf(items)
      expect(spans).toHaveLength(1400)
      const roots = new Map(
        spans.filter(({ name }) => name === "invoke_agent a").map((span) => [span.traceId, span.spanId]),
      )
      expect(roots.size).toBe(700)
      const scores = spans.filter(({ name }) => name === "score all")
      expect(
        scores.every(({ traceId, parentSpanId, events }) => roots.get(traceId) === parentSpanId && events.length === 1),
      ).toBe(true)
      const text = (yield* encoded(OtlpTraces.encoder({ service: "s", version: "1", log: "l" }), items)).toString()
      const sizes = text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).resourceSpans[0].scopeSpans[0].spans.length)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    }),
  )
})
