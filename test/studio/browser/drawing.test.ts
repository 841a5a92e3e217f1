import * as dgram from "node:dgram"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { document } from "../../cli/hindcast.ts"
import { copyOfDemoLog } from "../../demoLog.ts"
import { launchIsolated, type OwnBrowser } from "../../e2e/chromium.ts"
import { workplace } from "../../workplace.ts"
import { at, open, type Serving, serve, type Watched } from "./watching.ts"

// The browser's own protections are on. The code of one plugin draws; that of the other tries everything.

/** What counts whatever reaches it. */
interface Trap {
  readonly origin: string
  readonly stun: string
  /** Connections to it, requests of it, and datagrams. */
  readonly reached: Array<string>
  /** Waits for a datagram. */
  readonly datagram: Promise<void>
  readonly close: () => void
}

const trap = async (): Promise<Trap> => {
  const reached: Array<string> = []
  const server = http.createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`)
    response.setHeader("access-control-allow-origin", "*").end("<!doctype html><title>Trap</title>")
  })
  server.on("connection", () => reached.push("connection"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const socket = dgram.createSocket("udp4")
  const datagram = new Promise<void>((resolve) => {
    socket.on("message", () => {
      reached.push("datagram")
      resolve()
    })
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", () => resolve()))
  return {
    reached,
    datagram,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stun: `stun:127.0.0.1:${socket.address().port}`,
    close: () => {
      socket.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

const STEPS = 11

const MANIFEST = {
  name: "stranger",
  description: "Counts.",
  version: "1.0.0",
  entry: "entry.ts",
  permissions: { read: [], run: [] },
  peas: {
    performance: [
      { name: "any", description: "Any", rewards: [{ name: "any", when: "Never.", weight: 0, rule: "false" }] },
    ],
    environment: { name: "Count", description: "A number.", viewHtml: "view.html" },
    actuators: [{ name: "go", description: "One more.", risk: "none" }],
  },
}

const ENTRY = `
let steps = 0
export default {
  actuators: { go: () => { steps += 1; return steps } },
  environment: { reset: () => { steps = 0 }, state: () => ({ steps }) },
}
`

const AGENT = `
export default {
  name: "counter",
  version: "1",
  decide: ({ step }) => (step < ${STEPS} ? { act: "stranger/go", args: {} } : { done: "achieved" }),
}
`

const place = workplace()
let browser: OwnBrowser
let studio: Serving
let trapped: Trap
let control: Trap
/** Positions of the stranger's log, by the number that its world shows there. */
let positions: ReadonlyArray<number>
let task: string

beforeAll(async () => {
  trapped = await trap()
  control = await trap()
  const view = fs.readFileSync(new URL("./programs/stranger.html", import.meta.url), "utf8")
  fs.mkdirSync(place.file("stranger"))
  place.file("stranger/looper-plugin.json", JSON.stringify(MANIFEST))
  place.file("stranger/entry.ts", ENTRY)
  place.file("stranger/view.html", view.replaceAll("TRAP", trapped.origin).replaceAll("STUN", trapped.stun))
  const log = place.file("log.db")
  const { taskId } = await document([
    ...["run", "--log", log, "--agent", place.file("counter.mjs", AGENT), "--goal", "Count"],
    ...["--plugin", place.file("stranger"), "--sandbox", "flags", "--max-steps", "20"],
  ])
  task = String(taskId)
  positions = await positionsOf(log)
  browser = await launchIsolated()
  studio = await serve(log, "--draw", `stranger@${await digestIn(log, "stranger")}`)
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await studio?.stop()
  trapped?.close()
  control?.close()
  place.remove()
})

// Each test has contexts of its own: what spins or floods in one ends with it.
afterEach(() => Promise.all(browser.browser.contexts().map((context) => context.close())))

const eventsOf = async (log: string, type: string) => {
  const { events } = await document(["log", "ls", "--log", log, "--type", type])
  return events as ReadonlyArray<{ readonly position: number; readonly payload: Record<string, unknown> }>
}

const digestIn = async (log: string, name: string): Promise<string> => {
  const imported = (await eventsOf(log, "PluginImported")).find(({ payload }) => payload.plugin === name)
  return String(imported?.payload.digest)
}

const positionsOf = async (log: string): Promise<ReadonlyArray<number>> => {
  const [reset] = await eventsOf(log, "EnvironmentReset")
  return [reset?.position ?? 0, ...(await eventsOf(log, "EnvironmentChanged")).map(({ position }) => position)]
}

/** Opens the stranger's world as it shows a number. */
const opened = async (number: number): Promise<Watched> => {
  const url = new URL(studio.url)
  url.pathname = `/t/main/${task}/@${positions[number]}`
  const watched = await open(browser.browser, url.href)
  await at(watched.page, positions[number] ?? 0)
  return watched
}

/** How it went with the drawing: `drawn`, or what is said of it. */
const outcome = async (page: Page): Promise<string> => {
  const drawn = page.locator(".foreign:not(.unseen)")
  const said = page.locator(".world-part .note", { hasText: "The drawing code of" })
  await drawn.or(said).first().waitFor()
  return (await said.count()) === 0 ? "drawn" : String(await said.textContent())
}

/** The frame in which a plugin draws. */
const frameIn = async (page: Page) => {
  await page.locator(".foreign iframe").waitFor({ state: "attached" })
  const frame = await (await page.locator(".foreign iframe").elementHandle())?.contentFrame()
  if (frame == null) throw new Error("expected a frame, found none")
  return frame
}

/** The page steps on and back, and nothing else was opened. */
const isWell = async ({ page, context, dialogs }: Watched, number: number) => {
  const position = positions[number] ?? 0
  await page.keyboard.press("n")
  await page.locator(`.track:not([aria-valuenow="${position}"])`).waitFor()
  await page.keyboard.press("p")
  await at(page, position)
  expect(new URL(page.url()).origin).toBe(studio.origin)
  expect([context.pages().length, dialogs]).toEqual([1, []])
}

describe("drawing code that tries everything", () => {
  it("reaches nothing: no network, no storage, no window but its own, and no WebRTC", async () => {
    const watched = await opened(0)
    const downloads: Array<string> = []
    watched.page.on("download", (download) => downloads.push(download.url()))
    const frame = await frameIn(watched.page)
    // Functions: a text that does not hold at the first look is looked at again by \`eval\`, which the frame's policy refuses.
    await frame.waitForFunction(() => Boolean(Reflect.get(globalThis, "isDone")))
    const found = await frame.evaluate<Record<string, string>>("globalThis.found")
    const { "frame elsewhere": _, ...others } = found
    expect(await frame.evaluate("typeof globalThis.moduleRan")).toBe("undefined")
    // The one script that may run within a frame of its own has no more there than here; no other runs.
    await frame.waitForFunction(() => Reflect.get(globalThis, "heard")?.length > 0)
    expect(await frame.evaluate("globalThis.heard")).toEqual(expect.not.arrayContaining(["function", "ran"]))

    // What a page without a policy does with the same means reaches the trap beside it, and takes at least as long.
    const page = await watched.context.newPage()
    await page.goto(control.origin)
    await page.evaluate(`{
      const connection = new RTCPeerConnection({ iceServers: [{ urls: "${control.stun}" }] })
      connection.createDataChannel("x")
      void connection.createOffer().then((offer) => connection.setLocalDescription(offer))
      navigator.sendBeacon("/beacon", "x")
      document.head.insertAdjacentHTML("beforeend", '<link rel="prefetch" href="/prefetch"><link rel="stylesheet" href="/style.css">')
      document.body.insertAdjacentHTML("beforeend", '<iframe src="/frame"></iframe><img src="/image.png">')
    }`)
    await control.datagram
    await expect
      .poll(() => control.reached)
      .toEqual(
        expect.arrayContaining(["POST /beacon", "GET /prefetch", "GET /style.css", "GET /frame", "GET /image.png"]),
      )
    await page.close()
    expect(trapped.reached).toEqual([])
    expect(downloads).toEqual([])
    expect(others).toMatchInlineSnapshot(`
      {
        "EventSource": "NetworkError",
        "Function": "EvalError",
        "RTCPeerConnection": "TypeError",
        "WebRTC of a blank frame": "SecurityError",
        "WebSocket": "NetworkError",
        "WebTransport": "WebTransportError",
        "Worker": "SecurityError",
        "XMLHttpRequest": "NetworkError",
        "alert": "undefined",
        "caches": "SecurityError",
        "camera": "NotFoundError",
        "click blank": "undefined",
        "click ping": "undefined",
        "click top": "undefined",
        "clipboard": "NotAllowedError",
        "clipboard write": "NotAllowedError",
        "cookie": "SecurityError",
        "eval": "EvalError",
        "fetch": "TypeError",
        "fetch of itself": "TypeError",
        "fetchLater": "QuotaExceededError",
        "font": "NetworkError",
        "frameElement": "null",
        "fullscreen": "TypeError",
        "history": "undefined",
        "image": "NetworkError",
        "import": "TypeError",
        "indexedDB": "SecurityError",
        "localStorage": "SecurityError",
        "open": "null",
        "own script in a frame": "undefined",
        "parent.document": "SecurityError",
        "parent.sessionStorage": "SecurityError",
        "script as an address": "undefined",
        "script in a frame": "undefined",
        "sendBeacon": "undefined",
        "serviceWorker": "SecurityError",
        "sessionStorage": "SecurityError",
        "top.location": "SecurityError",
        "webkitRTCPeerConnection": "TypeError",
      }
    `)
    await isWell(watched, 0)
  })

  it.each([
    [1, "an address elsewhere"],
    [2, "a refresh elsewhere"],
    [3, "a document of data"],
    [9, "a download"],
    [10, "a form"],
  ])("goes nowhere (%i: %s)", async (number) => {
    const watched = await opened(number)
    const { page } = watched
    const downloads: Array<string> = []
    page.on("download", (download) => downloads.push(download.url()))
    expect(await outcome(page)).toMatch(/^drawn$|was stopped/)
    await isWell(watched, number)
    const elsewhere = page
      .frames()
      .filter((frame) => !/^(http:\/\/[\w.]+:\d+\/[0-9a-f]{32}$|chrome-error:)/.test(frame.url()))
    expect(elsewhere.map((frame) => frame.url())).toEqual([page.url()])
    expect([trapped.reached, downloads]).toEqual([[], []])
  })

  it.each([
    [4, "floods the page with messages", "too many messages"],
    [5, "sends a message that is too long", "a message that Studio does not know"],
    [6, "never ends", "did not draw within 2 s"],
    [11, "takes the keyboard", "took the keyboard"],
  ])("is taken down, and the page goes on (%i: %s)", async (number, _, why) => {
    const watched = await opened(number)
    expect(await outcome(watched.page)).toContain(why)
    expect(await watched.page.locator(".foreign").count()).toBe(0)
    expect(watched.page.frames()).toHaveLength(1)
    await isWell(watched, number)
    // Another try ends as the first one did.
    await watched.page.getByRole("button", { name: "Try again" }).click()
    expect(await outcome(watched.page)).toContain(why)
  })

  it("changes the height of its box within bounds, and the text of its failure, which is shown as text", async () => {
    const tall = await opened(8)
    expect(await outcome(tall.page)).toBe("drawn")
    const box = await tall.page.locator(".foreign iframe").boundingBox()
    expect(box?.height).toBeLessThanOrEqual(560)
    const failing = await opened(7)
    const said = await outcome(failing.page)
    expect(said).toContain('failed: <img src=x onerror="alert(1)">')
    expect(said).not.toContain("\u202e")
    expect(await failing.page.locator(".world-part img").count()).toBe(0)
    expect(failing.dialogs).toEqual([])
  })
})

describe("a plugin's drawing code", () => {
  it("draws each position in a labelled frame, which takes no key and is hidden while a dialog is open", async () => {
    const log = await copyOfDemoLog(23, 7, place.file("demo"))
    const digest = await digestIn(log, "boiler")
    const plain = await serve(log)
    const drawing = await serve(log, "--draw", `boiler@${digest.slice(0, 16)}`)
    try {
      const without = await open(browser.browser, plain.url.replace("/#", "/t/main/task-0015/@1029#"))
      await without.page.getByText(`--draw boiler@${digest.slice(0, 16)}`).waitFor()
      expect(await without.page.locator("iframe").count()).toBe(0)

      const { page, said } = await open(browser.browser, drawing.url.replace("/#", "/t/main/task-0015/@1029#"))
      expect(await outcome(page)).toBe("drawn")
      expect(await page.locator(".foreign figcaption").textContent()).toBe(
        `drawn by the code of the plugin boiler ${digest.slice(0, 16)}`,
      )
      const drawn = (await frameIn(page)).locator("#celsius")
      const celsius = await drawn.textContent()
      expect(celsius).toMatch(/^[\d.]+ °C$/)
      // A click on it is none: the keys stay with Studio.
      await page.locator(".foreign").click({ position: { x: 40, y: 60 } })
      await page.keyboard.press("C")
      await expect.poll(() => drawn.textContent()).not.toBe(celsius)
      await page.keyboard.press("?")
      await page.locator("dialog[open]").waitFor()
      const visibility = "getComputedStyle(document.querySelector('.foreign iframe')).visibility"
      expect(await page.evaluate(visibility)).toBe("hidden")
      await page.keyboard.press("Escape")
      await expect.poll(() => page.evaluate(visibility)).toBe("visible")
      expect(said).toEqual([])
    } finally {
      await plain.stop()
      await drawing.stop()
    }
  })
})
