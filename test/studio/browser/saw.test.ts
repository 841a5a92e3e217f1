import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { hindcast } from "../../cli/hindcast.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open } from "./watching.ts"
import { append, opening, serving } from "./writing.ts"

let browser: OwnBrowser
let directory: string
let log: string

const HOSTILE = "<img src=x onerror=alert(1)> </template> \u202e"
const LONG = `begin ${"word ".repeat(10_000)}end of the prompt`

const digest = "0".repeat(64)
const text = (words: string) => [{ type: "text", text: words }]
const called = (request: JsonObject): CoreNewEvent => ({
  type: "ModelCalled",
  payload: { provider: "openai", model: "gpt-5", requestDigest: digest, request },
})

beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-saw-"))
  log = path.join(directory, "log.db")
  const [first, second] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"]
  const response = { parts: [{ type: "call", callId: "a", tool: "price", args: { thing: "tea" } }], finish: "calls" }
  const tools = [{ name: "price", description: "The price", args: { type: "object" } }]
  const results = [{ callId: "a", tool: "price", isError: false, content: HOSTILE }]
  await append(log, "t", [
    opening("What does tea cost?"),
    {
      type: "GuideApplied",
      payload: { digest, systemPrompt: LONG, memoryPolicy: { name: "full" }, initialMemories: [] },
    },
    { ...called({ messages: [{ role: "user", content: text("What does tea cost?") }], tools }), id: first },
    {
      type: "ModelResponded",
      causationId: first,
      payload: { response, usage: { inputTokens: 1_200, outputTokens: 5, cachedTokens: 800 } },
    },
    { ...called({ messages: [{ role: "tool", content: results }] }), id: second },
    {
      type: "ModelFailed",
      causationId: second,
      payload: { kind: "refused", reason: "it does not want to" },
    },
  ])
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

/** What the pane shows about the second request, wherever the page came from. */
const expectShown = async (page: Awaited<ReturnType<typeof open>>["page"], hasServer: boolean) => {
  const pane = page.locator(".pane .saw")
  await pane.getByText("request 2 of 2").waitFor()
  await pane.locator(".seen", { hasText: "system" }).first().getByText("begin word").waitFor()
  await pane.getByRole("button", { name: /^show .* more characters$/ }).click()
  await pane.getByText("end of the prompt").waitFor()
  expect(await pane.locator(".seen").last().textContent()).toContain("<img src=x onerror=alert(1)>")
  await pane.getByRole("button", { name: "changed" }).click()
  await pane.getByText("2 added, 0 removed, 0 changed").waitFor()
  await pane.getByRole("button", { name: "answer", exact: true }).click()
  await pane.getByText("refused: it does not want to").waitFor()
  await pane.getByRole("button", { name: "raw" }).click()
  if (hasServer) await pane.getByText("$OPENAI_API_KEY").waitFor()
  else await pane.getByText("`npx hindcast saw @5 --curl` prints it from the log").waitFor()
  expect(await pane.locator("pre").textContent()).toContain(hasServer ? '"model": "gpt-5"' : '"system": "begin')
  expect(await violationsInBothSchemes(page)).toEqual([])
}

describe("what the model saw", () => {
  it("is shown for the turn of the position, by keys too, and nothing of the log becomes markup", async () => {
    await serving(log, async (studio) => {
      const { page, said, dialogs, abroad } = await open(browser.browser, studio.url.replace("/#", "/t/main/t/@6#"))
      await page.locator(".pane").waitFor()
      await page.keyboard.press("S")
      await expectShown(page, true)
      expect(new URL(page.url()).searchParams.get("pane")).toBe("saw")
      // The first request has counts of its provider.
      await page.locator(".pane .saw .facts").getByText("@3").click()
      await page.locator(".pane .saw").getByText("800 from the cache").waitFor()
      await page.locator(".pane .saw").getByRole("button", { name: "changed" }).click()
      await page.getByText("This is the first request of its conversation.").waitFor()
      expect([said, dialogs, abroad]).toEqual([[], [], []])
    })
  })

  it("says so where there was no request before", async () => {
    await serving(log, async (studio) => {
      const { page } = await open(browser.browser, studio.url.replace("/#", "/t/main/t/@2?pane=saw#"))
      await page.getByText("There is no request to a model before this event.").waitFor()
    })
  })

  it("is in a shared file, with texts that are too long for the page", async () => {
    const file = path.join(directory, "shared.html")
    const { code } = await hindcast(["export", "studio", "t", "--output", file, "--log", log])
    expect(code).toBe(0)
    const { page, said, dialogs } = await open(browser.browser, `${pathToFileURL(file)}#`)
    await page.locator(".pane").waitFor()
    await page.keyboard.press("End")
    await page.keyboard.press("S")
    await expectShown(page, false)
    expect([said, dialogs]).toEqual([[], []])
  })

  it("fits a narrow screen", async () => {
    await serving(log, async (studio) => {
      const url = studio.url.replace("/#", "/t/main/t/@6?pane=saw#")
      const { page } = await open(browser.browser, url, { width: 390, height: 800 })
      await page.locator(".pane .saw").getByText("request 2 of 2").waitFor()
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
    })
  })
})
