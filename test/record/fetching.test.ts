import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { bytesOf } from "../../src/agents/models/Cassette.ts"
import type { RecordedResponse } from "../../src/record/http/HttpMessage.ts"
import { record } from "../../src/record/index.ts"
import { KEY, mockServer, server } from "../agents/models/servers.ts"
import { eventsOf, temporary } from "./recorded.ts"

const user = { role: "user", content: "hello" }

/** A request of each wire format, streamed or not. */
const requests = (streamed: boolean) =>
  ({
    "openai-chat": {
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: "gpt-5", messages: [{ role: "system", content: "Be terse" }, user], stream: streamed },
      provider: "openai-compatible",
    },
    "openai-responses": {
      path: "/v1/responses",
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: "gpt-5", instructions: "Be terse", input: [user], stream: streamed },
      provider: "openai-compatible",
    },
    anthropic: {
      path: "/v1/messages",
      headers: { "x-api-key": KEY, "anthropic-version": "2023-06-01" },
      body: { model: "claude-sonnet-4-5", max_tokens: 64, system: "Be terse", messages: [user], stream: streamed },
      provider: "anthropic",
    },
    gemini: {
      path: `/v1beta/models/gemini-2.5-pro:${streamed ? "streamGenerateContent?alt=sse&" : "generateContent?"}key=${KEY}`,
      headers: { cookie: `session=${KEY}` },
      body: {
        systemInstruction: { parts: [{ text: "Be terse" }] },
        contents: [{ role: "user", parts: [{ text: "hello" }] }],
      },
      provider: "google",
    },
    ollama: {
      path: "/api/chat",
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: "llama3.2", messages: [{ role: "system", content: "Be terse" }, user], stream: streamed },
      provider: "ollama",
    },
  }) as const

type Name = keyof ReturnType<typeof requests>

const cases = (["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"] as const).flatMap((name) =>
  [true, false].map((streamed) => ({ name, streamed })),
)

const requestOf = (url: string, name: Name, streamed: boolean) => {
  const { path, headers, body, provider } = requests(streamed)[name]
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  }
  return { url: url + path, init, provider }
}

const bytesIn = async (response: Response): Promise<ReadonlyArray<string>> => {
  const pieces: Array<string> = []
  for await (const piece of response.body ?? []) pieces.push(Buffer.from(piece).toString("base64"))
  return pieces
}

const recordedBody = (events: Awaited<ReturnType<typeof eventsOf>>): ReadonlyArray<string> => {
  const answered = events.find(({ type, payload }) => type === "IoAnswered" && payload.io === "fetch")
  const { chunks } = (answered?.payload.result ?? { chunks: [] }) as unknown as RecordedResponse
  return chunks.map((chunk) => Buffer.from(bytesOf(chunk)).toString("base64"))
}

const usage = {
  prompt_tokens: 70,
  completion_tokens: 9,
  total_tokens: 79,
  input_tokens: 70,
  output_tokens: 9,
  promptTokenCount: 70,
  candidatesTokenCount: 9,
  totalTokenCount: 79,
}

describe.each(cases)("a request as $name, streamed: $streamed", ({ name, streamed }) => {
  it.scopedLive("reaches the program byte for byte, and the log as an agent's own, without keys", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "Good morning, said the model.", usage })
      const { url, init, provider } = requestOf(mock.url, name, streamed)
      const log = temporary("fetch.db")
      const events = yield* Effect.promise(async () => {
        const run = await record({ log, goal: "Greet", agent: "tester" })
        const response = await run.fetch(url, init)
        const saw = await bytesIn(response)
        await run.end("achieved")
        const events = await eventsOf(log)
        expect(recordedBody(events)).toEqual(saw)
        return events
      })
      const [called] = events.filter(({ type }) => type === "ModelCalled")
      expect(called?.payload).toMatchObject({
        provider,
        request: { system: "Be terse", messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }] },
      })
      const [responded] = events.filter(({ type }) => type === "ModelResponded")
      expect(responded?.causationId).toBe(called?.id)
      const { response, usage: used } = (responded?.payload ?? {}) as never as {
        readonly response: { readonly parts: ReadonlyArray<{ readonly type: string }>; readonly finish: string }
        readonly usage: object
      }
      expect(response.finish).toBe("stop")
      expect(response.parts.filter(({ type }) => type !== "reasoning")).toMatchObject([
        { type: "text", text: "Good morning, said the model." },
      ])
      // A streamed chat tells of tokens only where it is asked to, and the fake of Ollama knows none.
      const isSilent = name === "ollama" || (name === "openai-chat" && streamed)
      if (!isSilent) expect(used).toMatchObject({ inputTokens: 70, outputTokens: 9 })
      for (const file of [log, `${log}-wal`]) {
        if (fs.existsSync(file)) expect(fs.readFileSync(file).includes(KEY)).toBe(false)
      }
    }),
  )
})

describe("a recording fetch", () => {
  it.scopedLive("records a conversation by what is new in each request", () =>
    Effect.gen(function* () {
      const mock = yield* mockServer
      mock.onMessage("hello", { content: "Good morning." })
      mock.onMessage("and now", { content: "Good evening." })
      const log = temporary("conversation.db")
      yield* Effect.promise(async () => {
        const run = await record({ log, goal: "Talk", agent: "tester" })
        const ask = async (messages: ReadonlyArray<object>) => {
          const body = JSON.stringify({ model: "gpt-5", messages })
          const response = await run.fetch(`${mock.url}/v1/chat/completions`, { method: "POST", body })
          return (await response.json()) as { readonly choices: ReadonlyArray<{ readonly message: object }> }
        }
        const first = await ask([user])
        await ask([user, first.choices[0]?.message ?? {}, { role: "user", content: "and now" }])
        await run.end("achieved")
      })
      const events = yield* Effect.promise(() => eventsOf(log))
      const [one, two] = events.filter(({ type }) => type === "ModelCalled")
      const [answered] = events.filter(({ type }) => type === "ModelResponded")
      expect(one?.payload.request).not.toHaveProperty("after")
      expect(two?.payload.request).toMatchObject({
        after: answered?.id,
        messages: [{ role: "user", content: [{ type: "text", text: "and now" }] }],
      })
    }),
  )

  it.scopedLive("records a request that is refused, and one whose answer is cut, as failures of the model", () =>
    Effect.gen(function* () {
      const url = yield* server((request, response) => {
        if (request.url?.startsWith("/busy") === true) {
          response.writeHead(429, { "retry-after": "2", "content-type": "application/json", "set-cookie": `a=${KEY}` })
          response.end(JSON.stringify({ error: { message: `Slow down, ${KEY}` } }))
          return
        }
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "Good mor" } }] })}\n\n`)
        setImmediate(() => response.destroy())
      })
      const log = temporary("failures.db")
      const init = {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ model: "gpt-5", messages: [user] }),
      }
      yield* Effect.promise(async () => {
        const run = await record({ log, goal: "Fail", agent: "tester" })
        const busy = await run.fetch(`${url}/busy/v1/chat/completions`, init)
        expect([busy.status, await busy.text()]).toEqual([429, `{"error":{"message":"Slow down, ${KEY}"}}`])
        const cut = await run.fetch(`${url}/v1/chat/completions`, init)
        await expect(cut.text()).rejects.toThrow("terminated")
        await expect(run.fetch("http://127.0.0.1:1/v1/chat/completions", init)).rejects.toThrow("fetch failed")
        await run.end("failed")
      })
      const events = yield* Effect.promise(() => eventsOf(log))
      expect(events.filter(({ type }) => type === "ModelFailed").map(({ payload }) => payload)).toMatchObject([
        { kind: "rate-limited", retryAfterMs: 2000, reason: "HTTP 429: Slow down, [redacted]" },
        { kind: "cut-off", response: [{ type: "text", text: "Good mor" }] },
        { kind: "unreachable" },
      ])
      expect(fs.readFileSync(log).includes(KEY)).toBe(false)
    }),
  )

  it.scopedLive("keeps what is no request to a model as it is: the request, and every byte of the response", () =>
    Effect.gen(function* () {
      const bytes = Buffer.from([0, 255, 128, 10, 13, 0xc3])
      const url = yield* server((request, response) => {
        const given: Array<Buffer> = []
        request.on("data", (piece: Buffer) => given.push(piece))
        request.on("end", () => {
          response.writeHead(request.url === "/none" ? 204 : 201, {
            "content-type": "application/octet-stream",
            etag: "a",
          })
          response.end(request.url === "/none" ? undefined : Buffer.concat([bytes, ...given]))
        })
      })
      const log = temporary("other.db")
      yield* Effect.promise(async () => {
        const run = await record({ log, goal: "Look", agent: "tester" })
        const put = new Request(`${url}/things?page=2&api_key=${KEY}`, { method: "PUT", body: bytes })
        const response = await run.fetch(put)
        expect([response.status, response.url, response.headers.get("etag")]).toEqual([201, put.url, "a"])
        expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.concat([bytes, bytes]))
        expect((await run.fetch(`${url}/none`)).status).toBe(204)
        await run.end("achieved")
      })
      const events = yield* Effect.promise(() => eventsOf(log))
      expect(events.filter(({ type }) => type === "IoCalled").map(({ payload }) => payload.request)).toMatchObject([
        {
          method: "PUT",
          url: `${url}/things?page=2&api_key=%5Bredacted%5D`,
          body: [0, bytes.toString("base64"), "base64"],
        },
        { method: "GET", url: `${url}/none` },
      ])
      expect(recordedBody(events)).toEqual([Buffer.concat([bytes, bytes]).toString("base64")])
      expect(fs.readFileSync(log).includes(KEY)).toBe(false)
    }),
  )

  it.scopedLive("passes each piece on before the next one comes, and keeps what a program did not read", () =>
    Effect.gen(function* () {
      let next: (() => void) | undefined
      const url = yield* server((_, response) => {
        response.write("one")
        next = () => response.end("two")
      })
      const log = temporary("pieces.db")
      yield* Effect.promise(async () => {
        const run = await record({ log, goal: "Read", agent: "tester" })
        const reader = (await run.fetch(url)).body?.getReader()
        const first = await reader?.read()
        expect(Buffer.from(first?.value ?? []).toString()).toBe("one")
        next?.()
        expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("two")
        expect((await reader?.read())?.done).toBe(true)
        await (await run.fetch(url)).body?.cancel()
        await run.fetch(url)
        await run.end("achieved")
      })
      const events = yield* Effect.promise(() => eventsOf(log))
      const results = events.filter(({ type }) => type === "IoAnswered").map(({ payload }) => payload.result)
      expect(results).toMatchObject([{ end: "clean" }, { end: "cancelled", chunks: [] }, { end: "open" }])
    }),
  )
})
