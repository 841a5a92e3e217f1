/** Answers that a program asks for later: of models that work in the background, and of batches. */

import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { type Run, record, replayed } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** What a server answers, by method and path; a list is answered in turn. */
type Script = Readonly<Record<string, ReadonlyArray<string | readonly [status: number, body: string]>>>

const servers: Array<http.Server> = []
afterAll(() => {
  for (const server of servers) server.close()
})

const serve = async (script: Script) => {
  const counts = new Map<string, number>()
  const server = http.createServer(async (request, response) => {
    for await (const _ of request);
    const key = `${request.method} ${request.url}`
    const number = counts.get(key) ?? 0
    counts.set(key, number + 1)
    const found = script[key]?.[number] ?? ([404, "{}"] as const)
    const [status, body] = typeof found === "string" ? [200, found] : found
    response
      .writeHead(status, { "content-type": body.startsWith("{") ? "application/json" : "text/event-stream" })
      .end(body)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Records a program, and replays it without its server; both have to say the same. */
const recorded = async (
  script: Script,
  program: (ask: (method: string, path: string, body?: object | string) => Promise<string>) => Promise<void>,
) => {
  const log = temporary("later.db")
  const url = await serve(script)
  const saying = async ({ fetch }: Run, base: string) => {
    const said: Array<string> = []
    await program(async (method, path, body) => {
      const isGiven = body instanceof FormData || typeof body === "string"
      const sent = body === undefined ? {} : { body: isGiven ? body : JSON.stringify(body) }
      const text = await (await fetch(base + path, { method, ...sent })).text()
      said.push(text)
      return text
    })
    return said
  }
  const run = await record({ log, goal: "Ask", agent: "clerk" })
  const said = await saying(run, url)
  await run.end("achieved")
  let again: ReadonlyArray<string> = []
  await replayed({ log, taskId: run.taskId }, async (run) => {
    again = await saying(run, "http://127.0.0.1:1")
    await run.end("achieved")
  })
  expect(again).toEqual(said)
  return eventsOf(log)
}

const payloads = (events: ReadonlyArray<Event>, type: string) =>
  events.filter((event) => event.type === type).map(({ payload, causationId }) => ({ causationId, ...payload }))

const response = (status: string, more: object = {}) =>
  JSON.stringify({ id: "resp_1", object: "response", model: "gpt-5-2026", status, output: [], usage: null, ...more })

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: '{"city":"Bern"}' }
const completed = response("completed", { output: [call], usage: { input_tokens: 11, output_tokens: 7 } })
const background = { model: "gpt-5", input: "Look", background: true }

describe("a call whose model works in the background", () => {
  it("is one call, whose answer is what came by a later request, with its tokens and its tool calls", async () => {
    const events = await recorded(
      {
        "POST /v1/responses": [response("queued")],
        "GET /v1/responses/resp_1": [
          response("queued"),
          [500, '{"error":{"message":"try again"}}'],
          response("in_progress"),
          completed,
          completed,
        ],
        "GET /v1/responses/resp_2": [completed.replace("resp_1", "resp_2")],
      },
      async (ask) => {
        await ask("POST", "/v1/responses", background)
        for (let time = 0; time < 5; time++) await ask("GET", "/v1/responses/resp_1")
        // Nobody asked for this one here.
        await ask("GET", "/v1/responses/resp_2")
      },
    )
    const [called, ...others] = events.filter(({ type }) => type === "ModelCalled")
    expect(others).toEqual([])
    expect(payloads(events, "ModelResponded")).toMatchObject([
      {
        causationId: called?.id,
        response: {
          finish: "calls",
          id: "resp_1",
          model: "gpt-5-2026",
          parts: [{ tool: "weather", args: { city: "Bern" } }],
        },
        usage: { inputTokens: 11, outputTokens: 7 },
      },
    ])
    expect(payloads(events, "ActuatorCommanded")).toMatchObject([{ actuator: "program/weather", observed: true }])
    expect(payloads(events, "IoCalled")).toHaveLength(6)
  })

  it("has failed where a later request says so, and is paused where the run ends before", async () => {
    const failed = response("failed", { error: { code: "server_error", message: "it broke" } })
    const events = await recorded(
      {
        "POST /v1/responses": [response("queued"), response("queued").replace("resp_1", "resp_2")],
        "GET /v1/responses/resp_1": [failed],
        "GET /v1/responses/resp_2": [response("in_progress").replace("resp_1", "resp_2")],
      },
      async (ask) => {
        await ask("POST", "/v1/responses", background)
        await ask("POST", "/v1/responses", { ...background, input: "Look again" })
        await ask("GET", "/v1/responses/resp_1")
        await ask("GET", "/v1/responses/resp_2")
      },
    )
    const [first, second] = events.filter(({ type }) => type === "ModelCalled")
    expect(payloads(events, "ModelFailed")).toMatchObject([
      { causationId: first?.id, reason: expect.stringContaining("it broke") },
    ])
    expect(payloads(events, "ModelResponded")).toMatchObject([
      { causationId: second?.id, response: { finish: "paused", id: "resp_2" } },
    ])
  })

  it("is answered in a later process of the run, and by a stream", async () => {
    const log = temporary("continued.db")
    const stream = `event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", response: JSON.parse(completed) })}\n\n`
    const url = await serve({
      "POST /v1/responses": [response("queued")],
      "GET /v1/responses/resp_1?stream=true": [stream],
    })
    const first = await record({ log, goal: "Ask", agent: "clerk" })
    await (await first.fetch(`${url}/v1/responses`, { method: "POST", body: JSON.stringify(background) })).text()
    await first.leave()
    const second = await record({ log, id: first.taskId, continue: true, goal: "Ask", agent: "clerk" })
    await (await second.fetch(`${url}/v1/responses/resp_1?stream=true`)).text()
    await second.end("achieved")
    const events = await eventsOf(log)
    expect(payloads(events, "ModelResponded")).toMatchObject([
      { response: { finish: "calls" }, usage: { inputTokens: 11 } },
    ])
  })
})

const chatOf = (content: string) => ({ model: "gpt-4o", messages: [{ role: "user", content }] })
const chatAnswer = (content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-4o-2026",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 11, completion_tokens: 7 },
})
const lines = (all: ReadonlyArray<object>) => `${all.map((one) => JSON.stringify(one)).join("\n")}\n`
const result = (custom_id: string, body: object, status_code = 200) => ({
  id: `batch_req_${custom_id}`,
  custom_id,
  response: { status_code, request_id: "r", body },
  error: null,
})
const batchOf = (status: string, more: object = {}) =>
  JSON.stringify({
    id: "batch_1",
    object: "batch",
    endpoint: "/v1/chat/completions",
    input_file_id: "file-in",
    status,
    created_at: 100,
    ...more,
  })

const whatOf = (events: ReadonlyArray<Event>) => {
  const calls = events.filter(({ type }) => type === "ModelCalled")
  return calls.map(({ id, payload }) => {
    const { messages } = payload.request as {
      readonly messages: ReadonlyArray<{ readonly content: ReadonlyArray<{ readonly text?: string }> }>
    }
    const answer = events.find(({ type, causationId }) => /^Model(Responded|Failed)$/.test(type) && causationId === id)
    const { response, reason, usage, latencyMs, cost } = answer?.payload ?? {}
    const parts =
      response === undefined
        ? undefined
        : (response as { readonly parts: ReadonlyArray<{ readonly text?: string }> }).parts
    return {
      batch: payload.batch,
      asked: messages.map(({ content }) => content[0]?.text),
      said: parts?.[0]?.text,
      reason,
      usage,
      latencyMs,
      cost,
    }
  })
}

describe("a batch", () => {
  it("of OpenAI is a call for each result in its files, with what its line asked, once", async () => {
    const output = lines([result("a", chatAnswer("of a")), result("b", { error: { message: "too long" } }, 400)])
    const error = lines([
      { id: "x", custom_id: "c", response: null, error: { code: "batch_expired", message: "it expired" } },
    ])
    const done = batchOf("completed", { output_file_id: "file-out", error_file_id: "file-err", completed_at: 160 })
    const events = await recorded(
      {
        "POST /v1/files": ['{"id":"file-in","object":"file","purpose":"batch"}'],
        "POST /v1/batches": [batchOf("validating")],
        "GET /v1/batches/batch_1": [batchOf("in_progress"), done],
        "GET /v1/files/file-out/content": [output, output],
        "GET /v1/files/file-err/content": [error],
        "GET /v1/files/file-other/content": ['{"custom_id":"d","of":"something else"}'],
      },
      async (ask) => {
        const form = new FormData()
        const asked = ["a", "b", "c"].map((custom_id) => ({
          custom_id,
          method: "POST",
          url: "/v1/chat/completions",
          body: chatOf(`ask ${custom_id}`),
        }))
        form.set("purpose", "batch")
        form.set("file", new Blob([lines(asked)]), "asked.jsonl")
        await ask("POST", "/v1/files", form)
        await ask("POST", "/v1/batches", {
          input_file_id: "file-in",
          endpoint: "/v1/chat/completions",
          completion_window: "24h",
        })
        for (const path of [
          "batches/batch_1",
          "batches/batch_1",
          "files/file-out/content",
          "files/file-out/content",
          "files/file-err/content",
          "files/file-other/content",
        ]) {
          await ask("GET", `/v1/${path}`)
        }
      },
    )
    const usage = { inputTokens: 11, outputTokens: 7, serviceTier: "batch" }
    const batch = (customId: string) => ({ id: "batch_1", customId })
    expect(whatOf(events)).toMatchObject([
      { batch: batch("a"), asked: ["ask a"], said: "of a", usage, latencyMs: 60_000, cost: undefined },
      { batch: batch("b"), asked: ["ask b"], reason: expect.stringContaining("too long") },
      { batch: batch("c"), asked: ["ask c"], reason: expect.stringContaining("it expired") },
    ])
  })

  it("has the calls of a file of results that is too large to record itself", async () => {
    const long = "x".repeat(1_000_000)
    const names = ["a", "b", "c", "d", "e"]
    const output = lines(names.map((name) => result(name, chatAnswer(`of ${name} ${long}`))))
    expect(output.length).toBeGreaterThan(4 * 1024 * 1024)
    const log = temporary("large.db")
    const url = await serve({ "GET /v1/files/file-out/content": [output] })
    const run = await record({ log, goal: "Ask", agent: "clerk" })
    await (await run.fetch(`${url}/v1/files/file-out/content`)).text()
    await run.end("achieved")
    const events = await eventsOf(log)
    expect(whatOf(events)).toMatchObject(names.map((customId) => ({ batch: { customId } })))
    const [file] = events.filter(({ type }) => type === "IoAnswered")
    expect(file?.payload.result).toMatchObject({ chunks: [], omitted: "it is too large" })
  })

  it("of Mistral is a call for each result, of a file or within the job, with its model", async () => {
    const job = (more: object) =>
      JSON.stringify({
        ...{ id: "job", object: "batch", endpoint: "/v1/chat/completions", model: "mistral-small-latest" },
        ...{ created_at: 100, ...more },
      })
    const events = await recorded(
      {
        "POST /v1/files": ['{"id":"in","object":"file","purpose":"batch"}'],
        "POST /v1/batch/jobs": [job({ input_files: ["in"], status: "QUEUED" })],
        "GET /v1/batch/jobs/job": [
          job({ input_files: ["in"], status: "SUCCESS", output_file: "out", completed_at: 160 }),
          job({
            input_files: ["in"],
            status: "SUCCESS",
            completed_at: 160,
            outputs: [result("b", chatAnswer("of b"))],
          }),
        ],
        "GET /v1/files/out/content": [lines([result("a", chatAnswer("of a"))])],
      },
      async (ask) => {
        const form = new FormData()
        const asked = ["a", "b"].map((custom_id) => ({
          custom_id,
          body: { messages: [{ role: "user", content: `ask ${custom_id}` }] },
        }))
        form.set("purpose", "batch")
        form.set("file", new Blob([lines(asked)]), "asked.jsonl")
        await ask("POST", "/v1/files", form)
        await ask("POST", "/v1/batch/jobs", {
          ...{ input_files: ["in"], endpoint: "/v1/chat/completions", model: "mistral-small-latest" },
        })
        for (const path of ["batch/jobs/job", "files/out/content", "batch/jobs/job"]) await ask("GET", `/v1/${path}`)
      },
    )
    const usage = { inputTokens: 11, outputTokens: 7, serviceTier: "batch" }
    expect(whatOf(events)).toMatchObject([
      { batch: { id: "job", customId: "a" }, asked: ["ask a"], said: "of a", usage, latencyMs: 60_000 },
      { batch: { id: "job", customId: "b" }, asked: ["ask b"], said: "of b", usage, latencyMs: 60_000 },
    ])
    const called = events.filter(({ type, payload }) => type === "ModelCalled" && payload.batch !== undefined)
    expect(called.map(({ payload }) => payload.model)).toEqual(["mistral-small-latest", "mistral-small-latest"])
  })

  it("of Gemini is a call for each result, of a file or within the batch", async () => {
    const said = (text: string) => ({
      candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
      modelVersion: "gemini-2.5-flash",
    })
    const asked = (text: string) => ({ contents: [{ role: "user", parts: [{ text }] }] })
    const operation = (name: string, metadata: object = {}, more: object = {}) =>
      JSON.stringify({ name, metadata: { model: "models/gemini-2.5-flash", ...metadata }, ...more })
    const times = { createTime: "2026-01-01T00:00:00Z", endTime: "2026-01-01T00:01:00Z" }
    const create = "/v1beta/models/gemini-2.5-flash:batchGenerateContent"
    const inlined = [
      { response: said("of one"), metadata: { key: "one" } },
      { error: { code: 3, message: "too long" } },
    ]
    const events = await recorded(
      {
        "POST /upload/v1beta/files": ['{"file":{"name":"files/in"}}'],
        [`POST ${create}`]: [operation("batches/f"), operation("batches/i")],
        "GET /v1beta/batches/f": [
          operation(
            "batches/f",
            { ...times, state: "BATCH_STATE_SUCCEEDED" },
            { response: { responsesFile: "files/out" } },
          ),
        ],
        "GET /v1beta/batches/i": [
          operation("batches/i", { ...times, output: { inlinedResponses: { inlinedResponses: inlined } } }),
        ],
        "GET /download/v1beta/files/out:download": [
          lines([
            { key: "a", response: said("of a") },
            { key: "b", error: { code: 13, message: "it broke" } },
          ]),
        ],
      },
      async (ask) => {
        await ask(
          "POST",
          "/upload/v1beta/files",
          lines(["a", "b"].map((key) => ({ key, request: asked(`ask ${key}`) }))),
        )
        await ask("POST", create, { batch: { inputConfig: { fileName: "files/in" } } })
        const requests = [{ request: asked("ask one"), metadata: { key: "one" } }, { request: asked("ask two") }]
        await ask("POST", create, { batch: { inputConfig: { requests: { requests } } } })
        for (const path of ["v1beta/batches/f", "download/v1beta/files/out:download", "v1beta/batches/i"])
          await ask("GET", `/${path}`)
      },
    )
    const usage = { inputTokens: 11, outputTokens: 7, serviceTier: "batch" }
    expect(whatOf(events)).toMatchObject([
      { batch: { id: "batches/f", customId: "a" }, asked: ["ask a"], said: "of a", usage, latencyMs: 60_000 },
      { batch: { id: "batches/f", customId: "b" }, asked: ["ask b"], reason: expect.stringContaining("it broke") },
      { batch: { id: "batches/i", customId: "one" }, asked: ["ask one"], said: "of one", usage, latencyMs: 60_000 },
      { batch: { id: "batches/i", customId: "1" }, asked: ["ask two"], reason: expect.stringContaining("too long") },
    ])
  })

  it("of another process has its answers, without what they were asked", async () => {
    const events = await recorded(
      { "GET /v1/files/file-out/content": [lines([result("a", chatAnswer("of a"))])] },
      async (ask) => {
        await ask("GET", "/v1/files/file-out/content")
      },
    )
    expect(whatOf(events)).toMatchObject([
      { batch: { customId: "a" }, asked: [], said: "of a", usage: { inputTokens: 11 } },
    ])
  })

  it("of Anthropic is a call for each result", async () => {
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [{ type: "text", text: "of a" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 11, output_tokens: 7 },
    }
    const head = { id: "msgbatch_1", type: "message_batch", created_at: "2026-01-01T00:00:00Z" }
    const answers = lines([
      { custom_id: "a", result: { type: "succeeded", message } },
      {
        custom_id: "b",
        result: {
          type: "errored",
          error: { type: "error", error: { type: "invalid_request_error", message: "too long" } },
        },
      },
      { custom_id: "c", result: { type: "expired" } },
    ])
    const events = await recorded(
      {
        "POST /v1/messages/batches": [JSON.stringify({ ...head, processing_status: "in_progress" })],
        "GET /v1/messages/batches/msgbatch_1": [
          JSON.stringify({ ...head, processing_status: "ended", ended_at: "2026-01-01T00:01:00Z" }),
        ],
        "GET /v1/messages/batches/msgbatch_1/results": [answers],
      },
      async (ask) => {
        const requests = ["a", "b", "c"].map((custom_id) => ({
          custom_id,
          params: { ...chatOf(`ask ${custom_id}`), max_tokens: 9 },
        }))
        await ask("POST", "/v1/messages/batches", { requests })
        await ask("GET", "/v1/messages/batches/msgbatch_1")
        await ask("GET", "/v1/messages/batches/msgbatch_1/results")
      },
    )
    expect(whatOf(events)).toMatchObject([
      { asked: ["ask a"], said: "of a", usage: { inputTokens: 11, serviceTier: "batch" }, latencyMs: 60_000 },
      { asked: ["ask b"], reason: expect.stringContaining("too long") },
      { asked: ["ask c"], reason: expect.stringContaining("expired") },
    ])
  })
})
