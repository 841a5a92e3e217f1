import * as fs from "node:fs"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { event, idOf, inTask, requestOf, sha, type Unplaced } from "../projections/given.ts"
import { workplace } from "../workplace.ts"
import { query } from "./duckdb.ts"
import { document, hindcast } from "./hindcast.ts"
import { inTerminal } from "./terminal.ts"

const place = workplace()
const log = place.file("log.db")

const usage = { inputTokens: 1_000, outputTokens: 50, cachedTokens: 300, reasoningTokens: 20 }
const cost = { usd: 0.01, prices: "table@1" }
const called = (number: number, model: string) =>
  event("ModelCalled", { provider: "acme", model, requestDigest: sha("q"), request: {} }, { id: idOf(number) })
const answered = (number: number, more: object = {}) =>
  event("ModelResponded", { response: {}, usage, latencyMs: 1, ...more }, { causationId: idOf(number) })
const cut = (number: number) =>
  event("ModelFailed", { kind: "cut-off", reason: "no end", usage, cost, latencyMs: 1 }, { causationId: idOf(number) })
const task = (id: string, ...events: ReadonlyArray<Unplaced>) =>
  inTask(id, [
    event("TaskOpened", { goal: "Answer a question", measures: [], agent: "me@1" }),
    ...events,
    event("TaskClosed", { outcome: "achieved" }),
  ])

const write = (file: string, events: ReadonlyArray<Unplaced>) =>
  Effect.runPromise(
    Effect.flatMap(EventLog, (log) =>
      Effect.forEach(events, (each) => log.append(requestOf(each)), { discard: true }),
    ).pipe(Effect.provide(SqliteEventLog.layer({ filename: file }))),
  )

beforeAll(() =>
  write(log, [
    ...task("priced", called(1, "large"), answered(1, { cost }), called(2, "large"), cut(2)),
    ...task("mixed", called(3, "large"), answered(3, { cost }), called(4, "own"), answered(4)),
    ...task("silent"),
  ]),
)
afterAll(place.remove)

const spent = (usd: number | null, atLeast: number, unpriced: number) => ({ usd, atLeast, unpriced })

describe("the cost of language models", () => {
  it("is in the list of tasks, as JSON and in a terminal of 60 columns", async () => {
    const { tasks } = await document(["task", "ls", "--log", log])
    expect(tasks).toMatchObject([
      { id: "priced", model: { calls: 2, inputTokens: 2_000, outputTokens: 100, cost: spent(0.02, 0.02, 0) } },
      { id: "mixed", model: { calls: 2, inputTokens: 2_000, outputTokens: 100, cost: spent(null, 0.01, 1) } },
      { id: "silent" },
    ])
    const list = inTerminal(["task", "ls", "--log", log], { columns: 60 })
    expect(await list.ended).toBe(0)
    const lines = list.screen().map((line) => line.replaceAll(/ +/g, " "))
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/^task outcome steps tokens cost .*goal/),
      expect.stringMatching(/^priced achieved 0 2100 \$0\.0200 /),
      expect.stringMatching(/^mixed achieved 0 2100 ≥ \$0\.0100 /),
      expect.stringMatching(/^silent achieved 0 /),
    ])
  })

  it("has no columns in the list of a log whose tasks called no model", async () => {
    const other = place.file("silent.db")
    await write(other, task("silent"))
    const { stdout } = await hindcast(["task", "ls", "--log", other])
    expect(stdout.split("\n")[0]?.split(/ +/)).toEqual([
      ...["task", "outcome", "steps", "from", "to", "opened", "agent", "goal"],
    ])
    expect((await document(["audit", "--all", "--log", other])).rows).toMatchObject([
      { modelCalls: 0, tokens: 0, cost: spent(0, 0, 0) },
    ])
  })

  it("is in the audit of a task, by model, and in the tables of all", async () => {
    const audit = await document(["audit", "mixed", "--log", log])
    expect(audit.model).toMatchObject({
      calls: 2,
      failed: 0,
      inputTokens: 2_000,
      cachedTokens: 600,
      reasoningTokens: 40,
      cost: { ...spent(null, 0.01, 1), prices: ["table@1"] },
      byModel: { "acme/large": { cost: spent(0.01, 0.01, 0) }, "acme/own": { cost: spent(null, 0, 1) } },
    })
    const { stdout } = await hindcast(["audit", "mixed", "--log", log])
    expect(stdout).toContain("cost        at least $0.0100 by table@1; 1 call of unknown cost")
    expect(stdout).toMatch(/^acme\/own +1 +1000 +300 +50 +20 +unknown$/m)
    const { rows } = await document(["audit", "--all", "--sort", "cost:desc", "--log", log])
    expect(rows).toMatchObject([{ taskId: "priced" }, { taskId: "mixed" }, { taskId: "silent" }])
    const { groups } = await document(["audit", "--all", "--group", "agent", "--log", log])
    expect(groups).toMatchObject([{ modelCalls: 4, tokens: 4_200, cost: spent(null, 0.03, 1) }])
    const markdown = await hindcast(["audit", "--all", "--markdown", "--log", log])
    expect(markdown.stdout).toContain("| 2100 | ≥ $0.0100 |")
  })

  it("is exported: as a table, of which DuckDB makes sums, and with the spans of calls", async () => {
    for (const format of ["csv", "parquet"]) {
      const file = place.file(`audits.${format}`)
      await document(["export", "audits", "--output", file, "--log", log])
      const rows = await query(
        `SELECT task_id, model_usd, model_usd_at_least, model_unpriced::INT AS unpriced, model_failed::INT AS failed FROM '${file}' ORDER BY task_id`,
      )
      expect(rows).toEqual([
        { task_id: "mixed", model_usd: null, model_usd_at_least: 0.01, unpriced: 1, failed: 0 },
        { task_id: "priced", model_usd: 0.02, model_usd_at_least: 0.02, unpriced: 0, failed: 1 },
        { task_id: "silent", model_usd: 0, model_usd_at_least: 0, unpriced: 0, failed: 0 },
      ])
    }
    const traces = place.file("traces.jsonl")
    await document(["export", "otlp", "--output", traces, "--log", log])
    const text = fs.readFileSync(traces, "utf8")
    expect(text.match(/hindcast\.model\.cost\.usd/g)).toHaveLength(3)
    expect(text.match(/gen_ai\.usage\.cache_read\.input_tokens/g)).toHaveLength(4)
  })

  it("is in the report as HTML, which says what is unknown", async () => {
    const page = place.file("report.html")
    await document(["export", "html", "--output", page, "--log", log])
    const text = fs.readFileSync(page, "utf8")
    expect(text).toContain("<dd>≥ $0.0300<small>1 call of unknown cost</small></dd>")
    expect(text).toContain("<bdi>acme/own</bdi>")
  })
})
