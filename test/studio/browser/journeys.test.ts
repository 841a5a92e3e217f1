import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoLog } from "../../demoLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { violations, violationsInBothSchemes } from "./accessibility.ts"
import { at, open, type Serving, say, serve, watch } from "./watching.ts"

// It runs in the page: how often the lanes are painted from now on.
const COUNT_PAINTS = `(() => {
  globalThis.paints = 0
  const { clearRect } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.clearRect = function (...args) {
    globalThis.paints += 1
    return clearRect.apply(this, args)
  }
})()`

// The story of `docs/tutorials/look-back.md`: task-0015, whose boiler bursts.
const TASK = "/t/main/task-0015"

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

const link = (path: string): string => studio.url.replace("/#", `${path}#`)
const visit = (path: string, viewing = {}) => open(browser.browser, link(path), viewing)
const text = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .textContent()
    .then((found) => found ?? "")

/** The position of the event that is shown. */
const position = async (page: Page): Promise<number> =>
  Number(await page.locator(".track").getAttribute("aria-valuenow"))

describe("someone who has never seen the log, by keyboard alone", () => {
  it("learns what happened, why, and who changed it", async () => {
    const { page, said, abroad } = await visit("/")
    // The worst task is the first of the list.
    await page.locator(".task-line").first().waitFor()
    await page.locator(".task-link").first().focus()
    await page.keyboard.press("Enter")
    await page.locator(".event.here").waitFor()
    expect(await text(page, ".sentence")).toContain(
      'Failed after 6 steps (“There is no boiler any more.”); boiler/heat {"power":1} failed',
    )
    // What happened: it opens at the worst moment.
    await expect.poll(() => text(page, ".pane")).toContain("Plugin boiler ended with code 70")
    const burst = await position(page)
    // Why: the chain up to the task's goal.
    await page.keyboard.press("w")
    await page.getByText("What did it cause?").waitFor()
    await expect.poll(() => text(page, ".chain")).toContain("TaskOpened")
    expect(await text(page, ".chain")).toContain("DecisionMade")
    // Back to the decision that was made with an old reading.
    await say(page, "event.type == 'SensorFailed' && event.taskId == 'task-0015'")
    await page.locator(".hits").getByText("true 3 times").waitFor()
    await page.keyboard.press("F")
    await expect.poll(() => position(page)).toBeLessThan(burst)
    await page.keyboard.press("n")
    await page.keyboard.press("e")
    await expect.poll(() => text(page, ".pane h2")).toContain("DecisionMade")
    expect(await text(page, ".state")).toContain("old reading: 2.5")
    // Who changed it: the pressure of the world, value by value.
    await say(page, "/tasks/task-0015/environment/boiler/bar")
    await page.locator(".history tbody tr").nth(4).waitFor()
    expect(await text(page, ".history")).toContain("EnvironmentChanged")
    const before = await position(page)
    await page.keyboard.press("c")
    await expect.poll(() => position(page)).toBeGreaterThan(before)
    await page.keyboard.press("d")
    expect(await text(page, ".diff")).toContain("environment/boiler/bar")
    // And what it was worth.
    await page.keyboard.press("s")
    expect(await text(page, ".rewards")).toContain("burst")
    expect(said).toEqual([])
    expect(abroad).toEqual([])
  })

  it("steps without a question to the server", async () => {
    const watched = await visit(`${TASK}/@1000`)
    const { page, asked } = watched
    await at(page, 1000)
    await page.locator(".state .value").first().waitFor()
    // The lanes are painted again when durations and rewards arrive, and only the live events go on.
    await page.locator(".lanes[aria-busy=false]").waitFor()
    await expect.poll(() => watched.unanswered).toEqual(["live"])
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")
    const before = [...asked]
    // The lanes stay as they were painted: only the playhead moves.
    await page.evaluate(COUNT_PAINTS)
    for (let step = 1; step <= 20; step++) await page.keyboard.press("n")
    await at(page, 1020)
    for (let step = 1; step <= 10; step++) await page.keyboard.press("k")
    await at(page, 1010)
    expect(await text(page, ".event.here")).toContain("@1010")
    expect(asked).toEqual(before)
    expect(await page.evaluate("paints")).toBe(0)
  })

  it("goes back and forward in the browser, and finds each view by its link again", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await say(page, "@1038")
    await at(page, 1038)
    await page.locator(".tabs button", { hasText: "why" }).click()
    await page.waitForURL(/pane=why/)
    const there = page.url()
    await page.goBack()
    await page.goBack()
    await at(page, 1010)
    await page.goForward()
    await at(page, 1038)
    await page.goto(there)
    await at(page, 1038)
    await page.getByText("Why did this happen?").waitFor()
  })

  it("sees one task, or all events", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await page.keyboard.press("t")
    await page.getByText("All events of main").waitFor()
    await at(page, 1010)
    expect(new URL(page.url()).pathname).toBe("/l/main/@1010")
    await page.keyboard.press("t")
    await page.waitForURL(/task-0015\/@1010/)
  })

  it("is told by the box what a text means, before it is run", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await page.keyboard.press("Control+k")
    for (const [text, means] of [
      ["@", "a position, such as @412"],
      ["412", "go to @412"],
      ["main@412", "go to main@412"],
      ["01a214e8-c293-7d0c-87c6-cf292db3486a", "go to 01a214e8-c293-7d0c-87c6-cf292db3486a"],
      ["2026-11-21T20:36:31.372Z", "go to 2026-11-21T20:36:31.372Z"],
      ["2026-11-21 20:36:31.372", "go to 2026-11-21 20:36:31.372, by the clock here"],
      ["20:36", "go to 20:36, by the clock here"],
      ["/tasks/task-0015/goal", "follow the value at /tasks/task-0015/goal"],
      ["task-0015", "open the task task-0015"],
      ["task the night watch", "open the task the night watch"],
      ["task != null", "mark where this is true: task != null"],
      ["search boiler", "search all events for “boiler”"],
      ["no boiler any more", "search all events for “no boiler any more”"],
      ['"no boiler"', 'search all events for “"no boiler"”'],
      ["plugins", "show plugins, their grants, crashes and requests"],
      ["why", "why it happened (w)"],
      ["next failure", "the next failure (b)"],
      ["event.type == 'SensorFailed'", "mark where this is true: event.type == 'SensorFailed'"],
    ] as const) {
      await page.locator(".box input").fill(text)
      await page.locator(".meaning").getByText(means, { exact: true }).waitFor()
    }
  })

  it("gives commands by their names, and goes to times as the page writes them", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await say(page, "next failure")
    await at(page, 1013)
    await say(page, "why")
    await page.getByText("Why did this happen?").waitFor()
    await say(page, "event")
    const time = await text(page, ".facts dd:nth-of-type(3)")
    await say(page, "worst")
    await at(page, 1044)
    await say(page, time)
    await expect.poll(() => position(page)).toBeLessThan(1044)
    await say(page, "compare")
    await page.locator("dialog[open]").waitFor()
    await page.getByLabel("Another task, or a timeline and its task").fill("task-0001")
    await page.keyboard.press("Enter")
    await page.locator(".pair .type").first().waitFor()
    expect(new URL(page.url()).searchParams.get("vs")).toBe("main/task-0001")
    // No rubric scores both, so the page compares no scores.
    expect(await text(page, ".common-score")).toMatch(/Compared by/)
    expect(await page.locator(".waterfall").count()).toBe(0)
    // Words that name nothing are searched for.
    await say(page, "no such thing at all")
    await expect.poll(() => new URL(page.url()).searchParams.get("text")).toBe("no such thing at all")
  })

  it("finds its way from a group of tasks to one of them, and from the whole log to another task", async () => {
    const { page } = await visit("/tasks?by=agent")
    await page.locator(".groups a", { hasText: "daredevil" }).click()
    await page.getByRole("heading", { name: "1 of 23 tasks" }).waitFor()
    // A group that is chosen is not offered again.
    await expect.poll(() => page.locator(".groups tbody th").allTextContents()).toHaveLength(1)
    expect(await page.locator(".groups a").count()).toBe(0)
    await page.locator(".task-link").first().click()
    await at(page, 1044)
    await page.locator(".whole .shown").waitFor()
    const box = await page.locator(".whole canvas").boundingBox()
    await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + 5)
    await expect.poll(() => text(page, ".bar .task")).not.toBe("task-0015")
    await expect.poll(() => position(page)).toBeLessThan(200)
  })

  it("goes from one task to another by the menu in the bar, with the keyboard alone", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await page.locator(".bar .task").focus()
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: "Go to a task" })
    await dialog.getByRole("button", { name: /^the list of all 23 tasks$/ }).waitFor()
    expect(await dialog.getByRole("button", { name: /^task-0015/ }).count()).toBe(0)
    await dialog.getByRole("button", { name: /^task-0001 · / }).press("Enter")
    await expect.poll(() => text(page, ".bar .task")).toBe("task-0001")
    expect(await dialog.count()).toBe(0)
    await page.locator(".bar .task").click()
    await dialog.getByRole("button", { name: "all events, where this one is" }).click()
    await expect.poll(() => text(page, ".bar .task")).toBe("all events")
    await page.locator(".bar .task").click()
    await dialog.getByRole("button", { name: /^the list of all/ }).waitFor()
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await page.locator(".bar .task").click()
    await dialog.getByRole("button", { name: /^the list of all/ }).click()
    await page.locator(".task-line").first().waitFor()
  })

  it("is offered tasks without that anything moves below the pointer, however late they come", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route("**/api/tasks*", async (route) => {
      await asked
      await route.continue()
    })
    await page.locator(".bar .task").click()
    const before = await page.getByRole("button", { name: "the list of all tasks" }).boundingBox()
    answer()
    const button = page.getByRole("button", { name: "the list of all 23 tasks" })
    await button.waitFor()
    expect((await button.boundingBox())?.y).toBe(before?.y)
  })

  it("is heard at once after a dialog was closed, in whose field the focus still is, and whose end comes later", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await page.keyboard.press("x")
    await page.locator('dialog[open] input[name="task"]').waitFor()
    await page.evaluate(`{
      const dialog = document.querySelector("dialog")
      const field = dialog.querySelector("input")
      dialog.close()
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true }))
    }`)
    await page.getByRole("dialog", { name: "Copy this view" }).waitFor()
  })

  it("begins at the first field of a dialog", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await page.keyboard.press("x")
    const dialog = page.getByRole("dialog")
    await expect.poll(() => page.locator(":focus").getAttribute("aria-label")).toMatch(/task/)
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    await page.keyboard.press("?")
    await expect.poll(() => page.locator(":focus").getAttribute("aria-label")).toBe("Close")
  })

  it("is told how long the part took that is zoomed into", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    const whole = await text(page, ".lanes .below span")
    await page.getByLabel("Zoom in").click()
    await page.waitForURL(/zoom=\d+-\d+/)
    const milliseconds = (said: string) => Number(/, ([\d.]+) m?s/.exec(said)?.[1]) * (said.includes(" ms") ? 1 : 1_000)
    await expect
      .poll(async () => milliseconds(await text(page, ".lanes .below span")))
      .toBeLessThan(milliseconds(whole))
  })

  it("is not told who wrote a value that never was", async () => {
    const { page } = await visit(`${TASK}/@1010?pane=value&path=/tasks/task-0015/never`)
    await page.locator(".pane .problem").waitFor()
    expect(await text(page, ".pane")).not.toContain("ritten by")
    expect(await page.locator(".history").count()).toBe(0)
  })

  it("can switch single keys off, and move by buttons and fields alone", async () => {
    const { page } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    await page.keyboard.press("?")
    await page.getByLabel("single keys are commands").uncheck()
    await page.keyboard.press("Escape")
    await page.keyboard.press("n")
    expect(await position(page)).toBe(1010)
    await page.getByRole("option").filter({ hasText: "@1012" }).click()
    await at(page, 1012)
  })

  it("takes a view elsewhere as a link, a command line and a call", async () => {
    const { page } = await visit(`${TASK}/@1044?pane=why`)
    await at(page, 1044)
    await page.keyboard.press("y")
    const copies = await page.locator(".copy code").allInnerTexts()
    expect(copies).toEqual([
      `${studio.origin}${TASK}/@1044?pane=why`,
      "npx hindcast why @1044 --log demo.db",
      'hindcast.timeTravel.why("@1044")',
    ])
  })
})

describe("a link", () => {
  it("opened in another tab of the browser needs no token of its own", async () => {
    const { page, context } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    const other = await watch(context, await context.newPage(), `${studio.origin}${TASK}/@1012`)
    await at(other.page, 1012)
    expect(other.said).toEqual([])
  })

  it("opened where no tab has the token says what to do", async () => {
    const { page } = await open(browser.browser, `${studio.origin}${TASK}/@1012`)
    await page.getByText("Open Studio by its own link").waitFor()
  })

  it("without its token in the address bar, and in no request's address", async () => {
    const { page, asked } = await visit(`${TASK}/@1010`)
    await at(page, 1010)
    expect(page.url()).not.toContain("token")
    expect(asked.join()).not.toContain("token")
  })

  it.each([
    ["/t/main/task-9999", "task-9999"],
    ["/t/fork-9/task-0015", "fork-9"],
    ["/t/main/task-0015/@999999", "@999999 is not in task-0015"],
    ["/t/main/task-0015/@1010?pane=value&path=/tasks/task-0015/never", "never"],
    ["/t/main/task-0015/@1010?when=1%20%2B", "1 +"],
    ["/nowhere/at/all", "This link has no page"],
  ])("to what is not there, %s, says so in the page", async (path, said) => {
    const { page } = await visit(path)
    await expect.poll(() => page.locator("body").textContent()).toContain(said)
  })
})

const SCREENS: ReadonlyArray<readonly [name: string, path: string, ready: string]> = [
  ["tasks", "/tasks?by=agent", ".groups"],
  ["a task", `${TASK}/@1024`, ".state .value"],
  ["why", `${TASK}/@1044?pane=why`, ".effects"],
  ["rewards", `${TASK}/@1044?pane=rewards`, ".rewards"],
  ["score sets", "/t/main/task-0023/@1596?pane=rewards", ".verdicts tbody tr"],
  ["a value", `${TASK}/@1039?pane=value&path=/tasks/task-0015/environment/boiler/bar`, ".history tr"],
  ["a difference", `${TASK}/@1039?pane=diff&vs=@1022`, ".diff li"],
  ["a world", "/t/main/task-0001/@40", ".world"],
  ["two runs", `${TASK}/@1024?vs=main/task-0023`, ".pair .type"],
  ["all events", "/l/main/@500", ".state"],
  ["questions", "/questions", "h1"],
  ["a search", "/search?text=boiler", ".found li"],
  ["a lost link", "/nowhere", "h1"],
]

describe.each(SCREENS)("%s", (_, path, ready) => {
  it.each(["light", "dark"] as const)("is accessible in the %s", async (scheme) => {
    const { page, said } = await visit(path, { scheme })
    await page.locator(ready).first().waitFor()
    expect(await violations(page)).toEqual([])
    expect(said).toEqual([])
  })

  it("fits every width from 390 to 2,560 px", async () => {
    const { page } = await visit(path, { width: 390 })
    await page.locator(ready).first().waitFor({ state: "attached" })
    for (const width of [390, 600, 961, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0)
    }
  })
})

it.each(["?", "y", "x", "o", "u"])("the dialog of the key %s is accessible", async (key) => {
  const { page } = await visit(`${TASK}/@1044`)
  await page.locator(".event.here").waitFor()
  await page.keyboard.press(key)
  await page.locator("dialog[open]").waitFor()
  expect(await violationsInBothSchemes(page)).toEqual([])
})
