import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { program } from "./asking.ts"
import { open } from "./watching.ts"
import { append, EVIL, opening, serving, UNSEEN } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-talk-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

describe("what was said", () => {
  it("is shown whole when it is asked for, where it is too long for the page", async () => {
    const file = path.join(directory, "long.db")
    const long = `begin ${"word ".repeat(10_000)}end of the message`
    await append(file, "t", [
      opening("Talk"),
      { type: "InputReceived", payload: { source: "cli", content: long } },
      { type: "MessageSent", payload: { content: "short", format: "text" } },
    ])
    await serving(file, async (studio) => {
      const { page, said } = await open(browser.browser, studio.url.replace("/#", "/t/main/t?view=conversation#"))
      const message = page.locator(".items > li", { has: page.locator(".said.person") })
      await message.getByRole("button", { name: /^show all of @2: 50,0\d\d characters$/ }).click()
      await message.getByText("end of the message").waitFor()
      expect(await message.getByRole("button", { name: /^show all/ }).count()).toBe(0)
      // The end was pushed far down, where a key leads.
      await page.keyboard.press("End")
      await page.locator(".said.agent").getByText("short").waitFor()
      expect(said).toEqual([])
    })
  })
})

describe("talking to an agent at work", () => {
  it("shows its answer while it streams, and the same words from the log after a reload", async () => {
    const studio = await program("talking", path.join(directory, "answer.db"), "true")
    try {
      const { page, said } = await open(browser.browser, studio.url.replace("/#", "/t/main/t?view=conversation#"))
      const state = page.locator(".speaking .state")
      await state.getByText("waits for an input").waitFor()
      await page.locator(".said.model").getByText("Hello.").waitFor()
      // What the model's answer says is not shown again as what the agent said.
      expect(await page.locator(".said:not(.system, .goal)").count()).toBe(1)
      expect(await page.getByRole("button", { name: "Queue" }).isDisabled()).toBe(true)
      await page.getByLabel("Message to the agent").fill("What do you <b>think</b>?")
      // What was typed outlives a look at another pane.
      await page.getByRole("tab", { name: "debugger" }).click()
      await page.getByLabel("Message to the agent").waitFor({ state: "detached" })
      await page.getByRole("tab", { name: "conversation" }).click()
      expect(await page.getByLabel("Message to the agent").inputValue()).toBe("What do you <b>think</b>?")
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.getByRole("button", { name: "Queue" }).click()
      await page.locator(".coming").getByText("I thi").waitFor()
      await state.getByText("thinks").waitFor()
      expect(await page.getByLabel("Message to the agent").inputValue()).toBe("")
      studio.write("go on")
      await page.locator(".said.model").getByText("I think so.").waitFor()
      await state.getByText("waits for an input").waitFor()
      expect(await page.locator(".coming").count()).toBe(0)
      const talk = async () =>
        (await page.locator(".said:not(.system, .goal)").allInnerTexts()).map((text) => text.replace(/\s+/g, " "))
      const before = await talk()
      expect(before).toHaveLength(3)
      expect(before[1]).toMatch(/^ada @\d+ What do you <b>think<\/b>\?$/)
      await page.reload()
      await state.getByText("waits for an input").waitFor()
      expect(await talk()).toEqual(before)
      expect(said).toEqual([])
    } finally {
      await studio.stop()
    }
  })

  it("is only shown where it was not allowed", async () => {
    const studio = await program("talking", path.join(directory, "read.db"), "false")
    try {
      const { page } = await open(browser.browser, studio.url.replace("/#", "/t/main/t?view=conversation#"))
      await page.locator(".speaking .state").getByText("waits for an input").waitFor()
      await page.locator(".speaking").getByText("You can only watch it here").waitFor()
      expect(await page.getByLabel("Message to the agent").count()).toBe(0)
    } finally {
      await studio.stop()
    }
  })
})

describe("sub-agents", () => {
  it("are a link away from the call that started them, and back", async () => {
    const file = path.join(directory, "family.db")
    const prompt = `Read the letters ${EVIL}`
    const opened = (goal: string, environment = {}): CoreNewEvent => ({
      type: "TaskOpened",
      payload: { goal, measures: [], agent: "reader@1", seed: 1, environment },
    })
    await append(file, "0198aaaa-0000-7000-8000-000000000001", [
      opened("Find out who wrote the letters"),
      { type: "InputReceived", payload: { source: "cli", content: "Begin." } },
      {
        type: "ActuatorCommanded",
        payload: { commandId: "a", actuator: "Task", args: { prompt }, argsDigest: "0".repeat(64), priority: 0 },
      },
      { type: "CommandSucceeded", payload: { commandId: "a", result: "ada", latencyMs: 3 } },
    ])
    await append(file, "0198aaaa-0000-7000-8000-000000000002", [
      opened(prompt, { "claude-code": { parent: "0198aaaa-0000-7000-8000-000000000001" } }),
      { type: "InputReceived", payload: { source: "cli", content: "Go on." } },
      { type: "TaskClosed", payload: { outcome: "achieved" } },
    ])
    await serving(file, async (studio) => {
      const link = "/t/main/0198aaaa-0000-7000-8000-000000000001?view=conversation#"
      const { page, said } = await open(browser.browser, studio.url.replace("/#", link))
      const started = page.locator(".started li")
      await started.getByRole("link", { name: /^Read the letters/ }).waitFor()
      expect(await started.textContent()).toMatch(/reader, achieved$/)
      expect(await page.locator("main").textContent()).not.toMatch(UNSEEN)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await started.getByRole("link").press("Enter")
      await page.waitForURL(/000000000002/)
      // It called no model, so it opens in the debugger, whose head leads back.
      const back = page.locator(".sentence").getByText("started by")
      await back.getByRole("link", { name: "Find out who wrote the letters" }).press("Enter")
      await page.waitForURL(/000000000001\/@3/)
      await page.locator("#event-3.here").waitFor()
      await expect.poll(() => page.title()).toContain("Find out who wrote the letters")
      expect(said).toEqual([])
    })
  })
})
