import * as fs from "node:fs"
import * as net from "node:net"
import * as tls from "node:tls"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ROLES, type Role } from "../../../src/studio/Allowed.ts"
import * as Routes from "../../../src/studio/server/Routes.ts"
import { MOST_BY_ADDRESS } from "../../../src/studio/team/FailedSignIns.ts"
import {
  certificates,
  HOST,
  JSON_TYPE,
  ORIGIN,
  order,
  PASSWORDS,
  type Sent,
  send,
  signIn,
  team,
  writeAccounts,
} from "./given.ts"

const STREAMS = ["/api/live", "/api/talk"]

const asOrder = (method: string): Sent =>
  method === "POST" ? { method, headers: { ...JSON_TYPE, origin: ORIGIN }, body: "{}" } : { method }

describe("every path of the API of a shared Studio", () => {
  it.scopedLive("answers nobody who has not signed in", () =>
    Effect.gen(function* () {
      const { port, recorded } = yield* team()
      for (const { path: asked, method } of Routes.known) {
        const below = asked.replace("/api/", "/api/logs/shop/")
        for (const cookie of ["", "__Host-hindcast=", `__Host-hindcast=${"x".repeat(43)}`, "token=1"]) {
          const how = asOrder(method)
          const { status, body } = yield* send(port, below, { ...how, headers: { ...how.headers, cookie } })
          expect([below, cookie, status, body.error]).toEqual([below, cookie, 401, "SignedOut"])
        }
        // The paths of the loopback's Studio do not exist here.
        expect([asked, (yield* send(port, asked, asOrder(method))).status]).toEqual([asked, 401])
      }
      expect(recorded()).toEqual([])
    }),
  )

  for (const role of [undefined, ...ROLES]) {
    it.scopedLive(
      `refuses a person with ${role === undefined ? "no role" : `the role ${role}`} all that others need`,
      () =>
        Effect.gen(function* () {
          const roles = role === undefined ? [] : [{ accounts: ["eve"], may: [role] satisfies ReadonlyArray<Role> }]
          const { port, recorded } = yield* team({ roles })
          const signed = yield* signIn(port, "eve")
          for (const { path: asked, method, role: needed } of Routes.known) {
            if (needed === role && STREAMS.includes(asked)) continue
            const below = asked.replace("/api/", "/api/logs/shop/")
            const { status, text } = yield* send(
              port,
              below,
              method === "POST" ? order(signed) : { headers: { cookie: signed.cookie } },
            )
            if (role === undefined) expect([below, status]).toEqual([below, 404])
            else if (needed === role)
              expect([below, text.includes("RoleMissing"), status === 401]).toEqual([below, false, false])
            else expect([below, status, JSON.parse(text).error]).toEqual([below, 403, "RoleMissing"])
          }
          const refused = recorded().filter(({ refused }) => refused === "RoleMissing")
          expect(refused.length).toBe(role === undefined ? 0 : Routes.known.filter((one) => one.role !== role).length)
        }),
    )
  }

  it.scopedLive("refuses an order without this session's value, from another origin, or without one (CSRF)", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      const ada = yield* signIn(port, "ada")
      const other = yield* signIn(port, "ada")
      const whole = order(ada)
      const sending = (headers: { readonly [name: string]: string | undefined }) => {
        const all = Object.entries({ ...whole.headers, ...headers }).filter(([, value]) => value !== undefined)
        return { ...whole, headers: Object.fromEntries(all) }
      }
      const attempts: ReadonlyArray<readonly [{ readonly [name: string]: string | undefined }, string]> = [
        [{ "x-hindcast-csrf": undefined }, "ForbiddenOrder"],
        [{ "x-hindcast-csrf": other.csrf }, "ForbiddenOrder"],
        [{ "x-hindcast-csrf": "" }, "ForbiddenOrder"],
        [{ origin: undefined }, "ForbiddenOrigin"],
        [{ origin: "null" }, "ForbiddenOrigin"],
        [{ origin: "https://evil.example" }, "ForbiddenOrigin"],
        [{ origin: `http://${HOST}` }, "ForbiddenOrigin"],
        [{ origin: `${ORIGIN}.evil.example` }, "ForbiddenOrigin"],
        [{ "sec-fetch-site": "cross-site" }, "ForbiddenSite"],
        [{ "sec-fetch-site": "same-site" }, "ForbiddenSite"],
      ]
      for (const { path: asked, method } of Routes.known) {
        if (method !== "POST") continue
        for (const [headers, error] of attempts) {
          const got = yield* send(port, asked.replace("/api/", "/api/logs/shop/"), sending(headers))
          expect([asked, headers, got.status, got.body.error]).toEqual([asked, headers, 403, error])
        }
      }
      // A form of another site can send this type without asking first.
      const form = sending({ "content-type": "text/plain" })
      expect((yield* send(port, "/api/logs/shop/answers", form)).status).toBe(415)
      expect((yield* send(port, "/api/sign-out", sending({ "x-hindcast-csrf": undefined }))).status).toBe(403)
      expect((yield* send(port, "/api/session", { headers: { cookie: ada.cookie } })).body.account).toBe("ada")
    }),
  )
})

describe("a request to a shared Studio", () => {
  it.scopedLive("is refused under another name (DNS rebinding), with two names, and as a proxy's", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      const { cookie } = yield* signIn(port, "ada")
      for (const host of [
        "evil.example",
        `evil.${HOST}`,
        `${HOST}.evil.example`,
        `${HOST}:444`,
        "127.0.0.1",
        `127.0.0.1:${port}`,
        "",
      ]) {
        for (const asked of ["/", "/studio.js", "/api/session", "/api/logs/shop/log"]) {
          const { status, body } = yield* send(port, asked, { headers: { host, cookie } })
          expect([host, asked, status, body.error]).toEqual([host, asked, 403, "ForbiddenHost"])
        }
      }
      for (const host of [HOST.toUpperCase(), `${HOST}:443`]) {
        expect((yield* send(port, "/api/session", { headers: { host } })).status).toBe(200)
      }
      const twice = yield* send(port, "/api/session", { headers: ["Host", HOST, "Host", "evil.example"] })
      expect([twice.status, twice.body.error]).toEqual([400, "DuplicateHeader"])
      const absolute = yield* send(port, `${ORIGIN}/api/session`)
      expect([absolute.status, absolute.body.error]).toEqual([400, "InvalidAddress"])
    }),
  )

  it.scopedLive("reaches the page by a link from elsewhere, and the API never", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
      for (const asked of ["/", "/logs/shop/t/main/visit"]) {
        expect([asked, (yield* send(port, asked, { headers: link })).status]).not.toEqual([asked, 403])
      }
      for (const asked of ["/api/session", "/api/logs/shop/log", "/x/../api/session", "/%2e%2e/api/session", "/api"]) {
        expect([asked, (yield* send(port, asked, { headers: link })).status]).toEqual([asked, 403])
      }
      for (const dest of ["iframe", "embed", "script"]) {
        const { status } = yield* send(port, "/", { headers: { ...link, "sec-fetch-dest": dest } })
        expect([dest, status]).toEqual([dest, 403])
      }
    }),
  )

  it.scopedLive("gets headers against frames, downgrades, sniffing and storing, whatever it asks for", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      for (const asked of ["/", "/api/session", "/api/nothing", "/api/logs/shop/log", "/favicon.ico"]) {
        const { headers } = yield* send(port, asked)
        expect(headers).toMatchObject({
          "strict-transport-security": "max-age=31536000",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
        })
        expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
        expect(headers["access-control-allow-origin"]).toBeUndefined()
      }
    }),
  )

  it.scopedLive("names a log by its id alone, and learns nothing of logs that its person may not see", () =>
    Effect.gen(function* () {
      const { port } = yield* team({
        logs: [
          { id: "shop", file: "shop.db" },
          { id: "till", file: "till.db", roles: ["write"] },
        ],
      })
      const { cookie } = yield* signIn(port, "bob")
      const ids = [
        "..",
        "../till",
        "..%2ftill",
        "till.db",
        "shop%2f..%2ftill",
        "%73hop",
        "SHOP",
        "__proto__",
        "constructor",
        "till",
        "nothing",
      ]
      for (const id of ids) {
        const { status, text } = yield* send(port, `/api/logs/${id}/log`, { headers: { cookie } })
        expect([id, status]).toEqual([id, 404])
        expect(text).not.toContain('till.db"')
      }
      for (const asked of [
        "/api/logs/shop/../till/log",
        "/api/logs/shop//log",
        "/api/logs//log",
        "/api/logs/shop/",
        "/api/logs/shop",
      ]) {
        expect([asked, (yield* send(port, asked, { headers: { cookie } })).status]).toEqual([asked, 404])
      }
      const { body } = yield* send(port, "/api/session", { headers: { cookie } })
      expect(body.logs).toEqual([{ id: "shop", roles: ["see"], personal: false, isOpen: true }])
    }),
  )

  it.scopedLive(
    "that is slow or huge is cut off, and others are answered meanwhile",
    () =>
      Effect.gen(function* () {
        const { port } = yield* team()
        const { certificate } = yield* Effect.promise(certificates)
        const connected = yield* Effect.promise(
          () =>
            new Promise<tls.TLSSocket>((resolve) => {
              const socket = tls.connect({ host: "127.0.0.1", port, servername: HOST, ca: certificate }, () =>
                resolve(socket),
              )
            }),
        )
        const closed = new Promise<string>((resolve) => {
          let said = ""
          connected.on("data", (chunk) => {
            said += chunk
          })
          connected.on("error", () => resolve(said))
          connected.on("close", () => resolve(said))
        })
        // Headers that never end. The server closes the connection by itself.
        connected.write(`GET /api/session HTTP/1.1\r\nHost: ${HOST}\r\nX-Slow: `)
        expect((yield* send(port, "/api/session")).status).toBe(200)
        const large = yield* send(port, "/api/session", { headers: { "x-large": "x".repeat(20_000) } })
        expect(large.status).toBe(431)
        const body = JSON.stringify({ account: "ada", password: "x".repeat(100_000) })
        const headers = { ...JSON_TYPE, origin: ORIGIN, connection: "close" }
        const huge = yield* send(port, "/api/sign-in", { method: "POST", headers, body })
        expect([huge.status, huge.body.error]).toEqual([413, "BodyTooLarge"])
        expect(yield* Effect.promise(() => closed)).toContain("408")
      }),
    60_000,
  )

  it.scopedLive("without TLS is not answered", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      const said = yield* Effect.promise(
        () =>
          new Promise<string>((resolve) => {
            let text = ""
            const socket = net.connect({ host: "127.0.0.1", port }, () =>
              socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`),
            )
            socket.on("data", (chunk) => {
              text += chunk.toString("latin1")
            })
            socket.on("error", () => resolve(text))
            socket.on("close", () => resolve(text))
          }),
      )
      expect(said).not.toContain("HTTP/1.1 200")
    }),
  )
})

describe("personal data", () => {
  it.scopedLive("is shown to the roles that the file names, and to nobody else, by any path", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      const ada = yield* signIn(port, "ada")
      const bob = yield* signIn(port, "bob")
      const asked = ["event?position=2", "chunk?number=0", "search?text=secret", "find?when=true", "tasks"]
      const said = (cookie: string, log: string) =>
        Effect.map(
          Effect.forEach(asked, (one) => send(port, `/api/logs/${log}/${one}`, { headers: { cookie } })),
          (answers) => answers.map(({ status, text }) => [status, text.includes("the secret of customer-3")]),
        )
      const sealed = asked.map(() => [200, false])
      // Asked first, so that a cache of hers would show in his answers.
      expect((yield* said(ada.cookie, "shop"))[0]).toEqual([200, true])
      expect(yield* said(bob.cookie, "shop")).toEqual(sealed)
      expect(yield* said(ada.cookie, "till")).toEqual(sealed)
    }),
  )
})

describe("signing in", () => {
  it.scopedLive("sets a cookie for this host and TLS alone, which no script reads and no other site sends", () =>
    Effect.gen(function* () {
      const { port, recorded } = yield* team({ sessionHours: 1 })
      const { set, csrf } = yield* signIn(port, "ada")
      expect(set).toMatch(/^__Host-hindcast=[\w-]{43}; Path=\/; Max-Age=3600; Secure; HttpOnly; SameSite=Strict$/)
      expect(csrf).toMatch(/^[\w-]{43}$/)
      expect(recorded()).toEqual([
        { time: expect.any(String), account: "ada", address: "127.0.0.1", action: "sign-in" },
      ])
      expect(JSON.stringify(recorded())).not.toContain(PASSWORDS.ada)
    }),
  )

  it.scopedLive("starts a new session, whatever value the browser brought (fixation), and ends that one", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      const chosen = `__Host-hindcast=${"a".repeat(43)}`
      const ada = yield* signIn(port, "ada", { cookie: chosen })
      expect(ada.cookie).not.toBe(chosen)
      const accountOf = (cookie: string) =>
        Effect.map(send(port, "/api/session", { headers: { cookie } }), ({ body }) => body.account)
      expect(yield* accountOf(chosen)).toBe(null)
      const again = yield* signIn(port, "eve", { cookie: ada.cookie })
      expect(yield* accountOf(ada.cookie)).toBe(null)
      expect(yield* accountOf(again.cookie)).toBe("eve")
      const both = `${again.cookie}; ${ada.cookie}`
      expect((yield* send(port, "/api/session", { headers: { cookie: both } })).status).toBe(400)
    }),
  )

  it.scopedLive("says the same of a wrong password and of an unknown name, and stops whoever keeps trying", () =>
    Effect.gen(function* () {
      const { port, recorded } = yield* team()
      const attempt = (account: string, password: string) =>
        send(port, "/api/sign-in", {
          method: "POST",
          headers: { ...JSON_TYPE, origin: ORIGIN },
          body: JSON.stringify({ account, password }),
        })
      const wrong = yield* attempt("ada", "not her password")
      const nobody = yield* attempt("nobody, or a password in the wrong field", PASSWORDS.ada)
      expect([wrong.status, wrong.text]).toEqual([401, nobody.text])
      expect(wrong.headers["set-cookie"]).toBeUndefined()
      const rest = yield* Effect.all(
        Array.from({ length: MOST_BY_ADDRESS + 3 }, (_, index) => attempt(`guess-${index}`, "wrong password")),
        { concurrency: "unbounded" },
      )
      expect(rest.filter(({ status }) => status === 401).length).toBe(MOST_BY_ADDRESS - 2)
      const refused = rest.filter(({ status }) => status === 429)
      expect(refused.length).toBe(5)
      for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeGreaterThan(0)
      // Not even the right password, or guessing would only be slower.
      expect((yield* attempt("ada", PASSWORDS.ada)).status).toBe(429)
      expect(JSON.stringify(recorded())).not.toContain("wrong field")
      expect(recorded()[0]).toMatchObject({ account: "ada", action: "sign-in", refused: "WrongPassword" })
      expect(recorded()[1]).toMatchObject({ account: null, refused: "WrongPassword" })
    }),
  )
})

describe("a session", () => {
  it.scopedLive(
    "ends with a sign-out, a new password and a removed account, also for a stream that is open",
    () =>
      Effect.gen(function* () {
        const { port, accounts } = yield* team({}, { heartbeatMs: 100 })
        const stream = (cookie: string) =>
          Effect.fork(
            Effect.either(
              Effect.tryPromise(() =>
                Effect.runPromise(send(port, "/api/logs/shop/live?after=0", { headers: { cookie } })),
              ),
            ),
          )
        const ada = yield* signIn(port, "ada")
        const following = yield* stream(ada.cookie)
        const eve = yield* signIn(port, "bob")
        expect((yield* send(port, "/api/sign-out", order(ada))).status).toBe(200)
        yield* following
        expect((yield* send(port, "/api/logs/shop/log", { headers: { cookie: ada.cookie } })).status).toBe(401)
        expect((yield* send(port, "/api/logs/shop/log", { headers: { cookie: eve.cookie } })).status).toBe(200)
        const watching = yield* stream(eve.cookie)
        yield* Effect.promise(() => writeAccounts(accounts, { ada: [] }))
        yield* watching
        expect((yield* send(port, "/api/logs/shop/log", { headers: { cookie: eve.cookie } })).status).toBe(401)
        // A file that is no longer valid lets nobody in.
        const again = yield* signIn(port, "ada")
        fs.writeFileSync(accounts, "accounts: nobody")
        expect((yield* send(port, "/api/logs/shop/log", { headers: { cookie: again.cookie } })).status).toBe(401)
      }),
    30_000,
  )
})

describe("a person that a proxy names", () => {
  const PROXY = {
    addresses: ["127.0.0.1"],
    terminatesTls: true,
    userHeader: "X-Forwarded-User",
    groupsHeader: "X-Forwarded-Groups",
  }
  const SECRET = "0123456789abcdef0123456789abcdef"
  const proxied = (proxy: object = {}) =>
    team({ proxy: { ...PROXY, secretFile: "secret", ...proxy } }, { proxySecret: SECRET })
  const by = (headers: { readonly [name: string]: string }): Sent => ({
    isPlain: true,
    headers: { "x-hindcast-proxy": SECRET, ...headers },
  })

  it.scopedLive("has the roles of the account and of the groups, and signs in nowhere else", () =>
    Effect.gen(function* () {
      const { port, recorded } = yield* proxied()
      const bob = by({
        "x-forwarded-user": "bob",
        "x-forwarded-groups": "others, readers",
        "x-forwarded-for": "6.6.6.6, 203.0.113.9",
      })
      const { body } = yield* send(port, "/api/session", bob)
      expect(body).toMatchObject({
        account: "bob",
        by: "proxy",
        logs: [{ id: "shop", roles: ["see"] }, { id: "till" }],
      })
      expect((yield* send(port, "/api/logs/shop/log", bob)).status).toBe(200)
      expect(recorded()).toEqual([
        { time: expect.any(String), account: "bob", address: "203.0.113.9", action: "log", log: "shop", about: {} },
      ])
      expect((yield* send(port, "/api/session", by({}))).body.account).toBe(null)
      expect((yield* send(port, "/api/logs/shop/log", by({}))).status).toBe(401)
      const signing = { ...by({ origin: ORIGIN, ...JSON_TYPE }), method: "POST", body: "{}" }
      expect((yield* send(port, "/api/sign-in", signing)).status).toBe(401)
    }),
  )

  it.scopedLive("is believed only from the proxy's address, with its secret, and once", () =>
    Effect.gen(function* () {
      const { port } = yield* proxied()
      const user = { "x-forwarded-user": "ada" }
      for (const headers of [
        user,
        { ...user, "x-hindcast-proxy": "" },
        { ...user, "x-hindcast-proxy": `${SECRET}x` },
      ]) {
        const got = yield* send(port, "/api/session", { isPlain: true, headers })
        expect([got.status, got.body.error]).toEqual([403, "ForbiddenAddress"])
      }
      const twice = ["x-hindcast-proxy", SECRET, "X-Forwarded-User", "bob", "x-forwarded-user", "ada"]
      const got = yield* send(port, "/api/session", { isPlain: true, headers: twice })
      expect([got.status, got.body.error]).toEqual([400, "DuplicateHeader"])
      for (const name of ["bob,ada", "bob, ada", "a\u00a0da", "аda", "ada\u200b", "x".repeat(201)]) {
        const sent = by({ "x-forwarded-user": Buffer.from(name).toString("latin1") })
        expect([name, (yield* send(port, "/api/session", sent)).status]).toEqual([name, 403])
      }
      // An underscore makes another header, which some servers take for the same one.
      const underscored = yield* send(port, "/api/session", by({ x_forwarded_user: "ada" }))
      expect(underscored.body.account).toBe(null)
      const elsewhere = yield* proxied({ addresses: ["10.9.8.7"], secretFile: "secret" })
      const stranger = yield* send(elsewhere.port, "/api/session", by(user))
      expect([stranger.status, stranger.body.error]).toEqual([403, "ForbiddenAddress"])
    }),
  )

  it.scopedLive("needs Studio's value for an order, too, since the proxy's own cookie may be lax", () =>
    Effect.gen(function* () {
      const { port } = yield* proxied()
      const user = { "x-forwarded-user": "ada", origin: ORIGIN, ...JSON_TYPE }
      const { body } = yield* send(port, "/api/session", by({ "x-forwarded-user": "ada" }))
      const bobs = yield* send(port, "/api/session", by({ "x-forwarded-user": "bob", "x-forwarded-groups": "readers" }))
      const posted = (csrf: string) =>
        send(port, "/api/logs/shop/answers", {
          ...by({ ...user, "x-hindcast-csrf": csrf }),
          method: "POST",
          body: "{}",
        })
      expect((yield* posted("x")).status).toBe(403)
      expect((yield* posted(String(bobs.body.csrf))).status).toBe(403)
      expect([(yield* posted(String(body.csrf))).status]).toEqual([400])
    }),
  )

  it.scopedLive("is never believed where people sign in", () =>
    Effect.gen(function* () {
      const { port } = yield* team()
      for (const name of ["x-forwarded-user", "x-remote-user", "remote-user"]) {
        const { body } = yield* send(port, "/api/session", { headers: { [name]: "ada" } })
        expect(body.account).toBe(null)
      }
    }),
  )
})
