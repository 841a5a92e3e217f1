import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as zlib from "node:zlib"
import { describe, expect, it } from "vitest"
import * as ModelUse from "../../../src/projections/audit/ModelUse.ts"
import { fold } from "../../../src/projections/fold/Projection.ts"
import { replayed } from "../../../src/record/index.ts"
import * as LiveRun from "../../../src/record/LiveRun.ts"
import * as OutgoingRequests from "../../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../../src/record/proxy/ProviderProxy.ts"
import { eventsOf, temporary } from "../recorded.ts"
import { bytesOf, cases, type Exchange, pathOf } from "./exchanges.ts"
import { type Asked, ask, pieces, provider, type Scripted } from "./scripted.ts"

/** Credentials as the cases have them. */
const AWS = {
  AWS_ACCESS_KEY_ID: "redacted",
  AWS_SECRET_ACCESS_KEY: "a-secret-of-aws-0123456789",
  AWS_SESSION_TOKEN: "redacted",
}

/** A run that is recorded by a proxy, whose ways all lead to one provider. */
const proxied = async (answer: (asked: Asked, index: number) => Scripted) => {
  const log = temporary("proxied.db")
  const upstream = await provider(answer)
  const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {}, { means: "proxy" })
  const { url } = upstream
  const env = {
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_BASE_URL: url,
    GOOGLE_GEMINI_BASE_URL: url,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
    MISTRAL_BASE_URL: url,
    ...AWS,
  }
  const forwarding = OutgoingRequests.make()
  const routes = ProviderProxy.routes(env)
  const proxy = await ProviderProxy.recording({ routes, forwarding, env, exchange: run.exchange })
  const base = (name: string) => proxy.variables[name] ?? ""
  const end = async () => {
    await proxy.close()
    forwarding.close()
    await run.end("achieved")
    return eventsOf(log)
  }
  return { log, proxy, base, upstream, run, end }
}

/** The address that a client asks by for a path, as its variable leads it to the proxy. */
const addressOf = (base: (name: string) => string, path: string): string => {
  if (path.startsWith("/model/")) return base("AWS_ENDPOINT_URL_BEDROCK_RUNTIME") + path
  if (path.startsWith("/v1/messages")) return base("ANTHROPIC_BASE_URL") + path
  if (/models\/gemini|interactions/.test(path)) return base("GOOGLE_GEMINI_BASE_URL") + path
  return base("OPENAI_BASE_URL") + path.replace(/^\/v1/, "")
}

const scripted = ({ head, answer }: Exchange): Scripted => ({ head, pieces: pieces(bytesOf(answer)) })

const chat = { model: "m", messages: [{ role: "user", content: "hello" }] }
const ANSWER = JSON.stringify({ choices: [{ index: 0, message: { content: "hi" }, finish_reason: "stop" }] })
const JSON_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json"
const SSE_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked"

/** The responses of a run as they were recorded. */
const responsesOf = (events: Awaited<ReturnType<typeof eventsOf>>) =>
  events
    .filter(({ type }) => type === "IoAnswered")
    .map(
      ({ payload }) =>
        payload.result as { readonly end: string; readonly chunks: ReadonlyArray<ReadonlyArray<unknown>> },
    )

describe("a proxy", () => {
  it.each(Object.keys(cases))("passes on what was answered byte by byte, and records it: %s", async (name) => {
    const { exchanges } = cases[name] ?? { exchanges: [] }
    const { base, upstream, end } = await proxied((_, index) => scripted(exchanges[index] as Exchange))
    for (const exchange of exchanges) {
      const headers = exchange.headers.flat()
      const got = await ask(addressOf(base, pathOf(exchange)), { headers, body: exchange.body })
      expect(`HTTP/1.1 ${got.status}`).toBe(exchange.head.slice(0, "HTTP/1.1 200".length))
      expect(got.body.equals(bytesOf(exchange.answer))).toBe(true)
      expect(got.end).toBe("clean")
    }
    for (const [index, exchange] of exchanges.entries()) {
      const asked = upstream.asked[index]
      expect(asked?.line).toBe(exchange.line.replace(/ HTTP.*/, ""))
      expect(asked?.body.toString()).toBe(exchange.body)
      expect(asked?.headers.host).toBe(new URL(upstream.url).host)
      const names = exchange.headers.map(([header]) => header).filter((header) => !/^(connection|host)$/i.test(header))
      expect(names.filter((header) => asked?.headers[header.toLowerCase()] === undefined)).toEqual([])
    }
    const events = await end()
    expect(responsesOf(events)).toHaveLength(exchanges.length)
    expect(events[0]?.payload.recorder).toMatchObject({ means: "proxy" })
    const recorded = responsesOf(events).map(({ chunks }) =>
      chunks.map(([, text, kind]) => Buffer.from(String(text), kind === "base64" ? "base64" : "utf8")),
    )
    for (const [index, exchange] of exchanges.entries()) {
      const bytes = bytesOf(exchange.answer)
      const plain = exchange.head.includes("content-encoding: gzip") ? zlib.gunzipSync(bytes) : bytes
      expect(Buffer.concat(recorded[index] ?? []).toString()).toBe(plain.toString())
    }
  })

  it("forwards by an address with a key in its path or its query, and writes neither to the log", async () => {
    const KEY = "Zq94f9b1c7d2e8a6053xY"
    const log = temporary("gateway.db")
    const upstream = await provider(() => ({ head: JSON_HEAD, pieces: [Buffer.from(ANSWER)] }))
    const env = { OPENAI_BASE_URL: `${upstream.url}/${KEY}/v1?team=7&token=${KEY}-2` }
    process.env.OPENAI_BASE_URL = env.OPENAI_BASE_URL
    const routes = ProviderProxy.routes(env)
    const addresses = ProviderProxy.namedSafely(routes)
    delete process.env.OPENAI_BASE_URL
    const run = await LiveRun.begin({ log, goal: "Ask", agent: "clerk" }, () => {}, { means: "proxy", addresses })
    const forwarding = OutgoingRequests.make()
    const body = JSON.stringify(chat)
    const asking = async (proxy: ProviderProxy.ProviderProxy) => {
      const got = await ask(`${proxy.variables.OPENAI_BASE_URL}/chat/completions`, { body })
      await proxy.close()
      return got
    }
    await asking(await ProviderProxy.recording({ routes, forwarding, env, exchange: run.exchange }))
    forwarding.close()
    await run.end("achieved")
    expect(upstream.asked[0]?.line).toBe(`POST /${KEY}/v1/chat/completions?team=7&token=${KEY}-2`)
    const text = JSON.stringify(await eventsOf(log))
    expect(text).not.toContain(KEY)
    expect(text).toContain("team=7")

    // A replay asks by what was recorded of the address.
    await replayed({ log, taskId: run.taskId }, async ({ fetch, end }) => {
      const env = ProviderProxy.withAddresses({}, addresses)
      const routes = ProviderProxy.routes(env)
      expect((await asking(await ProviderProxy.answering({ routes, env, fetch }))).body.toString()).toBe(ANSWER)
      await end("achieved")
    })
  })

  it("leaves a cut where it was, and says so in the log", async () => {
    const text = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n')
    const { base, end } = await proxied(() => ({ head: SSE_HEAD, pieces: [text], end: "cut" }))
    const got = await ask(`${base("OPENAI_BASE_URL")}/chat/completions`, { body: JSON.stringify(chat) })
    expect(got).toMatchObject({ status: 200, end: "cut", body: text })
    const events = await end()
    expect(events.find(({ type }) => type === "ModelFailed")?.payload).toMatchObject({ kind: "cut-off" })
    expect(responsesOf(events)[0]?.end).toBe("cut")
  })

  it("has no answer where the provider gives none, and records why", async () => {
    const { base, end } = await proxied(() => ({ head: "", pieces: [], end: "cut" }))
    await expect(ask(`${base("OPENAI_BASE_URL")}/chat/completions`, { body: JSON.stringify(chat) })).rejects.toThrow(
      "socket hang up",
    )
    expect((await end()).find(({ type }) => type === "ModelFailed")?.payload).toMatchObject({ kind: "unreachable" })
  })

  it("offers no encoding that it cannot read, and reads the others as text", async () => {
    const answer = JSON.stringify({ choices: [{ index: 0, message: { content: "hi" }, finish_reason: "stop" }] })
    const encoded = {
      gzip: zlib.gzipSync,
      deflate: zlib.deflateSync,
      raw: zlib.deflateRawSync,
      br: zlib.brotliCompressSync,
    }
    const kinds = Object.entries(encoded)
    const { base, upstream, end } = await proxied((_, index) => {
      const [name = "", encode = zlib.gzipSync] = kinds[index] ?? []
      return {
        head: `${JSON_HEAD}\r\ncontent-encoding: ${name === "raw" ? "deflate" : name}`,
        pieces: pieces(encode(answer), 7),
      }
    })
    for (const [, encode] of kinds) {
      const got = await ask(`${base("OPENAI_BASE_URL")}/chat/completions`, {
        headers: ["Accept-Encoding", "gzip, deflate, br, aes128gcm"],
        body: JSON.stringify(chat),
      })
      expect(got.body.equals(encode(answer))).toBe(true)
    }
    expect(upstream.asked[0]?.headers["accept-encoding"]).toBe("gzip, deflate, br")
    const recorded = responsesOf(await end()).map(({ chunks }) => chunks.map(([, text]) => text).join(""))
    expect(recorded).toEqual(kinds.map(() => answer))
  })

  it("records no key, in whichever header, query or cookie it comes", async () => {
    const { base, log, end, upstream } = await proxied(({ headers, line }) => ({
      head: `${JSON_HEAD}\r\nset-cookie: session=cookie-of-the-server-1; Path=/`,
      pieces: [Buffer.from(JSON.stringify({ said: [headers, line] }))],
    }))
    const keys = {
      authorization: "Bearer sk-key-of-openai-1",
      "x-api-key": "sk-ant-key-1",
      "api-key": "key-of-azure-1",
      "x-goog-api-key": "AIza-key-of-google-1",
      "X-Amz-Security-Token": "token-of-aws-1",
      cookie: "session=cookie-of-client-1",
    }
    const body = JSON.stringify(chat)
    for (const [name, value] of Object.entries(keys))
      await ask(`${base("OPENAI_BASE_URL")}/chat/completions`, { headers: [name, value], body })
    await ask(`${base("GOOGLE_GEMINI_BASE_URL")}/v1beta/models/g:generateContent?key=AIza-key-in-query-1`, {
      body: '{"contents":[]}',
    })
    expect(upstream.asked.map(({ headers }) => headers["x-api-key"])).toContain("sk-ant-key-1")
    await end()
    const written = [log, `${log}-wal`]
      .filter((file) => fs.existsSync(file))
      .map((file) => fs.readFileSync(file, "latin1"))
      .join("")
    const found = [...Object.values(keys), "AIza-key-in-query-1", "cookie-of-the-server-1"]
      .map((key) => key.replace(/^.*[ =]/, ""))
      .filter((key) => written.includes(key))
    expect(found).toEqual([])
  })

  it("counts the attempts of one call as one call, in audits too", async () => {
    const { exchanges } = cases["openai-retry-pair"] ?? { exchanges: [] }
    const { base, end, run } = await proxied((_, index) => scripted(exchanges[index] as Exchange))
    for (const { headers, body } of exchanges) {
      await ask(`${base("OPENAI_BASE_URL")}/chat/completions`, { headers: headers.flat(), body })
    }
    const events = await end()
    const [first, second] = events.filter(({ type }) => type === "ModelCalled")
    expect(first?.payload.retryOf).toBeUndefined()
    expect(second?.payload.retryOf).toBe(first?.id)
    const state = fold(ModelUse.projection, events)
    expect(ModelUse.section(state)).toMatchObject({ calls: 1, retries: 1, failed: 0, unmetered: 0 })
    expect(run.taskId).toBe(first?.taskId)
  })

  it("mixes none of 200 conversations that are held at once", async () => {
    const { base, end } = await proxied(({ body }) => {
      const { messages } = JSON.parse(body.toString())
      const said = `${messages.at(-1).content}!`.match(/.{1,3}/g) ?? []
      const events = said.map(
        (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
      )
      return { head: SSE_HEAD, pieces: [...events, "data: [DONE]\n\n"].map((text) => Buffer.from(text)) }
    })
    const talk = async (number: number) => {
      const messages: Array<{ readonly role: string; readonly content: string }> = []
      for (const turn of [1, 2]) {
        messages.push({ role: "user", content: `conversation ${number}, turn ${turn}` })
        const { body, end } = await ask(`${base("OPENAI_BASE_URL")}/chat/completions`, {
          body: JSON.stringify({ model: "m", stream: true, messages }),
        })
        const pieces = body
          .toString()
          .split("\n\n")
          .flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)).choices[0].delta.content] : []))
        expect({ said: pieces.join(""), end }).toEqual({ said: `conversation ${number}, turn ${turn}!`, end: "clean" })
        messages.push({ role: "assistant", content: pieces.join("") })
      }
    }
    await Promise.all(Array.from({ length: 200 }, (_, number) => talk(number)))
    const events = await end()
    const asked = new Map(
      events
        .filter(({ type }) => type === "ModelCalled")
        .map((event) => [event.id, JSON.stringify(event.payload.request)]),
    )
    expect(asked.size).toBe(400)
    const ends = events.filter(({ type }) => /^Model(Responded|Failed)$/.test(type))
    expect(ends).toHaveLength(400)
    const mixed = ends.filter(({ payload, causationId }) => {
      const [said = "none"] = /conversation \d+, turn \d/.exec(JSON.stringify(payload.response)) ?? []
      return !asked.get(causationId ?? "")?.includes(said)
    })
    expect(mixed).toEqual([])
  })

  it("answers nobody who asks under another host's name, and no page of another site", async () => {
    const { base, upstream, end } = await proxied(() => ({ head: JSON_HEAD, pieces: [] }))
    const url = `${base("OPENAI_BASE_URL")}/chat/completions`
    expect((await ask(url, { headers: ["Origin", "https://evil.example"], body: "{}" })).status).toBe(403)
    expect((await ask(new URL("/nothing", url).href, { body: "{}" })).status).toBe(404)
    const other = await new Promise<number>((resolve) => {
      http.get(url, { headers: { host: "evil.example" } }, ({ statusCode = 0 }) => resolve(statusCode))
    })
    expect(other).toBe(403)
    expect(upstream.asked).toEqual([])
    await end()
  })

  it("signs for Bedrock only what its own program signed, and says what it needs", async () => {
    const { base, upstream, end } = await proxied(() => ({
      head: `${JSON_HEAD}\r\ncontent-length: 2`,
      pieces: [Buffer.from("{}")],
    }))
    const signed = (key: string) =>
      `AWS4-HMAC-SHA256 Credential=${key}/20260101/eu-west-1/bedrock/aws4_request, SignedHeaders=host, Signature=00`
    const url = `${base("AWS_ENDPOINT_URL_BEDROCK_RUNTIME")}/model/a%3A0/converse`
    const refused = await ask(url, { headers: ["Authorization", signed("another")], body: "{}" })
    expect(refused.status).toBe(401)
    expect(refused.body.toString()).toContain("aws configure export-credentials")
    await ask(url, {
      headers: [
        "Authorization",
        signed("redacted"),
        "X-Amz-Date",
        "20250101T000000Z",
        "Content-Type",
        "application/json",
      ],
      body: "{}",
    })
    const [asked] = upstream.asked
    const date = String(asked?.headers["x-amz-date"]).slice(0, 8)
    expect(date).not.toBe("20250101")
    expect(asked?.headers.authorization).toContain(`Credential=redacted/${date}/eu-west-1/bedrock/aws4_request`)
    expect(asked?.headers.authorization).not.toContain("Signature=00")
    // A bearer token needs no signature.
    await ask(url, { headers: ["Authorization", "Bearer bedrock-api-key-1"], body: "{}" })
    expect(upstream.asked[1]?.headers.authorization).toBe("Bearer bedrock-api-key-1")
    await end()
  })

  it("passes a WebSocket on, and counts it as not recorded", async () => {
    const server = http.createServer()
    server.on("upgrade", (_, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\nframes")
      socket.pipe(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const forwarding = OutgoingRequests.make()
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
    const exchange = () => Promise.reject(new Error("nothing is to be recorded"))
    const proxy = await ProviderProxy.recording({ routes: ProviderProxy.routes(env), forwarding, env, exchange })
    const got = await new Promise<string>((resolve) => {
      const sent = http.request(`${proxy.variables.OPENAI_BASE_URL}/responses`, {
        headers: { connection: "Upgrade", upgrade: "websocket" },
      })
      sent.on("upgrade", (_, socket, head) => {
        let text = head.toString()
        socket.on("data", (piece) => {
          text += piece
          if (text.endsWith("and back")) {
            resolve(text)
            socket.destroy()
          }
        })
        socket.write(" and back")
      })
      sent.end()
    })
    expect(got).toBe("frames and back")
    expect([...proxy.unrecorded]).toEqual([[`127.0.0.1:${port}/v1/responses`, 1]])
    await proxy.close()
    forwarding.close()
    server.close()
  })
})
