import * as fs from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fileOf } from "../../../src/workspace/store/StoreFile.ts"
import * as Session from "../../cli/files/session.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { approve, asked } from "../../hooks/questions.ts"
import { eventsOf } from "../../record/recorded.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open, type Serving, serve } from "./watching.ts"
import { EVIL, UNSEEN } from "./writing.ts"

const HOSTILE = `src/\u202Egnp.<b onclick=alert(1)>.ts`

let browser: OwnBrowser
let studio: Serving
let log: string
let task: string
/** Positions: of the task's start, of its second prompt, and of the changes of files. */
let start: number
let prompted: number
let changes: ReadonlyArray<number>

beforeAll(async () => {
  browser = await launchProtected()
  const project = await Session.project({
    rules: [{ name: "ask-for-edits", actuator: "*/Edit", decision: "confirm", confirmWithinMs: 60_000 }],
    default: "allow",
  })
  const { write, at, session } = project
  log = project.log
  write("src/app.ts", "const one = 1\n\n")
  write("src/old.ts", "export const moved = true\n")
  write(HOSTILE, `\tconst evil = 1 // ${EVIL}\n`)
  write("logo.png", Buffer.from([0x89, 0x50, 0, 1]))
  write(".env", "TOKEN=1\n")
  const { prompt, call, end } = session()
  await prompt("add the second constant")
  await call("Read", { file_path: at("src/app.ts") })
  write("src/app.ts", "const zero = 0\nconst one = 1\n\n")
  const edited = call("Edit", { file_path: at("src/app.ts"), new_string: "const two = 2" }, () =>
    write("src/app.ts", "const zero = 0\nconst one = 1\n\nconst two = 2\n"),
  )
  await approve(log, await asked(log))
  await edited
  await prompt("move the other file")
  await call("Bash", { command: "git mv src/old.ts src/new.ts" }, () =>
    fs.renameSync(at("src/old.ts"), at("src/new.ts")),
  )
  await end()
  await project.close()
  const events = await eventsOf(log)
  task = String(events.find(({ type }) => type === "TaskOpened")?.taskId)
  const positions = (type: string) => events.filter((event) => event.type === type).map(({ position }) => position)
  start = positions("EnvironmentReset")[0] ?? 0
  prompted = positions("InputReceived")[1] ?? 0
  changes = positions("EnvironmentChanged")
  studio = await serve(log)
}, 120_000)
afterAll(async () => {
  await studio?.stop()
  await browser?.close()
})

const opened = async (at: number, query = "", width = 1440) => {
  const url = new URL(studio.url)
  url.pathname = `/t/main/${task}/@${at}`
  url.search = `view=files${query}`
  return await open(browser.browser, url.href, { width })
}

const tree = (page: Page) => page.getByRole("region", { name: "Files", exact: true })
const marks = async (page: Page) =>
  (await tree(page).locator(".file:not(.same)").allTextContents()).map((text) => text.trim())

describe("the files of a workspace", () => {
  it("follow the playhead: the tree with marks, and what one event, a turn and the task changed", async () => {
    const { page, said } = await opened(changes.at(-1) ?? 0)
    await tree(page).getByText("2 files changed").waitFor()
    expect(await marks(page)).toEqual(["Msrc/app.ts", "Rsrc/new.ts"])
    expect(await tree(page).locator(".now").allTextContents()).toEqual(["Rsrc/new.ts"])
    const shown = page.getByRole("region", { name: "Changes" })
    await shown.getByText("2 files from").waitFor()
    expect(await shown.locator("h3").allTextContents()).toEqual([
      "src/app.ts changed +2 −0",
      "src/new.ts renamed from src/old.ts +0 −0",
    ])
    expect((await shown.locator(".patch .added").allTextContents()).map((line) => line.trim())).toEqual([
      "+const zero = 0",
      "+const two = 2",
    ])
    expect(await violationsInBothSchemes(page)).toEqual([])
    for (const name of ["last change", "this turn"]) {
      await page.getByRole("button", { name }).click()
      await shown.getByText("1 file from").waitFor()
      expect(await shown.locator("h3").allTextContents()).toEqual(["src/new.ts renamed from src/old.ts +0 −0"])
    }
    await page.keyboard.press("Home")
    await page.keyboard.press("End")
    await page.goto(page.url().replace(/@\d+/, `@${prompted}`))
    await page.getByRole("region", { name: "Changes" }).getByText("No file changed in this turn").waitFor()
    expect(await marks(page)).toEqual(["Msrc/app.ts"])
    await page.goto(page.url().replace(/@\d+/, `@${start}`))
    await tree(page).getByText("No file has changed").waitFor()
    // Before the first snapshot, nobody knows more than it.
    await page.keyboard.press("Home")
    await tree(page).getByText("As the first snapshot found them").waitFor()
    expect(said).toEqual([])
  })

  it("show who wrote each line of a file: the call, its approval, its prompt, and a stale reading", async () => {
    const { page, said } = await opened(changes.at(-1) ?? 0)
    await tree(page).getByRole("button", { name: "M src/app.ts" }).click()
    const lines = page.locator(".lines tr")
    await lines.nth(3).waitFor()
    expect(page.url()).toContain("file=src/app.ts")
    expect(await page.locator(".lines code").allTextContents()).toEqual([
      "const zero = 0",
      "const one = 1",
      "",
      "const two = 2",
    ])
    const origins = (await page.locator(".lines .origin").allTextContents()).map((text) => text.replace(/@\d+ /, ""))
    expect(origins).toEqual(["no call", "at the start", "", "Edit"])
    const about = page.locator(".origin-of")
    await lines.nth(3).hover()
    await about.getByText("ask-for-edits").waitFor()
    expect(await about.textContent()).toMatch(/approved by .+prompt.*add the second constant/)
    expect(await about.textContent()).toContain("after the agent read it")
    await lines.nth(0).hover()
    await about.getByText("no recorded call was in progress").waitFor()
    // By keyboard alone.
    await lines.nth(3).getByRole("link").focus()
    await about.getByText("ask-for-edits").waitFor()
    await page.keyboard.press("Enter")
    await page.waitForURL(new RegExp(`@${changes[1]}\\b`))
    expect(await violationsInBothSchemes(page)).toEqual([])
    // A file that is not there at the position is said to be missing.
    await page.goto(page.url().replace(/file=[^&]*/, "file=src/new.ts"))
    await page.getByText("src/new.ts: expected a recorded file").waitFor()
    expect(said.filter((text) => !text.includes("404"))).toEqual([])
  })

  it("show hostile names and texts as they are, and say what was not recorded", async () => {
    const { page, said, abroad, dialogs } = await opened(start)
    await tree(page).getByText("All files").waitFor()
    await tree(page).locator("summary", { hasText: "src/" }).click()
    await tree(page).getByRole("button", { name: "onclick=alert" }).click()
    await page.locator(".lines code").first().waitFor()
    const text = String(await page.locator(".lines code").first().textContent())
    expect(text).toMatch(/^ {4}const evil = 1 \/\/ <img src=x onerror="alert\(1\)">/)
    expect(text).not.toMatch(UNSEEN)
    expect(String(await tree(page).textContent())).not.toMatch(UNSEEN)
    await tree(page).getByRole("button", { name: "logo.png" }).click()
    await page.getByText("It is binary.").waitFor()
    await tree(page).getByRole("button", { name: ".env" }).click()
    await page.getByText("it holds secrets, or its name says so").waitFor()
    expect([said, abroad, dialogs]).toEqual([[], [], []])
  })

  for (const width of [390, 2560])
    it(`fit a screen of ${width} px`, async () => {
      const { page } = await opened(changes.at(-1) ?? 0, "&file=src/app.ts", width)
      await page.locator(".lines tr").first().waitFor()
      expect(await overflow(page)).toBe(0)
      if (width === 390) await page.getByRole("tab", { name: "tree" }).click()
      await tree(page).getByRole("button", { name: "M src/app.ts" }).waitFor()
      expect(await overflow(page)).toBe(0)
      expect(await violationsInBothSchemes(page)).toEqual([])
    })

  it("are one key away, and absent where no files were recorded", async () => {
    const { page } = await opened(changes.at(-1) ?? 0)
    await tree(page).waitFor()
    await page.keyboard.press("a")
    await page.getByRole("tab", { name: "conversation", selected: true }).waitFor()
    await page.keyboard.press("a")
    await page.keyboard.press("a")
    await page.getByRole("tab", { name: "files", selected: true }).waitFor()
    await page.goto(studio.url.replace("/#", "/l/main#"))
    await page.getByRole("heading", { name: "All events of main" }).waitFor()
    expect(await page.getByRole("tab", { name: "files" }).count()).toBe(0)
  })

  it("say that the store of contents is gone, and where it belongs", async () => {
    const store = fileOf(log)
    fs.renameSync(store, `${store}.away`)
    try {
      const { page } = await opened(changes.at(-1) ?? 0)
      await page.getByText("there is no such file. Keep it next to the log").first().waitFor()
    } finally {
      fs.renameSync(`${store}.away`, store)
    }
  })
})
