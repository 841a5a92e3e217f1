/** What clients sent and were answered, recorded by `fetch` and by the proxy: the same calls, results, attempts and failures by both. */

import * as http from "node:http"
import { describe, expect, it } from "vitest"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as LiveRun from "../../../src/record/LiveRun.ts"
import * as OutgoingRequests from "../../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../../src/record/proxy/ProviderProxy.ts"
import { eventsOf, temporary } from "../recorded.ts"
import { bytesOf, cases, type Exchange, pathOf } from "./exchanges.ts"
import { ask, pieces, provider } from "./scripted.ts"

const AWS = { AWS_ACCESS_KEY_ID: "redacted", AWS_SECRET_ACCESS_KEY: "a-secret-of-aws-0123456789" }

/** Records the exchanges of a client as one run. */
const recorded = async (exchanges: ReadonlyArray<Exchange>, way: "fetch" | "proxy") => {
  const log = temporary("every.db")
  const upstream = await provider((_, index) => {
    const { head, answer } = exchanges[index] as Exchange
    return { head, pieces: pieces(bytesOf(answer)) }
  })
  const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {})
  const { url } = upstream
  const headersOf = ({ headers }: Exchange) =>
    headers.filter(([name]) => !/^(host|connection|content-length|accept-encoding|expect)$/i.test(name))
  if (way === "fetch") {
    for (const exchange of exchanges) {
      const [method = ""] = exchange.line.split(" ")
      const headers = headersOf(exchange).map(([name, value]): [string, string] => [name, value])
      await (await run.fetch(url + pathOf(exchange), { method, headers, body: exchange.body })).arrayBuffer()
    }
  } else {
    const env = {
      ...{ OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url },
      ...{ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url, ...AWS },
    }
    const forwarding = OutgoingRequests.make()
    const proxy = await ProviderProxy.recording({
      ...{ routes: ProviderProxy.routes(env), forwarding, env, exchange: run.exchange },
    })
    const base = (name: string) => proxy.variables[name] ?? ""
    for (const exchange of exchanges) {
      const path = pathOf(exchange)
      const address = path.startsWith("/model/")
        ? base("AWS_ENDPOINT_URL_BEDROCK_RUNTIME") + path
        : path.startsWith("/v1/messages")
          ? base("ANTHROPIC_BASE_URL") + path
          : /models\/gemini|interactions/.test(path)
            ? base("GOOGLE_GEMINI_BASE_URL") + path
            : base("OPENAI_BASE_URL") + path.replace(/^\/v1/, "")
      await ask(address, { headers: exchange.headers.flat(), body: exchange.body })
    }
    await proxy.close()
    forwarding.close()
  }
  await run.end("achieved")
  return eventsOf(log)
}

/** What the log says, without ids and times: places of events stand for their ids. */
const toldBy = (events: ReadonlyArray<Event>) => {
  const told = events.filter(({ type }) => /^(Model|Actuator|CommandSucceeded|CommandFailed|CommandOutcome)/.test(type))
  const places = new Map(told.map(({ id }, index) => [id, `#${index}`]))
  const commands = new Map(
    told.flatMap(({ type, payload }, index) =>
      type === "ActuatorCommanded" ? [[String(payload.commandId), `#${index}`] as const] : [],
    ),
  )
  const named = (id: unknown) => places.get(String(id)) ?? commands.get(String(id)) ?? id
  return told.map(({ type, payload }) => {
    const { latencyMs: _, requestDigest: _digest, commandId, retryOf, request, inferred, ...rest } = payload
    const { after, like, http: _http, settings: _settings, ...asked } = (request ?? {}) as Record<string, unknown>
    return {
      type,
      ...rest,
      ...(commandId === undefined ? {} : { command: named(commandId) }),
      ...(retryOf === undefined ? {} : { retryOf: named(retryOf) }),
      ...(request === undefined ? {} : { asked, after: named(after), like: named(like) }),
    }
  })
}

interface Held {
  /** Calls of tools, and those whose result was told. */
  readonly tools: number
  readonly results: number
  /** Requests that go on from an earlier event, attempts that repeat one, and how requests failed. */
  readonly continued: number
  readonly attempts?: number
  readonly failed?: ReadonlyArray<string>
}

/** What has to hold of each client's exchanges. */
const HELD: { readonly [name: string]: Held } = {
  "anthropic-tool-runner-thread-lost": { tools: 1, results: 1, continued: 2, failed: ["invalid-request"] },
  "boto3-converse-stream": { tools: 0, results: 0, continued: 0 },
  "boto3-retry-pair": { tools: 0, results: 0, continued: 1, attempts: 1, failed: ["overloaded"] },
  "boto3-sigv4-converse-two-turns": { tools: 1, results: 1, continued: 1 },
  "claude-agent-sdk-tool-turn": { tools: 1, results: 1, continued: 1 },
  "google-genai-auto-function-calling": { tools: 1, results: 1, continued: 1 },
  "google-genai-interactions-two-turns": { tools: 0, results: 0, continued: 1 },
  "langgraph-chatopenai-responses-tool-turns": { tools: 1, results: 1, continued: 1 },
  "mistral-second-turn": { tools: 0, results: 0, continued: 0 },
  "openai-agents-previous-response-id": { tools: 2, results: 2, continued: 3 },
  "openai-chat-second-turn": { tools: 1, results: 1, continued: 1 },
  "openai-chat-stream-cut-cleanly": { tools: 0, results: 0, continued: 0, failed: ["cut-off"] },
  "openai-gzip-answer": { tools: 0, results: 0, continued: 0 },
  "openai-responses-no-final-newline": { tools: 0, results: 0, continued: 0 },
  "openai-retry-pair": { tools: 0, results: 0, continued: 0, attempts: 1, failed: ["overloaded"] },
  "pydantic-ai-anthropic-claude-sonnet-4-5": { tools: 1, results: 1, continued: 1 },
  // Its last call is the answer, which no request follows.
  "smolagents-openaiservermodel": { tools: 2, results: 1, continued: 1 },
}

describe("what a client sent and was answered", () => {
  it("has what holds of it written down, for every client", () => {
    expect(Object.keys(HELD).sort()).toEqual(Object.keys(cases).sort())
  })

  it.each(Object.keys(cases))("is the same in the log by fetch and by the proxy: %s", async (name) => {
    const { exchanges } = cases[name] ?? { exchanges: [] }
    const [byFetch, byProxy] = await Promise.all([recorded(exchanges, "fetch"), recorded(exchanges, "proxy")])
    const told = toldBy(byFetch)
    expect(toldBy(byProxy)).toEqual(told)
    const of = (type: string) => told.filter((one) => one.type === type)
    const called = of("ModelCalled")
    expect(called).toHaveLength(exchanges.length)
    expect({
      tools: of("ActuatorCommanded").length,
      results: of("CommandSucceeded").length,
      continued: called.filter(({ after }) => after !== undefined).length,
      attempts: called.filter(({ retryOf }) => retryOf !== undefined).length,
      failed: of("ModelFailed").map((one) => Reflect.get(one, "kind")),
    }).toEqual({ attempts: 0, failed: [], ...HELD[name] })
  })

  it("is passed on and named as not recorded where it asks for a WebSocket, also where the server has none", async () => {
    const answer = '{"error": {"message": "no websockets"}}'
    const server = http.createServer().on("upgrade", (_, socket) => {
      socket.end(
        `HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`,
      )
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    const env = { OPENAI_BASE_URL: `http://${host}/v1` }
    const run = await LiveRun.begin({ log: temporary("upgrade.db"), goal: "Ask", agent: "clerk" }, () => {})
    const forwarding = OutgoingRequests.make()
    const routes = ProviderProxy.routes(env)
    const proxy = await ProviderProxy.recording({ routes, forwarding, env, exchange: run.exchange })
    const headers = ["Upgrade", "websocket", "Connection", "Upgrade", "Sec-WebSocket-Key", "dWE4Rjm2EdgMR2apDxy6UA=="]
    const got = await new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
      const sent = http.request(`${proxy.variables.OPENAI_BASE_URL}/responses`, { method: "GET", agent: false })
      for (let index = 0; index < headers.length; index += 2)
        sent.setHeader(headers[index] ?? "", headers[index + 1] ?? "")
      sent.on("response", async (response) => {
        let text = ""
        for await (const piece of response) text += piece
        resolve({ status: response.statusCode, text })
      })
      sent.on("error", reject).end()
    })
    expect(got).toEqual({ status: 404, text: answer })
    expect([...proxy.unrecorded]).toEqual([[`${host}/v1/responses`, 1]])
    await proxy.close()
    forwarding.close()
    await run.end("achieved")
    server.close()
  })
})
