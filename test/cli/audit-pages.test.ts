import { describe, expect, it } from "vitest"
import * as AuditMarkdown from "../../src/cli/pages/audit/AuditMarkdown.ts"
import * as AuditPage from "../../src/cli/pages/audit/AuditPage.ts"
import * as AuditTablePage from "../../src/cli/pages/audit/AuditTablePage.ts"
import * as TrendPage from "../../src/cli/pages/scores/TrendPage.ts"
import * as Markdown from "../../src/cli/terminal/Markdown.ts"
import * as ResponsiveTable from "../../src/cli/terminal/ResponsiveTable.ts"
import * as Sparkline from "../../src/cli/terminal/Sparkline.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import * as Rewards from "../../src/projections/audit/Rewards.ts"
import * as AuditTable from "../../src/projections/comparison/AuditTable.ts"
import type { Series } from "../../src/projections/comparison/Trend.ts"
import { audited, scored, TIMES, WILD } from "./auditStory.ts"

/** Cells of a row of a Markdown table, as GitHub splits them. */
const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

describe("rewards over time", () => {
  it("stand in the order in which they came true, each with its time and what all come to by then", () => {
    const given = Rewards.timeline(scored(), TIMES)
    expect(given.map(({ at, afterMs, name, amount, net }) => [at, afterMs, name, amount, net])).toEqual([
      [8, 800, "went on", 0.25, 0.25],
      [12, 1_200, "found the key", 0.3, 0.55],
      // It happened once, and has two events for evidence: it was true at the last of them.
      [16, 1_600, "noise", -0.1, 0.45],
      [20, 2_000, "went on", 0.25, 0.7],
    ])
  })

  it("stand at the end where no evidence is cited, and have no time where it is in no event of the task", () => {
    const [measure] = scored().measures
    const rewards = [{ name: "said so", weight: 1, times: 1, amount: 1, because: [] }]
    const measures = measure === undefined ? [] : [{ ...measure, rewards, punishments: measure.punishments }]
    const given = Rewards.timeline(scored({ measures }), new Map())
    expect(given.map(({ at, afterMs, net }) => [at, afterMs, net])).toEqual([
      [16, null, -0.1],
      [null, null, 0.9],
    ])
  })

  it("count what each event counts, where a world gave a reward of its own for each", () => {
    const [measure] = scored().measures
    const rewards = [{ name: "way", weight: 1, times: 2, amount: 4, because: [8, 12], amounts: [1, 3] }]
    const measures = measure === undefined ? [] : [{ ...measure, rewards, punishments: [] }]
    const given = Rewards.timeline(scored({ measures }), TIMES)
    expect(given.map(({ at, amount, net }) => [at, amount, net])).toEqual([
      [8, 1, 1],
      [12, 3, 4],
    ])
  })
})

describe("a return", () => {
  it("is shown as a number, and not as a part of what is possible", () => {
    expect(AuditPage.net({ net: 100, possible: 0 })).toBe("100")
    expect(AuditPage.net({ net: 1.5, possible: 2 })).toBe("1.5 of 2")
  })
})

describe("the page of an audit", () => {
  it("has a table of sensors and one of actuators, with columns for what happened, and the rewards over time", () => {
    const page = AuditPage.lines(plain, audited(), TIMES)
    const line = (start: string) => page.find((each) => each.startsWith(start))?.replaceAll(/ +/g, " ")
    expect(line("sensor")).toBe("sensor reads failures pushed p50 ms p95 ms max ms")
    expect(line("room/view")).toBe("room/view 4 1 0 1.3 2.0 3.0")
    expect(line("room/bell")).toBe("room/bell 2 0 2")
    expect(line("actuator")).toBe("actuator commanded succeeded denied expired p50 ms p95 ms max ms")
    expect(line("room/go")).toBe("room/go 3 1 1 1 4.0 5.0 6.0")
    expect(page.find((each) => each.includes("@16 "))?.replaceAll(/ +/g, " ")).toBe(
      " @16 +1.6 s − noise −0.1 0.45".trimStart(),
    )
    expect(Math.max(...page.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  it("says nothing of time where it is not known", () => {
    expect(AuditPage.lines(plain, audited()).join("\n")).not.toContain("over time")
  })
})

describe("Markdown", () => {
  it("shows words of others as they are, in code spans that no backtick in them ends", () => {
    expect(Markdown.code("plain")).toBe("`plain`")
    expect(Markdown.code("a | b")).toBe("`a \\| b`")
    expect(Markdown.code("tick ` `` ```")).toBe("```` tick ` `` ``` ````")
    expect(Markdown.code("`")).toBe("`` ` ``")
    expect(Markdown.code(" spaces ")).toBe("`  spaces  `")
    expect(Markdown.code("two\nlines")).toBe("`two lines`")
    expect(Markdown.code("\u001b[31mred\u202e")).toBe("`red\\u{202e}`")
    expect(Markdown.code("")).toBe("(empty)")
    expect(Markdown.code("back\\| bar")).toBe("back&#92;&#124; bar")
  })

  it("keeps its tables, whatever an agent, a plugin or a person wrote", () => {
    for (const words of WILD) {
      const measures = scored().measures.map((measure) => ({ ...measure, measure: words, plugin: words }))
      const unscored = [{ measure: words, name: words, reason: words }]
      const given = {
        taskId: words,
        goal: words,
        agent: words,
        reason: words,
        scores: [scored({ label: words, critic: words, measures, unscored })],
      }
      const document = AuditMarkdown.lines(audited(given), TIMES)
      const columns = document.filter((line) => line.startsWith("|")).map((line) => cellsOf(line).length)
      expect(columns).toEqual([
        ...Array(11).fill(2),
        ...Array(4).fill(7),
        ...Array(3).fill(8),
        ...Array(6).fill(7),
        ...Array(6).fill(5),
      ])
      expect(document.filter((line) => line.includes("\n"))).toEqual([])
      expect(document.filter((line) => /^#+ /.test(line)).map((line) => line.split(" ")[0])).toEqual([
        ...["#", "##", "##", "##", "###"],
      ])
      const rows = [AuditTable.rowOf(audited(given), new Set(["set-1"]))]
      const table = AuditTablePage.rowsMarkdown(
        { scores: { name: words, label: words }, tasks: 1, unscored: 0, left: 0 },
        rows,
      )
      expect(table.filter((line) => line.startsWith("|")).map((line) => cellsOf(line).length)).toEqual([12, 12, 12])
    }
  })

  it("names evidence by its positions", () => {
    const document = AuditMarkdown.lines(audited(), TIMES).join("\n")
    expect(document).toContain("| `room/progress` | + | `went on` | 0.25 | 2 | +0.5 | `@8` `@20` |")
    expect(document).toContain("| `@16` | 1.6 s | `noise` | −0.1 | 0.45 |")
    expect(document).toContain("`@3` to `@39`")
  })

  it("says that a task was not scored, or its scoring not finished", () => {
    expect(AuditMarkdown.lines(audited({ scores: [] }), TIMES).at(-1)).toBe("Not scored: no measure is active.")
    const unfinished = audited({ scores: [scored({ finished: false })] })
    expect(AuditMarkdown.lines(unfinished, TIMES).join("\n")).toContain("The scoring was not finished.")
  })
})

describe("the table of all tasks", () => {
  const audits = [
    audited({ taskId: "task-of-old-aaaaaaaa", steps: 5, range: { from: 1, to: 9 } }),
    audited({
      taskId: "task-of-old-bbbbbbbb",
      steps: 3,
      scores: [],
      outcome: null,
      durationMs: null,
      range: { from: 5, to: 7 },
    }),
    audited({
      taskId: "task-of-old-cccccccc",
      agent: "other@2",
      outcome: "failed",
      steps: 9,
      range: { from: 8, to: 20 },
      scores: [
        scored({ net: -0.5, scoreSetId: "set-0" }),
        scored({ net: 0.1, unscored: [{ measure: "m", name: "n", reason: "r" }] }),
      ],
    }),
  ]
  const rows = audits.map((audit) => AuditTable.rowOf(audit, new Set(["set-0", "set-1"])))
  const sortedBy = (column: keyof typeof AuditTable.ROW_COLUMNS, descending: boolean) =>
    AuditTable.sorted(rows, AuditTable.ROW_COLUMNS[column], descending).map(({ taskId }) => taskId.slice(-1))

  it("takes the last score of those that are chosen, and none for zero", () => {
    expect(rows.map(({ score }) => score?.net ?? null)).toEqual([0.7, null, 0.1])
    expect(AuditTable.rowOf(audits[0] ?? audited(), new Set(["other"])).score).toBe(null)
    expect(rows[0]).toMatchObject({ reads: 6, unread: 1, asked: 1, changes: 4, tokens: 0, plugins: ["room"] })
  })

  it("sorts by any column, either way, and puts last what has no value", () => {
    expect(sortedBy("steps", false)).toEqual(["b", "a", "c"])
    expect(sortedBy("steps", true)).toEqual(["c", "a", "b"])
    expect(sortedBy("score", false)).toEqual(["c", "a", "b"])
    expect(sortedBy("score", true)).toEqual(["a", "c", "b"])
    expect(sortedBy("agent", false)).toEqual(["c", "a", "b"])
    expect(sortedBy("outcome", false)).toEqual(["a", "c", "b"])
  })

  it("groups by agent, goal, outcome and plugin, and leaves the unscored out of every mean", () => {
    const [walker, other] = AuditTable.group(rows, "agent")
    expect(walker).toMatchObject({
      group: "walker@1.0.0",
      tasks: 2,
      scored: 1,
      unscored: 1,
      mean: 0.7,
      median: 0.7,
      deviation: null,
      outcomes: { achieved: 1, failed: 0, truncated: 0, abandoned: 0, open: 1 },
      steps: 4,
      medianMs: 5_000,
    })
    expect(other).toMatchObject({ group: "other@2", tasks: 1, scored: 1, mean: 0.1, least: 0.1, most: 0.1 })
    expect(AuditTable.group(rows, "outcome").map(({ group }) => group)).toEqual(["achieved", "open", "failed"])
    const [plugin] = AuditTable.group(rows, "plugin")
    expect(plugin).toMatchObject({ group: "room", tasks: 3, scored: 2, mean: 0.4, median: 0.4, least: 0.1, most: 0.7 })
    expect(plugin?.deviation).toBeCloseTo(0.424264069, 9)
    expect(AuditTable.group([rows[1] ?? AuditTable.rowOf(audited(), new Set())], "goal")).toMatchObject([
      { scored: 0, mean: null },
    ])
  })

  it("gives each model what it used of a task that asked several", () => {
    const cost = { usd: 1, atLeast: 1, unpriced: 0, prices: [] }
    const used = (modelCalls: number, tokens: number, steps: number, unmetered = 0) => ({
      ...{ modelCalls, tokens, unmetered, steps, cost },
    })
    const row = AuditTable.rowOf(audited({ steps: 5 }), new Set())
    const both = { ...row, models: ["p/a", "p/b"], byModel: { "p/a": used(1, 10, 2), "p/b": used(2, 300, 3, 1) } }
    expect(AuditTable.group([both], "model")).toMatchObject([
      { group: "p/a", tasks: 1, modelCalls: 1, tokens: 10, steps: 2, cost },
      { group: "p/b", tasks: 1, modelCalls: 2, tokens: 300, unmetered: 1, steps: 3, cost },
    ])
  })

  const shown = { scores: { name: "official", label: "strict" }, tasks: 3, unscored: 1, left: 2 }
  const known = rows.map(({ taskId }) => taskId)

  it("fits 80 columns, and shows more where there is more room", () => {
    const pages = [60, 80, 200].map((width) => AuditTablePage.rows(plain, shown, rows, known, width))
    expect(pages.map((page) => Math.max(...page.slice(0, 4).map(({ length }) => length)))).toEqual([
      expect.toSatisfy((width: number) => width <= 60),
      expect.toSatisfy((width: number) => width <= 80),
      expect.toSatisfy((width: number) => width > 120 && width <= 200),
    ])
    const headings = pages.map((page) => page[0]?.split(/ {2,}/).length ?? 0)
    expect(headings[0]).toBeLessThan(headings[1] ?? 0)
    expect(headings[1]).toBeLessThan(headings[2] ?? 0)
    expect(pages[1]?.[1]).toMatch(/^aaaaaaaa +achieved +0\.7 of 1 /)
    expect(pages[2]?.[1]).toMatch(/^task-of-old-aaaaaaaa +achieved /)
    expect(pages[1]?.[2]).toMatch(/^bbbbbbbb +open +unscored /)
    expect(pages[2]?.[3]).toContain("0.1 of 1 (1 open)")
  })

  it("says which scores it is of, what has none, and what was left out", () => {
    const page = AuditTablePage.rows(plain, shown, rows, known, 80).join("\n")
    expect(page).toContain("… and 2 more, which --limit leaves out.")
    expect(page).toContain("3 tasks. Scores: official (strict). 1 of them have no score; they do not count as zero")
    const groups = AuditTablePage.groups(plain, shown, "plugin", AuditTable.group(rows, "plugin"), 80)
    expect(groups.at(-1)).toBe("A task is in the group of every plugin that takes part in it.")
    expect(Math.max(...groups.slice(0, 2).map(({ length }) => length))).toBeLessThanOrEqual(80)
    expect(AuditTablePage.rows(plain, { ...shown, scores: null }, rows, known, 80).at(-1)).toContain(
      "No task has a score",
    )
    expect(AuditTablePage.rows(plain, shown, [], known, 80)).toEqual(["No task was opened in this log."])
    const forked = { ...shown, where: "on the timeline fork-1" }
    for (const lines of [
      AuditTablePage.rows(plain, forked, [], known, 80),
      AuditTablePage.groups(plain, forked, "plugin", [], 80),
      AuditTablePage.groupsMarkdown(forked, "plugin", []),
    ]) {
      expect(lines.join("\n")).toContain("No task was opened on the timeline fork-1.")
    }
  })

  it("names tasks by as much of the end of their ids as tells them apart", () => {
    expect(AuditTablePage.idLength(["0198aaaa-aaaa-11111111", "0198aaaa-bbbb-11111112"])).toBe(8)
    expect(AuditTablePage.idLength(["0198aaaa-aaaa-11111111", "0198aaaa-bbbb-11111111"])).toBe(10)
    expect(AuditTablePage.idLength(["task-0001", "task-0002"])).toBe(9)
    expect(AuditTablePage.idLength([])).toBe(0)
  })

  it("shortens a column that may be shortened, and leaves out those that there is no room for", () => {
    const column = (heading: string, rank: number, cell: string, least?: number): ResponsiveTable.Column => ({
      heading,
      rank,
      cells: [cell],
      ...(least === undefined ? {} : { least }),
    })
    const columns = [
      column("id", 0, "12345678"),
      column("more", 1, "x".repeat(10)),
      column("text", 0, "y".repeat(40), 5),
    ]
    const width = (room: number) => ResponsiveTable.lines(plain, columns, room)[1]
    expect(width(27)).toBe(`12345678  ${"x".repeat(10)}  yyyy…`)
    expect(width(26)).toBe(`12345678  ${"y".repeat(15)}…`)
    expect(width(100)).toBe(`12345678  ${"x".repeat(10)}  ${"y".repeat(40)}`)
  })
})

describe("the page of a trend", () => {
  const series = (more: Partial<Series> = {}): Series => ({
    agent: "walker@1",
    tasks: 12,
    scored: 12,
    unscored: 0,
    undecided: 0,
    unfinished: 0,
    points: Array.from({ length: 12 }, (_, index) => ({
      taskId: `t${index}`,
      number: index + 1,
      at: index + 1,
      value: index / 12,
      median: index / 12,
    })),
    first: { tasks: 4, mean: 0.125, median: 0.125 },
    last: { tasks: 4, mean: 0.792, median: 0.792 },
    answer: "better",
    tau: 1,
    p: { value: 4e-9, method: "exact", adjusted: 4e-9 },
    slope: { perTask: 0.0833, low: 0.08, high: 0.09 },
    ...more,
  })
  const trend = (...all: ReadonlyArray<Series>) => ({
    scores: { name: "live", label: "live", scoreSetIds: ["s"] },
    measure: null,
    value: "net" as const,
    series: all,
  })
  const page = (...all: ReadonlyArray<Series>) => TrendPage.lines(plain, trend(...all), 80).join("\n")

  it("says the answer first, draws the scores, and says in words what it rests on", () => {
    const told = page(series())
    expect(told).toContain("walker@1: it is getting better")
    expect(told).toContain("scores  ▁▂▂▃▄▄▅▅▆▇▇█ 0 to 0.917")
    expect(told).toContain("The first third scored 0.125 on average, the last third 0.792: 0.667 more.")
    expect(told).toContain("Mann–Kendall: τ 1, p < 0.001 (exact)")
    expect(told).toContain("Theil–Sen: +0.083 a task, 95 % interval +0.08 to +0.09")
    expect(told).not.toContain("Holm")
    expect(Math.max(...told.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(110)
  })

  it("concludes nothing where nothing can be concluded, and says what was left out", () => {
    const few = series({
      answer: "descriptive",
      p: null,
      tau: null,
      slope: null,
      unscored: 3,
      undecided: 2,
      unfinished: 1,
    })
    expect(page(few)).toContain("walker@1: descriptive only: under 10 scored tasks")
    expect(page(few)).toContain("3 unscored (left out, not counted as zero); 2 partly undecided; 1 in a scoring")
    expect(page(few)).not.toContain("Mann–Kendall")
    const none = series({
      answer: "descriptive",
      points: [],
      scored: 0,
      first: null,
      last: null,
      p: null,
      tau: null,
      slope: null,
    })
    expect(page(none)).toContain("walker@1: not scored")
    const same = series({ answer: "unclear", points: series().points.map((point) => ({ ...point, value: 2 })) })
    expect(page(same)).toContain("no change: every task scored 2")
  })

  it("tells of several agents what each of them came to by Holm's method", () => {
    const other = series({ agent: "other|`x`", answer: "unclear", p: { value: 0.04, method: "exact", adjusted: 0.08 } })
    expect(page(series(), other)).toContain("p = 0.04 (exact), p = 0.08 by Holm")
    expect(page(series(), other)).toContain("Several agents were examined")
    const rows = TrendPage.markdown(trend(series(), other)).filter((line) => line.startsWith("|"))
    expect(rows.map((line) => cellsOf(line).length)).toEqual([3, 3, 3, 3])
  })

  it("draws many values in few cells, and equal ones at half height", () => {
    expect(
      Sparkline.line(
        Array.from({ length: 1_000 }, (_, index) => index),
        8,
      ),
    ).toBe("▁▂▃▄▅▆▇█")
    expect(Sparkline.line([3, 3, 3], 8)).toBe("▅▅▅")
    expect(Sparkline.line([], 8)).toBe("")
  })
})
