import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CoreNewEvent, EventLog } from "../../../src/events/log/EventLog.ts"
import { Archive } from "../../../src/events/maintenance/Archive.ts"
import { PersonalData } from "../../../src/events/payload/PersonalData.ts"
import * as SqliteEventLog from "../../../src/events/sqlite/SqliteEventLog.ts"
import { document, hindcast } from "../../cli/hindcast.ts"
import { demoLog } from "../../demoLog.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { at, open, say, serve } from "./watching.ts"
import { append, appendAs, asKernel, deep, EVIL, opening, reading, serving, UNSEEN } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-studio-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

describe("what a log says of itself", () => {
  it("is text, however long, deep, wide and hostile it is", async () => {
    const file = path.join(directory, "hostile.db")
    await append(file, "evil", [
      opening(EVIL),
      reading({ [EVIL]: EVIL, __proto__: 1, "a/b~c": 2 }),
      reading("x".repeat(1_000_000), "room/long"),
      reading(Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [`key-${key}`, key])), "room/wide"),
      reading(deep(150), "room/deep"),
      { type: "NoteAdded", payload: { about: "task/evil", text: EVIL } },
      { type: "TaskClosed", payload: { outcome: "failed", reason: EVIL } },
    ])
    await serving(file, async ({ url, origin }) => {
      const { page, said, dialogs, abroad } = await open(browser.browser, url)
      await page.locator(".task-line").waitFor()
      for (const pane of ["event", "why", "rewards", "value", "diff"]) {
        await page.goto(`${origin}/t/main/evil/@1?pane=${pane}&path=/tasks/evil/readings`)
        await at(page, 1)
        for (let position = 2; position <= 7; position++) {
          await page.keyboard.press("n")
          await at(page, position)
          expect(await page.locator("body").textContent()).not.toMatch(UNSEEN)
        }
      }
      // Of very many paths, those are suggested that begin as what was typed.
      await page.keyboard.press("Control+k")
      await page.keyboard.type("/tasks/evil/readings/room~1wide/key-999")
      await expect.poll(() => page.locator("#box-names [role=option]").count()).toBe(11)
      await page.goto(`${origin}/t/main/evil/@3?pane=event`)
      await page.getByRole("button", { name: /show it: 1,000,/ }).click()
      await page.getByText(/more characters/).waitFor()
      expect(await page.locator("img, script:not([src])").count()).toBe(0)
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      expect({ said, dialogs, abroad }).toEqual({ said: [], dialogs: [], abroad: [] })
    })
  })
})

describe("a log that is written while it is looked at", () => {
  it("is followed without a gap, and the reader is not moved while scrubbing", async () => {
    const file = path.join(directory, "live.db")
    await append(file, "growing", [opening("Grow"), reading(0)])
    const look = async ({ url }: { readonly url: string }) => {
      const { page, said } = await open(browser.browser, url)
      // The newest open task is what one sees first, at its end.
      await at(page, 2)
      expect(await page.locator(".live").getAttribute("aria-pressed")).toBe("true")
      await append(
        file,
        "growing",
        ...Array.from({ length: 25 }, (_, batch) =>
          Array.from({ length: 20 }, (_, index) => reading(batch * 20 + index + 1)),
        ),
      )
      await at(page, 502)
      await expect.poll(() => page.locator(".state").textContent()).toContain("500")
      // Every event is there, each once: ten of them further is ten positions further, to the end.
      await page.keyboard.press("Home")
      await at(page, 1)
      for (let position = 11; position <= 501; position += 10) {
        await page.keyboard.press("N")
        await at(page, position)
      }
      await page.keyboard.press("Home")
      for (let step = 0; step < 30; step++) await page.keyboard.press("n")
      await at(page, 31)
      await append(file, "growing", [reading(-1)])
      await expect.poll(() => page.locator(".track").getAttribute("aria-valuemax")).toBe("503")
      await at(page, 31)
      await page.keyboard.press("l")
      await at(page, 503)
      await append(file, "growing", [{ type: "TaskClosed", payload: { outcome: "achieved" } }])
      await expect.poll(() => page.locator(".sentence").textContent()).toContain("Achieved")
      expect(said).toEqual([])
    }
    await asKernel(file, () => serving(file, look))
  })

  it("shows the list of tasks first if nobody works on the open one, whose page says so and follows nothing", async () => {
    const file = path.join(directory, "stopped.db")
    await append(file, "left", [opening("Stay"), reading(0)])
    await serving(file, async ({ url, origin }) => {
      const { page, said } = await open(browser.browser, url)
      await page.locator(".task-line .outcome.stopped").waitFor()
      await page.goto(`${origin}/t/main/left`)
      await at(page, 2)
      expect(await page.locator(".sentence").textContent()).toContain("Stopped unexpectedly @2")
      expect(await page.locator(".live").count()).toBe(0)
      expect(said).toEqual([])
    })
  })

  it("says that the server is gone, and goes on when it is there again", async () => {
    const file = path.join(directory, "killed.db")
    await append(file, "one", [opening("Stay"), reading(0)])
    await asKernel(file, async () => {
      const first = await serve(file)
      const port = new URL(first.url).port
      const { page } = await open(browser.browser, first.url)
      await at(page, 2)
      first.child.kill("SIGKILL")
      await page.getByText("not connected").waitFor()
      const second = await serve(file, "--port", port)
      try {
        await page.getByText("Open the link that it printed last").waitFor()
        await page.goto(second.url)
        await at(page, 2)
        await append(file, "one", [reading(1)])
        await at(page, 3)
      } finally {
        await second.stop()
      }
    })
  })
})

describe("what is taken from a log while it is looked at", () => {
  it.each(["event", "why", "value", "diff", "rewards"])(
    "vanishes from the page when it is shredded, from %s",
    async (pane) => {
      const file = path.join(directory, `shredded-${pane}.db`)
      const secret = "Anna lives in Petersburg"
      await append(file, "t", [opening("Listen")])
      await Effect.gen(function* () {
        const log = yield* EventLog
        const said = { ...reading(secret, "room/heard") }
        yield* log.append({ stream: "task/t", taskId: "t", actor: "plugin:room@1", subject: "anna", events: [said] })
      }).pipe(Effect.provide(SqliteEventLog.layer({ filename: file })), Effect.runPromise)
      await append(file, "t", [reading(1)])
      await serving(file, async ({ url, origin }) => {
        const { page, said } = await open(browser.browser, url)
        await page.goto(`${origin}/t/main/t/@2?pane=${pane}&path=/tasks/t/readings/room~1heard`)
        await at(page, 2)
        const content = () => page.locator("body").textContent()
        await expect.poll(content).toContain(secret)
        await Effect.gen(function* () {
          yield* (yield* PersonalData).shred({ subject: "anna", reason: "she asked", actor: "human:officer" })
        }).pipe(Effect.provide(SqliteEventLog.layer({ filename: file })), Effect.runPromise)
        await expect.poll(content).not.toContain("Petersburg")
        // It is not left waiting: what can be read is shown.
        await page.locator(".event.here", { hasText: "@2" }).waitFor()
        await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
        await page.keyboard.press("n")
        await at(page, 3)
        expect(said).toEqual([])
      })
    },
  )

  it("is said to be missing where its segment is, in place of what cannot be shown", async () => {
    const file = path.join(directory, "archived.db")
    await append(file, "t", [opening("Listen"), ...Array.from({ length: 450 }, (_, index) => reading(index))])
    await Effect.gen(function* () {
      yield* (yield* Archive).archive({ until: 300, actor: "human:ada" })
    }).pipe(Effect.provide(SqliteEventLog.layer({ filename: file })), Effect.runPromise)
    fs.rmSync(`${file}.segments`, { recursive: true })
    await serving(file, async ({ url }) => {
      const { page } = await open(browser.browser, url.replace("/#", "/l/main/@10#"))
      await page.locator(".world-part", { hasText: "Put the file back" }).waitFor()
      expect(await page.locator(".pane").textContent()).toContain("Put the file back")
    })
  })
})

describe("a search that is not done", () => {
  it("is left for another one, of which alone is said something, and can be stopped", async () => {
    const file = path.join(directory, "searched.db")
    await append(file, "t", [opening("Sort")])
    await serving(file, async ({ url }) => {
      const { page } = await open(browser.browser, url.replace("/#", "/plugins#"))
      await page.locator("h1").waitFor()
      await page.route("**/api/search?*", () => {})
      const stop = page.getByRole("button", { name: "stop" })
      const said = () => page.locator(".search [role=status]").textContent()
      await say(page, "search one")
      await stop.waitFor()
      await say(page, "search other")
      await page.locator("h1", { hasText: "other" }).waitFor()
      await expect.poll(said).toContain("searching …")
      await stop.click()
      await expect.poll(said).toBe("Stopped. 0 hits. ")
      await page.goBack()
      await expect.poll(said).toContain("searching …")
      await page.getByRole("searchbox", { name: /^Search goals/ }).fill("")
      await page.keyboard.press("Enter")
      await expect.poll(said).toContain("Finds goals, messages")
      expect(await stop.count()).toBe(0)
    })
  })
})

describe("a search with very many hits", () => {
  it("shows the newest at first, and earlier ones when asked", async () => {
    const file = path.join(directory, "hits.db")
    const readings = Array.from({ length: 120 }, (_, number) => reading(`parcel ${number}`))
    await append(file, "t", [opening("Sort"), ...readings])
    await serving(file, async ({ url, origin }) => {
      const { page, said } = await open(browser.browser, url.replace("/#", "/plugins#"))
      await page.locator("h1").waitFor()
      await say(page, "search parcel")
      await page.getByText("The newest 50 hits.").waitFor()
      expect(await page.locator(".found .at").first().textContent()).toBe("@121")
      expect(await page.locator(".found mark").first().textContent()).toBe("parcel")
      await page.getByRole("button", { name: "more hits" }).click()
      await page.getByText("The newest 100 hits.").waitFor()
      await page.getByRole("button", { name: "more hits" }).click()
      await expect.poll(() => page.locator(".search [role=status]").textContent()).toBe("120 hits. ")
      expect(await page.locator(".found li").count()).toBe(120)
      expect(new URL(page.url()).origin).toBe(origin)
      expect(said).toEqual([])
    })
  })
})

describe("a task of some thousand events", () => {
  it("is stepped through across its chunks by changes and failures, forward and back", async () => {
    const file = path.join(directory, "long.db")
    const failed: CoreNewEvent = {
      type: "SensorFailed",
      payload: { sensor: "room/view", error: { code: "dark", message: "It is dark." } },
    }
    const between = Array.from({ length: 450 }, () => reading(1))
    await append(file, "t", [opening("Walk"), reading(0), ...between, failed, ...between, reading(7)])
    await serving(file, async ({ url, origin }) => {
      const { page } = await open(browser.browser, url)
      await page.goto(`${origin}/t/main/t/@4?path=/tasks/t/readings/room~1view`)
      await at(page, 4)
      for (const [key, position] of [
        ...([
          ["b", 453],
          ["c", 904],
          ["B", 453],
          ["C", 3],
          ["End", 904],
          ["P", 894],
        ] as const),
      ]) {
        await page.keyboard.press(key)
        await at(page, position)
      }
      await page.goto(`${origin}/l/main/@195`)
      await at(page, 195)
      for (const [key, position] of [
        ...([
          ["N", 205],
          ["P", 195],
          ["b", 453],
          ["B", 453],
        ] as const),
      ]) {
        await page.keyboard.press(key)
        await at(page, position)
      }
      const notice = page.getByText("Nothing failed before this.")
      await notice.waitFor()
      // What is said is gone with the next command, whether a key or its name gave it.
      await say(page, "why")
      await notice.waitFor({ state: "detached" })
    })
  })
})

describe("a shared file", () => {
  const share = async (...tasks: ReadonlyArray<string>): Promise<string> => {
    const output = path.join(directory, `${tasks.join("-")}.html`)
    await document(["export", "studio", ...tasks, "--log", await demoLog(23, 7), "--output", output, "--force"])
    return output
  }

  it("opens from disk, asks for nothing, and answers what happened and why", async () => {
    const file = await share("task-0015")
    expect(fs.statSync(file).size).toBeLessThan(1_000_000)
    const { page, abroad, said, context } = await open(browser.browser, pathToFileURL(file).href)
    await context.setOffline(true)
    await at(page, 1044)
    expect(await page.locator(".sentence").textContent()).toContain("There is no boiler any more.")
    await page.keyboard.press("w")
    await expect.poll(() => page.locator(".links").textContent()).toContain("failed here")
    await expect.poll(() => page.locator(".chain").first().textContent()).toContain("TaskOpened")
    await say(page, "/tasks/task-0015/environment/boiler/bar")
    await expect.poll(() => page.locator(".history").textContent()).toContain("4.6")
    await say(page, "@1010")
    await at(page, 1010)
    await page.goBack()
    await at(page, 1044)
    await say(page, "event.type == 'SensorFailed'")
    await expect.poll(() => page.locator(".hits").textContent()).toContain("open the log with")
    expect({ abroad, said }).toEqual({ abroad: [], said: [] })
  })

  it("is what a report beside it links into, as far as it shows the tasks", async () => {
    const page = path.join(directory, "run #1 of 50 %.html")
    const log = await demoLog(23, 7)
    await document(["export", "studio", "task-0015", "task-0001", "--log", log, "--output", page])
    const report = async (...args: ReadonlyArray<string>) => {
      const file = path.join(directory, `report-${args.length}.html`)
      await document(["export", "html", "--studio", page, "--log", log, "--output", file, ...args])
      return open(browser.browser, pathToFileURL(file).href)
    }
    const all = await report("--scores", "live")
    // The table of all tasks names it, and another table, too.
    expect(await all.page.locator("a", { hasText: "task-0001" }).count()).toBe(2)
    expect(await all.page.locator("a", { hasText: "task-0002" }).count()).toBe(0)
    const one = await report("--task", "task-0015", "--scores", "live")
    await one.page.locator("tr#e1044 a").click()
    await at(one.page, 1044)
    expect(await one.page.locator(".sentence").textContent()).toContain("There is no boiler any more.")
    expect([...one.abroad, ...one.said]).toEqual([])
  })

  it("is not linked to for what it does not show yet, nor by a page that somebody changed", async () => {
    const [log, page] = [path.join(directory, "goes-on.db"), path.join(directory, "goes-on.html")]
    const report = async (name: string, studio: string) => {
      const file = path.join(directory, name)
      await document(["export", "html", "--studio", studio, "--task", "visit", "--log", log, "--output", file])
      return [...fs.readFileSync(file, "utf8").matchAll(/href="[^"]*#\/t\/main\/visit\/@(\d+)"/g)].map(([, at]) => at)
    }
    await append(log, "visit", [opening("See the doctor"), reading({ seen: 1 })])
    await document(["export", "studio", "visit", "--log", log, "--output", page])
    await append(log, "visit", [reading({ seen: 2 }), { type: "TaskClosed", payload: { outcome: "achieved" } }])
    expect(new Set(await report("goes-on-1.html", page))).toEqual(new Set(["1", "2"]))
    const changed = path.join(directory, "changed.html")
    fs.writeFileSync(
      changed,
      fs.readFileSync(page, "utf8").replace(/(<template data-question="course[^>]*>)[^<]*/, "$1H4sI"),
    )
    expect(await report("goes-on-2.html", changed)).toEqual([])
  })

  it("holds the tasks that were named, and no other", async () => {
    const file = await share("task-0001", "task-0015")
    const { page } = await open(browser.browser, `${pathToFileURL(file).href}#/tasks`)
    await expect.poll(() => page.locator(".task-line").count()).toBe(2)
    const text = fs.readFileSync(file, "utf8")
    expect(text).not.toContain("task-0002")
    expect(text.match(/<template data-question="chunk\?/g)).toHaveLength(2)
  })

  /** All that a shared file holds, unpacked. */
  const heldBy = (file: string): string => {
    const html = fs.readFileSync(file, "utf8")
    const packed = [...html.matchAll(/<template [^>]*>([^<]*)<\/template>/g)].map(([, base64 = ""]) => base64)
    return html + packed.map((base64) => gunzipSync(Buffer.from(base64, "base64")).toString("utf8")).join("\n")
  }

  const SECRET = "Anna's allergies"

  it("leaves personal data out, wherever an answer would say it, unless it is told", async () => {
    const log = path.join(directory, "personal.db")
    await append(log, "visit", [opening("See the doctor")])
    await appendAs(
      log,
      "visit",
      { subject: "anna" },
      [reading({ said: SECRET }), { type: "NoteAdded", payload: { about: "task/visit", text: SECRET } }],
      [{ type: "TaskClosed", payload: { outcome: "failed", reason: SECRET } }],
    )
    const [without, withAll] = [path.join(directory, "without.html"), path.join(directory, "with.html")]
    await document(["export", "studio", "visit", "--log", log, "--output", without])
    await document(["export", "studio", "visit", "--log", log, "--output", withAll, "--personal"])
    expect(heldBy(without)).not.toContain("allergies")
    expect(heldBy(without)).toContain("Personal data was left out")
    expect(heldBy(withAll)).toContain(SECRET)
    const { page, said } = await open(browser.browser, `${pathToFileURL(without).href}#/t/main/visit/@2`)
    await at(page, 2)
    await expect.poll(() => page.locator(".pane").textContent()).toContain("not readable")
    expect(said).toEqual([])
  })

  it("shows hostile names as text", async () => {
    const log = path.join(directory, "hostile-shared.db")
    await append(log, `"><b>x`, [opening(EVIL), reading(EVIL)])
    const file = path.join(directory, "hostile.html")
    await document(["export", "studio", `"><b>x`, "--log", log, "--output", file])
    const { page, dialogs, said } = await open(browser.browser, pathToFileURL(file).href)
    await at(page, 2)
    expect(await page.locator("h1").textContent()).toContain("<script>alert(2)</script>")
    expect(await page.locator("img, b").count()).toBe(0)
    expect({ dialogs, said }).toEqual({ dialogs: [], said: [] })
  })

  it("above 20 MB is refused, with what to do", async () => {
    const log = path.join(directory, "large.db")
    const random = () => reading(crypto.randomBytes(9_000).toString("base64"))
    const batches = Array.from({ length: 10 }, () => Array.from({ length: 200 }, random))
    await append(log, "large", [opening("Much")], ...batches)
    const file = path.join(directory, "large.html")
    const { code, stderr } = await hindcast(["export", "studio", "large", "--log", log, "--output", file])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/expected at most 20 MB\. Name fewer tasks/)
    expect(fs.existsSync(file)).toBe(false)
  })
})
