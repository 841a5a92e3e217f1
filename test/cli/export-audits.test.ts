import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { query } from "./duckdb.ts"
import { document, hindcast } from "./hindcast.ts"
import { GOALS, writeHistory } from "./smallHistory.ts"

const place = workplace()
const log = place.file("log.db")
const TASKS = 14

beforeAll(() => writeHistory(log, TASKS))
afterAll(place.remove)

const run = (...args: ReadonlyArray<string>) => hindcast([...args, "--log", log])

/** What was exported to a file of the log's own, by what was asked for: each is made once. */
const done = new Map<string, ReturnType<typeof make>>()
const exported = (format: string, ...args: ReadonlyArray<string>) => {
  const key = [format, ...args].join(" ")
  const before = done.get(key) ?? make(place.file(`${done.size}.${format}`), args)
  done.set(key, before)
  return before
}
const make = async (file: string, args: ReadonlyArray<string>) => {
  const told = await document(["export", ...args, "--output", file, "--log", log])
  return { told, file, text: () => fs.readFileSync(file, "utf8") }
}

interface Audit {
  readonly taskId: string
  readonly goal: string
  readonly steps: number
  readonly scores: ReadonlyArray<{ readonly label: string; readonly net: number; readonly lost: number }>
}

const auditsOf = (lines: string): ReadonlyArray<Audit> =>
  lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

describe("export audits", () => {
  it("export audits as JSON Lines holds every audit whole, as `audit` shows it; as JSON, the same as one document", async () => {
    const { told, text } = await exported("jsonl", "audits")
    expect(told).toMatchObject({ format: "jsonl", audits: TASKS + 1 })
    const audits = auditsOf(text())
    const one = await document(["audit", "task-3", "--log", log])
    expect(audits.find(({ taskId }) => taskId === "task-3")).toEqual(one)
    const whole = await exported("json", "audits")
    expect(JSON.parse(whole.text())).toEqual({ audits })
  })

  it("export audits as a table is a row for each task by one scoring, so that a mean mixes none, unless all are asked for", async () => {
    for (const format of ["csv", "parquet"]) {
      const { told, file } = await exported(format, "audits")
      expect(told).toMatchObject({ audits: TASKS + 1, rows: TASKS + 1 })
      const found = `SELECT count(*)::INT AS rows, count(DISTINCT task_id)::INT AS tasks, count(DISTINCT score_label)::INT AS labels FROM '${file}'`
      expect(await query(found)).toEqual([{ rows: TASKS + 1, tasks: TASKS + 1, labels: 1 }])
      expect((await exported(format, "audits", "--scores", "all")).told).toMatchObject({ rows: 2 * TASKS })
    }
    const { stdout } = await run("export", "audits", "--output", place.file("said.csv"), "--scores", "all")
    expect(stdout).toContain(`Exported ${TASKS + 1} audits in ${2 * TASKS} rows (`)
  })

  it("export audits as CSV and as Parquet is, with all scores, a row for each task and score set, of which DuckDB makes the audits' own sums", async () => {
    const csv = await exported("csv", "audits", "--scores", "all")
    const parquet = await exported("parquet", "audits", "--scores", "all")
    const audits = auditsOf((await exported("jsonl", "audits")).text())
    const scores = audits.flatMap(({ scores }) => scores)
    const sums = `count(*)::INT AS rows, count(score_set_id)::INT AS scored, sum(steps)::INT AS steps,
      round(sum(net), 9) AS net, round(sum(lost), 9) AS lost, count(DISTINCT task_id)::INT AS tasks,
      sum(confirming_approved)::INT AS approved, sum(CASE WHEN score_finished THEN 1 ELSE 0 END)::INT AS finished`
    const expected = {
      rows: 2 * TASKS,
      scored: 2 * TASKS - 1,
      tasks: TASKS + 1,
      finished: 2 * TASKS - 1,
      steps: sum(audits.map(({ steps, scores }) => steps * Math.max(1, scores.length))),
      net: expect.closeTo(sum(scores.map(({ net }) => net)), 9),
      lost: expect.closeTo(sum(scores.map(({ lost }) => lost)), 9),
      approved: 2 * TASKS - 1,
    }
    expect(await query(`SELECT ${sums} FROM read_csv('${csv.file}', strict_mode = true)`)).toEqual([expected])
    expect(await query(`SELECT ${sums} FROM '${parquet.file}'`)).toEqual([expected])
  })

  it("has the same columns in both, typed in Parquet; `verdicts` unfolds to what was given", async () => {
    const csv = await exported("csv", "audits", "--scores", "all")
    const parquet = await exported("parquet", "audits", "--scores", "all")
    const types = await query(`SELECT column_name AS name, column_type AS type FROM (DESCRIBE FROM '${parquet.file}')`)
    expect(csv.text().split("\r\n")[0]?.split(",")).toEqual(types.map(({ name }) => name))
    const typeOf = Object.fromEntries(types.map(({ name, type }) => [name, type]))
    expect(typeOf).toMatchObject({
      task_id: "VARCHAR",
      opened_at: "TIMESTAMP WITH TIME ZONE",
      steps: "BIGINT",
      net: "DOUBLE",
      score_finished: "BOOLEAN",
      verdicts: "VARCHAR",
    })
    const verdicts = await query(
      `SELECT v->>'name' AS name, sum((v->>'amount')::DOUBLE) AS amount FROM (SELECT unnest(verdicts::JSON[]) AS v FROM '${parquet.file}' WHERE score_label = 'live') GROUP BY 1 ORDER BY 1`,
    )
    expect(verdicts).toEqual([
      { name: "found", amount: 10 },
      { name: "noise", amount: expect.closeTo(0.2 * TASKS, 9) },
    ])
  })

  it("export audits as CSV gives text that a spreadsheet would run an apostrophe, and nothing else; the others leave it as it is", async () => {
    const csv = await exported("csv", "audits")
    const parquet = await exported("parquet", "audits")
    const goals = async (from: string) =>
      (await query(`SELECT DISTINCT goal FROM ${from} WHERE goal <> 'Still open' ORDER BY goal`)).map(
        ({ goal }) => goal,
      )
    const guarded = GOALS.map((goal) => (/^[=+\-@]/.test(goal) ? `'${goal}` : goal))
    expect(await goals(`'${parquet.file}'`)).toEqual(GOALS.toSorted())
    expect(new Set(await goals(`read_csv('${csv.file}', strict_mode = true)`))).toEqual(new Set(guarded))
  })

  it("export audits by a scoring holds one row a task, with that score or none", async () => {
    const { file } = await exported("csv", "audits", "--scores", "stricter")
    const rows = await query(`SELECT count(*)::INT AS rows, count(net)::INT AS scored, sum(net) AS net FROM '${file}'`)
    expect(rows).toEqual([{ rows: TASKS + 1, scored: TASKS - 1, net: expect.closeTo(-0.4 * (TASKS - 1), 9) }])
  })

  it("export audits as Markdown is a table, and below it the document of each task", async () => {
    const { text } = await exported("md", "audits")
    const lines = text().split("\n")
    expect(lines[0]).toBe("# Audits of `log.db`")
    expect(lines.filter((line) => line.startsWith("| `task-"))).toHaveLength(2 * TASKS)
    expect(lines.filter((line) => line.startsWith("## Task `"))).toHaveLength(TASKS + 1)
    expect(lines.filter((line) => /^\| -+/.test(line)).length).toBeGreaterThan(TASKS)
  })

  it("export audits of a log without tasks is empty in every format, and readable", async () => {
    const empty = place.file("empty.db")
    await writeHistory(empty, 0)
    const [csv = "", parquet = "", json = "", lines = "", markdown = ""] = await Promise.all(
      ["csv", "parquet", "json", "jsonl", "md"].map(async (end) => {
        await document(["export", "audits", "--output", place.file(`none.${end}`), "--log", empty])
        return place.file(`none.${end}`)
      }),
    )
    const textOf = (file: string) => fs.readFileSync(file, "utf8")
    expect(await query(`SELECT count(*)::INT AS rows FROM '${parquet}'`)).toEqual([{ rows: 0 }])
    expect(textOf(csv)).toMatch(/^task_id,[\w,]+\r\n$/)
    expect(JSON.parse(textOf(json))).toEqual({ audits: [] })
    expect(textOf(lines)).toBe("")
    expect(textOf(markdown)).toContain("No task was opened")
  })

  it("refuses a file that is there, a scoring that is not, and a format that there is none of, and writes nothing", async () => {
    const file = place.file("there.csv", "mine")
    expect(await run("export", "audits", "--output", file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--force replaces it"),
    })
    expect(fs.readFileSync(file, "utf8")).toBe("mine")
    expect((await run("export", "audits", "--output", file, "--force")).code).toBe(0)
    expect(fs.readFileSync(file, "utf8")).toMatch(/^task_id,/)
    const unknown = await run("export", "audits", "--output", place.file("no.csv"), "--scores", "nobodys")
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining('No scoring "nobodys"') })
    const format = await run("export", "audits", "--output", place.file("no.csv"), "--format", "xls")
    expect(format).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("one of csv, parquet, jsonl, json, markdown"),
    })
    expect(fs.existsSync(place.file("no.csv"))).toBe(false)
  })
})

describe("export transitions", () => {
  it("gives every step its rewards, in Parquet as in JSON Lines, which sum up to the audits' net scores", async () => {
    const parquet = await exported("parquet", "transitions")
    expect(parquet.told).toMatchObject({ steps: 2 * TASKS, tasks: TASKS + 1, withoutSteps: 1, scores: "live" })
    const lines = await exported("jsonl", "transitions")
    const audits = auditsOf((await exported("jsonl", "audits")).text())
    const nets = audits.flatMap(({ taskId, scores }) =>
      scores.filter(({ label }) => label === "live").map(({ net }) => ({ task: taskId, net })),
    )
    const byTask = (from: string, task: string) =>
      query(`SELECT ${task} AS task, round(sum(reward), 9) AS net FROM '${from}' GROUP BY 1`)
    const sorted = (rows: ReadonlyArray<Record<string, unknown>>) =>
      rows.toSorted((a, b) => (String(a.task) < String(b.task) ? -1 : 1))
    expect(sorted(await byTask(parquet.file, "task_id"))).toEqual(sorted(nets))
    expect(sorted(await byTask(lines.file, `"taskId"`))).toEqual(sorted(nets))
    const steps = await query(
      `SELECT step::INT AS step, actuator, outcome, state->>'$.environment.room.at' AS at, next_state->>'$.environment.room.at' AS next, reward, done, truncated
       FROM (SELECT * REPLACE (state::JSON AS state, next_state::JSON AS next_state) FROM '${parquet.file}') WHERE task_id = 'task-0' ORDER BY step`,
    )
    expect(steps).toEqual([
      {
        step: 0,
        actuator: "room/go",
        outcome: "succeeded",
        at: "hall",
        next: "study",
        reward: -0.1,
        done: false,
        truncated: false,
      },
      {
        step: 1,
        actuator: "room/take",
        outcome: "succeeded",
        at: "study",
        next: "study",
        reward: 0.9,
        done: true,
        truncated: false,
      },
    ])
  })

  it("takes the rewards of the scoring that is named, and says how many tasks have none by it", async () => {
    const { told, text } = await exported("jsonl", "transitions", "--scores", "stricter")
    expect(told).toMatchObject({ scores: "stricter", unscored: 2 })
    const rewards = text()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).reward)
    expect(sum(rewards)).toBeCloseTo(-0.4 * (TASKS - 1), 9)
  })

  it("goes to the standard output where that is named, and tells of itself on the standard error", async () => {
    const { code, stdout, stderr } = await run("export", "transitions", "--output", "-")
    expect(code).toBe(0)
    expect(stdout.trimEnd().split("\n")).toHaveLength(2 * TASKS)
    expect(stderr).toMatch(/^Exported 28 steps of 15 tasks .* 1 task had no step\. 1 task had no such score/)
  })
})
