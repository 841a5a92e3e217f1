import * as http from "node:http"
import { Either } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ComparisonHtml from "../../src/html/ComparisonHtml.ts"
import * as LogPage from "../../src/html/LogPage.ts"
import * as TaskPage from "../../src/html/TaskPage.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as Comparison from "../../src/projections/comparison/Comparison.ts"
import * as LogReport from "../../src/projections/report/LogReport.ts"
import * as ScoreChoice from "../../src/projections/report/ScoreChoice.ts"
import * as TaskReport from "../../src/projections/report/TaskReport.ts"
import { event, inTask, place, sha } from "../projections/given.ts"
import { audits, confirmations, type Words } from "../projections/report/tasks.ts"
import { launch, type Viewer } from "./chromium.ts"
import { crowded, faint, overflow, unnamed } from "./legibility.ts"

let viewer: Viewer
beforeAll(async () => {
  viewer = await launch()
})
afterAll(() => viewer?.close())

const source = { log: "log.db", head: 1_000_000, by: "Hindcast" }

const madePage = (tasks: number, words?: Words, from = source) => {
  const draft = LogReport.begin(ScoreChoice.labelled("live"))
  for (const audit of audits(tasks, words)) draft.addAudit(audit)
  for (const each of confirmations(tasks)) draft.addConfirmationEvent(each)
  return [...LogPage.pieces(draft.report(), from)].join("")
}

/** Pages take a while to make: each is made once. */
const made = new Map<number, string>()
const logPage = (tasks: number): string => {
  const html = made.get(tasks) ?? madePage(tasks)
  made.set(tasks, html)
  return html
}

const comparisonPage = (tasks: number, words?: Words) => {
  const before = [...audits(tasks, words)].map(({ taskId, scores }) => [taskId, scores[0]] as const)
  const scored = (change: (net: number) => number) =>
    new Map(
      before.flatMap(([taskId, score]) => {
        if (score === undefined) return []
        const net = change(score.net)
        return [[taskId, { ...score, net, normalized: net / 1.5 }] as const]
      }),
    )
  const side = (name: string, change: (net: number) => number) => ({
    name,
    label: name,
    scoreSetIds: ["s"],
    scores: scored(change),
  })
  const [a, b] = [side(words?.goal ?? "live", (net) => net), side("strict", (net) => (net > 0.4 ? net + 0.1 : 2 * net))]
  return [...ComparisonHtml.pieces(Either.getOrThrow(Comparison.compare(a, b)), source)].join("")
}

/** A task of so many turns, with a failure, a question and a number that changes. */
const taskPage = (turns: number, words: Words = {}) => {
  const { goal = "Find it", agent = "me@1", component = "room/go", reward = "found", measure = "tidy" } = words
  const digest = sha("a")
  const story = Array.from({ length: turns }, (_, turn) => {
    const commandId = `c${turn}`
    const reading = { steps: turn, things: Array.from({ length: turn % 5 }, () => "thing"), note: goal }
    const asked = turn % 7 === 3
    const confirmationId = `q${turn}`
    return [
      event("SensorRead", { sensor: component, reading, priority: 0, latencyMs: 1 }),
      event("DecisionMade", { agent, choice: { act: goal } }),
      event("ActuatorCommanded", { commandId, actuator: component, args: { goal }, argsDigest: digest, priority: 0 }),
      ...(asked
        ? [
            event("ConfirmationRequested", { confirmationId, commandId, argsDigest: digest, shown: {}, expiresAt: 0 }),
            event("ConfirmationDecided", {
              confirmationId,
              approved: true,
              by: agent,
              channel: "cli",
              argsDigest: digest,
              waitedMs: 1_200,
            }),
          ]
        : []),
      turn % 4 === 1
        ? event("CommandFailed", { commandId, error: { code: "no", message: goal } })
        : event("CommandSucceeded", { commandId, result: goal, latencyMs: 3 }),
    ]
  }).flat()
  const rubric = { measures: [{ name: measure, rewards: [{ name: reward, weight: 1 }] }] }
  const events = place(
    inTask("task-1", [
      event("TaskOpened", { goal, measures: [], agent }),
      ...story,
      event("TaskClosed", { outcome: "achieved", reason: goal }),
      event("ScoringStarted", {
        scoreSetId: "s",
        taskIds: ["task-1"],
        rubric,
        rubricDigest: digest,
        critic: "rule",
        criticDigest: digest,
        label: "live",
        range: { from: 1, to: 5 },
      }),
      event("RewardGiven", { scoreSetId: "s", measure, name: reward, weight: 1, amount: 1, because: [story.length] }),
      event("PunishmentGiven", { scoreSetId: "s", measure, name: goal, weight: 0.2, amount: 0.4, because: [4, 8] }),
      event("ScoringFinished", { scoreSetId: "s", totals: {} }),
    ]),
  )
  const audit = Either.getOrThrow(TaskAudit.fold("task-1", events))
  const draft = TaskReport.begin(audit, audit.scores[0] ?? null, ({ payload }) => JSON.stringify(payload))
  for (const each of events) draft.add(each)
  return [...TaskPage.pieces(draft.report(), source)].join("")
}

const pages: ReadonlyArray<readonly [name: string, html: () => string]> = [
  ["a report of 3 tasks", () => logPage(3)],
  ["a report of 500 tasks", () => logPage(500)],
  ["a report of 10,000 tasks", () => logPage(10_000)],
  ["a page of one task", () => taskPage(30)],
  ["a page of a task that never did anything", () => taskPage(0)],
  ["a comparison of 60 pairs", () => comparisonPage(60)],
  ["a comparison of 3 pairs", () => comparisonPage(3)],
]

const viewings = [390, 1280].flatMap((width) => (["light", "dark"] as const).map((scheme) => ({ width, scheme })))

describe.each(pages)("%s", (_, html) => {
  it("is legible, fits, asks for nothing and says nothing, on a phone and a desk, in light and in dark", async () => {
    const { page, requests, said } = await viewer.open(html(), { width: 390 })
    for (const { width, scheme } of viewings) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme: scheme })
      const found = { faint: await faint(page), crowded: await crowded(page), overflow: await overflow(page) }
      expect({ width, scheme, ...found }).toEqual({ width, scheme, faint: [], crowded: [], overflow: 0 })
    }
    expect([requests, said]).toEqual([[], []])
    expect(await unnamed(page)).toBe(0)
    await page.close()
  })
})

it("what is illegible is found to be", async () => {
  const body = `<p id="p" style="color:#999">faint</p><svg width="100"><text y="20">one</text><text y="22">two</text></svg><div style="width:999px">wide</div>`
  const { page } = await viewer.open(`<!doctype html><body style="background:#fff">${body}`, { width: 390 })
  expect(await faint(page)).toEqual(["2.85 faint"])
  expect(await crowded(page)).toEqual(["one | two"])
  expect(await overflow(page)).toBeGreaterThan(600)
  await page.close()
})

describe("a page", () => {
  it("a page of 10,000 tasks is hardly larger than one of 500, and far below 5 MB and 5,000 elements", async () => {
    const [small, large] = [logPage(500), logPage(10_000)]
    expect(large.length).toBeLessThan(1.5 * small.length)
    expect(large.length).toBeLessThan(300_000)
    const { page } = await viewer.open(large, { width: 390 })
    expect(await page.locator("*").count()).toBeLessThan(5_000)
    await page.close()
  })

  it("a page of a task of thousands of events shows a bounded number of them, and says how many it leaves out", async () => {
    const html = taskPage(2_000)
    expect(html.length).toBeLessThan(1_000_000)
    const { page } = await viewer.open(html, { width: 390 })
    expect(await page.locator("tr[id]").count()).toBeLessThan(700)
    expect(await page.getByText(/more events, in the middle/).count()).toBe(1)
    await page.close()
  })

  it("leads from a reward to the event that is its evidence", async () => {
    const { page } = await viewer.open(taskPage(30), { width: 1280 })
    await page.getByRole("link", { name: "@8" }).click()
    expect(new URL(page.url()).hash).toBe("#e8")
    expect(await page.locator("#e8").textContent()).toContain("@8")
    await page.close()
  })
})

const HOSTILE = `<script>alert(1)</script></style></title><img src=x onerror=alert(2)>"' onload='alert(3)<svg onload=alert(4)>\u202e${"&lt;script&gt;"}`
const SHOWN = HOSTILE.replace("\u202e", "\\u{202e}")
const words = { goal: HOSTILE, agent: HOSTILE, component: `x/${HOSTILE}`, reward: HOSTILE, measure: HOSTILE }

describe("what a log says", () => {
  it.each([
    ["a report", () => madePage(20, words, { ...source, log: HOSTILE })],
    ["a task's page", () => taskPage(5, words)],
    ["a comparison", () => comparisonPage(20, words)],
  ])("is text in %s, whatever it looks like", async (_, html) => {
    const source = html()
    expect(source).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/)
    const { page, requests, said, dialogs } = await viewer.open(source, { width: 390 })
    const found = {
      scripts: await page.locator("script").count(),
      images: await page.locator("img").count(),
      handlers: await page.locator("[onload],[onerror]").count(),
      styles: await page.locator("style").count(),
    }
    expect(found).toEqual({ scripts: 0, images: 0, handlers: 0, styles: 1 })
    expect(await page.locator("body").textContent()).toContain(SHOWN)
    expect([requests, said, dialogs, await overflow(page)]).toEqual([[], [], [], 0])
    await page.close()
  })

  it("could do nothing even if it were more than text: the page forbids scripts, other styles and the network", async () => {
    let asked = 0
    const server = http.createServer((_, response) => {
      asked += 1
      response.end()
    })
    const address = await new Promise<string>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${portOf(server)}/`))
    })
    const injected = `<script>document.title = "run"</script><style>body{display:none}</style><p style="color:red" id="p">x</p><img src="${address}"><iframe src="${address}"></iframe>`
    const html = logPage(3).replace("</body>", () => `${injected}</body>`)
    const { page, said } = await viewer.open(html, { width: 390 })
    expect(await page.title()).toBe("Report of log.db")
    const style = (of: string, property: string) =>
      page
        .locator(of)
        .evaluate(
          (element, property) =>
            element.ownerDocument.defaultView?.getComputedStyle(element).getPropertyValue(property),
          property,
        )
    expect([await style("body", "display"), await style("#p", "color")]).toEqual(["block", "rgb(26, 27, 30)"])
    expect(said.filter((line) => line.includes("Content Security Policy")).length).toBeGreaterThanOrEqual(4)
    expect(asked).toBe(0)
    await page.close()
    server.close()
  })
})

const portOf = (server: http.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}
