import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { digest } from "../../../src/values/Digest.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open } from "./watching.ts"
import { append, EVIL, serving, UNSEEN } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-agents-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const opened = (...agents: ReadonlyArray<string>): CoreNewEvent => ({
  type: "TaskOpened",
  payload: { goal: "Play", measures: [], agent: "pair@1", seed: 1, agents },
})

let commands = 0

const acts = (agentId: string, action: number | string): CoreNewEvent => ({
  type: "ActuatorCommanded",
  payload: {
    agentId,
    commandId: `c${commands++}`,
    actuator: "game/step",
    args: { action },
    argsDigest: digest({ action }),
    priority: 0,
  },
})

const hears = (agentId: string, speaker: string): CoreNewEvent => ({
  type: "InputReceived",
  payload: { agentId, source: `agent:${speaker}`, content: "Do it" },
})

describe("the agents of a task", () => {
  it("have a view of who spoke to whom, its influence, and cooperation over time, which follows the log", async () => {
    const file = path.join(directory, "game.db")
    await append(file, "t1", [
      opened("ann", "ben", "cat"),
      ...[0, 0].map((action) => acts("ann", action)),
      hears("ann", "ben"),
      acts("ann", 1),
      hears("ben", EVIL),
      acts("ben", EVIL),
    ])
    await serving(file, async ({ origin, url }) => {
      const { page, said, dialogs } = await open(browser.browser, url)
      await page.locator("main").first().waitFor()
      await page.goto(`${origin}/t/main/t1`)
      await page.getByRole("tab", { name: "agents" }).click()
      const rowsOf = (label: string) => page.getByRole("region", { name: label }).locator("tbody tr").allInnerTexts()
      await page.getByRole("region", { name: "Who spoke to whom" }).waitFor()
      const [first = "", second = ""] = await rowsOf("Who spoke to whom")
      expect(second.split(/\s+/).join(" ")).toBe("ben ann 1 1 of 1 0 of 1 +1")
      expect(first).toMatch(/ben\s+1\s+0 of 0\s+0 of 0\s+unknown/)
      const shares = async () =>
        (await rowsOf("Cooperation and rewards over time")).map((row) => row.split("\t").at(-1))
      expect(await shares()).toEqual(["unknown", "unknown", "unknown", "unknown"])
      await page.getByRole("checkbox", { name: "game/step 0" }).check()
      expect((await shares()).map((text) => text?.trim())).toEqual(["100 %", "100 %", "0 %", "0 %"])
      await page.getByText("The world gave no rewards").waitFor()
      expect(await page.locator("main").textContent()).not.toMatch(UNSEEN)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await overflow(page)).toBeLessThanOrEqual(0)

      await append(file, "t1", [hears("cat", "ann")])
      await page.getByRole("rowheader", { name: "ann" }).waitFor()
      // The choice stays, and a position leads to its moment.
      expect((await shares()).map((text) => text?.trim())).toEqual(["100 %", "100 %", "0 %", "0 %"])
      await page.getByRole("link", { name: "@3" }).first().click()
      await page.waitForURL(`${origin}/t/main/t1/@3**`)
      expect({ said, dialogs }).toEqual({ said: [], dialogs: [] })
    })
  })

  it("have no such view where there is one, which a link to it says", async () => {
    const file = path.join(directory, "one.db")
    await append(file, "t1", [opened("ann"), acts("ann", 0)])
    await serving(file, async ({ origin, url }) => {
      const { page, said } = await open(browser.browser, url)
      await page.locator("main").first().waitFor()
      await page.goto(`${origin}/t/main/t1?view=agents`)
      await page.getByText("This task has one agent.").waitFor()
      await page.getByText("No agent received a message of another: who influenced whom is unknown.").waitFor()
      expect(await page.getByRole("tab", { name: "agents" }).count()).toBe(0)
      expect(said).toEqual([])
    })
  })
})
