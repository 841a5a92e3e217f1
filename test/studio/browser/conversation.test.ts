import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { document } from "../../cli/hindcast.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open } from "./watching.ts"
import { append, asKernel, opening, serving } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-conversation-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const DIGEST = "0".repeat(64)

/** A request, its answer, and a call with its outcome: seven events. */
const turn = (index: number, text = `answer ${index}`): ReadonlyArray<CoreNewEvent> => {
  const [request, command] = [crypto.randomUUID(), crypto.randomUUID()]
  const commandId = `c${index}`
  const call = { type: "call", callId: commandId, tool: "library__read", args: { book: index } }
  return [
    {
      id: request,
      type: "ModelCalled",
      payload: { provider: "test", model: "one", requestDigest: DIGEST, request: { messages: [] } },
    },
    {
      type: "ModelResponded",
      causationId: request,
      payload: {
        response: { parts: [{ type: "text", text }, call], finish: "calls" },
        usage: { inputTokens: 100, outputTokens: 10 },
        latencyMs: 12,
      },
    },
    {
      id: command,
      type: "ActuatorCommanded",
      payload: {
        commandId,
        actuator: "library/read",
        args: { book: index },
        argsDigest: DIGEST,
        priority: 0,
        callId: commandId,
      },
    },
    { type: "CommandAllowed", causationId: command, payload: { commandId, rule: "reading" } },
    { type: "CommandDispatched", causationId: command, payload: { commandId } },
    {
      type: "CommandSucceeded",
      causationId: command,
      payload: {
        commandId,
        result: [
          { page: 1, words: 10 },
          { page: 2, words: 20 },
        ],
        latencyMs: 3,
      },
    },
    { type: "DecisionMade", payload: { agent: "me@1", choice: { calls: [] } } },
  ]
}

const close: CoreNewEvent = { type: "TaskClosed", payload: { outcome: "achieved", reason: "all read" } }

/** Waits until the item of the position has a text. */
const hereIs = (page: Page, text: string) => page.locator(".items > .here", { hasText: text }).waitFor()

const here = (page: Page): Promise<string> =>
  page
    .locator(".items > .here")
    .textContent()
    .then((text) => text ?? "")

const attributesOf = (page: Page, selector: string, ...names: ReadonlyArray<string>) =>
  page
    .locator(selector)
    .evaluateAll((elements, names) => elements.map((element) => names.map((name) => element.getAttribute(name))), names)

/** Whether the item of the position is in view, and how many are drawn. */
const VIEW = `(() => {
  const box = document.querySelector(".conversation").getBoundingClientRect()
  const here = document.querySelector(".items > .here")?.getBoundingClientRect()
  return {
    isInView: here !== undefined && here.bottom > box.top && here.top < box.bottom,
    drawn: document.querySelectorAll(".items > li").length,
  }
})()`

describe("a long conversation", () => {
  it("is what a task of models opens in; keys, scrolling, turns and the address all follow one position", async () => {
    const file = path.join(directory, "long.db")
    const turns = Array.from({ length: 150 }, (_, index) => turn(index + 1))
    await append(file, "t", [opening("Read it all")], ...turns, [close])
    await serving(file, async ({ url, origin }) => {
      const { page, said, asked } = await open(browser.browser, url.replace("/#", "/t/main/t#"))
      await hereIs(page, "achieved: all read")
      expect(await page.getByRole("tab", { name: "conversation" }).first().getAttribute("aria-selected")).toBe("true")
      // Only what is near is loaded and drawn, of 1,052 events in six chunks.
      expect(asked.filter((path) => path.startsWith("chunk?number=0"))).toEqual([])
      expect(Object(await page.evaluate(VIEW))).toMatchObject({ isInView: true })
      expect(Object(await page.evaluate(VIEW)).drawn).toBeLessThan(60)
      // By item: the goal, then each answer and each call.
      await page.keyboard.press("Home")
      await hereIs(page, "Read it all")
      await page.keyboard.press("j")
      await hereIs(page, "answer 1")
      await page.keyboard.press("j")
      await hereIs(page, "library/read")
      await page.keyboard.press("k")
      await page.waitForURL(/@3(\?|$)/)
      for (let step = 0; step < 20; step++) await page.keyboard.press("N")
      await hereIs(page, "answer 101")
      expect(await page.evaluate(VIEW)).toMatchObject({ isInView: true })
      // By scrolling.
      await page.locator(".conversation").evaluate((box) => {
        box.scrollTop = 0
      })
      await hereIs(page, "Read it all")
      // By a turn.
      await page.locator(".span.of-turn", { hasText: /^4/ }).first().click()
      await hereIs(page, "answer 4")
      // By any event, also one in the midst of a call.
      await page.goto(`${origin}/t/main/t/@706`)
      await hereIs(page, "library/read")
      expect(await page.evaluate(VIEW)).toMatchObject({ isInView: true })
      // A call is one row, which unfolds by keys.
      await page.locator(".items > .here summary").focus()
      await page.keyboard.press("Enter")
      await page.locator(".items > .here table").getByText("words").waitFor()
      // The debugger is the other view of the same position, also after a reload.
      await page.keyboard.press("a")
      await page.locator(".event.here").getByText("@706").waitFor()
      await page.reload()
      await page.locator(".event.here").getByText("@706").waitFor()
      await page.keyboard.press("a")
      await hereIs(page, "library/read")
      expect(said).toEqual([])
    })
  })

  it("is accessible and fits at each width, in both schemes, also from a shared file", async () => {
    const log = path.join(directory, "shown.db")
    const markdown =
      "# Title\n\n- a\n- b\n\n> quoted\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\nlet a = 1\n```\n[x](https://x.example)"
    await append(log, "t", [opening("Read it all")], turn(1, markdown), turn(2), [close])
    const file = path.join(directory, "shown.html")
    await document(["export", "studio", "t", "--log", log, "--output", file])
    const shared = pathToFileURL(file).href
    await serving(log, async ({ url }) => {
      for (const [address, width] of [
        [url.replace("/#", "/t/main/t/@3#"), 390],
        [url.replace("/#", "/t/main/t/@3#"), 1440],
        [url.replace("/#", "/t/main/t/@3#"), 2560],
        [`${shared}#/t/main/t/@3`, 1440],
      ] as const) {
        const { page, said, abroad, context } = await open(browser.browser, address, { width })
        await page.locator(".markdown table").waitFor()
        for (const summary of await page.locator(".items summary").all()) await summary.click()
        expect(await violationsInBothSchemes(page), `${width}`).toEqual([])
        expect(await overflow(page), `${width}`).toBeLessThanOrEqual(0)
        expect([...said, ...abroad]).toEqual([])
        await context.close()
      }
    })
  })

  it("follows a task at work until the reader scrolls away, and again from its end on", async () => {
    const file = path.join(directory, "live.db")
    await append(file, "t", [opening("Go on")], ...Array.from({ length: 30 }, (_, index) => turn(index + 1)))
    const add = (index: number) => append(file, "t", turn(index))
    await asKernel(file, () =>
      serving(file, async ({ url }) => {
        const { page, said } = await open(browser.browser, url.replace("/#", "/t/main/t#"))
        const last = page.locator(".items > li").last()
        await page.getByText("answer 30", { exact: true }).waitFor()
        await add(31)
        await page.getByText("answer 31", { exact: true }).waitFor()
        expect(await page.locator(".live").getAttribute("aria-pressed")).toBe("true")
        await page.locator(".conversation").evaluate((box) => {
          box.scrollTop -= 700
        })
        await expect.poll(() => page.locator(".live").getAttribute("aria-pressed")).toBe("false")
        const shown = await here(page)
        const top = () => page.locator(".conversation").evaluate((box) => box.scrollTop)
        const before = await top()
        await add(32)
        await page.locator(".span.of-turn", { hasText: /^32/ }).waitFor()
        expect([await top(), await here(page)]).toEqual([before, shown])
        await page.keyboard.press("l")
        await page.getByText("answer 32", { exact: true }).waitFor()
        await add(33)
        await page.getByText("answer 33", { exact: true }).waitFor()
        await last.waitFor()
        expect(said).toEqual([])
      }),
    )
  })
})

describe("Markdown in a conversation", () => {
  const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAGUlEQVR4nGNgYPhPIRo1YNSAUQNGDRguBgAnbv8BvXeYbAAAAABJRU5ErkJggg=="

  it("makes no request and runs nothing, whatever it is, and shows the text as it is when it is asked to", async () => {
    const file = path.join(directory, "hostile.db")
    const hostile = [
      "<img src=http://evil.example/a.png onerror=alert(1)><script>alert(2)</script><iframe src=http://evil.example>",
      "<svg onload=alert(3)><style>@import 'http://evil.example/x.css'</style></svg>",
      "![remote](http://evil.example/b.png) ![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoNCk+PC9zdmc+)",
      "[run](javascript:alert(5)) [data](data:text/html,<script>alert(6)</script>) [vb](vbscript:x)",
      "[https://good.example](https://evil.example/path) <https://auto.example> https://bare.example.",
      '[a](https://x.example/"onmouseover=alert(7)) [ref]: http://evil.example "x"',
      `![inside](data:image/png;base64,${PNG})`,
      "| <b>cell</b> | `code` |\n|---|---|\n| <img src=x> | [l](javascript:1) |",
      "```html\n<script>alert(8)</script>\n```",
      "*".repeat(100_00),
      `${">".repeat(3_000)} deep`,
    ]
    const files = [
      { type: "file", mediaType: "image/png", data: PNG },
      {
        type: "file",
        mediaType: "image/png",
        data: Buffer.from("<svg onload=alert(9)></svg>".repeat(4)).toString("base64"),
      },
      {
        type: "file",
        mediaType: "text/html",
        data: Buffer.from("<script>alert(10)</script>".repeat(4)).toString("base64"),
      },
    ]
    await append(
      file,
      "t",
      [opening(hostile[0] ?? "")],
      [
        {
          type: "InputReceived",
          payload: { source: "chat", content: [{ type: "text", text: hostile.join("\n\n") }, ...files] },
        },
      ],
      ...hostile.map((text, index) => turn(index + 1, text)),
      [close],
    )
    await serving(file, async ({ url }) => {
      const { page, said, abroad, dialogs } = await open(browser.browser, url.replace("/#", "/t/main/t/@1#"))
      const seen = { text: "", links: new Set<string>(), images: new Set<string>() }
      for (let step = 0; step < 30; step++) {
        await page.locator(".items > .here").waitFor()
        seen.text += await page.locator(".conversation").textContent()
        for (const [href, ...how] of await attributesOf(page, ".markdown a", "href", "rel", "target")) {
          seen.links.add(href ?? "")
          expect(how).toEqual(["noopener noreferrer", "_blank"])
        }
        for (const [src] of await attributesOf(page, ".conversation img", "src"))
          seen.images.add(src?.slice(0, 22) ?? "")
        await page.keyboard.press("j")
      }
      expect([...seen.links].sort()).toEqual([
        "http://evil.example/",
        "http://evil.example/a.png",
        "http://evil.example/x.css",
        "https://auto.example/",
        "https://bare.example/",
        "https://evil.example/path",
        "https://x.example/%22onmouseover=alert(7)",
      ])
      expect([...seen.images]).toEqual(["data:image/png;base64,"])
      // A link says where it leads, and a remote image where it is.
      expect(seen.text).toContain("https://good.example (https://evil.example/path)")
      expect(seen.text).toContain("[image: remote, http://evil.example/b.png]")
      expect(seen.text).toContain("[run](javascript:alert(5))")
      expect(await page.locator("script:not([src]), iframe, svg[onload], style").count()).toBe(0)
      await page.keyboard.press("Home")
      await page.keyboard.press("j")
      await page.keyboard.press("M")
      await page.locator(".words").getByText("![remote](http://evil.example/b.png)").waitFor()
      expect(await page.locator(".markdown").count()).toBe(0)
      await page.keyboard.press("M")
      await page.locator(".markdown").first().waitFor()
      expect({ said, abroad, dialogs }).toEqual({ said: [], abroad: [], dialogs: [] })
    })
  })
})
