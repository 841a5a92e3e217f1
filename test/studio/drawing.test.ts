import { createHash } from "node:crypto"
import * as fs from "node:fs"
import type * as http from "node:http"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import * as Consent from "../../src/studio/drawing/Consent.ts"
import * as DrawingLayer from "../../src/studio/drawing/Drawing.ts"
import { Drawing } from "../../src/studio/drawing/Drawing.ts"
import * as FrameDocument from "../../src/studio/drawing/FrameDocument.ts"
import * as Studio from "../../src/studio/Studio.ts"
import type { ViewCode } from "../../src/studio/wire/CourseSlice.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { send, served, services } from "./given.ts"

const PAGE = "http://127.0.0.1:1"

/** A copy of a plugin that draws, and its digest. */
const plugin = Effect.gen(function* () {
  const directory = path.join(yield* temporaryDirectory, "boiler")
  fs.cpSync(inRepository("examples", "plugins", "boiler"), directory, { recursive: true })
  const { digest } = yield* Manifest.load(directory)
  return { directory, digest }
})

/** What a page's server learns of a version's code, with these consents. */
const drawing = (...consents: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const log = services(path.join(yield* temporaryDirectory, "log.db"), false)
    const parsed = consents.map((text) => Either.getOrThrow(Consent.parse(text)))
    const context = yield* Layer.build(Layer.provide(DrawingLayer.layer(parsed), log))
    return yield* Effect.provide(Drawing, context)
  })

/** Asks for the document of a frame, with these headers. */
const ask = (code: ViewCode, headers: http.OutgoingHttpHeaders = {}, asked?: string, method = "GET") => {
  const { host, port, pathname } = new URL(code.frame ?? "")
  return send({ port: Number(port), token: "" }, asked ?? pathname, {
    method,
    token: null,
    headers: { host, ...headers },
  })
}

const hashOf = (text: string | undefined) =>
  `'sha256-${createHash("sha256")
    .update(text ?? "")
    .digest("base64")}'`

describe("a consent to draw", () => {
  it("is a plugin with at least 16 digits of its digest, and a directory if it is said", () => {
    const digest = "0123456789abcdef"
    expect(Consent.parse(`a.b@${digest}`)).toEqual(Either.right({ plugin: "a.b", digest, directory: null }))
    expect(Consent.parse(`a@${digest}=/x y/=z`)).toEqual(Either.right({ plugin: "a", digest, directory: "/x y/=z" }))
    expect(Consent.parse(`a@${digest.slice(1)}`)).toEqual(Either.left('"a@123456789abcdef", with 15 digits'))
    for (const bad of ["", "a", `a@${digest.toUpperCase()}`, `@${digest}`, `../a@${digest}`, `a@${"0".repeat(65)}`]) {
      expect([bad, Either.isLeft(Consent.parse(bad))]).toEqual([bad, true])
    }
    expect(Either.isLeft(Consent.parse(`a@${digest}=`))).toBe(true)
  })

  it.scopedLive("is decoded where a program gives it", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      for (const draw of [["boiler"], ["boiler@123"], "boiler", [3]]) {
        const built = Layer.build(Layer.provide(Studio.layer({ draw } as object), services(filename, false)))
        const failure = yield* Effect.flip(Effect.scoped(built))
        expect(failure).toMatchObject({ _tag: "InvalidOptions" })
        expect(String(failure)).toContain("draw")
      }
    }),
  )
})

describe("drawing code", () => {
  it.scopedLive("has a frame where its version was consented to, and the files have its digest", () =>
    Effect.gen(function* () {
      const { directory, digest } = yield* plugin
      const { codeOf, origins } = yield* drawing(`boiler@${digest.slice(0, 16)}=${directory}`)
      const code = yield* codeOf("boiler", digest)
      expect(code).toMatchObject({ digest, problem: null })
      expect(new URL(code.frame ?? "").origin).toBe(origins[0])
      expect(origins[0]).toMatch(new RegExp(`^http://${digest.slice(0, 16)}\\.localhost:\\d+$`))
      const other = `${digest.slice(0, 15)}${digest[15] === "0" ? "1" : "0"}${digest.slice(16)}`
      const elsewhere = yield* codeOf("boiler", other)
      expect(elsewhere.frame).toBeNull()
      expect(elsewhere.problem).toContain(`boiler@${other.slice(0, 16)}`)
      expect(yield* codeOf("text-room", digest)).toEqual({ digest, frame: null, problem: null })
      // Another version with the same first digits is another one.
      const alike = yield* codeOf("boiler", `${digest.slice(0, 63)}${digest[63] === "0" ? "1" : "0"}`)
      expect(alike).toMatchObject({ frame: null, problem: expect.stringContaining("give more digits") })
    }),
  )

  it.scopedLive("that was changed since, or is not there, has none, and says why", () =>
    Effect.gen(function* () {
      const { directory, digest } = yield* plugin
      fs.appendFileSync(path.join(directory, "view.html"), "<!-- other -->")
      const changed = yield* (yield* drawing(`boiler@${digest}=${directory}`)).codeOf("boiler", digest)
      expect(changed).toMatchObject({ frame: null, problem: expect.stringContaining("changed since") })
      const missing = yield* (yield* drawing(`boiler@${digest}`)).codeOf("boiler", digest)
      expect(missing).toMatchObject({ frame: null, problem: expect.stringContaining(".plugins") })
      const without = inRepository("plugins", "text-room")
      const { digest: other } = yield* Manifest.load(without)
      const none = yield* (yield* drawing(`text-room@${other}=${without}`)).codeOf("text-room", other)
      expect(none).toMatchObject({ frame: null, problem: expect.stringContaining("viewHtml") })
    }),
  )

  it.scopedLive("stays what was digested, whatever becomes of the file", () =>
    Effect.gen(function* () {
      const { directory, digest } = yield* plugin
      const { codeOf, showIn } = yield* drawing(`boiler@${digest}=${directory}`)
      const code = yield* codeOf("boiler", digest)
      yield* showIn(PAGE)
      fs.writeFileSync(path.join(directory, "view.html"), "<script>other()</script>")
      expect((yield* ask(yield* codeOf("boiler", digest))).text).not.toContain("other()")
      expect((yield* ask(code)).status).toBe(200)
    }),
  )
})

describe("the server of frames", () => {
  const shown = Effect.gen(function* () {
    const { directory, digest } = yield* plugin
    const { codeOf, showIn } = yield* drawing(`boiler@${digest}=${directory}`)
    const code = yield* codeOf("boiler", digest)
    return { code, showIn }
  })

  it.scopedLive("answers with the document once there is a page that may show it, and with nothing else", () =>
    Effect.gen(function* () {
      const { code, showIn } = yield* shown
      expect((yield* ask(code)).status).toBe(404)
      yield* showIn(PAGE)
      expect((yield* ask(code)).text).toContain("hindcast.onState")
      for (const asked of ["/", "/view.html", "/looper-plugin.json", `${new URL(code.frame ?? "").pathname}?x`]) {
        expect([asked, (yield* ask(code, {}, asked)).status]).toEqual([asked, 404])
      }
      for (const method of ["POST", "HEAD", "OPTIONS"])
        expect((yield* ask(code, {}, undefined, method)).status).toBe(404)
    }),
  )

  it.scopedLive("refuses other hosts, pages that fetch, tabs, and frames of its own origin", () =>
    Effect.gen(function* () {
      const { code, showIn } = yield* shown
      yield* showIn(PAGE)
      const { port, hostname } = new URL(code.frame ?? "")
      for (const host of [
        `127.0.0.1:${port}`,
        `localhost:${port}`,
        hostname,
        `${hostname}:1`,
        `x.${hostname}:${port}`,
      ]) {
        expect([host, (yield* ask(code, { host })).status]).toEqual([host, 403])
      }
      expect((yield* ask(code, { host: `0123456789abcdef.localhost:${port}` })).status).toBe(404)
      for (const headers of [
        { origin: PAGE },
        { "sec-fetch-dest": "document" },
        { "sec-fetch-dest": "empty" },
        { "sec-fetch-site": "same-origin" },
        { "sec-fetch-mode": "no-cors" },
      ]) {
        expect([headers, (yield* ask(code, headers)).status]).toEqual([headers, 403])
      }
      const framed = { "sec-fetch-dest": "iframe", "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }
      expect((yield* ask(code, framed)).status).toBe(200)
    }),
  )

  it.scopedLive("confines the document by its headers, whatever it answers", () =>
    Effect.gen(function* () {
      const { code, showIn } = yield* shown
      yield* showIn(PAGE)
      const document = yield* ask(code)
      const [script] = /(?<=<script>)[\s\S]*?(?=<\/script>)/.exec(document.text) ?? []
      expect(String(document.headers["content-security-policy"]).split("; ")).toEqual([
        ...["sandbox allow-scripts", "default-src 'none'", `script-src ${hashOf(script)}`],
        ...["style-src 'unsafe-inline'", "img-src data:", "base-uri 'none'", "form-action 'none'"],
        `frame-ancestors ${PAGE}`,
      ])
      const refused = yield* ask(code, { host: "evil.example" })
      expect(refused.headers["content-security-policy"]).toBe("sandbox; default-src 'none'; frame-ancestors 'none'")
      for (const { headers } of [document, refused]) {
        expect(headers).toMatchObject({
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-embedder-policy": "require-corp",
          "cross-origin-resource-policy": "same-origin",
        })
        expect(headers["permissions-policy"]).toMatch(/camera=\(\).*microphone=\(\).*usb=\(\)/)
        expect(headers["access-control-allow-origin"]).toBeUndefined()
        expect(headers["set-cookie"]).toBeUndefined()
      }
    }),
  )

  it.scopedLive(
    "is named by the policy of Studio's page, which shows no other frame; without a consent there is none",
    () =>
      Effect.gen(function* () {
        const { directory, digest } = yield* plugin
        const filename = path.join(yield* temporaryDirectory, "log.db")
        const policyOf = (draw: ReadonlyArray<Consent.Consent>) =>
          Effect.gen(function* () {
            const server = yield* Studio.Studio
            return String((yield* send(server, "/")).headers["content-security-policy"]).match(/frame-src [^;]*/)?.[0]
          }).pipe(Effect.provide(served(filename, {}, false, { draw })))
        expect(yield* policyOf([])).toBeUndefined()
        const label = digest.slice(0, 16)
        expect(yield* policyOf([{ plugin: "boiler", digest: label, directory }])).toMatch(
          new RegExp(`^frame-src http://${label}\\.localhost:\\d+$`),
        )
      }),
  )
})

describe("the document of a frame", () => {
  it("lets its own scripts run, each after the prelude, and nothing else", () => {
    const file =
      '<script>a()</script>\r\n<SCRIPT>b(\r\n)</SCRIPT ><script src="x"></script><p onclick="c()"><script >d()</script>'
    const { html, policy } = FrameDocument.of(file, PAGE)
    const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script[ >]/gi)].map(([, text]) => text)
    expect(scripts).toHaveLength(2)
    for (const script of scripts) {
      expect(script?.trimStart().startsWith("delete this.RTCPeerConnection;")).toBe(true)
      expect(policy).toContain(hashOf(script))
    }
    expect(policy.match(/sha256/g)).toHaveLength(2)
    expect(FrameDocument.of("<p>Nothing</p>", PAGE).policy).toContain("script-src 'none'")
    for (const { policy } of [FrameDocument.of(file, PAGE), FrameDocument.of("", PAGE)]) {
      expect(policy).not.toMatch(/script-src[^;]*unsafe|\*/)
    }
  })
})
