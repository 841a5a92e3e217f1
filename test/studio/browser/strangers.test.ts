import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoLog } from "../../demoLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { at, open, type Serving, serve } from "./watching.ts"

// The browser's own protections are on: what a stranger's page cannot do here, it cannot do to people.

let browser: OwnBrowser
let studio: Serving
let token: string
let port: string
let directory: string
let stranger: { readonly server: http.Server; readonly origin: string }
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-strangers-"))
  const log = path.join(directory, "log.db")
  fs.copyFileSync(await demoLog(23, 7), log)
  studio = await serve(log, "--trust-log", "--answer", "--write")
  token = new URLSearchParams(new URL(studio.url).hash.slice(1)).get("token") ?? ""
  port = new URL(studio.origin).port
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" })
    response.end("<!doctype html><title>Stranger</title><h1>Stranger</h1>")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  stranger = { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})
afterAll(async () => {
  await browser?.close()
  await studio?.stop()
  stranger?.server.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

/** What the page of a stranger gets of an address, with all that a browser lets it send. */
const fetched = (page: Page, url: string, init: object = {}): Promise<string> =>
  page.evaluate(
    `fetch(${JSON.stringify(url)}, ${JSON.stringify(init)}).then(
      async (response) => response.type + " " + response.status + " " + (await response.text()),
      () => "nothing",
    )`,
  )

/** The statuses of Studio's answers to a page. */
const answersTo = (page: Page): ReadonlyArray<readonly [method: string, status: number]> => {
  const seen: Array<readonly [string, number]> = []
  page.on("response", (response) => {
    if (new URL(response.url()).port === port) seen.push([response.request().method(), response.status()])
  })
  return seen
}

describe.each(["another port of this machine", "another name of this machine", "a file without an origin"])(
  "a page of %s",
  (where) => {
    const opened = async () => {
      const page = await (await browser.browser.newContext()).newPage()
      const seen = answersTo(page)
      if (where.startsWith("a file")) await page.goto("data:text/html,<h1>Stranger</h1>")
      else if (where.includes("name")) await page.goto(stranger.origin.replace("127.0.0.1", "localhost"))
      else await page.goto(stranger.origin)
      return { page, seen }
    }

    it("reads nothing, though it knows the token", async () => {
      const { page, seen } = await opened()
      for (const path of ["/", "/studio.js", "/api/log", "/api/tasks", "/api/live?after=0"]) {
        for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
          for (const mode of ["cors", "no-cors"] as const) {
            const got = await fetched(page, `${studio.origin}${path}`, { mode, headers, credentials: "include" })
            expect(got, `${path} ${mode}`).toMatch(/^(nothing|opaque 0 )$/)
          }
        }
      }
      expect(seen.every(([, status]) => status === 403)).toBe(true)
    })

    it("writes nothing", async () => {
      const { page, seen } = await opened()
      const body = JSON.stringify({ question: "q", digest: "0".repeat(64), approve: true })
      for (const path of ["/api/answers", "/api/forks", "/api/rescores"]) {
        for (const type of ["application/json", "text/plain"]) {
          for (const mode of ["cors", "no-cors"] as const) {
            const headers = { "content-type": type, authorization: `Bearer ${token}` }
            await fetched(page, `${studio.origin}${path}`, { mode, headers, body, method: "POST" })
          }
        }
      }
      const answered = page.waitForResponse((response) => new URL(response.url()).port === port)
      await page.evaluate(`{
        const form = document.createElement("form")
        Object.assign(form, { action: "${studio.origin}/api/answers", method: "post", enctype: "text/plain" })
        document.body.append(form)
        form.submit()
      }`)
      expect((await answered).status()).toBe(403)
      expect(seen.filter(([, status]) => status !== 403)).toEqual([])
    })

    it("neither runs its script nor frames its page", async () => {
      const { page } = await opened()
      // Of a frame that is refused, browsers show a page of their own.
      const loaded = await page.evaluate(`(async () => {
        const tried = (name, attributes) =>
          new Promise((resolve) => {
            const element = document.createElement(name)
            for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
            element.onload = () => resolve(name + " loaded")
            element.onerror = () => resolve(name + " refused")
            document.body.append(element)
          })
        const results = [
          await tried("script", { src: "${studio.origin}/studio.js" }),
          await tried("img", { src: "${studio.origin}/" }),
          await tried("link", { rel: "stylesheet", href: "${studio.origin}/studio.css" }),
        ]
        await tried("iframe", { src: "${studio.origin}/" })
        return results
      })()`)
      expect(loaded).toEqual(["script refused", "img refused", "link refused"])
      const frame = page.frames().at(-1)
      expect(frame?.url()).not.toBe(page.url())
      expect(await frame?.locator("#studio, .task-line").count()).toBe(0)
    })

    it("keeps no hold of a window that it opens, nor reaches the token there", async () => {
      const { page } = await opened()
      const popup = page.waitForEvent("popup")
      await page.evaluate(`void (globalThis.opened = window.open(${JSON.stringify(studio.url)}))`)
      const window = await popup
      await window.waitForLoadState()
      const reached = await page.evaluate(`(() => {
        try {
          return String(opened?.sessionStorage.length ?? "gone")
        } catch (cause) {
          return cause.name
        }
      })()`)
      expect(["SecurityError", "gone"]).toContain(reached)
      expect(await window.evaluate("String(window.opener)")).toBe("null")
    })
  },
)

describe("a name of another site that resolves to this machine", () => {
  it("is served nothing, neither the page nor the log", async () => {
    const context = await browser.browser.newContext()
    const page = await context.newPage()
    // Every name below `localhost` resolves to this machine in the browser, as a rebound name of a stranger does.
    const rebound = `http://evil.localhost:${port}`
    const response = await page.goto(`${rebound}/#token=${token}`)
    expect(response?.status()).toBe(403)
    expect(await page.locator("#studio").count()).toBe(0)
    const own = await fetched(page, `${rebound}/api/log`, { headers: { authorization: `Bearer ${token}` } })
    expect(own).toMatch(/^basic 403 .*ForbiddenHost/)
  })
})

describe("Studio's own page", () => {
  it("without a token, or with another one, shows nothing of the log and says what to do", async () => {
    const without = await open(browser.browser, `${studio.origin}/t/main/task-0015/@1010`)
    await without.page.getByText("Open Studio by its own link").waitFor()
    expect(without.asked).toEqual([])
    const wrong = await open(browser.browser, `${studio.origin}/t/main/task-0015/@1010#token=${"x".repeat(43)}`)
    await wrong.page.getByText("This link has expired").waitFor()
    for (const { page } of [without, wrong]) expect(await page.content()).not.toContain("boiler")
  })

  it("lends its token to no tab of a stranger", async () => {
    const { page, context } = await open(browser.browser, studio.url)
    await page.locator(".task-line").first().waitFor()
    const other = await context.newPage()
    await other.goto(stranger.origin)
    const answered = await other.evaluate(`new Promise((resolve) => {
      const channel = new BroadcastChannel("hindcast-studio")
      channel.onmessage = ({ data }) => resolve(JSON.stringify(data))
      // What is broadcast within the origin is all that comes.
      new BroadcastChannel("hindcast-studio").postMessage({ wants: "token" })
    })`)
    expect(answered).toBe('{"wants":"token"}')
    await page.goto(`${studio.origin}/t/main/task-0015/@1010`)
    await at(page, 1010)
  })
})
