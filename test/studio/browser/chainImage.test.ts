import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hindcast } from "../../cli/hindcast.ts"
import { demoLog } from "../../demoLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { open, type Serving, serve } from "./watching.ts"

let browser: OwnBrowser
let studio: Serving
let directory: string
/** The image that `hindcast why` writes. */
let written: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-chain-image-"))
  const log = await demoLog(23, 7)
  studio = await serve(log)
  const { stdout, code } = await hindcast(["why", TASK, "--svg", "-", "--log", log])
  expect(code).toBe(0)
  written = stdout.trim()
})
afterAll(async () => {
  await browser?.close()
  await studio?.stop()
  fs.rmSync(directory, { recursive: true, force: true })
})

const TASK = "task-0015"

const opened = async () => {
  const watched = await open(browser.browser, studio.url.replace("/#", `/t/main/${TASK}?pane=why#`))
  await watched.page.getByText("Why did the task end like this?").waitFor()
  return watched
}

describe("the image of why a task failed", () => {
  it("is saved as the file that the command line writes, which a browser draws", async () => {
    const { page, said, abroad } = await opened()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "save as SVG" }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`why-${TASK}.svg`)
    const file = path.join(directory, "why.svg")
    await download.saveAs(file)
    const saved = fs.readFileSync(file, "utf8")
    expect(saved.trim()).toBe(written)
    expect(saved).toContain("There is no boiler any more.")
    const drawn = await (await browser.browser.newContext()).newPage()
    await drawn.setContent(`<img alt="" src="data:image/svg+xml;base64,${Buffer.from(saved).toString("base64")}">`)
    await expect.poll(() => drawn.evaluate("document.images[0].naturalWidth")).toBeGreaterThan(100)
    expect(said).toEqual([])
    expect(abroad).toEqual([])
  })

  it("is copied where the browser allows it, and the page says so where not", async () => {
    const { page, context } = await opened()
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: studio.origin })
    await page.getByRole("button", { name: "copy as SVG" }).press("Enter")
    await page.getByText("The image is copied.").waitFor()
    expect(String(await page.evaluate("navigator.clipboard.readText()")).trim()).toBe(written)

    const refused = (await opened()).page
    await refused.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    await refused.getByRole("button", { name: "copy as SVG" }).click()
    await refused.getByText("The browser does not allow the page to copy. Save the image instead.").waitFor()
  })
})
