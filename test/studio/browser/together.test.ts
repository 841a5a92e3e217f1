import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { type Allowing, type Asking, asking } from "./asking.ts"
import { at, open } from "./watching.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-together-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

let logs = 0

const running = async <A>(allowing: Allowing, use: (studio: Asking) => Promise<A>): Promise<A> => {
  const studio = await asking(path.join(directory, `${logs++}.db`), allowing)
  try {
    return await use(studio)
  } finally {
    await studio.stop()
  }
}

const linkTo = ({ url }: Asking, to: string): string => url.replace("/#", `${to}#`)

/** A rubric whose rule counts each note of the task. */
const RUBRIC = `name: wordy
measures:
  - name: brevity
    description: Says little
    punishments:
      - name: spoke
        when: it notes or writes
        weight: 0.15
        per: occurrence
        rule: event.type == "CommandSucceeded"
`

const notice = (page: Page) => page.locator(".notice-place")

const sentence = (page: Page) => page.locator(".sentence").first().textContent()

describe("a question", () => {
  it("is answered by one of two people; the other is told by whom, and cannot answer it again", () =>
    running({ answer: true }, async (studio) => {
      const one = await open(browser.browser, linkTo(studio, "/questions"))
      const other = await open(browser.browser, linkTo(studio, "/questions"))
      studio.begin("t")
      for (const { page } of [one, other]) await page.getByRole("button", { name: "Approve" }).waitFor()
      await one.page.locator(".question .asked").getByText("two").waitFor()
      // No single key decides: not on the page, and not on the question.
      for (const key of ["a", "y", "Enter", " ", "1"]) await one.page.keyboard.press(key)
      await one.page.goto(`${studio.origin}/questions`)
      await one.page.getByRole("button", { name: "Approve" }).waitFor()
      const late = other.page.route("**/api/answers", async (route) => {
        // The other one presses a moment before hearing of the first answer.
        await one.page.getByRole("button", { name: "Reject" }).click()
        await one.page.getByText("Nothing waits for an answer").waitFor()
        await route.continue()
      })
      await late
      await other.page.getByRole("button", { name: "Approve" }).click()
      await expect.poll(() => notice(other.page).textContent()).toContain("Nothing was answered")
      expect(await notice(other.page).textContent()).toContain("ada")
      expect(await notice(one.page).textContent()).toContain("rejected")
      expect(await other.page.getByRole("button", { name: "Approve" }).count()).toBe(0)
      await one.page.goto(`${studio.origin}/t/main/t`)
      await expect.poll(() => sentence(one.page)).toContain("It was denied")
    }))

  it("that comes while the page opens stays, where the answer to what waited before arrives after it", () =>
    running({ answer: true }, async (studio) => {
      const { page } = await open(browser.browser, linkTo(studio, "/questions"))
      const approve = page.getByRole("button", { name: "Approve" })
      const arrived = new Promise<void>((resolve, reject) => {
        const late = page.route("**/api/questions", async (route) => {
          try {
            const older = await route.fetch()
            studio.begin("t")
            await approve.waitFor()
            await route.fulfill({ response: older })
            resolve()
          } catch (cause) {
            reject(cause)
          }
        })
        late.then(() => page.reload()).catch(reject)
      })
      await arrived
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
      expect(await approve.count()).toBe(1)
    }))

  it("says whoever looks on why it is gone", () =>
    running({ answer: true }, async (studio) => {
      const one = await open(browser.browser, linkTo(studio, "/questions"))
      const other = await open(browser.browser, linkTo(studio, "/questions"))
      studio.begin("t")
      for (const { page } of [one, other]) await page.getByRole("button", { name: "Approve" }).waitFor()
      await one.page.getByLabel("Reason").fill("Go on")
      await one.page.getByRole("button", { name: "Approve" }).click()
      await expect.poll(() => notice(other.page).textContent()).toMatch(/ConfirmationDecided.*ada.*Go on/)
      await other.page.getByText("Nothing waits for an answer").waitFor()
    }))

  it("that runs out while somebody looks cannot be answered any more, and says that it ran out", () =>
    running({ answer: true, confirmWithinMs: 4_000 }, async (studio) => {
      const { page } = await open(browser.browser, linkTo(studio, "/questions"))
      studio.begin("t")
      await page.getByRole("button", { name: "Approve" }).waitFor()
      await expect.poll(() => notice(page).textContent(), { timeout: 20_000 }).toContain("ConfirmationExpired")
      expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0)
    }))

  it("is shown and cannot be answered without the switch, by no request either", () =>
    running({}, async (studio) => {
      const { page } = await open(browser.browser, linkTo(studio, "/questions"))
      studio.begin("t")
      await page.getByText("Studio was started without answering").waitFor()
      expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0)
      const status = await page.evaluate(`(async () => {
        const headers = { authorization: "Bearer " + sessionStorage.getItem("hindcast-studio-token") }
        const [{ id, digest }] = await (await fetch("/api/questions", { headers })).json()
        const body = JSON.stringify({ question: id, digest, approve: true })
        const json = { ...headers, "content-type": "application/json" }
        return (await fetch("/api/answers", { method: "POST", headers: json, body })).status
      })()`)
      expect(status).toBe(403)
    }))
})

describe("the dialogs", () => {
  it("fork in a world that cannot be restored only where that is accepted, and say so before", () =>
    running({ fork: true, answer: true }, async (studio) => {
      const { page } = await open(browser.browser, linkTo(studio, "/questions"))
      studio.begin("t")
      await page.getByRole("button", { name: "Approve" }).click()
      await page.getByText("Nothing waits for an answer").waitFor()
      await page.goto(`${studio.origin}/t/main/t`)
      await expect.poll(() => sentence(page), { timeout: 20_000 }).toContain("It was succeeded")
      await page.keyboard.press("Home")
      const forks = () =>
        page.evaluate(`fetch("/api/log", {
          headers: { authorization: "Bearer " + sessionStorage.getItem("hindcast-studio-token") },
        }).then((response) => response.json()).then(({ timelines }) => timelines.length)`)
      // What the tools of a program did cannot be taken back.
      await page.keyboard.press("o")
      await page.getByLabel("agent").selectOption("slow")
      const fork = page.getByRole("button", { name: "fork", exact: true })
      await fork.click()
      await expect.poll(() => page.locator("dialog .problem").textContent()).toContain("cannot be restored")
      expect(await forks()).toBe(1)
      await page.getByLabel("continue even if a world").check()
      await fork.click()
      await page.waitForURL(/vs=fork-1\/t/)
      await expect.poll(() => page.locator(".side-of").nth(1).textContent(), { timeout: 20_000 }).toContain("No time.")
      expect(await forks()).toBe(2)
    }))

  it("fork by several agents at once, and compare the forks with the task in a table", () =>
    running({ fork: true, answer: true }, async (studio) => {
      const { page, said } = await open(browser.browser, linkTo(studio, "/questions"))
      studio.begin("t")
      await page.getByRole("button", { name: "Approve" }).click()
      await page.getByText("Nothing waits for an answer").waitFor()
      await page.goto(`${studio.origin}/t/main/t`)
      await expect.poll(() => sentence(page), { timeout: 20_000 }).toContain("It was succeeded")
      await page.keyboard.press("Home")
      await page.keyboard.press("o")
      await page.getByLabel("agent").selectOption("slow")
      await page.getByLabel("also a fork by writer").check()
      await page.getByLabel("continue even if a world").check()
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.getByRole("button", { name: "fork", exact: true }).click()
      await page.waitForURL(/vs=fork-1\/t(,|%2C)fork-2\/t/)
      await page.locator(".run-table tbody tr").nth(2).waitFor()
      expect(await page.locator(".run-table tbody tr").count()).toBe(3)
      expect(await page.locator(".run-table tbody .id").allTextContents()).toEqual(["t", "t on fork-1", "t on fork-2"])
      expect(said).toEqual([])
    }))

  it("fork a task from the page, where a bad seed or position is refused, and show both courses", () =>
    running({ fork: true, answer: true, write: true }, async (studio) => {
      const { page, said } = await open(browser.browser, linkTo(studio, "/questions"))
      studio.begin("t")
      await page.getByRole("button", { name: "Approve" }).click()
      await page.getByText("Nothing waits for an answer").waitFor()
      await page.goto(`${studio.origin}/t/main/t`)
      await expect.poll(() => sentence(page), { timeout: 20_000 }).toContain("It was succeeded")
      // Before the last decision: no command that came later has to be taken back.
      const start = Number(
        await page.evaluate(`(async () => {
          const headers = { authorization: "Bearer " + sessionStorage.getItem("hindcast-studio-token") }
          const { entries } = await (await fetch("/api/chunk?task=t&number=0", { headers })).json()
          return entries.filter(({ type }) => type === "DecisionMade").at(-1).position - 1
        })()`),
      )
      await page.goto(`${studio.origin}/t/main/t/@${start}`)
      await at(page, start)
      await page.keyboard.press("o")
      await page.getByLabel("agent").selectOption("slow")
      await page.getByLabel("seed").fill("-1")
      await page.getByRole("button", { name: "fork", exact: true }).click()
      expect(await page.locator("dialog input:invalid").count()).toBe(1)
      await page.getByLabel("seed").fill("3")
      // Another reading has to be JSON, and what its sensor can say; the server decides on that.
      const fork = page.getByRole("button", { name: "fork", exact: true })
      await page.getByLabel("Add a reading").selectOption("program/mood")
      const mood = page.getByLabel("program/mood", { exact: true })
      expect(await mood.inputValue()).toBe('"calm"')
      await mood.fill("wild")
      expect([await fork.isDisabled(), await page.locator(".reading .problem").textContent()]).toEqual([
        true,
        expect.stringContaining("Expected JSON"),
      ])
      expect(await violationsInBothSchemes(page)).toEqual([])
      await mood.fill("7")
      await fork.click()
      await expect.poll(() => page.locator("dialog .problem").textContent()).toContain("expected string, found 7")
      await mood.fill('"wild"')
      await fork.click()
      await page.waitForURL(/vs=fork-1\/t/)
      // Both courses stand below each other, with where they part.
      await page.locator(".strip-of canvas").nth(1).waitFor()
      expect(await page.locator(".strip-of .of").allTextContents()).toEqual(["A (writer)", "B (slow)"])
      await page.locator(".parts-here").waitFor()
      expect(await sentence(page)).toContain(`They share the history up to @${start}.`)
      expect(await page.locator(".split-sentence").textContent()).toMatch(
        /^(?:Both called|They differ|Neither|No decision)/,
      )
      expect(await violationsInBothSchemes(page)).toEqual([])
      // It grows while it is looked at, up to its end.
      const side = page.locator(".side-of").nth(1)
      await expect.poll(() => side.textContent(), { timeout: 20_000 }).toContain("No time.")
      await expect.poll(() => page.locator(".pair .skeleton").count()).toBe(0)
      await page.locator(".pairs").evaluate("(element) => element.scrollTo(0, element.scrollHeight)")
      // The last row is the fork's own end, not the event that was its last when it began.
      await expect.poll(() => page.locator(".pair").last().textContent()).toContain("TaskClosed outcome failed")
      await page.goBack()
      await at(page, start)
      // In all events of the fork there are positions of the other timeline: steps leave none out and stop at none.
      await page.goto(`${studio.origin}/l/fork-1/@${start}`)
      await at(page, start)
      for (let step = 0; step < 25; step++) await page.keyboard.press("n")
      await expect.poll(() => page.locator(".event.here").count()).toBe(1)
      await expect.poll(() => page.locator(".event.here .type").count()).toBe(1)
      expect(said.filter((text) => !text.includes("status of 4"))).toEqual([])

      await page.goto(`${studio.origin}/t/main/t/@999999`)
      await expect.poll(() => notice(page).textContent()).toContain("is not in t")
      await page.keyboard.press("o")
      await page.getByRole("button", { name: "fork", exact: true }).click()
      await expect.poll(() => page.locator("dialog .problem").textContent()).toContain("999999")
      await page.keyboard.press("Escape")

      await page.goto(`${studio.origin}/t/main/t/@9`)
      await at(page, 9)
      await page.keyboard.press("u")
      const rubric = page.getByLabel("rubric", { exact: true })
      const score = page.getByRole("button", { name: "score", exact: true })
      await rubric.fill("name: x\nmeasures: 3\n")
      await expect.poll(() => page.locator("#text-issues").textContent()).toContain("line 2")
      expect(await score.isDisabled()).toBe(true)
      // It stands at its line, and a click on it in the list leads there.
      const [remark, number] = [page.locator(".remarks span"), page.locator(".number.bad")]
      expect([await remark.count(), await number.textContent()]).toEqual([1, "2"])
      expect((await remark.boundingBox())?.y).toBe((await number.boundingBox())?.y)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.getByRole("button", { name: "line 2, column 1" }).click()
      expect(await page.evaluate("document.activeElement.selectionStart")).toBe("name: x\n".length)
      // Preview of the net score is shown before anything is written.
      await rubric.fill(RUBRIC)
      const preview = page.getByLabel("Preview of the net score")
      await expect.poll(() => preview.textContent()).toContain("By this rubric: −0.3")
      expect(await preview.textContent()).toContain("Nothing is written until you score")
      expect(await page.locator(".remarks span").count()).toBe(0)
      await score.click()
      await page.waitForURL(/pane=rewards.*scores=|scores=.*pane=rewards/)
      await expect.poll(() => page.locator(".pane h2").textContent()).toContain("0 as of @9")
      // The bar names the scoring that every screen shows now.
      const scores = page.getByRole("banner").getByRole("combobox", { name: "score" })
      expect(await scores.locator("option:checked").textContent()).toContain("wordy")
    }))
})
