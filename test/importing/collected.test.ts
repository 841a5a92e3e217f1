import * as fs from "node:fs"
import * as path from "node:path"
import { Chunk, Effect, Stream } from "effect"
import protobuf from "protobufjs"
import { afterAll, describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as ClaudeCode from "../../src/hooks/clients/ClaudeCode.ts"
import * as Sessions from "../../src/hooks/Sessions.ts"
import * as Import from "../../src/importing/Import.ts"
import { MESSAGES } from "../../src/importing/protobuf/Messages.ts"
import { HeldScores } from "../../src/importing/scores/SourceScores.ts"
import { inRepository } from "../repository.ts"
import { attributes, receiving, request, span, TRACE, weather } from "../telemetry/receiving.ts"
import { workplace } from "../workplace.ts"
import { payloads } from "./given.ts"

const place = workplace()
afterAll(place.remove)

let made = 0
const directory = (): string => {
  made += 1
  const name = place.file(`collected-${made}`)
  fs.mkdirSync(name)
  return name
}

const LOGS = ["claude-code-default-logs", "claude-code-all-content-logs", "codex-otlp-logs", "gemini-otlp-logs"]

const sent = (name: string): object =>
  JSON.parse(fs.readFileSync(inRepository("test", "telemetry", "cases", `${name}.json`), "utf8"))

const root = protobuf.Root.fromJSON({ nested: MESSAGES })

/** Ids are hexadecimal in OTLP/JSON and bytes in protobuf. */
const withBytes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withBytes)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) =>
    /^(?:trace|span|parentSpan)Id$/.test(name) && typeof inner === "string"
      ? [name, Buffer.from(inner, "hex")]
      : [name, withBytes(inner)],
  )
  return Object.fromEntries(entries)
}

const inProtobuf = (message: object): Buffer => {
  const type = root.lookupType("resourceLogs" in message ? "LogsRequest" : "TraceRequest")
  return Buffer.from(type.encode(type.fromObject(withBytes(message) as object)).finish())
}

/** As the collector's file exporter writes a message. */
const framed = (message: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(message.length)
  return Buffer.concat([length, message])
}

/** Imports a file into the log of a directory, and returns the report and all events. */
const importing = (at: string, content: string | Buffer, name = "logs.bin") => {
  const file = path.join(at, name)
  fs.writeFileSync(file, content)
  return Effect.gen(function* () {
    const report = yield* Import.importFiles({ paths: [file] })
    const log = yield* EventLog
    return { report, events: Chunk.toReadonlyArray(yield* Stream.runCollect(log.read())) }
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename: path.join(at, "log.db") })), Effect.scoped, Effect.runPromise)
}

const ofTasks = (events: ReadonlyArray<Event>) =>
  events
    .filter(({ type }) => type !== "FileImported")
    .map(({ id, type, actor, taskId, stream, payload, causationId, occurredAt }) => ({
      ...{ id, type, actor, taskId, stream, payload, causationId, occurredAt },
    }))

describe("logs of coding agents in a file", () => {
  it.each(LOGS)("%s become what `listen` records, in each form", async (name) => {
    const heard = await receiving(directory(), async ({ post, recorded }) => {
      await post("/v1/logs", sent(name))
      return ofTasks(await recorded())
    })
    expect(heard.length).toBeGreaterThan(5)
    const message = inProtobuf(sent(name))
    const forms: ReadonlyArray<string | Buffer> = [
      ...[JSON.stringify(sent(name), null, 2), `${JSON.stringify(sent(name))}\n`],
      ...[message, framed(message), Buffer.concat([framed(message), framed(message)])],
    ]
    for (const form of forms) {
      const { report, events } = await importing(directory(), form)
      expect([report.refused, report.files[0]?.source, report.files[0]?.counts.runs]).toEqual([[], "otlp", 1])
      expect(ofTasks(events)).toEqual(heard)
    }
  })

  it("add nothing to what `listen` recorded, nor does a second import", async () => {
    const at = directory()
    await receiving(at, async ({ post, recorded }) => {
      await post("/v1/logs", sent("codex-otlp-logs"))
      const before = (await recorded()).length
      const { report } = await importing(at, JSON.stringify(sent("codex-otlp-logs")))
      expect(report.files[0]?.runs).toMatchObject([{ added: 0, taskIds: [expect.stringMatching(/^codex-/)] }])
      expect((await recorded()).filter(({ type }) => type !== "FileImported")).toHaveLength(before)
      expect((await importing(at, JSON.stringify(sent("codex-otlp-logs")))).report.added).toBe(0)
    })
  })

  it("of several agents, between spans and in any order, are a task for each session", async () => {
    const messages = [...LOGS.map(sent), request(weather())]
    const one = await importing(directory(), messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
    const other = await importing(
      directory(),
      [...messages]
        .reverse()
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(""),
    )
    const opened = (events: ReadonlyArray<Event>) =>
      events.flatMap(({ type, taskId }) => (type === "TaskOpened" ? [taskId] : [])).sort()
    expect(opened(one.events)).toEqual([
      ...["claude-code-4b8db1d7-c10b-40c9-be6f-ca16fbd467b5", "claude-code-964fa575-b405-4fa1-9943-5c928ba2f81f"],
      "codex-01a21f6c-358f-7cf2-b320-7ee2b2be2b79",
      expect.stringMatching(/^gemini-cli-/),
      `otlp-${TRACE}`,
    ])
    expect(opened(other.events)).toEqual(opened(one.events))
    const ids = (events: ReadonlyArray<Event>) =>
      ofTasks(events)
        .map(({ id }) => id)
        .sort()
    expect(ids(other.events)).toEqual(ids(one.events))
  })

  it("go next to a session that hooks recorded, and change nothing of it", async () => {
    const at = directory()
    const [session, tool_use_id] = ["s-1", "c1"]
    const sessions = await Sessions.open({ log: `${at}/log.db`, gate: async () => ({ rules: [], default: "allow" }) })
    const take = async (hook_event_name: string, more: object) => {
      const moment = ClaudeCode.client.read({ session_id: session, cwd: "/project", hook_event_name, ...more })
      if (moment !== undefined) await sessions.take(ClaudeCode.client, moment)
    }
    const call = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id }
    await take("UserPromptSubmit", { prompt: "look" })
    await take("PreToolUse", call)
    await take("PostToolUse", { ...call, tool_response: { stdout: "x" } })
    await take("SessionEnd", { reason: "other" })
    await sessions.close()
    const log = (name: string, sequence: number, of: object) => ({
      timeUnixNano: `${Date.now()}000000`,
      body: { stringValue: `claude_code.${name}` },
      attributes: attributes({ "event.name": name, "session.id": session, "event.sequence": sequence, ...of }),
    })
    const logRecords = [
      log("user_prompt", 1, { prompt: "something else" }),
      log("api_request", 2, { request_id: "r", model: "claude", input_tokens: 7, output_tokens: 1 }),
      log("tool_result", 3, { tool_use_id, tool_name: "Bash", success: "true" }),
    ]
    const document = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
    const { report, events } = await importing(at, document)
    const task = `claude-code-${session}`
    expect(report.files[0]?.runs).toMatchObject([{ taskIds: [task] }])
    const beside = events.filter(({ actor }) => actor === "import:claude-code-logs")
    expect(new Set(beside.map(({ stream }) => stream))).toEqual(new Set([`telemetry/${task}`]))
    expect(beside.map(({ type }) => type)).toEqual(["CaptureNoted", "ModelCalled", "ModelResponded"])
    expect(payloads(events, "InputReceived")).toHaveLength(1)
    expect((await importing(at, `${document} `)).report.files[0]?.counts.changed).toBe(0)
  })
})

describe("a file of messages", () => {
  it("is imported up to its last whole message, and the rest later", async () => {
    const at = directory()
    const [first, second] = ["codex-otlp-logs", "gemini-otlp-logs"].map((name) => framed(inProtobuf(sent(name))))
    if (first === undefined || second === undefined) throw new Error("no messages")
    const cut = await importing(at, Buffer.concat([first, second.subarray(0, 99)]))
    expect(cut.report.files[0]).toMatchObject({ records: 1, counts: { runs: 1 } })
    expect(Object.keys(cut.report.files[0]?.remarks ?? {})).toContainEqual(
      expect.stringContaining("an incomplete last line"),
    )
    const whole = await importing(at, Buffer.concat([first, second]))
    expect(whole.report.files[0]).toMatchObject({ records: 2, counts: { runs: 2, changed: 1 } })
  })

  it("may end with zeros, which are no messages", async () => {
    const whole = framed(inProtobuf(sent("codex-otlp-logs")))
    const { report } = await importing(directory(), Buffer.concat([whole, Buffer.alloc(1024 * 1024)]))
    expect(report.files[0]).toMatchObject({ records: 1, counts: { runs: 1 } })
    expect(Object.keys(report.files[0]?.remarks ?? {})).toContainEqual(
      expect.stringContaining("an incomplete last line"),
    )
  })

  it("with spans is the trace that JSON has", async () => {
    const [json, binary] = [JSON.stringify(request(weather())), framed(inProtobuf(request(weather())))]
    const [one, other] = [await importing(directory(), json), await importing(directory(), binary)]
    expect(ofTasks(other.events)).toEqual(ofTasks(one.events))
  })

  it("with other bytes is refused by the message that has them", async () => {
    const good = framed(inProtobuf(sent("codex-otlp-logs")))
    const bad = framed(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x7f, 0x01]))
    const { report } = await importing(directory(), Buffer.concat([good, bad]))
    expect(report.refused).toMatchObject([{ reason: expect.stringContaining("other bytes in message 2") }])
  })
})

describe("evaluations in a file", () => {
  const judged = (value: number, more: object = {}) => ({
    ...{ timeUnixNano: "1767323045000000000", eventName: "gen_ai.evaluation.result", traceId: TRACE, ...more },
    attributes: attributes({ "gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": value }),
  })
  const inSpan = { name: "gen_ai.evaluation.result", attributes: judged(0.25).attributes }
  const spans = request(weather().map((one, index) => (index === 2 ? { ...one, events: [inSpan] } : one)))
  const logs = {
    resourceLogs: [{ scopeLogs: [{ logRecords: [judged(0.5), judged(0.75, { spanId: "b".repeat(16) })] }] }],
  }
  const content = [spans, logs].map((one) => `${JSON.stringify(one)}\n`).join("")
  const rewards = (events: ReadonlyArray<Event>) => payloads(events, "RewardGiven").map(({ amount }) => amount)

  it("and the same ones that `listen` hears count once, whichever comes first", async () => {
    const at = directory()
    await receiving(at, async ({ post, recorded }) => {
      await post("/v1/traces", spans)
      await post("/v1/logs", logs)
      await recorded()
      expect(rewards(await recorded()).sort()).toEqual([0.25, 0.5, 0.75])
      const { events } = await importing(at, content)
      expect(rewards(events)).toHaveLength(3)
      // The whole file, of which nothing was new.
      expect((await importing(at, `${content}\n`)).report.added).toBe(1)
    })
    const other = directory()
    const imported = await importing(other, content)
    expect(rewards(imported.events).sort()).toEqual([0.25, 0.5, 0.75])
    await receiving(other, async ({ post, recorded }) => {
      await post("/v1/traces", spans)
      await post("/v1/logs", logs)
      await recorded()
      expect(rewards(await recorded())).toHaveLength(3)
    })
  })

  it("that come twice in it count once", async () => {
    const { events } = await importing(directory(), content + content)
    expect(rewards(events).sort()).toEqual([0.25, 0.5, 0.75])
  })

  it("in a file of their own judge what the log has", async () => {
    const at = directory()
    await importing(at, `${JSON.stringify(spans)}\n`)
    const { events } = await importing(at, `${JSON.stringify(logs)}\n`, "evaluations.json")
    expect(rewards(events).sort()).toEqual([0.25, 0.5, 0.75])
  })

  it("take a bounded part of the memory", () => {
    const held = new HeldScores(10_000)
    const score = { taskId: "t", scorer: "s", name: "s", value: 1, rationale: "x".repeat(1_000) }
    const taken = Array.from({ length: 10 }, () => held.add(score))
    expect(taken).toEqual([...Array<boolean>(4).fill(true), ...Array<boolean>(6).fill(false)])
    expect([...held]).toHaveLength(4)
  })
})

describe("records of a file that tell nothing", () => {
  it("are left out with the reason", async () => {
    const judged = (trace: object) => ({
      ...{ timeUnixNano: "1767323045000000000", eventName: "gen_ai.evaluation.result", ...trace },
      attributes: attributes({ "gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": 0.5 }),
    })
    const logRecords = [
      { body: { stringValue: "claude_code.x" }, attributes: attributes({ "event.name": "x" }) },
      { body: { stringValue: "hello" } },
      ...[judged({ traceId: "a".repeat(32) }), judged({ traceId: TRACE }), judged({})],
    ]
    const content = [{ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }, request(weather())]
    const { report, events } = await importing(directory(), content.map((one) => `${JSON.stringify(one)}\n`).join(""))
    expect(report.files[0]?.leftOut).toEqual({
      "agent span: its inner spans say what was done": 1,
      "log record: a log record of Claude Code without session.id": 1,
      "log record: log records of no coding agent and no evaluation": 1,
      "log record: an evaluation without a trace or conversation: what it judges is not known": 1,
      "evaluation: neither the file nor the log has the trace that it judges": 1,
    })
    expect(payloads(events, "RewardGiven")).toMatchObject([{ name: "helpful", amount: 0.5 }])
  })

  it("are the spans of a coding agent, whose logs tell more", async () => {
    const { report, events } = await importing(
      directory(),
      JSON.stringify({
        resourceSpans: [
          {
            resource: { attributes: attributes({ "service.name": "gemini-cli" }) },
            scopeSpans: [{ spans: [span({ id: 1, from: 0, to: 1, of: { "gen_ai.operation.name": "chat" } })] }],
          },
        ],
      }),
    )
    expect(report.files[0]?.leftOut).toEqual({ "span: spans of gemini-cli: its log records tell the same": 1 })
    expect(events).toEqual([])
  })
})
