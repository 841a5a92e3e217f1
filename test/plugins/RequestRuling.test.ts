import * as fs from "node:fs/promises"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ruleOn } from "../../src/plugins/channel/RequestRuling.ts"
import type { Method } from "../../src/plugins/hostapi/Client.ts"
import * as HostApi from "../../src/plugins/hostapi/HostApi.ts"
import type { Grants } from "../../src/plugins/manifest/Grants.ts"
import { temporaryDirectory } from "./fixtures.ts"

const clientOf = (workspace: string, grants: Partial<Grants>): HostApi.Client => ({
  grants: { read: [], write: [], net: [], env: [], run: [], runAny: false, ...grants },
  workspace,
})

describe("a request that was ruled on", () => {
  it.scoped("is about a command, a real path or a host, and only if that is granted", () =>
    Effect.gen(function* () {
      const workspace = yield* temporaryDirectory
      const client = clientOf(workspace, { write: [workspace], run: ["git"], net: ["a.org", "b.org:8080"] })
      const target = (method: Method, params: Parameters<typeof HostApi.request>[1]) =>
        Effect.flatMap(HostApi.request(method, params), (request) => request.target(client))
      yield* Effect.promise(() => fs.mkdir(path.join(workspace, "real")))
      yield* Effect.promise(() => fs.symlink(path.join(workspace, "real"), path.join(workspace, "link")))
      expect(yield* target("writeFile", { path: "link/x.txt", content: "" })).toBe(
        path.join(workspace, "real", "x.txt"),
      )
      expect(yield* target("run", { command: "git", args: ["status"] })).toBe("git")
      expect(yield* target("fetch", { url: "https://A.org:443/x" })).toBe("a.org")
      expect(yield* target("fetch", { url: "http://b.org:8080/x" })).toBe("b.org:8080")
      for (const [method, params, code] of [
        ["writeFile", { path: "/etc/x", content: "" }, "WriteNotGranted"],
        ["readFile", { path: "x" }, "ReadNotGranted"],
        ["run", { command: "sh", args: [] }, "RunNotGranted"],
        ["fetch", { url: "http://c.org" }, "NetNotGranted"],
      ] as const) {
        expect(yield* Effect.flip(target(method, params))).toMatchObject({ code })
      }
    }),
  )

  it.scoped("a request to write goes nowhere else, where a link leads elsewhere by then", () =>
    Effect.gen(function* () {
      const workspace = yield* temporaryDirectory
      const client = clientOf(workspace, { write: [workspace] })
      const link = path.join(workspace, "link")
      yield* Effect.promise(() => Promise.all(["one", "two"].map((name) => fs.mkdir(path.join(workspace, name)))))
      yield* Effect.promise(() => fs.symlink("one", link))
      const request = yield* HostApi.request("writeFile", { path: "link/x.txt", content: "x" })
      const permit = { target: yield* request.target(client), allows: () => true }
      yield* Effect.promise(() => fs.rm(link).then(() => fs.symlink("two", link)))
      expect(yield* Effect.flip(request.execute({ ...client, permit }))).toMatchObject({
        code: "RequestDenied",
        message: expect.stringContaining(
          `which was ruled on, found that it leads to ${path.join(workspace, "two", "x.txt")}`,
        ),
      })
      expect(yield* Effect.promise(() => fs.readdir(path.join(workspace, "two")))).toEqual([])
    }),
  )

  it.live("a request to fetch follows a redirect to another granted host only where the rules allow that host", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.async<http.Server>((resume) => {
          const made = http.createServer((request, response) => {
            const { port } = made.address() as AddressInfo
            if (request.url === "/to") response.writeHead(302, { location: `http://localhost:${port}/there` }).end()
            else response.end("there")
          })
          made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
        }),
        (made) => Effect.sync(() => made.close()),
      )
      const { port } = server.address() as AddressInfo
      const client = clientOf("/", { net: ["127.0.0.1", "localhost"] })
      const request = yield* HostApi.request("fetch", { url: `http://127.0.0.1:${port}/to` })
      const asked: Array<string> = []
      /** Carries the request out as the ruling on it permits: by rules that allow it, and its redirects or not. */
      const carriedOut = (redirects: boolean) =>
        Effect.gen(function* () {
          const ruled = yield* ruleOn({
            ruling: {
              decide: () => Effect.succeed({ allowed: true, rule: "r", reason: "", causationId: "c" }),
              allowsHost: (_, host) => asked.push(host) > 0 && redirects,
            },
            client,
            request,
            record: () => Effect.void,
            requested: {
              plugin: "p",
              requestId: "q",
              during: "read p/s",
              argsDigest: "",
              causationId: "c",
              taskId: "t",
            },
          })
          return yield* "denied" in ruled ? Effect.fail(ruled.denied) : request.execute(ruled.client)
        })
      expect(yield* Effect.flip(carriedOut(false))).toMatchObject({ code: "RequestDenied" })
      expect(yield* carriedOut(true)).toMatchObject({ value: { status: 200, body: "there" } })
      expect(asked).toEqual([`localhost:${port}`, `localhost:${port}`])
    }).pipe(Effect.scoped),
  )

  it.effect("a request to fetch shows all of it, but of headers that are secrets only how long they are", () =>
    Effect.gen(function* () {
      const secret = { authorization: "secret", Cookie: "secret", "X-Api-Key": "secret", "x-auth-token": "secret" }
      const headers = { ...secret, "content-type": "text/plain", "x-note": "all that was read" }
      const params = { url: "http://a.org", method: "POST", headers, body: "all of it" }
      expect((yield* HostApi.request("fetch", params)).shown).toEqual({
        url: "http://a.org",
        method: "POST",
        body: "all of it",
        headers: {
          ...Object.fromEntries(
            Object.keys(secret).map((name) => [name, "not shown, for it may be a secret: 6 characters"]),
          ),
          "content-type": "text/plain",
          "x-note": "all that was read",
        },
      })
    }),
  )
})
