import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TaskHead, TaskList } from "../../../src/studio/wire/Task.ts"
import { shippedPlugin } from "../../built.ts"
import { hindcast } from "../../cli/hindcast.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { inRepository } from "../../repository.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open, type Serving, serve } from "./watching.ts"

/** A scenario for the cart pole of `packages/worlds`. */
const STEADY = `scenario_name: "Steady"
environment_type: "cart-pole"
version: "1.0"
description: Keep the pole up for ten steps.
configuration: { low: -0.01, high: 0.01 }
win_conditions:
  - { type: rule, rule: 'state.environment["cart-pole"].episode.step >= 10' }
lose_conditions:
  - { type: max_steps_reached, steps: 60 }
`

const RUBRIC = fs.readFileSync(inRepository("examples", "rubrics", "plain.yaml"), "utf8")

let browser: OwnBrowser
let directory: string
let studio: Serving
const inDirectory = (...names: ReadonlyArray<string>) => path.join(directory, "scenarios", ...names)

beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-scenarios-")))
  const log = path.join(directory, "log.db")
  const added = await hindcast(["plugin", "add", shippedPlugin("packages", "worlds", "cart-pole"), "--log", log])
  if (added.code !== 0) throw new Error(added.stderr)
  fs.mkdirSync(inDirectory("deep"), { recursive: true })
  fs.writeFileSync(inDirectory("steady.yaml"), STEADY)
  fs.writeFileSync(inDirectory("deep", "plain.yaml"), RUBRIC)
  fs.writeFileSync(inDirectory("options.yaml"), "low: 1\n")
  fs.writeFileSync(path.join(directory, "outside.yaml"), STEADY)
  fs.symlinkSync(path.join(directory, "outside.yaml"), inDirectory("link.yaml"))
  fs.symlinkSync(directory, inDirectory("up"))
  const agent = inRepository("examples", "agents", "balances.mjs")
  const options = ["--write", "--scenarios", inDirectory(), "--agent", `balances=${agent}`, "--gate", "allow"]
  studio = await serve(log, ...options)
})
afterAll(async () => {
  await studio?.stop()
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const token = () => new URL(studio.url).hash.replace("#token=", "")

const headers = () => ({ authorization: `Bearer ${token()}`, "content-type": "application/json" })

const get = async (asked: string) => {
  const response = await fetch(`${studio.origin}/api/${asked}`, { headers: headers() })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const post = async (to: string, body: unknown) => {
  const init = { method: "POST", headers: headers(), body: JSON.stringify(body) }
  const response = await fetch(`${studio.origin}/api/${to}`, init)
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const head = async (): Promise<number> => (await get("log")).body.head

describe("scenarios of a directory", () => {
  it("are listed and read, and nothing else of the machine is, whatever is asked for", async () => {
    expect((await get("scenarios")).body).toEqual({
      files: [
        { file: "0/deep/plain.yaml", kind: "rubric" },
        { file: "0/steady.yaml", kind: "scenario" },
      ],
      directories: ["scenarios"],
      agents: ["balances"],
    })
    const { body } = await get("scenario?file=0/steady.yaml")
    expect(body).toMatchObject({ file: "0/steady.yaml", kind: "scenario", text: STEADY })
    const hostile = [
      ...["0/../outside.yaml", "0/deep/../../outside.yaml", "0/..%2foutside.yaml", "0//etc/passwd", "/etc/passwd"],
      ...["0/link.yaml", "0/up/outside.yaml", "1/steady.yaml", "-1/steady.yaml", "steady.yaml", "0", "0/"],
      ...[
        "0/steady.txt",
        "0/.hidden.yaml",
        "0/deep",
        "0/none.yaml",
        `0/${"x".repeat(300)}.yaml`,
        "0/a%00.yaml",
        "0/<b>.yaml",
      ],
    ]
    for (const file of hostile) {
      const read = await get(`scenario?file=${file.includes("%") ? file : encodeURIComponent(file)}`)
      expect([file, read.status, read.body.error]).toEqual([file, 404, "FileNotFound"])
      const saved = await post("scenarios/save", { file: decodeURIComponent(file), text: "x", digest: null })
      if (file !== "0/none.yaml") expect([file, saved.status]).toEqual([file, 404])
    }
    expect(fs.readFileSync(path.join(directory, "outside.yaml"), "utf8")).toBe(STEADY)
    fs.rmSync(inDirectory("none.yaml"))
  })

  it("are checked at their lines, by what the world has as well", async () => {
    const check = async (text: string) => (await post("scenarios/check", { kind: "scenario", text })).body
    expect(await check(STEADY)).toEqual([])
    expect(await check("a: [")).toEqual([{ line: 1, column: 5, message: expect.stringContaining("YAML") }])
    expect(await check(STEADY.replace("description:", "descripton:"))).toEqual(
      expect.arrayContaining([{ line: 4, column: 1, message: expect.stringContaining("did you mean description?") }]),
    )
    expect(await check(STEADY.replace('"cart-pole"', '"cart-horse"'))).toEqual([
      { line: 2, column: 1, message: expect.stringMatching(/^environment_type: .*found "cart-horse"/) },
    ])
    expect(await check(STEADY.replace(">= 10", ">= "))).toMatchObject([{ line: 7 }])
    expect(await check("x".repeat(100_001))).toMatchObject([{ message: expect.stringContaining("100000 characters") }])
    expect((await post("scenarios/check", { kind: "rubric", text: "measures: 3" })).body).toHaveLength(2)
    expect((await get("schemas?of=scenario")).body.title).toBe("scenario")
    expect((await get("schemas?of=passwords")).status).toBe(400)
  })

  it("are saved whole, and not over what another program wrote since", async () => {
    const file = "0/saved.yaml"
    const made = await post("scenarios/save", { file, text: STEADY, digest: null })
    expect(made.body).toEqual({ file, digest: expect.stringMatching(/^[0-9a-f]{64}$/) })
    const again = await post("scenarios/save", { file, text: "b: 1\n", digest: null })
    expect([again.status, again.body.error]).toEqual([409, "FileChanged"])
    fs.chmodSync(inDirectory("saved.yaml"), 0o640)
    const { body: next } = await post("scenarios/save", { file, text: `# 1\n${STEADY}`, digest: made.body.digest })
    expect(fs.readFileSync(inDirectory("saved.yaml"), "utf8")).toBe(`# 1\n${STEADY}`)
    expect(fs.statSync(inDirectory("saved.yaml")).mode & 0o777).toBe(0o640)
    fs.writeFileSync(inDirectory("saved.yaml"), "# by another program\n")
    const late = await post("scenarios/save", { file, text: "c: 1\n", digest: next.digest })
    expect([late.status, late.body.message]).toEqual([409, expect.stringContaining("was changed since it was read")])
    expect(fs.readFileSync(inDirectory("saved.yaml"), "utf8")).toBe("# by another program\n")
    fs.rmSync(inDirectory("saved.yaml"))
    expect((await post("scenarios/save", { file, text: "c: 1\n", digest: next.digest })).body.message).toContain(
      "was removed",
    )
    // Two pages that read the same write one after the other.
    const { digest } = (await post("scenarios/save", { file, text: STEADY, digest: null })).body
    const both = await Promise.all(["1", "2"].map((text) => post("scenarios/save", { file, text, digest })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const long = await post("scenarios/save", { file: "0/long.yaml", text: "x".repeat(1_000_001), digest: null })
    expect(long.status).toBe(400)
    fs.rmSync(inDirectory("saved.yaml"))
    expect(fs.readdirSync(inDirectory()).sort()).toEqual(["deep", "link.yaml", "options.yaml", "steady.yaml", "up"])
  })

  it("are looked at without a trace in the log, and run by the agents that were named, and no others", async () => {
    const before = await head()
    const looked = await post("scenarios/look", { text: STEADY })
    expect(looked.body).toMatchObject({ plugin: "cart-pole", document: { episode: { step: 0 } } })
    expect(looked.body.document.position).toBeGreaterThanOrEqual(-0.01)
    expect(looked.body.view.parts.length).toBeGreaterThan(0)
    const wrong = STEADY.replace("low: -0.01", "low: up")
    expect((await post("scenarios/look", { text: wrong })).status).toBe(400)
    const { digest } = (await get("scenario?file=0/steady.yaml")).body
    const order = { file: "0/steady.yaml", digest, agent: "balances" }
    const stranger = await post("scenarios/run", { ...order, agent: "/etc/passwd" })
    expect([stranger.status, stranger.body.error]).toEqual([404, "AgentNotFound"])
    const other = await post("scenarios/run", { ...order, digest: "0" })
    expect([other.status, other.body.error]).toEqual([409, "FileChanged"])
    expect(await head()).toBe(before)
  })

  it("are refused without the switches, by every path", async () => {
    const log = path.join(directory, "log.db")
    for (const [options, option] of [
      [[], "--write"],
      [["--write"], "--scenarios"],
    ] as const) {
      const other = await serve(log, ...options)
      const own = studio
      studio = other
      try {
        const answers = [
          ...(await Promise.all(["scenarios", "scenario?file=0/steady.yaml", "schemas?of=scenario"].map(get))),
          await post("scenarios/check", { kind: "scenario", text: STEADY }),
          await post("scenarios/save", { file: "0/x.yaml", text: "", digest: null }),
          await post("scenarios/look", { text: STEADY }),
          await post("scenarios/run", { file: "0/steady.yaml", digest: "", agent: "balances" }),
        ]
        for (const { status, body } of answers) {
          expect([status, body.error]).toEqual([403, "NotAllowed"])
          expect(body.message).toContain(option)
        }
        const stranger = await fetch(`${other.origin}/api/scenarios`, {
          headers: { ...headers(), origin: "https://evil.example" },
        })
        expect(stranger.status).toBe(403)
        expect((await fetch(`${other.origin}/api/scenarios`)).status).toBe(401)
      } finally {
        studio = own
        await other.stop()
      }
    }
    const refused = await hindcast(["studio", "--log", log, "--scenarios", inDirectory()])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("--write")])
    const nowhere = await hindcast(["studio", "--log", log, "--write", "--scenarios", inDirectory("none")])
    expect([nowhere.code, nowhere.stderr]).toEqual([3, expect.stringContaining("a directory")])
  })
})

describe("the page", () => {
  it("completes keys and words at the caret by the schema, by the keyboard alone", async () => {
    const { page, said } = await open(browser.browser, studio.url.replace("/#", "/scenarios#"))
    await page.getByRole("link", { name: "steady.yaml" }).click()
    const text = page.getByLabel("scenario", { exact: true })
    await text.fill("")
    const list = page.getByRole("listbox")
    const { keyboard } = page
    const chosen = () => page.locator('[role="option"][aria-selected="true"]')
    const value = () => text.inputValue()
    // All that fits, asked for.
    await keyboard.press("Control+Space")
    await list.waitFor()
    expect(await chosen().textContent()).toContain("scenario_name")
    await keyboard.press("ArrowUp")
    await keyboard.press("ArrowDown")
    await keyboard.press("ArrowDown")
    expect(await chosen().textContent()).toContain("environment_type")
    expect(await text.getAttribute("aria-activedescendant")).toBe(await chosen().getAttribute("id"))
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    await keyboard.press("Enter")
    await list.waitFor({ state: "detached" })
    expect(await value()).toBe("environment_type: ")
    // As one types; the words that a value may be follow its key.
    await keyboard.type('"cart-pole"\nwin_c')
    await list.waitFor()
    await keyboard.press("Tab")
    await keyboard.type("\n  - { ty")
    await keyboard.press("Enter")
    await expect.poll(() => list.getByRole("option").allTextContents()).toHaveLength(5)
    await keyboard.type("rul")
    await keyboard.press("Enter")
    await keyboard.type(", ru")
    await keyboard.press("Enter")
    expect(await value()).toBe('environment_type: "cart-pole"\nwin_conditions: \n  - { type: rule, rule: ')
    // Escape closes the list and nothing else, and Tab leads on then. What was written can be undone.
    await keyboard.type('"true" }\nvers')
    await list.waitFor()
    await keyboard.press("Escape")
    await list.waitFor({ state: "detached" })
    await keyboard.press("Control+Space")
    await keyboard.press("Enter")
    expect(await value()).toMatch(/version: $/)
    await keyboard.press("Control+z")
    expect(await value()).toMatch(/\nvers$/)
    // A word that is done, and what the schema does not name, are not in the way.
    await keyboard.type("ion")
    expect(await list.count()).toBe(0)
    await keyboard.type(": zz")
    await keyboard.press("Control+Space")
    const nothing = page.getByText("The schema has no completions")
    await nothing.waitFor()
    await keyboard.press("Home")
    await nothing.waitFor({ state: "detached" })
    // All of the list is seen where the editor is smaller than it: the first and the last pixels of each option are on top.
    await page.evaluate("document.querySelector('.editor textarea').style.height = '120px'")
    await text.fill("")
    await keyboard.press("Control+Space")
    await expect.poll(() => list.getByRole("option").count()).toBe(8)
    const hidden = await page.evaluate(`[...document.querySelectorAll(".completions > div")].filter((option) => {
      const { left, top, bottom } = option.getBoundingClientRect()
      return [top + 2, bottom - 2].some((y) => !option.contains(document.elementFromPoint(left + 20, y)))
    }).length`)
    expect(hidden).toBe(0)
    await keyboard.press("Escape")
    // Arrows with Shift select text.
    await text.fill("# one\n")
    await keyboard.press("Control+Space")
    await keyboard.press("Shift+ArrowUp")
    await list.waitFor({ state: "detached" })
    expect(await page.evaluate("document.activeElement.selectionStart")).toBeLessThan(6)
    await keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.tagName")).not.toBe("TEXTAREA")
    expect(said).toEqual([])
    await page.context().close()
  })

  it("says of every hostile text what is wrong, as text, and goes on", async () => {
    const { page, said, dialogs } = await open(browser.browser, studio.url.replace("/#", "/scenarios#"))
    await page.getByRole("link", { name: "steady.yaml" }).click()
    const text = page.getByLabel("scenario", { exact: true })
    await text.waitFor()
    const issues = page.locator("#text-issues")
    const evil = '<img src=x onerror="alert(1)">\u202egnp.\u0007'
    const levels = Array.from({ length: 9 }, (_, level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]`)
    const hostile: ReadonlyArray<readonly [text: string, says: string]> = [
      [`"${evil}": "${evil}"\n${STEADY}`, "YAML"],
      [STEADY.replace("description:", `"<img src=x onerror='alert(1)'>\\u202e":`), "\\u{202e}"],
      [`a: ${"[".repeat(50_000)}`, "levels"],
      [`${"{a: ".repeat(20_000)}`, "levels"],
      [STEADY.replace("Steady", "x".repeat(1_000_000)), "100000 characters"],
      [Array.from({ length: 10_000 }, (_, key) => `k${key}: 1`).join("\n"), "and 151 more"],
      [levels.join("\n").replace("*a-1,".repeat(9), "x"), "aliases"],
      [`a${" ".repeat(90_000)}x\n`, "a scenario"],
    ]
    for (const [written, says] of hostile) {
      // As a paste does it, but for the time that a browser takes to insert 10,000 lines.
      await page.evaluate(`{
        const area = document.querySelector("textarea")
        area.focus()
        area.setRangeText(${JSON.stringify(written)}, 0, area.value.length, "end")
        area.dispatchEvent(new InputEvent("input", { bubbles: true }))
      }`)
      await expect.poll(() => issues.textContent(), { timeout: 20_000 }).toContain(says)
      expect(await page.locator("body").textContent()).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u)
      await page.keyboard.press("Control+End")
      await page.keyboard.press("Control+Space")
      await page.keyboard.press("Escape")
      expect(await page.getByRole("button", { name: "run", exact: true }).isDisabled()).toBe(true)
    }
    expect(await page.locator("img, script:not([src])").count()).toBe(0)
    await text.fill(STEADY)
    await page.getByText("no issues").waitFor()
    expect({ said, dialogs }).toEqual({ said: [], dialogs: [] })
    await page.context().close()
  })

  it("edits a scenario with its mistakes in place and the schema's help, looks at its world, saves and runs it", async () => {
    const { page, said } = await open(browser.browser, studio.url.replace("/#", "/scenarios#"))
    await page.getByRole("link", { name: "steady.yaml" }).click()
    const text = page.getByLabel("scenario", { exact: true })
    await text.waitFor()
    await page.getByText("no issues").waitFor()
    // A mistake stands at its line, and keeps it from being run.
    await text.fill(STEADY.replace("win_conditions:", "win_condition:"))
    await expect.poll(() => page.locator(".remarks").textContent()).toContain("did you mean win_conditions?")
    expect(await page.locator(".number.bad").allTextContents()).toContain("6")
    const [run, save] = ["run", "save"].map((name) => page.getByRole("button", { name, exact: true }))
    expect([await run?.isDisabled(), await save?.isDisabled()]).toEqual([true, false])
    await text.fill(STEADY.replace(">= 10", ">= 12"))
    await page.getByText("no issues").waitFor()
    await text.press("Control+Home")
    for (let line = 0; line < 1; line++) await text.press("ArrowDown")
    await expect.poll(() => page.locator(".help").textContent()).toContain("the world: a plugin's name")
    expect(await violationsInBothSchemes(page)).toEqual([])
    // What was typed is still there for somebody who looked elsewhere meanwhile.
    const files = page.getByRole("region", { name: "Files" })
    await files.getByRole("link", { name: "plain.yaml" }).click()
    const rubric = page.getByLabel("rubric", { exact: true })
    await rubric.waitFor()
    await files.getByText("scenario, not saved").waitFor()
    // A rubric is saved as a scenario is.
    await rubric.fill(RUBRIC.replace("name: plain", "name: plainer"))
    await page.getByText("no issues").waitFor()
    await page.getByRole("button", { name: "save", exact: true }).click()
    await expect.poll(() => fs.readFileSync(inDirectory("deep", "plain.yaml"), "utf8")).toContain("name: plainer")
    await page.getByRole("link", { name: "Plugins" }).first().click()
    await page.waitForURL(/\/plugins/)
    await page.goBack()
    await files.getByRole("link", { name: "steady.yaml" }).click()
    await page.getByText("not saved · no issues").waitFor()
    expect(await text.inputValue()).toBe(STEADY.replace(">= 10", ">= 12"))
    await page.getByRole("button", { name: "look at the world" }).click()
    await page.locator("figure.world").getByText("Step 0, return 0.00").waitFor({ timeout: 30_000 })
    // Another program is faster: nothing is lost, and nothing is overwritten.
    fs.appendFileSync(inDirectory("steady.yaml"), "# by hand\n")
    await save?.click()
    await expect.poll(() => page.locator(".text .problem").textContent()).toContain("was changed since it was read")
    expect(fs.readFileSync(inDirectory("steady.yaml"), "utf8")).toBe(`${STEADY}# by hand\n`)
    await page.getByRole("button", { name: "discard and reload" }).click()
    await expect.poll(() => text.inputValue()).toContain("# by hand")
    await text.fill(STEADY)
    await page.getByText("no issues").waitFor()
    await save?.click()
    await expect.poll(() => run?.isDisabled()).toBe(false)
    expect(fs.readFileSync(inDirectory("steady.yaml"), "utf8")).toBe(STEADY)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await violationsInBothSchemes(page)).toEqual([])
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    await page.getByLabel("seed").fill("42")
    await run?.click()
    await page.waitForURL(/\/t\/main\/[0-9a-f-]{36}/, { timeout: 30_000 })
    await expect
      .poll(() => page.locator(".sentence").first().textContent(), { timeout: 30_000 })
      .toContain("Achieved after 10 steps")
    // It is scored again, with a preview. A rubric that is not done is there again when the dialog is opened again.
    await page.keyboard.press("u")
    await page.locator(".preview").waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.getByLabel("rubric", { exact: true }).fill("name: half done\n")
    // A list of what can be written is closed by Escape before the dialog around it.
    await page.keyboard.type("mea")
    await page.getByRole("option", { name: "measures" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("listbox").waitFor({ state: "detached" })
    for (let typed = 0; typed < 3; typed++) await page.keyboard.press("Backspace")
    await page.keyboard.press("Escape")
    await page.getByLabel("rubric", { exact: true }).waitFor({ state: "detached" })
    await page.keyboard.press("u")
    await expect.poll(() => page.getByLabel("rubric", { exact: true }).inputValue()).toBe("name: half done\n")
    const { rows } = (await get("tasks?order=newest")).body as TaskList
    const task = (await get(`task?task=${rows[0]?.id}`)).body as TaskHead
    expect(task).toMatchObject({
      goal: "Keep the pole up for ten steps.",
      agent: "balances@1.0.0",
      outcome: "achieved",
    })
    expect(said.filter((line) => !line.includes("status of 4"))).toEqual([])
  })
})
