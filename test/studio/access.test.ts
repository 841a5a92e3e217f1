import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { MAX_BODY_BYTES } from "../../src/platform/loopback/Messages.ts"
import type { Role } from "../../src/studio/Allowed.ts"
import * as Allowed from "../../src/studio/Allowed.ts"
import * as Studio from "../../src/studio/Studio.ts"
import * as Routes from "../../src/studio/server/Routes.ts"
import * as Server from "../../src/studio/server/Server.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { temporaryDirectory } from "../temporary.ts"
import { page, type Sent, send, served, services } from "./given.ts"

/** A server of a small log: a kernel was there. */
const onLog = <A, E>(
  test: (filename: string) => Effect.Effect<A, E, Studio.Studio | Scope.Scope>,
  allowed: Partial<Studio.Allowing> = {},
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const { layer } = yield* testKernel({ directory })
    yield* Effect.provide(Kernel, layer)
    const filename = path.join(directory, "log.db")
    return yield* Effect.provide(test(filename), served(filename, allowed))
  })

const OTHER_METHODS = ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"]

describe("a request to Studio is refused", () => {
  it.scopedLive("without the token, with another one, and with it anywhere but in the header", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { server, send } = yield* page
        expect((yield* send("/api/log")).status).toBe(200)
        const others = [null, "", "x", `${server.token}x`, server.token.slice(1), server.token.toLowerCase()]
        for (const token of others) {
          const { status, text } = yield* send("/api/log", { token })
          expect(status).toBe(401)
          expect(JSON.parse(text)).toMatchObject({ error: "Unauthorized" })
          expect(text).not.toContain(server.token)
        }
        const bare = { authorization: server.token }
        expect((yield* send("/api/log", { token: null, headers: bare })).status).toBe(401)
        expect((yield* send(`/api/log?token=${server.token}`, { token: null })).status).toBe(401)
        expect((yield* send("/api/log", { token: null, headers: { cookie: `token=${server.token}` } })).status).toBe(
          401,
        )
      }),
    ),
  )

  it.scopedLive("by another host's name, whichever path it asks for", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { server, send } = yield* page
        const { port } = server
        for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${port + 1}`, "[::1]"]) {
          for (const asked of ["/api/log", "/", "/studio.js"]) {
            const { status, text } = yield* send(asked, { headers: { host } })
            expect([host, status]).toEqual([host, 403])
            expect(JSON.parse(text)).toMatchObject({ error: "ForbiddenHost" })
          }
        }
        for (const host of [`localhost:${port}`, `LOCALHOST:${port}`, `127.0.0.1:${port}`]) {
          expect((yield* send("/api/log", { headers: { host } })).status).toBe(200)
        }
      }),
    ),
  )

  it.scopedLive("from a page of another origin or site, also one on this machine, and is told nothing by CORS", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { server, send } = yield* page
        const own = `http://127.0.0.1:${server.port}`
        for (const origin of [
          "https://evil.example",
          `http://127.0.0.1:${server.port + 1}`,
          "null",
          `${own}.evil.example`,
        ]) {
          const { status, headers } = yield* send("/api/log", { headers: { origin } })
          expect([origin, status]).toEqual([origin, 403])
          expect(headers["access-control-allow-origin"]).toBeUndefined()
        }
        for (const site of ["cross-site", "same-site", "x"]) {
          for (const asked of ["/api/log", "/"]) {
            expect((yield* send(asked, { headers: { "sec-fetch-site": site } })).status).toBe(403)
          }
        }
        expect((yield* send("/api/log", { headers: { origin: own, "sec-fetch-site": "same-origin" } })).status).toBe(
          200,
        )
      }),
    ),
  )

  it.scopedLive("by other methods and paths than those that there are", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { send } = yield* page
        for (const method of OTHER_METHODS) {
          expect([method, (yield* send("/api/log", { method })).status]).toEqual([method, 405])
          expect([method, (yield* send("/", { method })).status]).toEqual([method, 405])
        }
        expect((yield* send("/api/answers")).status).toBe(405)
        for (const asked of [
          "/api",
          "/api/",
          "/api/LOG",
          "/api/log/",
          "/api/../api/nothing",
          "/api/%6cog",
          "//api/log",
        ]) {
          expect([asked, (yield* send(asked)).status]).not.toEqual([asked, 200])
        }
      }),
    ),
  )

  it.scopedLive("for what the server was not started to do", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { post, get } = yield* page
        const digest = "0".repeat(64)
        const answered = yield* post("/api/answers", { question: "q", digest, approve: true })
        const forked = yield* post("/api/forks", { timeline: "main", task: "t", at: 1 })
        const rescored = yield* post("/api/rescores", { rubric: "name: x", tasks: [] })
        const checked = yield* post("/api/rubrics/check", { rubric: "name: x", tasks: [] })
        const previewed = yield* post("/api/rubrics/preview", { rubric: "name: x", timeline: "main", task: "t" })
        for (const { status, body } of [answered, forked, rescored, checked, previewed]) {
          expect([status, body.error]).toEqual([403, "NotAllowed"])
          expect(body.message).toMatch(/--(answer|fork|write)/)
        }
        expect((yield* get<{ allows: object }>("/api/log")).allows).toEqual({
          answer: false,
          fork: false,
          write: false,
          annotate: false,
          talk: false,
        })
      }),
    ),
  )

  it.scopedLive("whose body is too large, no JSON, of another type or of other fields", () =>
    onLog(
      () =>
        Effect.gen(function* () {
          const { send, post } = yield* page
          const json = { "content-type": "application/json" }
          const huge = JSON.stringify({ question: "x".repeat(MAX_BODY_BYTES) })
          expect((yield* send("/api/answers", { method: "POST", headers: json, body: huge })).status).toBe(413)
          expect((yield* send("/api/answers", { method: "POST", headers: json, body: "{" })).status).toBe(400)
          expect((yield* send("/api/answers", { method: "POST", body: "{}" })).status).toBe(415)
          const form = { "content-type": "application/x-www-form-urlencoded" }
          expect((yield* send("/api/answers", { method: "POST", headers: form, body: "a=b" })).status).toBe(415)
          const order = { question: "q", digest: "0".repeat(64), approve: true }
          for (const bad of [{ ...order, x: 1 }, { ...order, digest: "0" }, { ...order, approve: "yes" }, [], null]) {
            expect((yield* post("/api/answers", bad)).status).toBe(400)
          }
        }),
      { answer: true },
    ),
  )
})

const DIGEST = "0".repeat(64)
const RUBRIC = { rubric: "name: x", timeline: "main", task: "t" }

/** What is refused where its switch is off: each path of the API that does more than read, or reads what a switch opens. */
const SWITCHED: { readonly [path: string]: readonly [option: string, asked: object] } = {
  "/api/annotate": ["annotate", { what: "star", timeline: "main", task: "task-0001", moment: null }],
  "/api/answers": ["answer", { question: "q", digest: DIGEST, approve: true }],
  "/api/inputs": ["answer", { timeline: "main", task: "t", text: "x", delivery: "queued" }],
  "/api/forks": ["fork", { timeline: "main", task: "t", at: 1 }],
  "/api/rescores": ["write", { rubric: "name: x", tasks: [] }],
  "/api/rubrics/check": ["write", { rubric: "name: x", tasks: [] }],
  "/api/rubrics/preview": ["write", RUBRIC],
  "/api/scenarios": ["write", {}],
  "/api/scenario": ["write", { file: "0/a.yaml" }],
  "/api/schemas": ["write", { of: "rubric" }],
  "/api/scenarios/check": ["write", { kind: "rubric", text: "x" }],
  "/api/scenarios/save": ["write", { file: "0/a.yaml", text: "x", digest: null }],
  "/api/scenarios/look": ["write", { text: "x" }],
  "/api/scenarios/run": ["write", { file: "0/a.yaml", digest: DIGEST, agent: "a" }],
}

/** Paths that read what is the log's, without a switch. A new path of the API is named here or above. */
const READING = [
  ...[
    "log",
    "density",
    "tasks",
    "groups",
    "task",
    "course",
    "spans",
    "relatives",
    "rows",
    "reasons",
    "scorings",
    "rewards",
    "runs",
    "verdicts",
    "behaviour",
    "tree",
    "capture",
    "chunk",
    "event",
    "why",
    "effects",
    "failure",
    "saw",
    "curl",
    "files",
    "file",
    "file-changes",
  ],
  ...[
    "annotations",
    "overview",
    "differences",
    "locate",
    "history",
    "find",
    "search",
    "live",
    "questions",
    "talk",
    "compare",
    "plugins",
    "curricula",
    "rubric",
  ],
].map((name) => `/api/${name}`)

describe("every path of the API", () => {
  it.scopedLive("refuses whoever has no token, another host, origin or site, and another method", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { send } = yield* page
        for (const { path: asked, method } of Routes.known) {
          // A body that was refused is not read, and its connection ends.
          const json = { "content-type": "application/json", connection: "close" }
          const sent = method === "POST" ? { method, headers: json, body: "{}" } : { method }
          const strangers: ReadonlyArray<readonly [status: number, sent: Sent]> = [
            [401, { token: null }],
            [401, { token: "x".repeat(43) }],
            [403, { headers: { ...json, host: "evil.example" } }],
            [403, { headers: { ...json, origin: "https://evil.example" } }],
            [403, { headers: { ...json, "sec-fetch-site": "cross-site" } }],
            [405, { method: method === "GET" ? "POST" : "GET" }],
            [405, { method: "DELETE" }],
          ]
          for (const [expected, how] of strangers) {
            const { status, headers } = yield* send(asked, { ...sent, ...how })
            expect([asked, how, status]).toEqual([asked, how, expected])
            expect(headers["access-control-allow-origin"]).toBeUndefined()
          }
        }
      }),
    ),
  )

  it.scopedLive("that does more than read refuses where its switch is off, and is known to this test", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { send, post } = yield* page
        expect(Routes.known.map(({ path: asked }) => asked).sort()).toEqual(
          [...Object.keys(SWITCHED), ...READING].sort(),
        )
        for (const { path: asked, method } of Routes.known) {
          const [option, given] = SWITCHED[asked] ?? []
          if (option === undefined) {
            expect([asked, method]).toEqual([asked, "GET"])
            continue
          }
          const parameters = new URLSearchParams(given as Record<string, string>)
          const { status, body } =
            method === "POST"
              ? yield* post(asked, given)
              : yield* Effect.map(send(`${asked}?${parameters}`), ({ status, text }) => ({
                  status,
                  body: JSON.parse(text),
                }))
          expect([asked, status, body.error]).toEqual([asked, 403, "NotAllowed"])
          expect(body.message).toContain(`--${option} `)
        }
      }),
    ),
  )
})

/** The role that each path of the API needs, by hand: a new path must be added. */
const ROLES: { readonly [role in Role]: ReadonlyArray<string> } = {
  see: READING,
  answer: ["/api/answers", "/api/inputs"],
  annotate: ["/api/annotate"],
  fork: ["/api/forks"],
  write: [
    ...["rescores", "rubrics/check", "rubrics/preview", "schemas", "scenario", "scenarios"],
    ...["scenarios/check", "scenarios/save", "scenarios/look", "scenarios/run"],
  ].map((name) => `/api/${name}`),
}

describe("a person of a shared Studio", () => {
  it("needs a role for every path of the API", () => {
    const found = Routes.known.map(({ path: asked, role }) => [asked, role]).sort()
    expect(found).toEqual(
      Object.entries(ROLES)
        .flatMap(([role, paths]) => paths.map((asked) => [asked, role]))
        .sort(),
    )
  })

  for (const role of [undefined, ...Allowed.ROLES]) {
    it.scopedLive(`with ${role === undefined ? "no role" : `the role ${role} alone`} uses the paths of no other`, () =>
      onLog(
        () =>
          Effect.gen(function* () {
            const { send } = yield* page
            for (const { path: asked, method } of Routes.known) {
              // Streams never end, so a person who may see them is not asked here.
              if (role === "see" && STREAMS.includes(asked)) continue
              const sent = { method, headers: { "content-type": "application/json" }, body: "{}" }
              const { status, text } = yield* send(asked, method === "POST" ? sent : {})
              const isOwn = role !== undefined && ROLES[role].includes(asked)
              const { error } = text.startsWith("[") ? {} : JSON.parse(text.split("\n")[0] ?? "")
              expect([asked, status === 403 && error === "RoleMissing"]).toEqual([asked, !isOwn])
            }
          }),
        // The server allows all of it, but this person has only one role.
        {
          answer: true,
          write: true,
          annotate: true,
          person: { account: "eve", roles: new Set(role === undefined ? [] : [role]) },
        },
      ),
    )
  }

  it("keeps only the actions of the roles, and acts under the account's name", () => {
    const forks = { agents: new Map(), begin: () => Effect.die("unused"), inTurn: (effect: never) => effect } as never
    const all: Allowed.Allowed.Service = {
      ...{ answer: true, forks, write: true, annotate: true, talk: { deltas: undefined }, by: "server", notes: [] },
      scenarios: { directories: [], agents: new Map(), look: forks, begin: forks } as never,
    }
    const having = (...roles: ReadonlyArray<Role>) => {
      const person = { account: "eve", roles: new Set(roles) }
      const { answer, forks, write, annotate, scenarios, talk, by } = Allowed.forPerson(all, person)
      return [answer, forks !== null, write, annotate, scenarios !== null, talk !== null, by]
    }
    expect(having()).toEqual([false, false, false, false, false, false, "eve"])
    expect(having("see", "annotate")).toEqual([false, false, false, true, false, false, "eve"])
    expect(having("answer")).toEqual([true, false, false, false, false, true, "eve"])
    expect(having("fork")).toEqual([false, true, false, false, false, false, "eve"])
    expect(having("write")).toEqual([false, false, true, false, true, false, "eve"])
    const person = { account: "eve", roles: new Set(Allowed.ROLES) }
    expect(Allowed.forPerson({ ...all, answer: false, forks: null }, person)).toMatchObject({
      answer: false,
      forks: null,
    })
  })
})

const STREAMS = ["/api/live", "/api/talk"]

describe("the page", () => {
  it.scopedLive("is served without the token at its own addresses, with nothing else of the directory", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const files = path.join(directory, "page")
      fs.mkdirSync(files)
      fs.writeFileSync(path.join(directory, "secret.txt"), "secret")
      for (const name of ["index.html", "studio.js", "studio.css", "other.js", "part-a-B1.js"]) {
        fs.writeFileSync(path.join(files, name), `this is ${name}`)
      }
      yield* onLog((filename) =>
        Effect.gen(function* () {
          const server = yield* pageOf(filename, files)
          const get = (asked: string) => send(server, asked, { token: null })
          const pages = ["/", "/index.html", "/t/main/task-0015/@1036", "/t/main/a.b/@1", "/scenarios/deep/room.yaml"]
          for (const asked of [...pages, "/compare?a=1"]) {
            const { status, text, headers } = yield* get(asked)
            expect([asked, status, text]).toEqual([asked, 200, "this is index.html"])
            expect(headers["content-type"]).toBe("text/html; charset=utf-8")
          }
          expect((yield* get("/studio.js")).headers["content-type"]).toBe("text/javascript; charset=utf-8")
          expect((yield* get("/studio.css")).text).toBe("this is studio.css")
          const { text, headers } = yield* get("/part-a-B1.js")
          expect([text, headers["content-type"]]).toEqual(["this is part-a-B1.js", "text/javascript; charset=utf-8"])
          expect((yield* get("/part-of-an-older-page.js")).status).toBe(404)
          const outside = [
            ...["/other.js", "/favicon.ico", "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt"],
            ...["/....//secret.txt", "/\\..\\secret.txt", "/t/../../secret.txt", "/studio.js/../../secret.txt"],
          ]
          for (const asked of outside) expect([asked, (yield* get(asked)).text]).not.toEqual([asked, "secret"])
          expect((yield* get("/other.js")).status).toBe(404)
        }),
      )
    }),
  )

  it.scopedLive("and the API have the headers that keep a browser from storing, framing, sniffing or telling", () =>
    onLog(() =>
      Effect.gen(function* () {
        const { send } = yield* page
        for (const asked of ["/", "/api/log", "/api/nothing", "/api/find?when=true"]) {
          const { headers } = yield* send(asked)
          const policy = String(headers["content-security-policy"]).split("; ")
          expect(policy).toEqual([
            ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
            ...["img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
            "require-trusted-types-for 'script'",
          ])
          expect(headers).toMatchObject({
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
          })
          expect(headers["set-cookie"]).toBeUndefined()
        }
      }),
    ),
  )

  it.scopedLive("that was not built is said to be so, and the API is served all the same", () =>
    onLog((filename) =>
      Effect.gen(function* () {
        const server = yield* pageOf(filename, path.join(filename, "nowhere"))
        const { status, text } = yield* send(server, "/")
        expect([status, text]).toEqual([503, expect.stringContaining("npm run build")])
        expect((yield* send(server, "/api/log")).status).toBe(200)
      }),
    ),
  )
})

/** A server of a log whose page is in a directory. */
const pageOf = (filename: string, files: string) =>
  Effect.gen(function* () {
    const StudioLog = yield* Effect.promise(() => import("../../src/studio/StudioLog.ts"))
    const { Allowed } = yield* Effect.promise(() => import("../../src/studio/Allowed.ts"))
    const allowed = Layer.succeed(Allowed, {
      answer: false,
      forks: null,
      write: false,
      annotate: false,
      scenarios: null,
      talk: null,
      by: "ada",
      notes: [],
    })
    const context = yield* Layer.build(
      Layer.mergeAll(StudioLog.layer, allowed).pipe(Layer.provideMerge(services(filename))),
    )
    return yield* Effect.provide(Server.serve({ files }), context)
  })

describe("a server of Studio", () => {
  it.scopedLive("listens on the loopback alone, on a port that may be chosen, and says if that is taken", () =>
    onLog((filename) =>
      Effect.gen(function* () {
        const { server } = yield* page
        const again = Layer.provide(Studio.layer({ port: server.port }), services(filename))
        const failure = yield* Effect.flip(Effect.scoped(Layer.build(again)))
        expect(failure).toMatchObject({ _tag: "PortUnavailable", port: server.port })
        const isOpen = yield* Effect.async<boolean>((resume) => {
          const socket = net.connect({ host: "127.0.0.2", port: server.port })
          socket.once("connect", () => {
            socket.destroy()
            resume(Effect.succeed(true))
          })
          socket.once("error", () => resume(Effect.succeed(false)))
        })
        expect(isOpen).toBe(false)
        expect(server.token).toMatch(/^[\w-]{43}$/)
        expect(new URL(server.url)).toMatchObject({ hostname: "127.0.0.1", search: "", hash: `#token=${server.token}` })
      }),
    ),
  )

  it.scopedLive("refuses options that it does not have, and forks without a kernel", () =>
    onLog((filename) =>
      Effect.gen(function* () {
        const built = (options: object) =>
          Effect.flip(Effect.scoped(Layer.build(Layer.provide(Studio.layer(options), services(filename)))))
        expect(yield* built({ host: "0.0.0.0" })).toMatchObject({ _tag: "InvalidOptions" })
        expect(yield* built({ port: 70_000 })).toMatchObject({ _tag: "InvalidOptions" })
        expect(String(yield* built({ fork: {} }))).toContain("Kernel")
        const scenarios = { directories: ["."] }
        expect(String(yield* built({ scenarios, write: true }))).toContain("scenarios: expected a Kernel")
        expect(String(yield* built({ scenarios }))).toContain("scenarios: expected write: true with it, found none")
        expect(String(yield* built({ scenarios: { directories: [] }, write: true }))).toContain("directories")
      }),
    ),
  )
})
