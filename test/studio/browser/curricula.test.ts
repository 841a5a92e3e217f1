import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open, say } from "./watching.ts"
import { append, EVIL, opening, serving, UNSEEN } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-curricula-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const digest = "0".repeat(64)
const of = { curriculumId: "c1" }

const attempted = (stage: string, attempt: number, taskIds: ReadonlyArray<string>): CoreNewEvent => ({
  type: "StageAttempted",
  payload: { ...of, stage, attempt, taskIds },
})

const decided = (
  stage: string,
  attempt: number,
  decision: "PROCEED" | "REPEAT_STEP" | "APPLY_HINT",
  to: string,
): CoreNewEvent => ({
  type: "CurriculumDecided",
  payload: {
    ...{ ...of, stage, attempt, decision, to, reason: EVIL, evidence: {}, taskIds: [], scoreSets: [], because: [1] },
    verdicts: [{ path: "/stages/0/complete", rule: "outcomes.achieved == 2", digest, result: "not held" }],
  },
})

const STARTED: CoreNewEvent = {
  type: "CurriculumStarted",
  payload: { ...of, name: "Corridors", version: "1", digest, curriculum: {}, agent: EVIL, seed: 1 },
}

describe("the curricula of a log", () => {
  it("are paths over the stages, with decisions, criteria and help, and follow the log", async () => {
    const file = path.join(directory, "corridors.db")
    await append(file, "t1", [opening("Walk")])
    await append(file, "c1", [
      STARTED,
      attempted("short", 1, ["t1"]),
      decided("short", 1, "APPLY_HINT", "short"),
      {
        type: "GuidanceGiven",
        payload: { ...of, stage: "short", attempt: 1, tutor: "ann", gives: "hint", content: EVIL, because: [4] },
      },
      attempted("short", 2, ["t2", "t3", "t4", "t5", "t6", "t7", "t8"]),
      decided("short", 2, "PROCEED", EVIL),
      { type: "AgentDeveloped", payload: { ...of, agent: "walker@1", to: "walks", because: [7] } },
      attempted(EVIL, 1, ["t9"]),
    ])
    await serving(file, async ({ url, origin }) => {
      const { page, said, dialogs } = await open(browser.browser, url)
      await page.getByRole("link", { name: "curricula" }).click()
      await page.getByRole("heading", { name: "1 run of curricula" }).waitFor()
      const path = page.getByRole("img", { name: "Corridors: 3 attempts at 2 stages, in progress" })
      expect(await path.locator("circle").evaluateAll((all) => all.map((one) => one.getAttribute("class")))).toEqual([
        ...["helped", "proceed", "open"],
      ])
      // The mark of a stage is in its row.
      const rows = await path.locator("circle").evaluateAll((all) => all.map((one) => one.getAttribute("cy")))
      expect(rows[0]).toBe(rows[1])
      expect(Number(rows[2])).toBeGreaterThan(Number(rows[0]))
      const lines = await page.locator(".curricula tbody tr").allInnerTexts()
      expect(lines[0]).toMatch(/^@3 short 1\s+t1\s+@4 APPLY_HINT → short: /)
      expect(lines[0]).toContain("outcomes.achieved == 2 not held")
      expect(lines[0]).toContain("hint by ann: ")
      expect(lines[1]).toContain("t2, t3, t4, t5, t6 and 2 more")
      expect(lines[2]).toContain("in progress")
      expect(await page.locator("main").textContent()).not.toMatch(UNSEEN)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await overflow(page)).toBeLessThanOrEqual(0)

      await append(file, "c1", [{ type: "CurriculumEnded", payload: { ...of, result: "failed", because: [8] } }])
      await page.getByRole("img", { name: "Corridors: 3 attempts at 2 stages, failed" }).waitFor()
      await page.getByRole("link", { name: "t1" }).click()
      await page.waitForURL(`${origin}/t/main/t1**`)
      await say(page, "curricula")
      await page.getByRole("heading", { name: "1 run of curricula" }).waitFor()
      expect({ said, dialogs }).toEqual({ said: [], dialogs: [] })
    })
  })

  it("are none where no agent learned by one, which the page says", async () => {
    const file = path.join(directory, "none.db")
    await append(file, "t1", [opening("Walk")])
    await serving(file, async ({ url, origin }) => {
      const { page, said } = await open(browser.browser, url)
      await page.locator("main").first().waitFor()
      await page.goto(`${origin}/curricula`)
      await page.getByText("No agent has learned by a curriculum in this log.").waitFor()
      expect(await page.getByRole("link", { name: "curricula" }).count()).toBe(0)
      expect(said).toEqual([])
    })
  })
})
