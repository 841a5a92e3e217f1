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
  program: (ask: (method: string, path: string, body?: object | FormData) => Promise<string>) => Promise<void>,
) => {
  const log = temporary("later.db")
  const url = await serve(script)
  const saying = async ({ fetch }: Run, base: string) => {
    const said: Array<string> = []
    await program(async (method, path, body) => {
      const sent = body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }
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
