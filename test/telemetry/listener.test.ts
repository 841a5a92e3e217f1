import * as fs from "node:fs"
import * as zlib from "node:zlib"
import fc from "fast-check"
import protobuf from "protobufjs"
import { afterAll, describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { MESSAGES } from "../../src/importing/protobuf/Messages.ts"
import { payloads, typesOf } from "../importing/given.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { attributes, receiving, request, span, spanId, TRACE, weather } from "./receiving.ts"

const place = workplace()
afterAll(place.remove)

let made = 0
const directory = (): string => {
  made += 1
  const name = place.file(`log-${made}`)
  fs.mkdirSync(name)
  return name
}

const sent = (name: string): string =>
  fs.readFileSync(inRepository("test", "telemetry", "cases", `${name}.json`), "utf8")

const root = protobuf.Root.fromJSON({ nested: MESSAGES })

/** A request for traces as an exporter for protobuf writes it. */
const inProtobuf = (spans: ReadonlyArray<Record<string, unknown>>): Uint8Array => {
  const type = root.lookupType("TraceRequest")
  const bytes = (hex: unknown) => (hex === undefined ? undefined : Buffer.from(String(hex), "hex"))
  const binary = spans.map((one) => ({
    ...one,
    traceId: bytes(one.traceId),
    spanId: bytes(one.spanId),
    parentSpanId: bytes(one.parentSpanId),
  }))
  return type.encode(type.fromObject(request(binary))).finish()
}

const PROTOBUF = { "content-type": "application/x-protobuf" }

const inBrief = (events: ReadonlyArray<Event>) =>
  events.map(({ id, type, taskId, payload, causationId, occurredAt }) => ({
    ...{ id, type, taskId, payload, causationId },
    occurredAt,
  }))

const TYPES = [
  ...["TaskOpened", "InputReceived", "ModelCalled", "ModelResponded", "ActuatorCommanded", "CommandAllowed"],
  ...["CommandDispatched", "CommandSucceeded", "ModelCalled", "ModelResponded", "MessageSent", "TaskClosed"],
]

describe("spans", () => {
  it("become the task that an import makes, in either encoding, packed or not", async () => {
    const inJson = await receiving(directory(), async ({ post, recorded }) => {
      const answer = await post("/v1/traces", request(weather()))
      expect([answer.status, answer.headers.get("content-type"), await answer.json()]).toEqual([
        ...[200, "application/json"],
        {},
      ])
      return recorded()
    })
    expect(typesOf(inJson, `otlp-${TRACE}`)).toEqual(TYPES)
    expect(payloads(inJson, "TaskOpened")).toMatchObject([{ goal: "Weather?", agent: "forecaster@unknown" }])
    const packed = await receiving(directory(), async ({ post, recorded }) => {
      const body = zlib.gzipSync(inProtobuf(weather() as ReadonlyArray<Record<string, unknown>>))
      const answer = await post("/v1/traces", body, { ...PROTOBUF, "content-encoding": "gzip" })
      expect([answer.status, answer.headers.get("content-type"), (await answer.arrayBuffer()).byteLength]).toEqual([
        ...[200, "application/x-protobuf"],
        0,
      ])
      return recorded()
    })
    expect(inBrief(packed)).toEqual(inBrief(inJson))
  })

  it("give the same events in any order, in any requests, however often they come", async () => {
    const all = [...weather(), ...weather(TRACE.replace("5b", "6b"), { "session.id": "s" })]
    const expected = await receiving(directory(), async ({ post, recorded }) => {
      await post("/v1/traces", request(all))
      return recorded()
    })
    const order = fc.tuple(
      fc.shuffledSubarray(
        all.map((_, index) => index),
        { minLength: all.length },
      ),
      fc.array(fc.nat(all.length - 1), { maxLength: 8 }),
      fc.integer({ min: 1, max: 5 }),
    )
    await fc.assert(
      fc.asyncProperty(order, async ([first, again, size]) => {
        const indexes = [...first, ...again]
        const found = await receiving(directory(), async ({ post, recorded, counts }) => {
          for (let at = 0; at < indexes.length; at += size)
            await post("/v1/traces", request(indexes.slice(at, at + size).map((index) => all[index] ?? {})))
          expect(counts.recorded).toBe(all.length)
          return recorded()
        })
        const byTask = (events: ReadonlyArray<Event>) =>
          inBrief(events).sort((a, b) => String(a.taskId).localeCompare(String(b.taskId)))
        expect(byTask(found)).toEqual(byTask(expected))
      }),
      { numRuns: 12 },
    )
  })

  it("wait for their root, and are not recorded again after a restart", async () => {
    const place = directory()
    const [model = {}, tool = {}, answer = {}, agent = {}] = weather().map((one) => ({
      ...one,
      endTimeUnixNano: `${Date.now()}000000`,
    }))
    const none = await receiving(place, async ({ post, recorded }) => {
      await post("/v1/traces", request([answer, tool]))
      return recorded()
    })
    expect(none).toEqual([])
    const first = await receiving(place, async ({ post, recorded }) => {
      await post("/v1/traces", request([agent, model]))
      return recorded()
    })
    expect(typesOf(first, `otlp-${TRACE}`)).toEqual(TYPES)
    const second = await receiving(place, async ({ post, recorded, counts }) => {
      await post("/v1/traces", request([tool, agent, model, answer]))
      expect(counts.recorded).toBe(0)
      return recorded()
    })
    expect(inBrief(second)).toEqual(inBrief(first))
  })

  it("of one conversation are one task, whichever of a trace's spans names it", async () => {
    const other = TRACE.replace("5b", "6b")
    const events = await receiving(directory(), async ({ post, recorded }) => {
      const [first = {}, ...others] = weather(TRACE, { "gen_ai.conversation.id": "talk" })
      await post("/v1/traces", request(others))
      await post("/v1/traces", request([first]))
      await post("/v1/traces", request(weather(other, { "gen_ai.conversation.id": "talk" }, 5)))
      return recorded()
    })
    expect(payloads(events, "TaskOpened")).toHaveLength(1)
    expect(events[0]?.taskId).toBe("otlp-talk")
    expect(payloads(events, "ModelResponded")).toHaveLength(4)
  })

  it("that cannot be read are counted, and stop no others", async () => {
    await receiving(directory(), async ({ post, recorded }) => {
      const [one = {}] = weather()
      const bad = [
        { ...one, traceId: "xyz" },
        { ...one, spanId: "0".repeat(16) },
        { ...one, traceId: 7 },
        { ...one, spanId: "ff".repeat(40) },
      ]
      const answer = await post("/v1/traces", request([...bad, ...weather()]))
      expect([answer.status, await answer.json()]).toEqual([
        200,
        {
          partialSuccess: {
            rejectedSpans: "4",
            errorMessage: "4 of 8 spans: a span without valid ids of trace and span",
          },
        },
      ])
      expect(typesOf(await recorded(), `otlp-${TRACE}`)).toEqual(TYPES)
      const inBytes = await post("/v1/traces", inProtobuf(bad.slice(0, 1)), PROTOBUF)
      const decoded = root
        .lookupType("Response")
        .decode(new Uint8Array(await inBytes.arrayBuffer()))
        .toJSON()
      expect(decoded).toEqual({
        partialSuccess: { rejected: "1", errorMessage: "1 of 1 spans: a span without valid ids of trace and span" },
      })
    })
  })

  it("without a model, a tool or an agent are said once and not recorded", async () => {
    await receiving(directory(), async ({ post, recorded, remarks }) => {
      await post("/v1/traces", request([span({ id: 1, from: 0, to: 1, of: { "http.route": "/" } })]))
      expect(await recorded()).toEqual([])
      expect(remarks).toEqual(["trace: no span of it is of a model, a tool or an agent"])
    })
  })
})

describe("evaluations", () => {
  it("in spans and log records become score sets, once each", async () => {
    const evaluation = (score: number, more: object = {}) => ({
      name: "gen_ai.evaluation.result",
      attributes: attributes({
        "gen_ai.evaluation.name": "relevance",
        "gen_ai.evaluation.score.value": score,
        "gen_ai.evaluation.score.label": "good",
        "gen_ai.evaluation.explanation": "it answers",
        ...more,
      }),
    })
    await receiving(directory(), async ({ post, recorded }) => {
      const judged = weather().map((one, index) => (index === 2 ? { ...one, events: [evaluation(0.5)] } : one))
      const annotated = judged.map((one, index) =>
        index === 3
          ? {
              ...one,
              attributes: attributes({
                "openinference.span.kind": "AGENT",
                "annotations.0.annotation.name": "correctness",
                "annotations.0.annotation.score": 1,
                "annotations.0.annotation.annotator_kind": "HUMAN",
              }),
            }
          : one,
      )
      const record = {
        ...{ timeUnixNano: "1767323050000000000", eventName: "gen_ai.evaluation.result", traceId: TRACE },
        ...{ spanId: spanId(4), attributes: evaluation(0.25).attributes },
      }
      const logs = { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }
      // The evaluation comes before what it judges.
      for (let times = 0; times < 2; times++) {
        expect((await post("/v1/logs", logs)).status).toBe(200)
        await post("/v1/traces", request(annotated))
      }
      await recorded()
      const events = await recorded()
      expect(payloads(events, "ScoringStarted").map(({ label, taskIds }) => [label, taskIds])).toEqual(
        expect.arrayContaining([
          ["relevance", [`otlp-${TRACE}`]],
          ["relevance", [`otlp-${TRACE}`]],
          ["correctness by human", [`otlp-${TRACE}`]],
        ]),
      )
      expect(payloads(events, "ScoringStarted")).toHaveLength(3)
      expect(payloads(events, "RewardGiven").map(({ amount, rationale }) => [amount, rationale])).toEqual(
        expect.arrayContaining([
          [0.5, "good: it answers"],
          [0.25, "good: it answers"],
          [1, undefined],
        ]),
      )
    })
  })

  it("of something unknown are rejected with the reason", async () => {
    await receiving(directory(), async ({ post }) => {
      const record = { eventName: "gen_ai.evaluation.result", attributes: [] }
      const answer = await post("/v1/logs", { resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] })
      expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedLogRecords: "1" } })
    })
  })
})

describe("log records of coding agents", () => {
  it.each([
    ["claude-code-default-logs", "claude-code-4b8db1d7-c10b-40c9-be6f-ca16fbd467b5"],
    ["claude-code-all-content-logs", "claude-code-964fa575-b405-4fa1-9943-5c928ba2f81f"],
  ])("%s: decisions, tokens and cost, under the id of the session's other records", async (name, taskId) => {
    await receiving(directory(), async ({ post, recorded, counts }) => {
      for (let times = 0; times < 2; times++) expect((await post("/v1/logs", sent(name))).status).toBe(200)
      const events = await recorded()
      expect(events[0]).toMatchObject({ type: "TaskOpened", taskId })
      expect(counts.recorded).toBeLessThanOrEqual(counts.received.logRecords / 2)
      expect(payloads(events, "CommandAllowed")).toMatchObject([{ rule: "claude-code:config" }])
      expect(payloads(events, "CommandDenied")).toMatchObject([
        { commandId: `${taskId}/toolu_02Denied`, reason: "Claude Code refused it by hook" },
      ])
      const [call] = payloads(events, "ModelResponded")
      expect(call).toMatchObject({ usage: { inputTokens: 11, outputTokens: 7 }, cost: { prices: "source" } })
      expect(payloads(events, "CommandSucceeded")).toHaveLength(1)
    })
  })

  it("of Codex have arguments and results", async () => {
    await receiving(directory(), async ({ post, recorded }) => {
      await post("/v1/logs", sent("codex-otlp-logs"))
      const events = await recorded()
      const taskId = "codex-01a21f6c-358f-7cf2-b320-7ee2b2be2b79"
      expect(events[0]).toMatchObject({ taskId, payload: { goal: "secret prompt" } })
      expect(payloads(events, "ActuatorCommanded")).toMatchObject([
        { commandId: `${taskId}/call_0301`, actuator: "codex/exec_command", args: { cmd: "echo hi" } },
      ])
      expect(payloads(events, "CommandAllowed")).toMatchObject([{ rule: "codex:config" }])
      expect(payloads(events, "CommandSucceeded")).toMatchObject([{ result: expect.stringContaining("hi") }])
      expect(payloads(events, "ModelResponded")).toMatchObject([
        { usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 40 } },
      ])
    })
  })

  it("of Gemini CLI have calls without ids", async () => {
    await receiving(directory(), async ({ post, recorded }) => {
      await post("/v1/logs", sent("gemini-otlp-logs"))
      const events = await recorded()
      // They have the same time.
      expect(
        payloads(events, "ActuatorCommanded")
          .map(({ args }) => String((args as { readonly command: string }).command))
          .sort(),
      ).toEqual(["echo DENYME", "echo hi"])
      expect(payloads(events, "CommandAllowed")).toMatchObject([{ rule: "gemini-cli:accept" }])
      expect(payloads(events, "CommandDenied")).toHaveLength(1)
      expect(payloads(events, "ModelResponded")).toHaveLength(2)
    })
  })

  it("make their spans superfluous, and metrics are answered honestly", async () => {
    await receiving(directory(), async ({ post, recorded, remarks }) => {
      expect((await post("/v1/traces", sent("claude-code-all-content-traces"))).status).toBe(200)
      const answer = await post("/v1/metrics", sent("claude-code-default-metrics"))
      expect(await answer.json()).toMatchObject({ partialSuccess: { rejectedDataPoints: "0" } })
      await post("/v1/metrics", sent("claude-code-default-metrics"))
      expect(await recorded()).toEqual([])
      expect(remarks).toEqual([
        "spans of claude-code: its log records tell the same",
        "metrics, which are accepted: a task has no use for them",
      ])
    })
  })
})
