/** The tab "tree" of a task that started others, next to what `hindcast audit --tree` says. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import * as TreeAmounts from "../../../src/projections/tree/TreeAmounts.ts"
import { runInProcess } from "../../cli/inProcess.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { workplace } from "../../workplace.ts"
import { violationsInBothSchemes } from "./accessibility.ts"
import { open } from "./watching.ts"
import { append, EVIL, serving, UNSEEN } from "./writing.ts"

const place = workplace()
const log = place.file("tree.db")

let browser: OwnBrowser
beforeAll(async () => {
  browser = await launchProtected()
  await append(log, "top", [opened("Plan the trip"), asked("t"), answered("t", 0.5)])
  await append(log, "one", [
    opened(EVIL, "top"),
    asked("a"),
    answered("a", 0.25),
    closed("achieved"),
    ...scored("one", 2),
  ])
  await append(log, "inner", [opened("Ask the station", "one"), asked("lost"), closed("failed", "no trains")])
  await append(log, "two", [opened("Book the hotel", "top"), closed("achieved"), ...scored("two", -3)])
  await append(log, "other", [opened("Something else")])
})
afterAll(() => browser?.close())

const opened = (goal: string, parent?: string): CoreNewEvent => ({
  type: "TaskOpened",
  payload: {
    goal,
    measures: [],
    agent: "planner@1",
    seed: 1,
    ...(parent === undefined ? {} : { parent: { taskId: parent } }),
  },
})

const idOf = (name: string) => `0198aaaa-0000-7000-8000-${Buffer.from(name.padEnd(6, "0")).toString("hex")}`

const asked = (name: string): CoreNewEvent => ({
  ...{ type: "ModelCalled", id: idOf(name) },
  payload: { provider: "test", model: "one", requestDigest: "0".repeat(64), request: {} },
})

const answered = (name: string, usd: number): CoreNewEvent => ({
  ...{ type: "ModelResponded", causationId: idOf(name) },
  payload: {
    response: {},
    usage: { inputTokens: 100, outputTokens: 10 },
    latencyMs: 1,
    cost: { usd, prices: "test@1" },
  },
})

const closed = (outcome: "achieved" | "failed", reason?: string): CoreNewEvent => ({
  type: "TaskClosed",
  payload: { outcome, ...(reason === undefined ? {} : { reason }) },
})

/** The score that a task got when it closed. */
const scored = (task: string, net: number): ReadonlyArray<CoreNewEvent> => {
  const scoreSetId = `live-${task}`
  const [rubricDigest, criticDigest] = ["0", "0"].map((digit) => digit.repeat(64))
  const rubric = { name: "r", measures: [{ name: "r", rewards: [{ name: "x", weight: net }] }] }
  const set = { scoreSetId, label: "live", rubric, rubricDigest, critic: "rule@4", criticDigest }
  const totals = { earned: Math.max(0, net), lost: Math.max(0, -net), net, unscored: 0 }
  return [
    {
      type: "ScoringStarted",
      payload: { ...set, taskIds: [task], range: { from: 1, to: 2 } },
    },
    {
      type: net > 0 ? "RewardGiven" : "PunishmentGiven",
      payload: { scoreSetId, measure: "r", name: "x", weight: net, amount: Math.abs(net), because: [] },
    },
    { type: "ScoringFinished", payload: { scoreSetId, totals: { [task]: totals } } },
  ] as ReadonlyArray<CoreNewEvent>
}

interface Sums extends TreeAmounts.Amounts {
  readonly tasks: number
  readonly commands: number
  readonly rewards: { readonly net: number } | null
}

/** What a line has to say of a task in the audit. */
const cellsOf = ({
  all,
  own,
  outcome,
}: {
  readonly all: Sums
  readonly own: Sums
  readonly outcome: string | null
}) => [
  outcome,
  ...[all.tasks, all.commands, all.calls].map(String),
  ...[TreeAmounts.tokens(all), TreeAmounts.cost(all)],
  all.rewards === null ? "" : `${all.rewards.net > 0 ? "+" : ""}${all.rewards.net}`.replace("-", "−"),
  TreeAmounts.cost(own),
  "planner",
]

describe("a task that started others", () => {
  it("has a tab of its tree, with the numbers of `audit --tree`, to which the list of tasks leads", async () => {
    const { tasks } = JSON.parse((await runInProcess(["audit", "top", "--tree", "--json", "--log", log])).stdout)
    // The money of a request without an answer is unknown, and so is every sum that it is in.
    expect(tasks[0]).toMatchObject({
      own: { usd: 0.5 },
      all: { tasks: 4, usd: null, atLeastUsd: 0.75, rewards: { net: -1 } },
    })
    await serving(log, async ({ origin, url }) => {
      const { page, said, dialogs } = await open(browser.browser, url)
      await page.locator(".task-line").first().waitFor()
      expect(await page.locator(".task-line > .below").allInnerTexts()).toEqual(
        expect.arrayContaining(["3 below", "1 below"]),
      )
      await page.getByRole("link", { name: "3 below" }).click()
      await page.waitForURL(`${origin}/t/main/top**view=tree**`)
      const lines = page.getByRole("region", { name: "Tasks and their sums" }).locator("tbody tr")
      await expect.poll(() => lines.count()).toBe(4)
      expect(await page.getByRole("tab", { name: "tree" }).getAttribute("aria-selected")).toBe("true")
      const shown = await lines.evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? "")),
      )
      const expected: ReadonlyArray<ReadonlyArray<string | null>> = tasks.map(cellsOf)
      expect(shown.map((cells) => cells.slice(1))).toEqual(expected.map((cells) => cells.slice(1)))
      expect(shown.map(([outcome]) => outcome)).toEqual(["stopped", "achieved", "failed", "achieved"])
      await page.getByText("4 tasks: 2 achieved, 1 failed, 1 open.").waitFor()
      expect(await lines.nth(2).textContent()).toMatch(/^level 2: Ask the station/)
      expect(await page.locator("main").textContent()).not.toMatch(UNSEEN)
      expect(await violationsInBothSchemes(page)).toEqual([])
      await page.setViewportSize({ width: 390, height: 800 })
      expect(await overflow(page)).toBeLessThanOrEqual(0)

      // It follows the log, and a line leads to its task.
      await append(log, "three", [opened("Pack", "top")])
      await page.getByRole("rowheader", { name: "Pack" }).waitFor()
      await page.getByRole("link", { name: "Book the hotel" }).click()
      await page.waitForURL(`${origin}/t/main/two**`)
      await page.getByRole("heading", { name: "Book the hotel" }).waitFor()
      await page.getByRole("tab", { name: "tree" }).waitFor({ state: "detached" })
      await page.getByRole("tab", { name: "debugger" }).waitFor()
      expect({ said, dialogs }).toEqual({ said: [], dialogs: [] })
    })
  })
})
