import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoLog } from "../../demoLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { at, open, type Serving, serve } from "./watching.ts"

let browser: OwnBrowser
let studio: Serving
beforeAll(async () => {
  browser = await launchProtected()
  studio = await serve(await demoLog(23, 7))
})
afterAll(async () => {
  await browser?.close()
  await studio?.stop()
})

const TASK = "/t/main/task-0015"
const visit = (to: string, viewing = {}) => open(browser.browser, studio.url.replace("/#", `${to}#`), viewing)

const widthOf = async (page: Page): Promise<number> => (await page.locator(".events-part").boundingBox())?.width ?? 0

describe("the palette", () => {
  it.each([390, 1_440])(
    "lists places, commands with their keys, screens and tasks at %i px, by keyboard",
    async (width) => {
      const { page, said } = await visit(`${TASK}/@1010`, { width })
      await at(page, 1010)
      await page.keyboard.press("Control+k")
      const options = page.locator("#box-names [role=option]")
      await options.first().waitFor()
      const texts = await options.allTextContents()
      for (const part of ["@1044the worst moment", "why it failed", "plugins"])
        expect(texts.some((text) => text.includes(part))).toBe(true)
      await options.filter({ hasText: "task-0001" }).waitFor()
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      // What the palette covers is smaller meanwhile.
      const found = await violationsInBothSchemes(page)
      expect(found.filter((violation) => !violation.includes("target-size"))).toEqual([])
      // The first place is the worst moment.
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await at(page, 1044)
      await page.keyboard.press("Control+k")
      await page.keyboard.type("task-0001")
      await expect.poll(() => options.count()).toBe(1)
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.waitForURL(/task-0001/)
      // It finds a task that is not among the worst, by words of its id and its goal.
      await page.keyboard.press("Control+k")
      await page.keyboard.type("0019 the")
      await expect
        .poll(() => options.allTextContents(), { timeout: 10_000 })
        .toEqual([expect.stringContaining("task-0019")])
      await page.keyboard.press("Escape")
      // Escape leaves the page as it is.
      await page.keyboard.press("g")
      await page.keyboard.press("Escape")
      await expect.poll(() => options.count()).toBe(0)
      expect(said).toEqual([])
    },
  )
})

describe("the columns", () => {
  it("are resized by keyboard and mouse, remembered, and made usual again", async () => {
    const { page, said } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    const usual = await widthOf(page)
    const edge = page.getByRole("separator", { name: "Width of the events" })
    await edge.focus()
    await page.keyboard.press("ArrowRight")
    await expect.poll(() => widthOf(page)).toBeGreaterThan(usual + 10)
    expect(await violationsInBothSchemes(page)).toEqual([])
    const place = await edge.boundingBox()
    await page.mouse.move((place?.x ?? 0) + 4, (place?.y ?? 0) + 40)
    await page.mouse.down()
    await page.mouse.move(260, (place?.y ?? 0) + 40)
    await page.mouse.up()
    await expect.poll(() => widthOf(page)).toBe(260)
    await page.reload()
    await at(page, 1010)
    expect(await widthOf(page)).toBe(260)
    await edge.focus()
    await page.keyboard.press("Enter")
    await expect.poll(() => widthOf(page)).toBe(usual)
    expect(said).toEqual([])
  })
})

describe("a failed task", () => {
  it("opens with why it failed, and its row in the list says the same", async () => {
    const { page } = await visit(TASK)
    await page.getByText("Why did the task end like this?").waitFor()
    await page.waitForURL(/pane=why/)
    const sentence = (await page.locator(".failure p").first().textContent()) ?? ""
    expect(sentence).toContain("There is no boiler any more.")
    await page.goto(`${studio.origin}/tasks`)
    await page.locator(".reason", { hasText: sentence }).waitFor()
    // A link to a moment is about the moment.
    await page.goto(`${studio.origin}${TASK}/@1010`)
    await at(page, 1010)
    expect(page.url()).not.toContain("pane=")
  })

  it("prints as a whole, without what only a screen needs", async () => {
    const { page, said } = await visit(`${TASK}?view=conversation`)
    await page.locator(".items > .here").waitFor()
    await page.evaluate(
      "window.print = () => { window.printed = [...document.querySelectorAll('.items > li')].length + ' ' + document.querySelectorAll('.skeleton').length }",
    )
    await page.keyboard.press("Shift+Y")
    await expect.poll(() => page.evaluate("window.printed")).toMatch(/^[1-9]\d* 0$/)
    const folded = () =>
      page.evaluate(
        "[...document.querySelectorAll('.items details > :not(summary)')].filter((part) => !part.checkVisibility({ contentVisibilityAuto: true })).length",
      )
    expect(await folded()).toBeGreaterThan(0)
    await page.emulateMedia({ media: "print" })
    // The browser lays out what it had skipped with its next frame.
    await expect.poll(folded).toBe(0)
    for (const screen of [".bar", ".turns-part", ".views", ".edge"])
      expect(await page.locator(screen).first().isVisible()).toBe(false)
    await page.getByText("Why did the task end like this?").waitFor()
    expect(said).toEqual([])
  })
})
