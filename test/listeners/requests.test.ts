import * as http from "node:http"
import * as net from "node:net"
import { it } from "@effect/vitest"
import { Effect, Either, Exit, Scope } from "effect"
import { describe, expect } from "vitest"
import * as HttpHost from "../../src/listeners/http/HttpHost.ts"
import * as Listener from "../../src/listeners/index.ts"
import * as Messages from "../../src/platform/loopback/Messages.ts"
import { echo, eventsOf, lasting, post, signed, signedByGitHub, until } from "./given.ts"

const KEY = Buffer.from("a secret of the sender and us").toString("base64")

const serving = (options: Omit<Listener.WebhookOptions, "name">, more: Partial<Listener.ServeOptions> = {}) =>
  Effect.gen(function* () {
    const { run } = yield* lasting()
    const listeners = [Listener.webhook({ name: "hook", ...options })]
    const { urls } = yield* run(Listener.serve({ listeners, rules: [{ agent: echo }], ...more }))
    return { run, url: urls.hook ?? "none" }
  })

const received = eventsOf("SignalReceived")
const now = () => Math.floor(Date.now() / 1000)

describe("a webhook's deliveries", () => {
  it.scopedLive("count once by their id, whether they come at once, later, or with another body", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({})
      const one = (body: unknown) => post(url, body, { "webhook-id": "same" })
      const all = yield* Effect.all(
        Array.from({ length: 20 }, () => one({ n: 1 })),
        { concurrency: "unbounded" },
      )
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([202]))
      expect(all.filter(({ answer }) => !answer.duplicate)).toHaveLength(1)
      expect(new Set(all.map(({ answer }) => answer.position)).size).toBe(1)
      expect((yield* one({ n: 2 })).answer).toMatchObject({ duplicate: true })
      yield* run(until("TaskClosed", 1))
      expect(yield* run(received)).toHaveLength(1)
      expect(yield* run(eventsOf("TaskOpened"))).toHaveLength(1)
    }),
  )

  it.scopedLive("without an id are signals of their own", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({})
      yield* post(url, {})
      yield* post(url, {})
      expect(yield* run(received)).toHaveLength(2)
    }),
  )

  it.scopedLive("are read by the program, which may find no signal in one", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({
        read: ({ body, query }) => {
          if (body === "boom") throw new Error("no such kind")
          return body === "ping" ? undefined : { id: query.id ?? "none", content: body, source: "shop" }
        },
      })
      const plain = { "content-type": "text/plain" }
      expect((yield* post(url, "ping", plain)).status).toBe(204)
      expect((yield* post(`${url}?id=7`, "order", plain)).answer).toMatchObject({ id: "7" })
      expect(yield* post(url, "boom", plain)).toMatchObject({ status: 400, answer: { error: "Unreadable" } })
      expect((yield* run(received)).map(({ payload }) => payload)).toEqual([
        { listener: "hook", id: "7", source: "shop", content: "order" },
      ])
    }),
  )

  it.scopedLive("get their task also if the goal that they fill in comes out blank", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({}, { rules: [{ agent: echo, goal: "{/content/body/title}" }] })
      for (const title of ["", "  "]) yield* post(url, { title }, { "webhook-id": JSON.stringify(title) })
      yield* run(until("TaskClosed", 2))
      expect((yield* run(eventsOf("TaskOpened"))).map(({ payload }) => payload.goal)).toEqual([
        'Work on the signal "" of hook.',
        'Work on the signal "  " of hook.',
      ])
    }),
  )

  it.scopedLive("that the program reads have the ids of their headers, unless it gives others", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({ read: ({ body }) => ({ content: body }) })
      const delivery = { "webhook-id": "delivery" }
      expect((yield* post(url, { n: 1 }, delivery)).answer).toMatchObject({ id: "delivery", duplicate: false })
      expect((yield* post(url, { n: 1 }, delivery)).answer).toMatchObject({ id: "delivery", duplicate: true })
      expect(yield* run(received)).toHaveLength(1)
    }),
  )
})

describe("a webhook refuses, and records nothing of", () => {
  it.scopedLive("a body that is too long, however it is sent, and stays at work", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({})
      const huge = yield* Effect.promise(() => sent(url, 100 * 1024 * 1024, { announced: true }))
      expect(huge).toBe(413)
      expect(yield* Effect.promise(() => sent(url, 3 * 1024 * 1024, { announced: false }))).toBe(413)
      expect((yield* post(url, { small: true })).status).toBe(202)
      expect(yield* run(received)).toHaveLength(1)
    }),
  )

  it.scopedLive("a request without the right signature, and one that is too old or comes from the future", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({ signature: { scheme: "standard", secret: `whsec_${KEY}` } })
      const body = JSON.stringify({ n: 1 })
      const right = signed(KEY, "m1", now(), body)
      expect((yield* post(url, body)).status).toBe(401)
      expect((yield* post(url, `${body} `, right)).status).toBe(401)
      expect((yield* post(url, body, { ...right, "webhook-id": "m2" })).status).toBe(401)
      expect((yield* post(url, body, signed(KEY, "m1", now() - 400, body))).answer.found).toMatch(/^one 4\d\d s ago$/)
      expect((yield* post(url, body, signed(KEY, "m1", now() + 400, body))).answer.found).toContain("ahead")
      expect(yield* run(received)).toHaveLength(0)
      expect((yield* post(url, body, right)).answer).toMatchObject({ id: "m1", duplicate: false })
      // Somebody who recorded the request sends it again.
      expect((yield* post(url, body, right)).answer).toMatchObject({ id: "m1", duplicate: true })
      expect(yield* run(received)).toHaveLength(1)
    }),
  )

  it.scopedLive("a body that another secret signed for GitHub; any of several secrets is right", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({ signature: { scheme: "github", secret: ["old secret", "new secret"] } })
      const body = "{}"
      const as = (secret: string, id: string) =>
        post(url, body, { ...signedByGitHub(secret, body), "x-github-delivery": id })
      expect((yield* as("their secret", "1")).status).toBe(401)
      expect((yield* as("old secret", "2")).status).toBe(202)
      expect((yield* as("new secret", "3")).status).toBe(202)
      expect((yield* run(received)).map(({ payload }) => payload.id)).toEqual(["2", "3"])
    }),
  )

  it.scopedLive("what is no JSON, no UTF-8, no POST, of another path or another site", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({})
      expect((yield* post(url, "{")).answer).toMatchObject({ error: "InvalidBody" })
      expect((yield* post(url, `${"[".repeat(300)}${"]".repeat(300)}`)).status).toBe(400)
      expect((yield* post(url, '"\\ud800"')).status).toBe(400)
      expect((yield* post(`${url}x`, {})).status).toBe(404)
      const got = yield* Effect.promise(() => fetch(url))
      expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"])
      expect((yield* post(url, {}, { origin: "https://elsewhere.example" })).status).toBe(403)
      const long = yield* post(url, {}, { "webhook-id": "x".repeat(301) })
      expect(long).toMatchObject({ status: 400, answer: { error: "InvalidOptions" } })
      expect(yield* run(received)).toHaveLength(0)
    }),
  )

  it.scopedLive("half a request", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({})
      yield* Effect.promise(() => halfSent(url))
      expect((yield* post(url, {})).status).toBe(202)
      expect(yield* run(received)).toHaveLength(1)
    }),
  )

  it.scopedLive("a body that comes too slowly", () =>
    Effect.gen(function* () {
      const host = yield* HttpHost.make({ port: 0, host: "127.0.0.1", timeouts: { headersMs: 100, requestMs: 200 } })
      const answer = ({ request }: { readonly request: http.IncomingMessage }) =>
        Effect.asVoid(Messages.bytesOf(request, 1000))
      const url = yield* host.route({ path: "/slow", isSigned: false, answer })
      expect(yield* Effect.promise(() => stalled(url))).toContain("408")
    }),
  )

  it.scopedLive("a flood beyond its limit, with the time to wait", () =>
    Effect.gen(function* () {
      const { run, url } = yield* serving({ limit: { perMinute: 1, burst: 3 } })
      const all = yield* Effect.forEach(Array.from({ length: 10 }), () => post(url, {}), { concurrency: 10 })
      expect(all.filter(({ status }) => status === 202)).toHaveLength(3)
      const refused = all.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(7)
      expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(50)
      expect(yield* run(received)).toHaveLength(3)
    }),
  )
})

describe("a webhook whose tasks do not keep up", () => {
  it.scopedLive("answers 503 while as many signals wait as may, and takes them again later", () =>
    Effect.gen(function* () {
      const gate = yield* Effect.makeSemaphore(1)
      yield* gate.take(1)
      const slow = { name: "slow", version: "1", advance: () => Effect.as(gate.take(1), false) }
      const { run } = yield* lasting()
      const listeners = [Listener.webhook({ name: "hook" })]
      const rules = [{ agent: slow }]
      const { urls } = yield* run(Listener.serve({ listeners, rules, maxTasks: 1, maxWaiting: 2 }))
      const url = urls.hook ?? "none"
      // One is at work, one holds the dispatcher up, two wait.
      expect((yield* post(url, 1)).status).toBe(202)
      yield* run(until("TaskOpened", 1))
      const statuses = yield* Effect.forEach([2, 3, 4, 5], (n) => Effect.map(post(url, n), ({ status }) => status))
      expect(statuses).toEqual([202, 202, 503, 503])
      yield* gate.release(1)
      yield* run(until("TaskOpened", 2))
      expect((yield* post(url, 6)).status).toBe(202)
      yield* gate.release(10)
      yield* run(until("TaskClosed", 4))
    }),
  )
})

describe("listeners", () => {
  it.scopedLive("report mistakes in their options, all at once", () =>
    Effect.gen(function* () {
      const { run } = yield* lasting()
      const hook = Listener.webhook({ name: "hook" })
      const fails = (options: Listener.ServeOptions) =>
        Effect.map(run(Effect.either(Effect.scoped(Listener.serve(options)))), (exit) =>
          Either.match(exit, { onLeft: (error) => error.message, onRight: () => "none" }),
        )
      const rules = [{ agent: echo, when: "content.x ==", listener: "hok" }]
      expect(yield* fails({ listeners: [hook], rules })).toMatch(/rules\[0\]\.when: expected a CEL expression/)
      expect(yield* fails({ listeners: [hook], rules: [{ agent: echo, listener: "hok" }] })).toContain("hook")
      expect(yield* fails({ listeners: [hook, hook], rules: [] })).toContain("different names")
      expect(yield* fails({ listeners: [], rules: [] })).toContain("one or more")
      expect(yield* fails({ listeners: [hook], rules: [{ agent: echo, goal: "Do {title}" }] })).toContain("bindings")
      expect(() => Listener.webhook({ name: "Hook", path: "x", maxBytes: 0 })).toThrow(/name.*path.*maxBytes/s)
      expect(() => Listener.webhook({ name: "a", signature: { scheme: "github", secret: "" } })).toThrow(/secret/)
    }),
  )

  it("have no webhook whose secret anybody can guess, and no message shows a secret", () => {
    const message = (signature: Listener.Signature): string => {
      try {
        return Listener.webhook({ name: "a", signature }).name
      } catch (error) {
        return error instanceof Error ? error.message : "none"
      }
    }
    const unset = process.env.HINDCAST_NO_SUCH_VARIABLE
    for (const secret of [`${unset}`, "hunter2", "", [], ["hunter22", "hunter2"]]) {
      expect(message({ scheme: "github", secret })).toContain("signature.secret: expected a secret of at least 8")
    }
    expect(message({ scheme: "github", secret: ["hunter22", "hunter2"] })).not.toContain("hunter")
    // Empty keys, and a short one.
    for (const secret of [`whsec_${unset}`, "whsec_A=", "whsec_====", "whsec_c2hvcnQ="]) {
      expect(message({ scheme: "standard", secret })).toContain("signature.secret: expected ")
    }
    expect(message({ scheme: "standard", secret: `whsec_${KEY}` })).toBe("a")
    expect(() => Listener.webSocket({ name: "a", token: "hunter2" })).toThrow(/token: (?!.*hunter)/)
  })

  it.scopedLive("have no webhook without a signature on an address that others reach", () =>
    Effect.gen(function* () {
      const { run } = yield* lasting()
      const open = yield* Scope.make()
      const serve = (listener: Listener.Listener) =>
        run(Scope.extend(Listener.serve({ listeners: [listener], rules: [], host: "0.0.0.0" }), open))
      yield* serve(Listener.webhook({ name: "hook" }))
      const [failed] = yield* run(eventsOf("ListenerFailed"))
      expect(failed?.payload.reason).toContain("a signature for /hook")
      yield* Scope.close(open, Exit.void)
    }),
  )
})

/** Sends a body of zeros, and returns the status. */
const sent = (url: string, size: number, { announced }: { readonly announced: boolean }): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = announced ? { "content-length": size } : {}
    const request = http.request(url, { method: "POST", headers }, (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode ?? 0))
    })
    request.on("error", reject)
    const piece = Buffer.alloc(64 * 1024)
    let left = size
    const write = () => {
      while (left > 0) {
        left -= piece.length
        if (!request.write(piece)) return void request.once("drain", write)
      }
      request.end()
    }
    write()
  })

/** Sends half of a request, and waits for what the server says and its end. */
const stalled = (url: string): Promise<string> =>
  new Promise((resolve) => {
    const { port, pathname } = new URL(url)
    let said = ""
    const socket = net.connect(Number(port), "127.0.0.1", () => {
      socket.write(`POST ${pathname} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 100\r\n\r\n{"half`)
    })
    socket.setEncoding("utf8").on("data", (text) => {
      said += text
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(said))
  })

/** Sends half of a request, and ends the connection. */
const halfSent = (url: string): Promise<void> =>
  new Promise((resolve) => {
    const { port, pathname } = new URL(url)
    const socket = net.connect(Number(port), "127.0.0.1", () => {
      socket.write(`POST ${pathname} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 100\r\n\r\n{"half`)
      socket.end()
    })
    socket.on("error", () => undefined)
    socket.resume()
    socket.on("close", () => resolve())
  })
