import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open, serve } from "./watching.ts"
import { append, EVIL, opening, reading, UNSEEN } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-annotations-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const log = async (name: string): Promise<string> => {
  const file = path.join(directory, name)
  await append(file, "t", [
    opening("Look around"),
    reading("a room"),
    reading("a door"),
    { type: "TaskClosed", payload: { outcome: "achieved" } },
  ])
  return file
}

describe("annotations", () => {
  it("are written in the page, marked in the list, found on their screen, and removed", async () => {
    const studio = await serve(await log("written.db"), "--annotate")
    try {
      const { page, said } = await open(browser.browser, studio.url.replace("/#", "/t/main/t/@2?pane=event#"))
      await page.getByLabel("Notes on @2", { exact: true }).getByRole("textbox").fill(EVIL)
      await page.getByRole("region", { name: "Notes on @2" }).getByRole("button", { name: "Note", exact: true }).click()
      await page.getByRole("region", { name: "Notes on @2" }).getByRole("listitem").waitFor()
      const note = await page.getByRole("region", { name: "Notes on @2" }).getByRole("listitem").textContent()
      expect(note).toContain("alert(1)")
      expect(note).not.toMatch(UNSEEN)
      await page.getByRole("region", { name: "Notes on @2" }).getByRole("button", { name: "★ Star" }).click()
      await page.locator("#event-2 .annotated").getByText("✎★").waitFor()
      await page.getByLabel("A tag for the task").fill("odd")
      await page.getByLabel("A tag for the task").press("Enter")
      await page.getByRole("region", { name: "Tags of the task" }).getByText("odd").waitFor()
      await page.getByRole("region", { name: "Notes on the task" }).getByRole("button", { name: "Fail" }).click()
      await page.getByRole("region", { name: "Notes on the task" }).getByText("fail").waitFor()
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.getByRole("link", { name: "notes" }).click()
      await page.getByRole("heading", { name: "4 annotations" }).waitFor()
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.getByLabel("Search in annotations").fill("ODD")
      await page.getByRole("heading", { name: "1 annotation" }).waitFor()
      expect(page.url()).toContain("/notes?text=ODD")
      await page.getByLabel("Search in annotations").fill("")
      await page.getByRole("link", { name: "@2" }).first().click()
      await page.getByRole("button", { name: /^Remove the note of @/ }).click()
      await page.locator("#event-2 .annotated").getByText("★", { exact: true }).waitFor()
      expect(said).toEqual([])
    } finally {
      await studio.stop()
    }
  })

  it("can only be read where writing was not allowed", async () => {
    const file = await log("read.db")
    const writing = await serve(file, "--annotate")
    const { page: writer } = await open(browser.browser, writing.url.replace("/#", "/t/main/t/@2?pane=event#"))
    await writer.getByRole("region", { name: "Notes on @2" }).getByRole("button", { name: "★ Star" }).click()
    await writer.locator("#event-2 .annotated").waitFor()
    await writing.stop()
    const studio = await serve(file)
    try {
      const { page, said } = await open(browser.browser, studio.url.replace("/#", "/t/main/t/@2?pane=event#"))
      await page.locator("#event-2 .annotated").waitFor()
      const notes = page.getByRole("region", { name: "Notes on @2" })
      expect(await notes.getByRole("listitem").count()).toBe(1)
      expect(await notes.getByRole("button").count()).toBe(0)
      expect(await page.getByLabel("A tag for the task").count()).toBe(0)
      expect(said).toEqual([])
    } finally {
      await studio.stop()
    }
  })
})
