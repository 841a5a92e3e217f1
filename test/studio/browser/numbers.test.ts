import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as FormattedNumbers from "../../../src/html/FormattedNumbers.ts"
import type { TaskAudit } from "../../../src/projections/audit/TaskAudit.ts"
import * as CountingScore from "../../../src/projections/report/CountingScore.ts"
import { Quantiles } from "../../../src/projections/report/Quantiles.ts"
import { stateOf } from "../../../src/projections/summary/Activity.ts"
import * as Outcome from "../../../src/projections/summary/Outcome.ts"
import { cost, tokens } from "../../../src/studio/page/parts/amounts.ts"
import { duration, signed } from "../../../src/studio/page/parts/format.ts"
import * as Money from "../../../src/values/Money.ts"
import * as Sum from "../../../src/values/Sum.ts"
import { document, hindcast } from "../../cli/hindcast.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { promoted, TEN } from "./tenLogs.ts"
import { open } from "./watching.ts"
import { asKernel, serving } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-numbers-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

/** Tasks of a timeline whose own pages are looked at: the newest. */
const LOOKED_AT = 3

interface ListedTask {
  readonly id: string
  readonly timeline?: string
  readonly outcome: "achieved" | "failed" | "abandoned" | "truncated" | null
  readonly unjudged?: true
  readonly activity: Parameters<typeof stateOf>[0]["activity"]
  readonly score: { readonly net: number; readonly label: string } | null
}

/** What the command line says of a log: its tasks, each with its audit, and which scores are official. */
const audited = async (log: string) => {
  const { tasks } = (await document(["task", "ls", "--all", "--log", log])) as {
    readonly tasks: ReadonlyArray<ListedTask>
  }
  const sets = (await document(["score", "ls", "--all", "--log", log])) as {
    readonly scoreSets: ReadonlyArray<{ readonly scoreSetId: string; readonly pointers: ReadonlyArray<string> }>
  }
  const official = sets.scoreSets.find(({ pointers }) => pointers.includes("official"))?.scoreSetId
  const found: Array<{ readonly task: ListedTask; readonly audit: TaskAudit }> = []
  for (const task of tasks) {
    const on = task.timeline === undefined ? [] : ["--timeline", task.timeline]
    found.push({ task, audit: (await document(["audit", task.id, ...on, "--log", log])) as unknown as TaskAudit })
  }
  return found.map((one) => ({ ...one, score: CountingScore.of(one.audit.scores, official) }))
}

type Audited = Awaited<ReturnType<typeof audited>>[number]

/** The row of a task, as its audit has it. */
const rowOf = ({ task, audit, score }: Audited) => ({
  id: task.id,
  state: stateOf({ outcome: audit.outcome === null ? null : Outcome.of(audit), activity: task.activity }),
  steps: audit.steps.toLocaleString("en"),
  took: audit.durationMs === null ? "" : duration(audit.durationMs),
  tokens: audit.model === undefined ? "" : tokens(audit.model),
  cost: audit.model === undefined ? "" : cost(audit.model),
  net: score === null ? "" : signed(score.net),
})

/** The rows that the list shows, once these tasks are among them and everything is counted. */
const rowsIn = async (page: Page, expected: ReadonlyArray<Audited>) => {
  const cells = () =>
    page.locator(".task-line").evaluateAll((lines) =>
      lines.map((line) => {
        const of = (name: string) => line.querySelector(name)?.textContent ?? "?"
        return {
          id: (line.querySelector(".pick input")?.getAttribute("aria-label") ?? "").replace("Select ", ""),
          state: of(".outcome"),
          steps: of(".steps"),
          took: of(".took"),
          tokens: of(".tokens"),
          cost: of(".cost"),
          net: of(".net"),
        }
      }),
    )
  let found = await cells()
  await expect
    .poll(
      async () => {
        found = await cells()
        return {
          missing: expected.filter(({ task }) => found.every(({ id }) => id !== task.id)).map(({ task }) => task.id),
          uncounted: found.filter(({ tokens }) => tokens === "…").length,
        }
      },
      { timeout: 60_000 },
    )
    .toEqual({ missing: [], uncounted: 0 })
  return found
}

/** The totals of the audits of several tasks. */
const totalsOf = (all: ReadonlyArray<Audited>) => {
  const nets = all.flatMap(({ score }) => (score === null ? [] : [score.net]))
  const models = all.flatMap(({ audit }) => audit.model ?? [])
  const durations = new Quantiles()
  for (const { audit } of all) if (audit.durationMs !== null) durations.add(audit.durationMs)
  const median = durations.spread()?.median
  const sum = (of: (model: NonNullable<TaskAudit["model"]>) => number) =>
    models.reduce((total, model) => total + of(model), 0)
  const atLeast = Sum.of(models.map((model) => model.cost.atLeast))
  const use = {
    calls: sum(({ calls }) => calls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    unmetered: sum(({ unmetered }) => unmetered),
    cost: { usd: models.some((model) => model.cost.usd === null) ? null : atLeast, atLeast },
  }
  return {
    score: nets.length === 0 ? "not scored" : signed(Sum.round(Sum.of(nets) / nets.length)),
    cost: models.length === 0 ? "no model" : cost(use),
    tokens: models.length === 0 ? "–" : tokens(use),
    time: median === undefined ? "none closed" : duration(median),
  }
}

const totalsIn = async (page: Page) => {
  await expect.poll(() => page.locator(".totals").textContent(), { timeout: 60_000 }).not.toContain("counting")
  const cells = await page
    .locator(".totals dd")
    .evaluateAll((all) => all.map((cell) => cell.firstChild?.textContent ?? ""))
  const [score, spent, used, time] = cells.map((cell) => cell.trim())
  return { score, cost: spent, tokens: used, time }
}

/** The facts of a task's own page. */
const factsOf = ({ audit, score }: Audited) => [
  ...(audit.durationMs === null ? [] : [duration(audit.durationMs)]),
  ...(audit.model === undefined
    ? []
    : [
        `${tokensInWords(audit.model)} · ${audit.model.cost.usd === null && audit.model.cost.atLeast === 0 ? "cost unknown" : Money.cost(audit.model.cost)}`,
      ]),
  ...(score === null
    ? audit.scores.length === 0
      ? []
      : ["not scored"]
    : [`score ${signed(score.net)} by ${score.label}`]),
]

const tokensInWords = ({ inputTokens, outputTokens, unmetered }: NonNullable<TaskAudit["model"]>): string => {
  const all = inputTokens + outputTokens
  if (all === 0 && unmetered > 0) return "tokens unknown"
  return `${unmetered > 0 ? "at least " : ""}${all.toLocaleString("en")} token${all === 1 ? "" : "s"}`
}

/** Holds what the pages of a log say against its audits. */
const compare = async (log: string, url: string): Promise<void> => {
  const all = await audited(log)
  const { page, said } = await open(browser.browser, url.replace("/#", "/tasks?order=oldest#"), { height: 2400 })
  for (const timeline of new Set(all.map(({ task }) => task.timeline ?? "main"))) {
    // A fork's list has the tasks of its parent up to there, too.
    const own = all.filter(({ task }) => (task.timeline ?? "main") === timeline)
    if (timeline !== "main") await page.getByLabel("Timeline").selectOption(timeline)
    const rows = await rowsIn(page, own)
    for (const one of own) expect(rows).toContainEqual(rowOf(one))
    if (timeline === "main") expect(await totalsIn(page)).toEqual(totalsOf(own))
    for (const one of own.slice(-LOOKED_AT)) {
      const { page: visited } = await open(
        browser.browser,
        url.replace("/#", `/t/${encodeURIComponent(timeline)}/${encodeURIComponent(one.task.id)}#`),
      )
      const line = visited.locator(".sentence .facts-line").first()
      await expect.poll(() => line.textContent()).toContain("times in")
      const facts = (await line.locator(":scope > *").allTextContents()).map((fact) => fact.trim())
      expect(facts).toEqual(expect.arrayContaining([...factsOf(one)]))
      await visited.context().close()
    }
  }
  expect(said).toEqual([])
  await page.context().close()
}

/** Holds the list, the screen and the report of a task against its audit. */
const compareElsewhere = async (log: string): Promise<void> => {
  for (const { task, score } of (await audited(log)).slice(-LOOKED_AT)) {
    const on = task.timeline === undefined ? [] : ["--timeline", task.timeline]
    expect(task.score?.net ?? null).toBe(score?.net ?? null)
    const shown = await document(["task", "show", task.id, ...on, "--log", log])
    expect(shown.score).toEqual(
      score === null ? null : { scoreSetId: score.scoreSetId, label: score.label, net: score.net },
    )
    const report = await hindcast(["export", "html", "--task", task.id, ...on, "--log", log, "--output", "-"])
    expect(report, report.stderr).toMatchObject({ code: 0 })
    const net = score === null ? "not scored" : FormattedNumbers.signed(score.net)
    expect(report.stdout).toContain(`<dt>net score</dt><dd>${net}<small>`)
  }
}

describe("every number on a page, held against the audit", () => {
  it.each(TEN)(
    "of a log that is %s",
    async (kind, make) => {
      const log = await make(directory)
      const look = () => serving(log, ({ url }) => compare(log, url))
      await (kind === "live" ? asKernel(log, look) : look())
      await compareElsewhere(log)
    },
    240_000,
  )

  it("of another scoring, which the bar chooses and links keep", async () => {
    const own = path.join(directory, "another")
    fs.mkdirSync(own)
    const log = await promoted(own)
    await serving(log, async ({ url }) => {
      const { page } = await open(browser.browser, url.replace("/#", "/tasks?order=oldest#"), { height: 2400 })
      const all = await audited(log)
      const byOfficial = await rowsIn(page, all)
      await page.getByRole("banner").getByRole("combobox", { name: "score" }).selectOption("live")
      const rows = all.map((one) => ({
        ...one,
        score: one.audit.scores.findLast(({ label, finished }) => finished && label === "live") ?? null,
      }))
      await expect.poll(() => rowsIn(page, all), { timeout: 60_000 }).toEqual(rows.map(rowOf))
      expect(byOfficial).not.toEqual(rows.map(rowOf))
      expect(new URL(page.url()).searchParams.get("scores")).toBe("live")
      const scored = rows.findLast(({ score }) => score !== null && score.net !== 0)
      if (scored === undefined) throw new Error("expected a scored task")
      await page.locator(`.task-line:has([aria-label="Select ${scored.task.id}"]) .task-link`).click()
      const line = page.locator(".sentence .facts-line").first()
      await expect.poll(() => line.textContent()).toContain(`score ${signed(scored.score?.net ?? 0)} by live`)
      expect(new URL(page.url()).searchParams.get("scores")).toBe("live")
      // Back at those that count, the link has no scores.
      await page.getByRole("banner").getByRole("combobox", { name: "score" }).selectOption("")
      await expect.poll(() => line.textContent()).toContain("by wordy")
      expect(new URL(page.url()).searchParams.get("scores")).toBe(null)
      await page.context().close()
    })
  })
})
