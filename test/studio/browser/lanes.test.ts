import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { at, open } from "./watching.ts"
import { append, EVIL, opening, reading, serving, UNSEEN } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-lanes-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const DIGEST = "0".repeat(64)

const command = (commandId: string, actuator: string, agentId: string): CoreNewEvent => ({
  type: "ActuatorCommanded",
  payload: { commandId, actuator, args: { of: commandId }, argsDigest: DIGEST, priority: 0, agentId },
})

/** Two agents act at once, a person is asked, one call fails, one never ends. */
const EVENTS: ReadonlyArray<CoreNewEvent> = [
  opening("act together"),
  reading("a room"),
  command("one", "room/go", "ada"),
  command("two", "files/write", "bob"),
  { type: "CommandAllowed", payload: { commandId: "one", rule: "free" } },
  { type: "CommandDispatched", payload: { commandId: "one" } },
  {
    type: "ConfirmationRequested",
    payload: {
      confirmationId: "q",
      commandId: "two",
      argsDigest: DIGEST,
      shown: { actuator: "files/write" },
      shownDigest: DIGEST,
      expiresAt: 4_000_000_000_000,
    },
  },
  { type: "CommandSucceeded", payload: { commandId: "one", result: "gone", latencyMs: 7 } },
  {
    type: "ConfirmationDecided",
    payload: {
      ...{ confirmationId: "q", approved: true, by: "ada", channel: "cli", argsDigest: DIGEST },
      ...{ shownDigest: DIGEST, waitedMs: 1_500 },
    },
  },
  { type: "CommandAllowed", payload: { commandId: "two", rule: "asked" } },
  { type: "CommandDispatched", payload: { commandId: "two" } },
  { type: "CommandFailed", payload: { commandId: "two", error: { code: "E", message: "full" }, latencyMs: 30 } },
  command("three", "room/go", "bob"),
  reading("a door"),
  { type: "TaskClosed", payload: { outcome: "failed", reason: "the disk is full" } },
]

const FILTERS = "Kind of the listed events"

const rowsOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.locator(".event").evaluateAll((rows) => rows.map((row) => (row.textContent ?? "").replace(/\s+/g, " ").trim()))

/** A title of the bar under the pointer, for any place on the lanes. */
const titlesOf = async (page: Page): Promise<ReadonlySet<string>> => {
  const track = page.locator(".track")
  const box = await track.boundingBox()
  const titles = new Set<string>()
  if (box === null) return titles
  for (let x = 4; x < box.width; x += 12)
    for (let y = 6; y < box.height - 30; y += 7) {
      await page.mouse.move(box.x + x, box.y + y)
      titles.add((await track.getAttribute("title")) ?? "")
    }
  return titles
}

describe("calls", () => {
  it("are one row each, which opens by key and by mouse, with approval, outcome and duration", async () => {
    const file = path.join(directory, "rows.db")
    await append(file, "t", EVENTS)
    await serving(file, async ({ url }) => {
      const { page, said } = await open(browser.browser, url.replace("/#", "/t/main/t/@12?view=debugger#"))
      await page.locator(".whole-call").nth(2).waitFor()
      const rows = await rowsOf(page)
      expect(rows).toHaveLength(7)
      expect(rows[2]).toMatch(/@3.*go .*"one".*7 ms/)
      // The playhead is in the midst of the call, and its row says where.
      expect(rows[3]).toMatch(/@12.*write .*CommandFailed.*failed.*30 ms/)
      expect(rows[4]).toMatch(/@13.*go .*running …/)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.keyboard.press("z")
      await page.locator("#event-9", { hasText: "ConfirmationDecided" }).waitFor()
      expect(await rowsOf(page)).toHaveLength(12)
      await page.locator("#event-12.here").waitFor()
      await page.keyboard.press("z")
      await expect.poll(() => page.locator(".event").count()).toBe(7)
      await page.locator("#event-3 .twist").click()
      await page.locator("#event-8", { hasText: "CommandSucceeded" }).waitFor()
      // All of them, remembered for the next visit.
      await page.keyboard.press("Shift+Z")
      await expect.poll(() => page.locator(".event").count()).toBe(15)
      await page.reload()
      await expect.poll(() => page.locator(".event").count()).toBe(15)
      expect(said).toEqual([])
    })
  })

  it("are filtered by kind, agent and plugin, by keyboard and in the address", async () => {
    const file = path.join(directory, "filters.db")
    await append(file, "t", EVENTS)
    await serving(file, async ({ url }) => {
      const { page, said } = await open(browser.browser, url.replace("/#", "/t/main/t/@1?view=debugger#"))
      await page.locator(".whole-call").nth(2).waitFor()
      await page.keyboard.press("h")
      await expect.poll(() => page.evaluate("document.activeElement?.ariaLabel")).toBe(FILTERS)
      await page.getByLabel(FILTERS).selectOption("approval")
      await page.waitForURL(/kind=approval/)
      await expect.poll(async () => (await rowsOf(page)).length).toBe(1)
      expect((await rowsOf(page))[0]).toContain("write")
      await page.getByRole("button", { name: "show all" }).click()
      await page.getByLabel("Agent of the listed events").selectOption("bob")
      await page.waitForURL(/agent=bob/)
      await expect.poll(async () => (await rowsOf(page)).length).toBe(2)
      // Keys step through what is listed.
      await page.locator(".events").focus()
      await page.keyboard.press("n")
      await at(page, 4)
      await page.keyboard.press("n")
      await at(page, 13)
      await page.keyboard.press("n")
      await page.getByText("This is the last such event.").waitFor()
      await page.goBack()
      // A link has the filter, whatever it names.
      await page.goto(url.replace("/#", `/t/main/t/@1?view=debugger&plugin=${encodeURIComponent(EVIL)}#`))
      await page.getByText("No event is of this kind, agent and plugin.").waitFor()
      expect(await page.locator("main").textContent()).not.toMatch(UNSEEN)
      expect(said).toEqual([])
    })
  })

  it("are folded and filtered among all events of a timeline, too, and new ones come along", async () => {
    const file = path.join(directory, "timeline.db")
    await append(file, "t", EVENTS)
    // So many that the rows come in several parts.
    await append(file, "u", [opening("read"), ...Array.from({ length: 700 }, (_, index) => reading(index))])
    await append(file, "v", [opening("go"), command("far", "room/go", EVIL)])
    await serving(file, async ({ url }) => {
      const { page, said, asked } = await open(browser.browser, url.replace("/#", "/l/main/@12#"))
      await page.locator(".whole-call").nth(2).waitFor()
      expect((await rowsOf(page))[3]).toMatch(/@12.*write .*CommandFailed.*failed.*30 ms/)
      await page.keyboard.press("z")
      await page.locator("#event-9", { hasText: "ConfirmationDecided" }).waitFor()
      await page.keyboard.press("z")
      await page.locator("#event-9").waitFor({ state: "detached" })
      await page.keyboard.press("h")
      await expect.poll(() => page.evaluate("document.activeElement?.ariaLabel")).toBe(FILTERS)
      await page.getByLabel("Plugin of the listed events").selectOption("room")
      await page.waitForURL(/plugin=room/)
      await page.getByText("10 events hidden").waitFor()
      await page.getByLabel(FILTERS).selectOption("command")
      await page.getByText("712 events hidden").waitFor()
      await expect.poll(async () => (await rowsOf(page)).length).toBe(3)
      expect(asked.filter((path) => path.startsWith("density")).at(-1)).toContain("kind=command")
      // Keys step through what is listed, also where the parts between were never loaded.
      await page.locator(".events").focus()
      await page.keyboard.press("Home")
      for (const position of [3, 13, 718]) {
        await page.keyboard.press("n")
        await at(page, position)
      }
      await page.keyboard.press("n")
      await page.getByText("This is the last such event.").waitFor()
      await append(file, "w", [opening("on"), command("new", "room/go", "ada"), reading("a room")])
      await page.locator("#event-720", { hasText: "go" }).waitFor()
      await page.keyboard.press("n")
      await at(page, 720)
      await page.getByRole("button", { name: "show all" }).click()
      await page.locator("#event-721").waitFor()
      expect(await page.locator("main").textContent()).not.toMatch(UNSEEN)
      expect(await violationsInBothSchemes(page)).toEqual([])
      expect(said).toEqual([])
    })
  })

  it("are bars as long as they took on their lanes, below each other where they overlap", async () => {
    const file = path.join(directory, "bars.db")
    await append(file, "t", EVENTS)
    await serving(file, async ({ url }) => {
      const { page, said } = await open(browser.browser, url.replace("/#", "/t/main/t/@1?view=debugger#"), {
        width: 700,
      })
      await page.locator(".track").waitFor()
      await page.getByRole("tab", { name: "events" }).click()
      await page.locator(".whole-call").nth(2).waitFor()
      const titles = await titlesOf(page)
      expect(titles).toContain("call room/go of ada, @3: succeeded, 7 ms")
      expect(titles).toContain("call files/write of bob, @4: decided by ada, failed, 30 ms")
      expect(titles).toContain("question about files/write of bob, @7: approved by ada, 1.5 s")
      // Nobody knows when it ended: not at once, and not with the task.
      expect(titles).toContain("call room/go of bob, @13: running, no end in the log")
      const heights = await page
        .locator(".lanes .names span")
        .evaluateAll((names) =>
          names.map((name) => [name.textContent, Math.round(name.getBoundingClientRect().height)]),
        )
      expect(Object.fromEntries(heights)).toMatchObject({ commands: 32, approvals: 18 })
      expect(heights.map(([name]) => name)).not.toContain("world")
      expect(said).toEqual([])
    })
  })
})

describe("the tree of the state", () => {
  it("puts a long value below its path, and opens all of it at the side", async () => {
    const file = path.join(directory, "tree.db")
    await append(file, "t", [opening("read"), reading({ short: 1, long: "word ".repeat(200), [EVIL]: "x" })])
    await serving(file, async ({ url }) => {
      const { page, said } = await open(browser.browser, url.replace("/#", "/t/main/t/@2?view=debugger#"))
      const long = page.locator(".state li.long")
      await long.first().waitFor()
      const [key, value] = [await long.locator(".key").boundingBox(), await long.locator(".value").boundingBox()]
      expect(value?.y ?? 0).toBeGreaterThanOrEqual((key?.y ?? 0) + (key?.height ?? 0) - 1)
      await long.locator(".value").click()
      await page.waitForURL(/pane=value/)
      await expect.poll(() => page.locator(".pane").textContent()).toContain("word ".repeat(199))
      expect(await page.locator("main").textContent()).not.toMatch(UNSEEN)
      expect(await violationsInBothSchemes(page)).toEqual([])
      expect(said).toEqual([])
    })
  })
})
