import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as zlib from "node:zlib"
import { afterAll, describe, expect, it } from "vitest"
import { assertFew, MAX_VALUES, TooManyValues } from "../../src/importing/protobuf/Values.ts"
import { BodyBudget, MAX_BODY_BYTES } from "../../src/telemetry/Body.ts"
import * as Forwarding from "../../src/telemetry/Forwarding.ts"
import { typesOf } from "../importing/given.ts"
import { workplace } from "../workplace.ts"
import { receiving, request, TRACE, weather } from "./receiving.ts"

const place = workplace()
afterAll(place.remove)

let made = 0
const directory = (): string => {
  made += 1
  const name = place.file(`hostile-${made}`)
  fs.mkdirSync(name)
  return name
}

const PROTOBUF = { "content-type": "application/x-protobuf" }

/** A field of protobuf with bytes. */
const bytesField = (id: number, bytes: Uint8Array): Uint8Array => {
  const length: Array<number> = []
  for (let left = bytes.length; ; left >>>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left)
    if (left <= 127) break
  }
  return Buffer.concat([Buffer.from([(id << 3) | 2, ...length]), bytes])
}

/** A span whose attribute is nested that deep. */
const nested = (depth: number): Uint8Array => {
  let value: Uint8Array = bytesField(1, Buffer.from("x"))
  for (let level = 0; level < depth; level++) value = bytesField(5, bytesField(1, value))
  const attribute = Buffer.concat([bytesField(1, Buffer.from("deep")), bytesField(2, value)])
  const span = Buffer.concat([
    bytesField(1, Buffer.from(TRACE, "hex")),
    bytesField(2, Buffer.from("0000000000000009", "hex")),
    bytesField(9, attribute),
  ])
  return bytesField(1, bytesField(2, bytesField(2, span)))
}

/** Repeats a piece, in gzip: 288 KB unpack to 63 MB. */
const packed = (before: string, piece: string, after = ""): Buffer =>
  zlib.gzipSync(`${before}${piece.repeat((63 * 1024 * 1024) / piece.length)}${after}`, { level: 1 })

const GZIP = { "content-encoding": "gzip" }

describe("a hostile body", () => {
  const bomb = () => zlib.gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1), { level: 9 })
  it.each<readonly [string, number, () => Uint8Array | string, Record<string, string>]>([
    ["that unpacks to more than the limit", 413, bomb, { ...PROTOBUF, "content-encoding": "gzip" }],
    ["that is cut gzip", 400, () => zlib.gzipSync("{}").subarray(0, 12), { "content-encoding": "gzip" }],
    ["that only says that it is gzip", 400, () => "{}", { "content-encoding": "gzip" }],
    ["in an unknown encoding", 415, () => "{}", { "content-encoding": "br" }],
    ["of another type", 415, () => "{}", { "content-type": "text/plain" }],
    ["that is no JSON", 400, () => '{"resourceSpans": [', {}],
    ["that is another JSON", 400, () => "[]", {}],
    ["with spans in the wrong place", 400, () => '{"resourceSpans": {"0": {}}}', {}],
    ["that is no protobuf", 400, () => Buffer.from("not protobuf at all"), PROTOBUF],
    ["with a length beyond its end", 400, () => Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), PROTOBUF],
    ["nested without an end", 400, () => nested(5_000), PROTOBUF],
    ["with millions of empty objects", 413, () => packed('{"resourceSpans":[', "{},", "{}]}"), GZIP],
    ["with millions of nested lists", 413, () => packed('{"resourceSpans":', "["), GZIP],
    ["with millions of empty messages", 413, () => packed("", "\n\0"), { ...PROTOBUF, ...GZIP }],
  ])("%s is refused with %i, and the next one is taken", async (_, status, body, headers) => {
    await receiving(directory(), async ({ post, recorded }) => {
      const answer = await post("/v1/traces", body(), headers)
      expect(answer.status).toBe(status)
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0)
      expect((await post("/v1/traces", request(weather()))).status).toBe(200)
      expect(await recorded()).not.toEqual([])
    })
  })

  it("with a deep attribute, invalid UTF-8 and names of prototypes harms nothing", async () => {
    await receiving(directory(), async ({ post, recorded, counts }) => {
      expect((await post("/v1/traces", nested(100), PROTOBUF)).status).toBe(200)
      const [one = {}] = weather()
      const odd = { ...one, name: "\ud800", attributes: [{ key: "__proto__", value: { stringValue: "x" } }, null, 7] }
      const text = JSON.stringify(request([odd])).replace("span 2", "\u0000")
      expect((await post("/v1/traces", text)).status).toBe(200)
      const broken = Buffer.from(JSON.stringify(request([{ ...one, spanId: "00000000000000aa" }])))
      broken[broken.indexOf("chat")] = 0xff
      expect((await post("/v1/traces", broken)).status).toBe(200)
      expect(counts.recorded).toBe(3)
      await recorded()
      expect(Object.hasOwn(Object.prototype, "x")).toBe(false)
    })
  })
})

it("counts the values of JSON outside its texts", async () => {
  const text = JSON.stringify({ resourceSpans: [], not: '[{,"\\\\,'.repeat(MAX_VALUES / 4) })
  expect(() => assertFew(Buffer.from(text))).not.toThrow()
  expect(() => assertFew(Buffer.from(`${text}${"[".repeat(MAX_VALUES)}`))).toThrow(TooManyValues)
})

it("a list without an end in place of a text is dropped, and its span recorded", async () => {
  await receiving(directory(), async ({ post, recorded }) => {
    const deep = JSON.stringify(request(weather())).replace('"gpt-5"', `${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    expect((await post("/v1/traces", deep)).status).toBe(200)
    expect(typesOf(await recorded(), `otlp-${TRACE}`)).toContain("ModelResponded")
  })
})

it("conversations with endless names, or names that SQLite would cut, are tasks of their own", async () => {
  const names = ["n".repeat(1_000_000), "a\0b", "a\0c", "\ud800", "\ud801", "../../etc/passwd", "\u001b[31mred\n"]
  await receiving(directory(), async ({ post, recorded }) => {
    for (const [index, name] of names.entries()) {
      const trace = (index + 1).toString(16).padStart(32, "a")
      const [one = {}] = weather(trace, { "gen_ai.conversation.id": name })
      expect((await post("/v1/traces", request([{ ...one, parentSpanId: undefined }]))).status).toBe(200)
    }
    const tasks = new Set((await recorded()).flatMap(({ taskId }) => taskId ?? []))
    expect(tasks.size).toBe(names.length)
    for (const task of tasks) expect(task).toMatch(/^otlp-[0-9a-f]{32,64}$/)
  })
})

it("spans under invented names of programs take no memory", async () => {
  await receiving(directory(), async ({ post, counts }) => {
    for (let index = 0; index < 20; index++) {
      const named = JSON.stringify(request(weather())).replace('"weather"', `"codex_${index}"`)
      expect((await post("/v1/traces", named)).status).toBe(200)
    }
    expect([...counts.leftOut]).toEqual([["spans of codex: its log records tell the same", 80]])
  })
})

describe("a receiver", () => {
  it("refuses pages of other sites, unknown paths and other methods", async () => {
    await receiving(directory(), async ({ post, url }) => {
      const page = await post("/v1/traces", request(weather()), { origin: "https://evil.example" })
      expect(page.status).toBe(403)
      expect((await post("/v1/profiles", {})).status).toBe(404)
      expect((await fetch(`${url}/v1/traces`)).status).toBe(405)
    })
  })

  it("with a token takes it in either header, and nothing without it", async () => {
    const token = "a-token-of-sixteen"
    await receiving(
      directory(),
      async ({ post }) => {
        const status = async (headers: Record<string, string>) =>
          (await post("/v1/traces", request(weather()), headers)).status
        expect(await status({})).toBe(401)
        expect(await status({ authorization: "Bearer another" })).toBe(401)
        expect(await status({ authorization: `Bearer ${token}` })).toBe(200)
        expect(await status({ "x-hindcast-token": token, authorization: "Basic upstream" })).toBe(200)
      },
      { token },
    )
  })

  it("tells a client to come again when too much is in memory", () => {
    const budget = new BodyBudget(10)
    expect([budget.take(6), budget.take(6)]).toEqual([true, false])
    budget.giveBack(6)
    budget.giveBack(6)
    expect(budget.take(10)).toBe(true)
  })

  it("answers with 503 and Retry-After when the inbox cannot be written", async () => {
    await receiving(directory(), async ({ post, inbox, remarks, counts }) => {
      inbox.add = () => Promise.reject(new Error("the disk is full"))
      const answer = await post("/v1/traces", request(weather()))
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"])
      expect(remarks).toEqual([expect.stringContaining("the disk is full")])
      expect(counts.refused).toBe(1)
    })
  })

  it("answers a flood with 429 while the log has not caught up", async () => {
    await receiving(directory(), async ({ post, inbox }) => {
      Object.defineProperty(inbox, "backlog", { value: { groups: 1, bytes: Number.MAX_SAFE_INTEGER } })
      const answer = await post("/v1/traces", request(weather()))
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "2"])
    })
  })
})

describe("forwarding", () => {
  /** Another receiver that answers with the given statuses, then with 200. */
  const upstream = async (statuses: Array<number>) => {
    const got: Array<{ readonly url: string; readonly headers: http.IncomingHttpHeaders; readonly body: Buffer }> = []
    const server = http.createServer(async (request, response) => {
      const pieces: Array<Buffer> = []
      for await (const piece of request) pieces.push(piece)
      got.push({ url: request.url ?? "", headers: request.headers, body: Buffer.concat(pieces) })
      response.writeHead(statuses.shift() ?? 200, { "retry-after": "0" }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const to = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp?team=7`)
    return { to, got, close: () => server.close() }
  }

  it("passes the exact body and the headers on, tries again, and keeps our token", async () => {
    const other = await upstream([503])
    const token = "a-token-of-sixteen"
    const forwarding = Forwarding.make({ to: other.to, token, onFailed: () => {} })
    const body = zlib.gzipSync(JSON.stringify(request(weather())))
    await receiving(
      directory(),
      async ({ post, recorded }) => {
        const headers = { "content-encoding": "gzip", "x-hindcast-token": token, authorization: "Basic upstream" }
        expect((await post("/v1/traces", body, headers)).status).toBe(200)
        await expect.poll(() => forwarding.counts(), { timeout: 10_000 }).toEqual({ sent: 1, failed: 0, waiting: 0 })
        expect(typesOf(await recorded(), `otlp-${TRACE}`)).not.toEqual([])
      },
      { token, forwarding },
    )
    expect(other.got.map(({ url, body: sent }) => [url, sent.equals(body)])).toEqual([
      ["/otlp/v1/traces?team=7", true],
      ["/otlp/v1/traces?team=7", true],
    ])
    expect(other.got[1]?.headers).toMatchObject({
      "content-type": "application/json",
      "content-encoding": "gzip",
      authorization: "Basic upstream",
    })
    expect(JSON.stringify(other.got)).not.toContain(token)
    other.close()
  })

  it("does not pass on what comes back from its own receiver", async () => {
    const failed: Array<string> = []
    const placeholder = new URL("http://127.0.0.1:9")
    const forwarding = Forwarding.make({ to: placeholder, token: undefined, onFailed: (why) => failed.push(why) })
    await receiving(
      directory(),
      async ({ post, url, counts }) => {
        placeholder.port = new URL(url).port
        expect((await post("/v1/traces", request(weather()))).status).toBe(200)
        await expect.poll(() => forwarding.counts(), { timeout: 10_000 }).toEqual({ sent: 1, failed: 1, waiting: 0 })
        expect(counts.received.spans).toBe(8)
      },
      { forwarding },
    )
    expect(failed).toEqual([expect.stringContaining("in a circle")])
  })

  it("counts what the other receiver refuses, and answers as before", async () => {
    const other = await upstream([400])
    const failed: Array<string> = []
    const forwarding = Forwarding.make({ to: other.to, token: undefined, onFailed: (reason) => failed.push(reason) })
    await receiving(
      directory(),
      async ({ post }) => {
        expect((await post("/v1/traces", request(weather()))).status).toBe(200)
        await expect.poll(() => forwarding.counts(), { timeout: 10_000 }).toEqual({ sent: 0, failed: 1, waiting: 0 })
      },
      { forwarding },
    )
    expect(failed).toEqual([`${other.to.origin} answered with 400`])
    expect(forwarding.close()).toBe(0)
    other.close()
  })
})
