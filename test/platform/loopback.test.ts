import * as net from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { RequestTimeouts } from "../../src/platform/loopback/Listening.ts"
import * as LoopbackServer from "../../src/platform/loopback/LoopbackServer.ts"
import * as Messages from "../../src/platform/loopback/Messages.ts"
import { only } from "../../src/platform/loopback/Refusal.ts"
import { MAX_DEPTH } from "../../src/values/Json.ts"

const TOKEN = "a-token-of-the-test"

/** A server that answers with what it was sent, and whose page needs no token. */
const served = (timeouts: RequestTimeouts = {}) =>
  Effect.map(
    LoopbackServer.serve({
      name: "the test",
      port: 0,
      token: TOKEN,
      timeouts,
      isOpen: (path) => path === "/page",
      headers: [["x-test", "yes"]],
      statusOf: (tag) => (tag === "Known" ? 404 : 500),
      answer: ({ request, response, path }) => {
        if (path === "/dies") return Effect.die(new Error("a secret"))
        if (path === "/fails") return Effect.fail({ _tag: "Known", message: "There is none." })
        if (path === "/page") return only("GET", request.method, Messages.answer(response, 200, { page: true }))
        const echo = Effect.flatMap(Messages.bodyOf(request, Schema.Unknown), (sent) =>
          Messages.answer(response, 200, { sent: sent as object }),
        )
        return only("POST", request.method, echo)
      },
    }),
    (port) => ({ port, send: (text: string | Buffer) => exchanged(port, text) }),
  )

/** Sends bytes as they are, and reads until the server closes the connection. */
const exchanged = (port: number, bytes: string | Buffer) =>
  Effect.async<string>((resume) => {
    const chunks: Array<Buffer> = []
    const socket = net.connect({ host: "127.0.0.1", port }, () => socket.write(bytes))
    socket.on("data", (chunk) => chunks.push(chunk))
    // A server that has answered may reset a connection on which more is sent.
    socket.on("error", () => socket.destroy())
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1"))))
    return Effect.sync(() => socket.destroy())
  })

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: { readonly [name: string]: string | undefined }
  readonly body?: string | Buffer
}

/** A request that is let in, but for what is given otherwise. A header that is undefined is left out. */
const requestOf = (port: number, { method = "POST", path = "/", headers = {}, body = "{}" }: Sent): Buffer => {
  const bytes = Buffer.from(body)
  const all = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
    "content-length": String(bytes.length),
    connection: "close",
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1"), bytes])
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
const bodyOf = (answer: string): unknown => {
  const text = answer.slice(answer.indexOf("\r\n\r\n") + 4)
  return text === "" ? undefined : JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1))
}

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`

/** What is wrong with a request, the status that it gets, and the name of its refusal. */
const WRONG: ReadonlyArray<readonly [what: string, sent: Sent, status: number, error?: string]> = [
  ["another host's name (DNS rebinding)", { headers: { host: "evil.example" } }, 403, "ForbiddenHost"],
  ["this machine's name without the port", { headers: { host: "127.0.0.1" } }, 403, "ForbiddenHost"],
  ["a name that ends as ours", { headers: { host: "evil-localhost:1" } }, 403, "ForbiddenHost"],
  ["a host that is empty", { headers: { host: "" } }, 403, "ForbiddenHost"],
  ["another origin", { headers: { origin: "https://evil.example" } }, 403, "ForbiddenOrigin"],
  ["an origin that is hidden", { headers: { origin: "null" } }, 403, "ForbiddenOrigin"],
  ["another port of this machine", { headers: { origin: "http://127.0.0.1:1" } }, 403, "ForbiddenOrigin"],
  ["another site's page", { headers: { "sec-fetch-site": "cross-site" } }, 403, "ForbiddenSite"],
  ["no token", { headers: { authorization: undefined } }, 401, "Unauthorized"],
  ["another token", { headers: { authorization: "Bearer x" } }, 401, "Unauthorized"],
  ["more than the token", { headers: { authorization: `Bearer ${TOKEN}x` } }, 401, "Unauthorized"],
  ["the token in other letters", { headers: { authorization: `Bearer ${TOKEN.toUpperCase()}` } }, 401, "Unauthorized"],
  ["another scheme", { headers: { authorization: `Basic ${TOKEN}` } }, 401, "Unauthorized"],
  [
    "the token as a cookie",
    { headers: { authorization: undefined, cookie: `token=${TOKEN}` } },
    ...([401, "Unauthorized"] as const),
  ],
  ["the token in the address", { path: `/?token=${TOKEN}`, headers: { authorization: "" } }, 401, "Unauthorized"],
  ["an absolute address", { path: "http://evil.example/" }, 400, "InvalidAddress"],
  ["an address of another host", { path: "//evil.example/" }, 400, "InvalidAddress"],
  ["an address of another host after a backslash", { path: "/\\evil.example/" }, 400, "InvalidAddress"],
  ["an address for a proxy, without a token", { path: "//x", headers: { authorization: "" } }, 401, "Unauthorized"],
  ["HEAD", { method: "HEAD", body: "" }, 405],
  ["OPTIONS, as a browser asks before it sends", { method: "OPTIONS" }, 405, "MethodNotAllowed"],
  ["TRACE", { method: "TRACE", body: "" }, 405, "MethodNotAllowed"],
  ["another method than the page's", { path: "/page", method: "DELETE" }, 405, "MethodNotAllowed"],
  ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" } }, 415, "UnsupportedMediaType"],
  ["no type", { headers: { "content-type": undefined } }, 415, "UnsupportedMediaType"],
  ["no body", { body: "" }, 400, "InvalidBody"],
  ["half of a body", { body: '{"a":' }, 400, "InvalidBody"],
  ["broken UTF-8", { body: Buffer.from([0x22, 0xc3, 0x28, 0x22]) }, 400, "InvalidBody"],
  ["UTF-16", { body: Buffer.from('{"a":1}', "utf16le") }, 400, "InvalidBody"],
  ["JSON that is too deep", { body: nested(MAX_DEPTH + 1) }, 400, "InvalidBody"],
  ["JSON that is far too deep", { body: nested(100_000) }, 400, "InvalidBody"],
  ["a body that is too large", { body: `"${"x".repeat(Messages.MAX_BODY_BYTES)}"` }, 413, "BodyTooLarge"],
  ["headers that are too large", { headers: { cookie: "x".repeat(100_000) } }, 431],
  ["no host", { headers: { host: undefined } }, 400],
  ["a failure that is known", { path: "/fails" }, 404, "Known"],
]

describe("a server on the loopback", () => {
  it.scopedLive.each(WRONG)("refuses %s", ([, sent, status, error]) =>
    Effect.gen(function* () {
      const { port, send } = yield* served()
      const answer = yield* send(requestOf(port, sent))
      expect(statusOf(answer)).toBe(status)
      expect(answer).not.toContain(TOKEN)
      expect(answer.toLowerCase()).not.toContain("access-control-")
      if (error === undefined) return
      expect(bodyOf(answer)).toMatchObject({ error, message: expect.stringMatching(/\.$/) })
      expect(answer).toContain("cache-control: no-store")
      expect(answer).toContain("x-test: yes")
      if (status === 405) expect(answer).toMatch(/^allow: (POST|GET)\r$/m)
      if (status === 401) expect(answer).toMatch(/^www-authenticate: Bearer\r$/m)
    }),
  )

  it.scopedLive("lets in a program with the token, its own page, and JSON of as many levels as JSON may have", () =>
    Effect.gen(function* () {
      const { port, send } = yield* served()
      const own = { origin: `http://localhost:${port}`, host: `localhost:${port}`, "sec-fetch-site": "same-origin" }
      for (const sent of [{}, { headers: own }, { body: nested(MAX_DEPTH) }, { body: '"ü"' }] satisfies Array<Sent>)
        expect(statusOf(yield* send(requestOf(port, sent)))).toBe(200)
      const open = { path: "/page", method: "GET", body: "", headers: { authorization: undefined } }
      expect(statusOf(yield* send(requestOf(port, open)))).toBe(200)
      const elsewhere = { ...open, headers: { ...open.headers, host: "evil.example" } }
      expect(statusOf(yield* send(requestOf(port, elsewhere)))).toBe(403)
    }),
  )

  it.scopedLive("tells nobody what a defect was, and answers the next request", () =>
    Effect.gen(function* () {
      const { port, send } = yield* served()
      const answer = yield* send(requestOf(port, { path: "/dies" }))
      expect([statusOf(answer), bodyOf(answer)]).toEqual([500, expect.objectContaining({ error: "Defect" })])
      expect(answer).not.toContain("secret")
      expect(statusOf(yield* send(requestOf(port, {})))).toBe(200)
    }),
  )

  it.scopedLive("cuts off who sends headers or a body too slowly, and says so", () =>
    Effect.gen(function* () {
      const { port, send } = yield* served({ headersMs: 20, requestMs: 40 })
      const slow = requestOf(port, {}).toString("latin1")
      expect(statusOf(yield* send(slow.slice(0, 30)))).toBe(408)
      expect(statusOf(yield* send(slow.slice(0, -1)))).toBe(408)
    }),
  )
})
