import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hindcast } from "../../cli/hindcast.ts"
import { demoLog } from "../../demoLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open, type Serving, serve } from "./watching.ts"

// The demo: `careful` mends the code, its fork `hasty` mends the test, and a rubric scores both.
const PAIR = "/t/main/fix-1/@24?view=debugger&vs=fork-1/fix-1"

let browser: OwnBrowser
let studio: Serving
let directory: string
let log: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-compare-"))
  log = path.join(directory, "demo.db")
  const { code, stderr } = await hindcast(["demo", "--log", log])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  studio = await serve(log, "--write")
})
afterAll(async () => {
  await browser?.close()
  await studio?.stop()
  fs.rmSync(directory, { recursive: true, force: true })
})

const visit = (to: string, viewing = {}) => open(browser.browser, studio.url.replace("/#", `${to}#`), viewing)

const text = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .textContent()
    .then((found) => found ?? "")

/** The sentence that the command line prints for the same two. */
const printed = async (): Promise<string> => {
  const { stdout } = await hindcast(["align", "fix-1", "fork-1@fix-1", "--log", log, "--json"])
  return JSON.parse(stdout).sentence
}

describe("several tasks in a table", () => {
  it.each([390, 1_440, 2_560])(
    "say at %i px what their scores say, and lead to the decision that differs",
    async (width) => {
      // The same fork twice stands for two runs of one model: the demo has one fork.
      const { page, said } = await visit("/t/main/fix-1?vs=fork-1/fix-1,fork-1/fix-1", { width })
      await page.locator(".run-table tbody tr").nth(2).waitFor()
      expect(await page.locator(".runs .verdict").first().textContent()).toBe(
        "B (hasty) scored lower than A (careful) in 1 of 1; that is too few to tell.",
      )
      const { stdout } = await hindcast(["align", "fix-1", "fork-1@fix-1", "fork-1@fix-1", "--log", log, "--json"])
      expect(await page.locator(".runs .verdict").allTextContents()).toEqual(JSON.parse(stdout).verdicts)
      expect(await page.locator(".run-table tbody th bdi:first-child").allTextContents()).toEqual(
        expect.arrayContaining(["A (careful)", "B1 (hasty)", "B2 (hasty)"]),
      )
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page
        .locator(".run-table tbody tr")
        .nth(1)
        .getByRole("link", { name: /called write_file/ })
        .press("Enter")
      await page.locator(".two-items.parts.here").waitFor()
      expect(said).toEqual([])
    },
  )

  it("are chosen in the dialog, by the keyboard", async () => {
    const season = await serve(await demoLog(23, 7))
    try {
      const { page } = await open(browser.browser, season.url.replace("/#", "/t/main/task-0015/@1010#"))
      await page.locator(`.track[aria-valuenow="1010"]`).waitFor()
      await page.keyboard.press("x")
      const boxes = page.getByRole("checkbox", { name: /^Compare with task-/ })
      await boxes.nth(1).waitFor()
      expect(await page.getByRole("button", { name: "choose several for a table" }).isDisabled()).toBe(true)
      await boxes.nth(0).press("Space")
      await boxes.nth(1).press("Space")
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.getByRole("button", { name: "compare with these 2" }).press("Enter")
      await page.locator(".run-table tbody tr").nth(2).waitFor()
      expect(new URL(page.url()).searchParams.get("vs")).toMatch(/^main\/task-\d+,main\/task-\d+$/)
    } finally {
      await season.stop()
    }
  })
})

describe("two tasks side by side", () => {
  it("say with names where their decisions split, as the command line does, and what differs there", async () => {
    const { page, said } = await visit(PAIR)
    await page.locator(".split-sentence").waitFor()
    const sentence = await text(page, ".split-sentence bdi")
    expect(sentence).toBe(await printed())
    expect(sentence).toContain('A (careful) called write_file with path "prices.mjs"')
    expect(sentence).toContain('B (hasty) called write_file with path "prices.test.mjs"')
    expect(await text(page, "h1")).toBe("A (careful) and B (hasty): Fix the failing test")
    // The row of the split, which is the chosen one, is the models' answers, and not the fork.
    await page.locator(".pair.parts.here .type").first().waitFor()
    expect(await page.locator(".pair.parts .type").allTextContents()).toEqual(["ModelResponded", "ModelResponded"])
    const differs = page.getByRole("region", { name: "What differs in this row" })
    await expect.poll(() => differs.locator("dt").allTextContents()).toContain("response › parts › 1 › args › path")
    expect(await differs.locator("ins").allTextContents()).toContain("test.")
    // In the row itself, each side has its own words.
    const halves = page.locator(".pair.parts .half")
    await expect.poll(() => halves.nth(0).locator("del").count()).toBeGreaterThan(0)
    expect(await halves.nth(0).locator("ins").count()).toBe(0)
    expect(await halves.nth(1).locator("del").count()).toBe(0)
    expect(said).toEqual([])
  })

  it("have bars for what took time in the lanes of both", async () => {
    const { page, said } = await visit(PAIR)
    const strips = page.locator(".strip-of")
    await strips.nth(1).waitFor()
    const titlesOf = (strip: number): Promise<ReadonlyArray<string>> =>
      page.evaluate(`(() => {
        const element = document.querySelectorAll(".strip-of")[${strip}]
        const { left, top, width, height } = element.getBoundingClientRect()
        const titles = new Set()
        for (let x = 4; x < width; x += 5)
          for (let y = 6; y < height; y += 7) {
            element.dispatchEvent(new PointerEvent("pointermove", { clientX: left + x, clientY: top + y, bubbles: true }))
            titles.add(element.title)
          }
        return [...titles]
      })()`)
    const [ofA, ofB] = [
      expect.stringMatching(/^call .*write_file, @\d+: .* ms$/),
      expect.stringMatching(/^request to .*, @\d+: answered, .* ms$/),
    ]
    for (const strip of [0, 1])
      await expect.poll(() => titlesOf(strip), { timeout: 20_000 }).toEqual(expect.arrayContaining([ofA, ofB]))
    expect(said).toEqual([])
  })

  it("are compared by one rubric, which the page names, and another task is scored by it on demand", async () => {
    const { page } = await visit(PAIR)
    await page.locator(".common-score").waitFor()
    expect(await page.locator(".common-score option").allTextContents()).toEqual([
      expect.stringMatching(/^mending, judged by rule@\d+$/),
    ])
    expect(await page.locator(".waterfall").count()).toBe(1)
    // A rubric of one side alone: no difference of scores is shown, until both are scored by it.
    const rubric = path.join(directory, "plain.yaml")
    fs.writeFileSync(
      rubric,
      "name: plain\nmeasures:\n  - name: care\n    description: Calls\n    rewards:\n      - name: called\n        weight: 0.5\n        per: occurrence\n        when: A command succeeded.\n        rule: event.type == 'CommandSucceeded'\n",
    )
    const scored = await hindcast(["rescore", "--rubric", rubric, "--task", "fix-1", "--log", log])
    expect(scored).toMatchObject({ code: 0 })
    await expect.poll(() => page.locator(".common-score option").count()).toBe(2)
    await page.locator(".common-score select").selectOption({ label: "plain, judged by rule@4 (only A (careful))" })
    await page.getByText("B (hasty) is not scored by plain, so their scores cannot be compared.").waitFor()
    expect(await page.locator(".waterfall").count()).toBe(0)
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.getByRole("button", { name: "score B (hasty) by plain too" }).press("Enter")
    await page.locator(".waterfall").waitFor()
    await expect.poll(() => page.locator(".common-score option").allTextContents()).toContain("plain, judged by rule@4")
    expect(await page.locator(".net-of").allTextContents()).toEqual([
      expect.stringMatching(/^A \(careful\) \d/),
      expect.stringMatching(/^B \(hasty\) \d/),
    ])
  })

  it.each([390, 1_440, 2_560])(
    "fit %i px, can be read by everyone, and go to the split by the keyboard",
    async (width) => {
      const { page, said } = await visit(PAIR.replace("/@24", "/@1"), { width })
      await page.locator(".pair .type").first().waitFor()
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.getByRole("button", { name: "go there" }).press("Enter")
      await page.locator(".pair.parts.here").waitFor()
      await expect.poll(() => page.locator(".row-difference dt").count()).toBeGreaterThan(0)
      expect(await violationsInBothSchemes(page)).toEqual([])
      expect(said).toEqual([])
    },
  )
})

describe("two conversations", () => {
  it.each([390, 1_440, 2_560])(
    "stand side by side at %i px from the first decision that differs, with the words that differ",
    async (width) => {
      const { page, said, abroad } = await visit("/t/main/fix-1?vs=fork-1/fix-1", { width })
      const split = page.locator(".two-items.parts")
      await split.waitFor()
      expect(await split.textContent()).toContain("their decisions split here")
      const box = await split.boundingBox()
      expect(box?.y ?? 0).toBeGreaterThan(0)
      expect(box?.y ?? 9_999).toBeLessThan(900)
      const sides = split.locator(".one-side")
      await sides.nth(0).locator("del", { hasText: "comment" }).first().waitFor()
      await sides.nth(1).locator("ins", { hasText: "test" }).first().waitFor()
      // Each side has only its own words.
      expect(await sides.nth(0).locator("ins").count()).toBe(0)
      expect(await sides.nth(1).locator("del").count()).toBe(0)
      // What came before is the same, and shared.
      expect(await page.locator(".two-items.same").count()).toBeGreaterThan(0)
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      expect(await violationsInBothSchemes(page)).toEqual([])
      expect([said, abroad]).toEqual([[], []])
    },
  )

  it("follow the keys, lead to their tasks, and turn into events and back", async () => {
    const { page, said } = await visit("/t/main/fix-1/@24?vs=fork-1/fix-1")
    await page.locator(".two-items.here.parts").waitFor()
    await page.keyboard.press("j")
    await page.locator(".two-items.here", { hasText: "program/write_file" }).waitFor()
    await page.keyboard.press("a")
    await page.locator(".pair.here").waitFor()
    await page.waitForURL(/view=debugger/)
    await page.keyboard.press("a")
    await page.locator(".two-items.here", { hasText: "program/write_file" }).waitFor()
    await page.locator(".two-items.here .one-side").nth(1).getByRole("link").press("Enter")
    await page.waitForURL(/fork-1\/fix-1\/@55/)
    await page.locator(".items > .here", { hasText: "write_file" }).waitFor()
    expect(said).toEqual([])
  })
})
