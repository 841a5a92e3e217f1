import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as HostApi from "../../src/plugins/hostapi/HostApi.ts"
import { layer } from "../../src/plugins/process/PluginHost.ts"
import { sha256 } from "../../src/values/Digest.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { start } from "./fixtures.ts"

/** A server that answers by its path, and remembers what it was asked. */
const server = Effect.acquireRelease(
  Effect.async<{ readonly http: http.Server; readonly port: number; readonly seen: Array<http.IncomingMessage> }>(
    (resume) => {
      const seen: Array<http.IncomingMessage> = []
      const made = http.createServer((request, response) => {
        seen.push(request)
        const to = /^\/to\/(\d+)\/(.*)$/.exec(request.url ?? "")
        if (to !== null) response.writeHead(Number(to[1]), { location: decodeURIComponent(to[2] ?? "") }).end()
        else if (request.url === "/round") response.writeHead(302, { location: "/round" }).end()
        else if (request.url === "/bytes") response.end(new Uint8Array([0xff, 0, 1]))
        else if (request.url === "/large") response.end("x".repeat(10_000))
        else if (request.url === "/never") response.write("begins")
        else request.pipe(response.writeHead(request.url === "/gone" ? 410 : 200, { "x-method": request.method ?? "" }))
      })
      made.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ http: made, port: (made.address() as AddressInfo).port, seen })),
      )
    },
  ),
  ({ http }) =>
    Effect.sync(() => {
      http.closeAllConnections()
      http.close()
    }),
)

const client = (net: ReadonlyArray<string>, limits: HostApi.HostApiLimits = {}): HostApi.Client => ({
  grants: { read: [], write: [], net, env: [], run: [], runAny: false },
  workspace: "/",
  limits,
})

const ask = (from: HostApi.Client, params: JsonObject) =>
  Effect.flatMap(HostApi.request("fetch", params), ({ execute }) => execute(from))

const codeOf = (from: HostApi.Client, params: JsonObject) =>
  Effect.map(Effect.flip(ask(from, params)), ({ code }) => code)

describe("fetch", () => {
  it.scopedLive(
    "fetch from a granted host answers, whatever the status; the log has sizes, digests and names of headers",
    () =>
      Effect.gen(function* () {
        const { port } = yield* server
        const url = `http://127.0.0.1:${port}`
        const granted = client([`127.0.0.1:${port}`])
        const params = { url: `${url}/echo?q=1`, method: "post", headers: { "x-secret": "hidden" }, body: "grüezi" }
        const request = yield* HostApi.request("fetch", params)
        expect(request.logged).toEqual({
          url: params.url,
          method: "POST",
          headers: ["x-secret"],
          body: { bytes: 7, sha256: sha256("grüezi") },
        })
        const { value, logged } = yield* request.execute(granted)
        expect(value).toMatchObject({ status: 200, body: "grüezi", encoding: "utf8", headers: { "x-method": "POST" } })
        expect(logged).toEqual({ status: 200, via: [params.url], bytes: 7, sha256: sha256("grüezi") })
        expect((yield* ask(granted, { url: `${url}/gone` })).value).toMatchObject({ status: 410, body: "" })
        expect((yield* ask(granted, { url: `${url}/bytes` })).value).toMatchObject({ encoding: "base64", body: "/wAB" })
      }),
  )

  it.scopedLive(
    "fetch from elsewhere is refused without a request: another host, port, name of the same, or kind of address",
    () =>
      Effect.gen(function* () {
        const { port, seen } = yield* server
        const granted = client([`127.0.0.1:${port}`, "example.org:443"])
        for (const url of [
          `http://localhost:${port}/`,
          `http://127.0.0.1:${port + 1}/`,
          `http://[::ffff:127.0.0.1]:${port}/`,
          `http://127.0.0.1.nip.io:${port}/`,
          `http://example.org/`,
          `https://example.org:444/`,
          `https://example.org.:443/`,
          `https://sub.example.org/`,
          `https://еxample.org/`,
        ]) {
          expect(yield* codeOf(granted, { url }), url).toBe("NetNotGranted")
        }
        for (const url of ["file:///etc/passwd", `http://user:word@127.0.0.1:${port}/`, "data:,x", "/relative", ""]) {
          expect(yield* codeOf(granted, { url }), url).toBe("ParametersInvalid")
        }
        const url = `http://127.0.0.1:${port}/`
        for (const wrong of [
          { headers: { Host: "other" } },
          { headers: { "transfer-encoding": "chunked" } },
          { method: "CONNECT" },
          { method: "GET", body: "x" },
        ]) {
          expect(yield* codeOf(granted, { url, ...wrong })).toBe("ParametersInvalid")
        }
        expect(yield* codeOf(granted, { url, headers: { a: "b\r\nc: d" } })).toBe("HostUnavailable")
        expect(yield* codeOf(client([]), { url })).toBe("NetNotGranted")
        expect(seen).toEqual([])
      }),
  )

  it.scopedLive("an address in another notation is the same address", () =>
    Effect.gen(function* () {
      const { port } = yield* server
      const answer = yield* ask(client(["127.0.0.1"]), { url: `http://0x7f.1:${port}/` })
      expect(answer.logged).toMatchObject({ via: [`http://127.0.0.1:${port}/`] })
    }),
  )

  it.scopedLive("a granted name that leads to this machine is refused, unless it says so itself", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* server
      const name = (yield* Effect.promise(() => import("node:os"))).hostname()
      const granted = client([name, "localhost"])
      const leads = yield* Effect.flip(ask(granted, { url: `http://${name}:${port}/` }))
      expect(["AddressNotGranted", "HostUnavailable"]).toContain(leads.code)
      if (leads.code === "AddressNotGranted")
        expect(leads.message).toContain("request the address itself, with a grant of it")
      expect(seen).toEqual([])
      expect((yield* ask(granted, { url: `http://localhost:${port}/` })).value).toMatchObject({ status: 200 })
    }),
  )

  it.scopedLive("follows redirects to granted hosts only, and takes no credentials elsewhere", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* server
      const url = `http://127.0.0.1:${port}`
      const other = `http://localhost:${port}`
      const granted = client([`127.0.0.1:${port}`])
      const to = (target: string, status = 302) => `${url}/to/${status}/${encodeURIComponent(target)}`
      expect(yield* codeOf(granted, { url: to(`${other}/secret`) })).toBe("NetNotGranted")
      expect(yield* codeOf(granted, { url: to("file:///etc/passwd") })).toBe("ParametersInvalid")
      expect(yield* codeOf(granted, { url: `${url}/round` })).toBe("TooManyRedirects")
      expect(seen.some(({ url }) => url === "/secret")).toBe(false)
      const { logged } = yield* ask(client(["127.0.0.1", "localhost"]), {
        url: to(`${other}/echo`, 307),
        method: "POST",
        body: "b",
        headers: { Authorization: "key", "x-kept": "1" },
      })
      expect(logged).toMatchObject({ via: [to(`${other}/echo`, 307), `${other}/echo`] })
      expect(seen.at(-1)).toMatchObject({ method: "POST" })
      expect(seen.at(-1)?.headers).toMatchObject({ "x-kept": "1" })
      expect(seen.at(-1)?.headers).not.toHaveProperty("authorization")
      yield* ask(granted, { url: to("/echo", 303), method: "POST", body: "b" })
      expect(seen.at(-1)).toMatchObject({ method: "GET", url: "/echo" })
    }),
  )

  it.scopedLive("an answer too large or too late, and a host that is not there, are failures", () =>
    Effect.gen(function* () {
      const { port } = yield* server
      const url = `http://127.0.0.1:${port}`
      const limited = client(["127.0.0.1"], { bodyBytes: 9_999, fetchMs: 100 })
      expect(yield* codeOf(limited, { url: `${url}/large` })).toBe("AnswerTooLarge")
      expect(yield* codeOf(limited, { url, method: "POST", body: "x".repeat(10_000) })).toBe("BodyTooLarge")
      expect(yield* codeOf(limited, { url: `${url}/never` })).toBe("FetchTimedOut")
      expect(yield* codeOf(client(["127.0.0.1"]), { url: "http://127.0.0.1:1/" })).toBe("HostUnavailable")
    }),
  )

  it.scopedLive("a plugin fetches by the host alone, and the log says so", () =>
    Effect.gen(function* () {
      const { port } = yield* server
      const { process, events } = yield* start({
        entry: `export default { actuators: { get: async (ctx, { url }) => {
          const alone = await fetch(url).catch((error) => error.name)
          const { status, body } = await ctx.fetch(url, { method: "POST", body: "sent" })
          return { alone, status, body } } } }`,
        actuators: ["get"],
        permissions: { net: [`127.0.0.1:${port}`] },
        grants: { net: [`127.0.0.1:${port}`] },
      })
      const url = `http://127.0.0.1:${port}/echo`
      expect(yield* process.act("get", { url })).toEqual({ result: { alone: "NotCapable", status: 200, body: "sent" } })
      expect(events.filter(({ type }) => type.startsWith("Broker")).map(({ payload }) => payload)).toMatchObject([
        { method: "fetch", request: { url, method: "POST", body: { bytes: 4 } } },
        { answer: { status: 200, via: [url], bytes: 4 } },
      ])
    }).pipe(Effect.provide(layer)),
  )
})
