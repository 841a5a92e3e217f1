import { describe, expect, it } from "vitest"
import * as AuditsMarkdown from "../../src/cli/export/AuditsMarkdown.ts"
import * as AuditMarkdown from "../../src/cli/pages/audit/AuditMarkdown.ts"
import * as AuditPage from "../../src/cli/pages/audit/AuditPage.ts"
import * as AuditTablePage from "../../src/cli/pages/audit/AuditTablePage.ts"
import * as TaskListPage from "../../src/cli/pages/audit/TaskListPage.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import * as ModelCosts from "../../src/html/figures/ModelCosts.ts"
import * as LogPage from "../../src/html/LogPage.ts"
import * as TaskPage from "../../src/html/TaskPage.ts"
import * as ModelUse from "../../src/projections/audit/ModelUse.ts"
import type { TaskAudit } from "../../src/projections/audit/TaskAudit.ts"
import * as AuditTable from "../../src/projections/comparison/AuditTable.ts"
import * as AuditsRows from "../../src/projections/exports/AuditsRows.ts"
import * as Csv from "../../src/projections/exports/Csv.ts"
import * as LogReport from "../../src/projections/report/LogReport.ts"
import * as ScoreChoice from "../../src/projections/report/ScoreChoice.ts"
import * as TaskReport from "../../src/projections/report/TaskReport.ts"
import * as Money from "../../src/values/Money.ts"
import { audited, WILD } from "./auditStory.ts"

const use = (more: Partial<ModelUse.UseOfModel> = {}): ModelUse.UseOfModel => ({
  calls: 3,
  failed: 1,
  inputTokens: 1_200,
  outputTokens: 45,
  cachedTokens: 200,
  reasoningTokens: 0,
  unmetered: 0,
  cost: { usd: 0.0123, atLeast: 0.0123, unpriced: 0, prices: ["genai-prices@0.1.8"] },
  ...more,
})

const unpriced = use({ calls: 2, failed: 0, unmetered: 1, cost: { usd: null, atLeast: 0, unpriced: 2, prices: [] } })

const modelOf = (byModel: { readonly [name: string]: ModelUse.UseOfModel }): NonNullable<TaskAudit["model"]> => ({
  ...ModelUse.total(Object.values(byModel)),
  byModel,
})

const known = audited({ model: modelOf({ "acme/large": use() }) })
const mixed = audited({ taskId: "mixed", model: modelOf({ "acme/large": use(), "local/llama": unpriced }) })
const without = audited({ taskId: "without" })

const squeezed = (lines: ReadonlyArray<string>) => lines.map((line) => line.trim().replaceAll(/ +/g, " "))

describe("an amount of money", () => {
  it("is written with as many digits as it needs, also where it is very small or large", () => {
    const amounts = [0, 1e-12, 0.000000025, 0.000123456, 0.0045, 0.0123, 0.5, 12.345, 999_999.5, 1.5e12, 1.7e308]
    expect(amounts.map(Money.dollars)).toEqual([
      ...["$0", "$1.00e-12", "$0.000000025", "$0.000123", "$0.0045", "$0.0123", "$0.5000", "$12.35"],
      ...["$999999.50", "$1.50e+12", "$1.70e+308"],
    ])
  })

  it("that caching saved is an extra cost where it is negative, and unknown in part or whole", () => {
    const savings = [
      [0.25, 0],
      [-0.5, 0],
      [0.25, 1],
      [0, 2],
      [-0.5, 2],
    ] as const
    expect(
      savings.map(([known, unknown]) => Money.saving({ usd: unknown === 0 ? known : null, known, unknown })),
    ).toEqual([
      "caching saved $0.2500",
      "caching cost $0.5000 more",
      "caching saved $0.2500, and an unknown amount in 1 call",
      undefined,
      "caching cost $0.5000 more, and an unknown amount in 2 calls",
    ])
  })

  it("is a bound where a part is unknown, and unknown where nothing is known", () => {
    expect(Money.cost({ usd: null, atLeast: 0.5 })).toBe("at least $0.5000")
    expect(Money.costInTable({ usd: null, atLeast: 0.5 })).toBe("≥ $0.5000")
    expect(Money.cost({ usd: null, atLeast: 0 })).toBe("unknown")
    expect(Money.cost({ usd: 0, atLeast: 0 })).toBe("$0")
  })
})

describe("the page of an audit", () => {
  it("has what language models used and cost, in all and by model", () => {
    const page = squeezed(AuditPage.lines(plain, known))
    expect(page).toContain("model 3 calls, 1 failed, 1200 tokens in, 45 out")
    expect(page).toContain("cost $0.0123 by genai-prices@0.1.8")
    const table = page.indexOf("model calls failed tokens in cached out cost")
    expect(page[table + 1]).toBe("acme/large 3 1 1200 200 45 $0.0123")
  })

  it("says which part is known where a cost or tokens are not", () => {
    const page = squeezed(AuditPage.lines(plain, mixed))
    expect(page).toContain("model 5 calls, 1 failed, at least 2400 tokens in, 90 out")
    expect(page).toContain("cost at least $0.0123 by genai-prices@0.1.8; 2 calls of unknown cost")
    expect(page).toContain("local/llama 2 0 1200 200 45 1 unknown")
  })

  it("calls tokens unknown, and not 0, if those of no call are known", () => {
    const nothing = { failed: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
    const cut = audited({ taskId: "cut", model: modelOf({ "local/llama": { ...unpriced, ...nothing, unmetered: 2 } }) })
    expect(squeezed(AuditPage.lines(plain, cut))).toContain("model 2 calls, tokens unknown")
    expect(AuditMarkdown.lines(cut, new Map())).toContain("| Model | 2 calls, tokens unknown |")
    const figures = ModelCosts.figures(cut.model ?? undefined)
      .map(({ source }) => source)
      .join("")
    expect(figures).toContain("<small>tokens unknown</small>")
    expect(figures).not.toContain("0 tokens")
  })

  it("has no word on models where none was called", () => {
    expect(AuditPage.lines(plain, without).join("\n")).not.toMatch(/model|cost|token/)
    expect(AuditMarkdown.lines(without, new Map()).join("\n")).not.toMatch(/model|cost|token/i)
  })

  it("has the same in Markdown, with names in code", () => {
    const page = AuditMarkdown.lines(mixed, new Map())
    expect(page).toContain("## Models")
    expect(page.find((line) => line.startsWith("| Cost"))).toBe(
      "| Cost | at least $0.0123 by `genai-prices@0.1.8`; 2 calls of unknown cost |",
    )
    expect(page.find((line) => line.startsWith("| `local/llama`"))).toMatch(/\| unknown \|$/)
  })

  it("takes no name of a model or of a table of prices for markup", () => {
    for (const word of WILD) {
      const cost = { usd: 1, atLeast: 1, unpriced: 0, prices: [word] }
      const audit = audited({ model: modelOf({ [`p/${word}`]: use({ cost }) }) })
      for (const page of [AuditPage.lines(plain, audit), AuditMarkdown.lines(audit, new Map())]) {
        expect(page.filter((line) => line.includes("\n") || line.includes("\u001b"))).toEqual([])
      }
    }
  })
})

describe("the table of audits", () => {
  const rows = [known, mixed, without].map((audit) => AuditTable.rowOf(audit, new Set()))
  const shown = { scores: null, tasks: 3, unscored: 3, left: 0 }
  const ids = rows.map(({ taskId }) => taskId)

  it("has tokens and costs; a column only where a model was called", () => {
    const wide = squeezed(AuditTablePage.rows(plain, shown, rows, ids, Number.POSITIVE_INFINITY))
    expect(wide[0]).toContain("tokens cost")
    expect(wide.slice(1, 4).map((line) => /((?:≥ )?\d+) (≥ )?(\$[\d.]+) @3/.exec(line)?.slice(1, 4))).toEqual([
      ["1245", undefined, "$0.0123"],
      ["≥ 2490", "≥ ", "$0.0123"],
      undefined,
    ])
    const none = rows.slice(2)
    expect(AuditTablePage.rows(plain, shown, none, ids, 1_000).join("\n")).not.toMatch(/tokens|cost/)
    expect(AuditTablePage.rowsMarkdown(shown, none).join("\n")).not.toMatch(/Tokens|Cost/)
    expect(AuditTablePage.rowsMarkdown(shown, rows).join("\n")).toContain("| ≥ 2490 | ≥ $0.0123 |")
  })

  it("groups add up tokens and costs, and say what is unknown", () => {
    const [group] = AuditTable.group(rows, "agent")
    expect(group).toMatchObject({
      tasks: 3,
      modelCalls: 8,
      tokens: 3_735,
      unmetered: 1,
      cost: { usd: null, atLeast: 0.0246, unpriced: 2, prices: ["genai-prices@0.1.8"] },
    })
    const groups = group === undefined ? [] : [group]
    expect(squeezed(AuditTablePage.groups(plain, shown, "agent", groups, 1_000))[1]).toMatch(/≥ 3735 ≥ \$0\.0246$/)
    expect(AuditTablePage.groupsMarkdown(shown, "agent", groups).join("\n")).toContain("| ≥ 3735 | ≥ $0.0246 |")
  })

  it("is sorted by cost, with tasks that called no model at the end", () => {
    const cheap = AuditTable.rowOf(audited({ taskId: "cheap", model: modelOf({ "local/llama": unpriced }) }), new Set())
    const byCost = (descending: boolean) =>
      AuditTable.sorted([...rows, cheap], AuditTable.ROW_COLUMNS.cost, descending).map(({ taskId }) => taskId)
    expect(byCost(false)).toEqual(["cheap", known.taskId, "mixed", "without"])
    expect(byCost(true)).toEqual([known.taskId, "mixed", "cheap", "without"])
  })
})

describe("the list of tasks", () => {
  const task = (id: string, more: Partial<TaskListPage.ListedTask> = {}): TaskListPage.ListedTask => ({
    id,
    goal: "Find the document in the locked desk, and bring it",
    agent: "walker@1.0.0",
    outcome: "achieved",
    from: 3,
    to: 39,
    openedAt: 0,
    closedAt: 5_000,
    steps: 2,
    activity: null,
    score: null,
    ...more,
  })
  const model = {
    calls: 2,
    inputTokens: 1_200,
    outputTokens: 45,
    unmetered: 0,
    cost: { usd: 0.0123, atLeast: 0.0123, unpriced: 0 },
  }
  const ids = ["01a1ff87-ef28-7b04-babc-0123456789ab", "01a1ff87-ef28-7b04-babc-0123456789ac"]

  it("has tokens and costs only where a model was called in some task", () => {
    const tasks = [task("one"), task("two")]
    const plainList = TaskListPage.lines(plain, tasks, Number.POSITIVE_INFINITY)
    expect(squeezed(plainList)[0]).toBe("task outcome steps from to opened agent goal")
    const list = TaskListPage.lines(plain, [...tasks, task("three", { model })], Number.POSITIVE_INFINITY)
    expect(squeezed(list)[0]).toBe("task outcome steps tokens cost from to opened agent goal")
    expect(squeezed(list)[1]).toContain("one achieved 2 @3 @39")
    expect(squeezed(list)[3]).toContain("three achieved 2 1245 $0.0123 @3 @39")
  })

  it("shows known tokens as a lower bound where those of a request are unknown, and ? where none are known", () => {
    const unmetered = { ...model, unmetered: 1 }
    const none = { ...unmetered, inputTokens: 0, outputTokens: 0 }
    const tasks = [task("one", { model: unmetered }), task("two", { model: none })]
    const list = squeezed(TaskListPage.lines(plain, tasks, Number.POSITIVE_INFINITY))
    expect(list[1]).toContain("one achieved 2 ≥ 1245 $0.0123")
    expect(list[2]).toContain("two achieved 2 ? $0.0123")
  })

  it("fits a terminal of 60 columns, with the costs", () => {
    const some = { ...model, cost: { usd: null, atLeast: 0.5, unpriced: 1 } }
    const list = TaskListPage.lines(plain, [task(ids[0] ?? "", { model }), task(ids[1] ?? "", { model: some })], 60)
    expect(Math.max(...list.map((line) => [...line].length))).toBeLessThanOrEqual(60)
    expect(squeezed(list)[0]).toContain("cost")
    expect(squeezed(list)[2]).toContain("≥ $0.5000")
    // Ids are shortened to what tells them apart.
    expect(list[1]).toMatch(/^456789ab {2}achieved/)
  })

  it("has the timelines of tasks in forks, and says so where there is no task", () => {
    const list = TaskListPage.lines(plain, [task("one"), task("one", { timeline: "fork-1" })], 60)
    expect(squeezed(list).slice(1)).toEqual([
      expect.stringMatching(/^one main achieved/),
      expect.stringMatching(/^one fork-1 achieved/),
    ])
    expect(TaskListPage.lines(plain, [], 60)).toEqual(["No task was opened in this log."])
  })
})

describe("exports of audits", () => {
  it("have columns for tokens and cost, and the calls by model; a cost that is not known is empty", () => {
    const csv = Csv.encoder(AuditsRows.COLUMNS)
    const [headings = "", ...lines] = [
      String(csv.add([known, mixed, without].flatMap(AuditsRows.rowsOf))),
      String(csv.end()),
    ]
      .join("")
      .trim()
      .split("\r\n")
    const names = headings.split(",")
    const last = names.indexOf("model_failed")
    const counts = [
      ...["model_cache_write_tokens", "model_cache_write_1h_tokens"],
      ...["input", "cached", "output"].flatMap((of) =>
        ["audio", "image", "video"].map((in_) => `model_${of}_${in_}_tokens`),
      ),
      "model_web_searches",
    ]
    const cells = lines.map((line) => line.slice(0, line.lastIndexOf(',"{')).split(",").slice(-8))
    expect(names.slice(last)).toEqual([
      ...["model_failed", "model_cached_tokens", "model_reasoning_tokens", "model_unmetered", "model_usd"],
      ...["model_usd_at_least", "model_unpriced", "model_prices", "models", "left_out_ms"],
      ...counts,
      ...["acting_unrecorded", "acting_settled", "model_saved_usd"],
      ...["parent_task_id", "parent_timeline", "parent_command_id"],
    ])
    expect(cells.slice(0, 2)).toEqual([
      ["1", "200", "0", "0", "0.0123", "0.0123", "0", "genai-prices@0.1.8"],
      ["1", "400", "0", "1", "", "0.0123", "2", "genai-prices@0.1.8"],
    ])
    expect(lines[2]?.endsWith(`,0,0,0,0,0,0,0,,,0${",".repeat(counts.length)},0,0,,,,`)).toBe(true)
    const models = AuditsRows.COLUMNS.find(({ name }) => name === "models")
    expect(JSON.parse(String(models?.of({ audit: mixed, score: null })))).toEqual(mixed.model?.byModel)
  })

  it("have them in the Markdown table", () => {
    const made = AuditsMarkdown.summary("log.db").add([mixed, without].flatMap(AuditsRows.rowsOf))
    const lines = String(made).split("\n")
    expect(lines.find((line) => line.startsWith("| `mixed`"))).toContain("| ≥ 2490 | ≥ $0.0123 |")
    expect(lines.find((line) => line.startsWith("| `without`"))).toContain("|  |  |")
  })
})

describe("the report as HTML", () => {
  const source = { log: "log.db", head: 39, by: "Hindcast 0" }
  const textOf = (chunks: Iterable<string>) => [...chunks].join("").replace(/<style>.*?<\/style>/s, "")

  it("of a task shows cost as a figure, and a table by model", () => {
    const page = (audit: TaskAudit) => textOf(TaskPage.pieces(TaskReport.begin(audit, null, () => "").report(), source))
    expect(page(known)).toContain("<dd>$0.0123<small>the cost of every call is known</small></dd>")
    expect(page(mixed)).toContain("<dd>≥ $0.0123<small>2 calls of unknown cost</small></dd>")
    expect(page(mixed)).toMatch(/<bdi>local\/llama<\/bdi>.*?unknown/)
    expect(page(mixed)).toContain("The cost of 2 calls is not known")
    expect(page(mixed)).toContain("by the prices of <bdi>genai-prices@0.1.8</bdi>")
    expect(page(without)).not.toMatch(/language model/)
    const wild = audited({ model: modelOf({ "<script>/x": use({ cost: { ...use().cost, prices: ["<b>"] } }) }) })
    expect(page(wild)).not.toMatch(/<script>\/x|<b>/)
  })

  it("of a log adds up all tasks, by model, in a bounded size", () => {
    const report = (audits: ReadonlyArray<TaskAudit>) => {
      const builder = LogReport.begin(ScoreChoice.labelled("live"))
      for (const audit of audits) builder.addAudit(audit)
      return builder.report()
    }
    const both = report([known, mixed, without])
    expect(both.model).toMatchObject({ calls: 8, cost: { usd: null, atLeast: 0.0246, unpriced: 2 } })
    expect(both.model.models.map(({ model, tasks, use: { calls } }) => [model, tasks, calls])).toEqual([
      ["acme/large", 2, 6],
      ["local/llama", 1, 2],
    ])
    const page = textOf(LogPage.pieces(both, source))
    expect(page).toContain("<dd>≥ $0.0246<small>2 calls of unknown cost</small></dd>")
    expect(page).toMatch(/<bdi>acme\/large<\/bdi><\/th><td class="n">2<\/td><td class="n">6<\/td>/)
    const many = Array.from({ length: 300 }, (_, index) => {
      const cost = { ...use().cost, prices: [`table@${index}`] }
      return audited({ taskId: `t${index}`, model: modelOf({ [`p/${index}`]: use({ cost }) }) })
    })
    const { model } = report(many)
    expect(model).toMatchObject({ calls: 900, cost: { usd: 3.69 } })
    expect(model.models).toHaveLength(51)
    expect(model.cost.prices.length).toBeLessThanOrEqual(510)
    expect(textOf(LogPage.pieces(report([without]), source))).not.toMatch(/language model/)
  })
})
