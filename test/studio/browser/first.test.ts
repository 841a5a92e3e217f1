import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoLog } from "../../demoLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { violations } from "./accessibility.ts"
import { open, type Serving, serve } from "./watching.ts"
import { append, opening, reading, serving } from "./writing.ts"

let browser: OwnBrowser
let studio: Serving
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-first-"))
  studio = await serve(await demoLog(23, 7))
})
afterAll(async () => {
  await browser?.close()
  await studio?.stop()
  fs.rmSync(directory, { recursive: true, force: true })
})

const visit = (link: string, viewing = {}) => open(browser.browser, studio.url.replace("/#", `${link}#`), viewing)

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor()

const parameters = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

describe("the first screen", () => {
  it("says how the tasks went, and filters them by the keyboard alone", async () => {
    const { page, said, abroad } = await visit("/tasks")
    await heading(page, "23 tasks")
    expect(await page.title()).toBe("tasks · demo.db · Studio")
    await expect
      .poll(() => page.locator(".totals").textContent())
      .toMatch(/score−0\.25.*costno model.*median time[\d.]+ m?s/)
    await page.getByRole("button", { name: "failed 3" }).press("Enter")
    await heading(page, "3 of 23 tasks")
    expect(await page.getByRole("button", { name: "failed 3" }).getAttribute("aria-pressed")).toBe("true")
    await page.getByLabel("Only one agent").selectOption({ label: "daredevil (1)" })
    await heading(page, "1 of 23 tasks")
    // The sentence of `hindcast why`, once the server has explained it.
    await expect
      .poll(() => page.locator(".task-link .reason").textContent())
      .toMatch(/^Failed after 6 steps \(“There is no boiler any more\.”\)/)
    expect(parameters(page)).toMatchObject({ state: "failed", agent: expect.stringMatching(/^daredevil@/) })
    await page.goBack()
    await page.goBack()
    await heading(page, "23 tasks")
    await page.getByRole("searchbox").fill('"no boiler" any')
    await page.keyboard.press("Enter")
    await heading(page, "1 of 23 tasks")
    await expect.poll(() => page.locator(".task-link mark").allTextContents()).toEqual(["no boiler", "any"])
    await page.getByRole("searchbox").fill("")
    await heading(page, "23 tasks")
    await page.getByRole("button", { name: "advanced" }).press("Enter")
    await page.getByRole("textbox", { name: /CEL/ }).fill("task.steps > 10 && task.durationMs > 0.0")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.locator("h1").textContent()).toMatch(/^\d+ of 23 tasks$/)
    await page.getByRole("textbox", { name: /CEL/ }).fill("task.cost > 0.0")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "show all tasks" }).press("Enter")
    await heading(page, "23 tasks")
    expect({ said, abroad }).toEqual({ said: [], abroad: [] })
  })

  it("compares two tasks that were selected, and takes several at once", async () => {
    const { page } = await visit("/tasks?order=oldest")
    await page.locator(".pick input").nth(2).waitFor()
    await page.locator(".pick input").nth(0).press("Space")
    const compare = page.getByRole("button", { name: "compare" })
    expect(await compare.isDisabled()).toBe(true)
    await page
      .locator(".pick input")
      .nth(4)
      .click({ modifiers: ["Shift"] })
    await page.getByText("5 tasks selected").waitFor()
    await page.getByRole("button", { name: "clear" }).click()
    expect(await page.getByText(/selected/).count()).toBe(0)
    await page.locator(".pick input").nth(1).press("Space")
    await page.locator(".pick input").nth(0).press("Space")
    await compare.press("Enter")
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/t\/main\/task-0002/)
    expect(parameters(page).vs).toBe("main/task-0001")
    await expect.poll(() => page.title()).toBe("task-0002 and task-0001 · demo.db · Studio")
  })

  it("exports and scores several selected tasks in dialogs, by keyboard", async () => {
    const { page, said } = await visit("/tasks?order=oldest")
    await page.locator(".pick input").nth(2).waitFor()
    for (const index of [0, 1, 2]) await page.locator(".pick input").nth(index).press("Space")
    await page.getByRole("button", { name: "export …" }).press("Enter")
    await page.getByRole("heading", { name: "Export 3 tasks" }).waitFor()
    expect(await page.locator("dialog code").allTextContents()).toEqual(
      expect.arrayContaining([
        "npx hindcast export studio task-0001 task-0002 task-0003 --output tasks.html --log demo.db",
      ]),
    )
    expect(await violations(page)).toEqual([])
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "score again …" }).press("Enter")
    await page.getByRole("heading", { name: "Score 3 tasks again" }).waitFor()
    expect(await page.locator("dialog").textContent()).toContain(
      "npx hindcast rescore --rubric rubric.yaml --task task-0001 --task task-0002 --task task-0003 --log demo.db",
    )
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "compare" }).press("Enter")
    await page.locator(".run-table tbody tr").nth(2).waitFor()
    expect(await page.locator(".run-table tbody tr").count()).toBe(3)
    expect(said).toEqual([])
  })

  it("scores several selected tasks by a rubric that is written in the page", async () => {
    const file = path.join(directory, "scored.db")
    for (const task of ["one", "two", "three"])
      await append(file, task, [opening(task), { type: "TaskClosed", payload: { outcome: "achieved" } }])
    const studio = await serve(file, "--write")
    try {
      const { page, said } = await open(browser.browser, studio.url.replace("/#", "/tasks?order=oldest#"))
      await page.locator(".pick input").nth(2).waitFor()
      for (const index of [0, 1]) await page.locator(".pick input").nth(index).press("Space")
      await page.getByRole("button", { name: "score again …" }).press("Enter")
      await page.getByText("A preview of one:").waitFor()
      await page.getByLabel("label").fill("together")
      await page.getByRole("button", { name: "score", exact: true }).press("Enter")
      await page.getByText("2 tasks scored as together.").waitFor()
      await expect.poll(() => page.locator(".task-link .net").allTextContents()).toEqual(["0", "0", ""])
      expect(said).toEqual([])
    } finally {
      await studio.stop()
    }
  })

  it("changes while tasks run, and shows only the tasks of a bar that was clicked", async () => {
    const file = path.join(directory, "grows.db")
    await append(file, "one", [opening("First")])
    await serving(file, async ({ url }) => {
      const { page } = await open(browser.browser, url.replace("/#", "/tasks#"))
      await heading(page, "1 task")
      const steps = () => page.locator(".task-link .steps").first().textContent()
      expect(await steps()).toBe("0")
      await append(file, "one", [
        {
          type: "ActuatorCommanded",
          payload: { commandId: "c", actuator: "room/go", args: {}, argsDigest: "0".repeat(64), priority: 0 },
        },
      ])
      // A new event comes within two intervals of the page, which a busy machine stretches.
      await expect.poll(steps, { timeout: 30_000 }).toBe("1")
      await append(file, "two", [opening("Second"), reading(1), { type: "TaskClosed", payload: { outcome: "failed" } }])
      await heading(page, "2 tasks")
      await page.getByRole("button", { name: "failed 1" }).waitFor()
    })
  })

  it.each(["light", "dark"] as const)("is accessible in the %s, with all that it can show", async (scheme) => {
    const { page, said } = await visit("/tasks?text=boiler&where=task.steps+%3E+1&by=agent", { scheme })
    await page.locator(".pick input").first().press("Space")
    await page.getByText("1 task selected").waitFor()
    expect(await violations(page)).toEqual([])
    expect(said).toEqual([])
  })

  it("fits every width from 390 to 2,560 px", async () => {
    const { page } = await visit("/tasks", { width: 390 })
    await page.locator(".task-link").first().waitFor()
    for (const width of [390, 600, 961, 1100, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0)
    }
  })
})
