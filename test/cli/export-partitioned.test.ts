import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { indexOf } from "../../src/events/read/PartHash.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { query } from "./duckdb.ts"
import { document, hindcast } from "./hindcast.ts"
import { writeHistory } from "./smallHistory.ts"

const place = workplace()
const log = place.file("log.db")

beforeAll(() => writeHistory(log, 12))
afterAll(place.remove)

const on = (...args: ReadonlyArray<string>) => document([...args, "--log", log])

const fails = async (...args: ReadonlyArray<string>) => {
  const { code, stderr } = await hindcast(["export", "partitioned", ...args, "--log", log, "--json"])
  expect(code).not.toBe(0)
  return JSON.parse(stderr).error.message
}

/** All files of a directory, by their paths. */
const contentOf = (directory: string) =>
  Object.fromEntries(
    fs
      .readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => fs.statSync(path.join(directory, name)).isFile())
      .sort()
      .map((name) => [name, fs.readFileSync(path.join(directory, name)).toString("base64")]),
  )

const inDirectory = (name: string) => ["--directory", place.file(name)]

describe("export partitioned", () => {
  it("writes the same files by one process, by several, and by parts of several machines", async () => {
    const whole = await on("export", "partitioned", ...inDirectory("whole"))
    const { position } = whole.head as { position: number }
    expect(whole).toMatchObject({ buckets: 8, events: position })
    const files = contentOf(place.file("whole"))
    expect(Object.keys(files).length).toBeGreaterThan(4)
    await on("export", "partitioned", ...inDirectory("three"), "--parts", "3")
    expect(contentOf(place.file("three"))).toEqual(files)

    const until = ["--until", `@${position}`]
    const lists: Array<string> = []
    for (const part of ["1/2", "2/2"]) {
      const list = place.file(`list-${part.slice(0, 1)}`)
      await on("export", "partitioned", ...inDirectory("machines"), "--part", part, ...until, "--output", list)
      // A part that is done again.
      await on(
        "export",
        "partitioned",
        ...inDirectory("machines"),
        "--part",
        part,
        ...until,
        "--output",
        list,
        "--force",
      )
      lists.push("--merge", list)
    }
    expect(fs.existsSync(path.join(place.file("machines"), "hindcast.json"))).toBe(false)
    expect(await fails(...inDirectory("machines"), ...until, ...lists.slice(2))).toContain("Part 1/2 cannot be used")
    const [lost = ""] = Object.keys(contentOf(place.file("machines")))
    const kept = fs.readFileSync(path.join(place.file("machines"), lost))
    fs.rmSync(path.join(place.file("machines"), lost))
    expect(await fails(...inDirectory("machines"), ...until, ...lists)).toContain(`expected the file ${lost}`)
    fs.writeFileSync(path.join(place.file("machines"), lost), kept)
    fs.writeFileSync(path.join(place.file("machines"), "other.parquet"), kept)
    expect(await fails(...inDirectory("machines"), ...until, ...lists)).toContain("expected no other files of events")
    fs.rmSync(path.join(place.file("machines"), "other.parquet"))
    expect(await fails(...inDirectory("machines"), "--until", `@${position - 1}`, ...lists)).toContain("of other work")
    expect(fs.existsSync(path.join(place.file("machines"), "hindcast.json"))).toBe(false)
    await on("export", "partitioned", ...inDirectory("machines"), ...until, ...lists)
    expect(contentOf(place.file("machines"))).toEqual(files)

    expect(await fails(...inDirectory("whole"))).toContain("expected a directory without a dataset")
    fs.mkdirSync(place.file("full"))
    fs.writeFileSync(path.join(place.file("full"), "x"), "")
    expect(await fails(...inDirectory("full"))).toContain("expected a directory without files")
    expect(await fails(...inDirectory("new"), "--buckets", "5000")).toContain("at most 4096")
    expect(await fails(...inDirectory("new"), "--part", "1/2")).toContain("expected --until @POSITION")
    expect(await fails(...inDirectory("new"), "--until", "@999999")).toContain("999999")
  })

  it("is what DuckDB reads, by the queries of the guide", async () => {
    const directory = place.file("lake")
    const { events } = await on("export", "partitioned", "--directory", directory, "--parts", "2")
    const page = fs.readFileSync(inRepository("docs", "guides", "work-in-parts.md"), "utf8")
    const queries = [...page.matchAll(/```sql duckdb\n(.*?)```/gs)].map(([, sql = ""]) =>
      sql.replaceAll("'lake/", `'${directory}/`),
    )
    expect(queries).toHaveLength(3)
    const [days = [], commands = [], task = []] = await Promise.all(queries.map(query))
    expect(days.reduce((sum, row) => sum + Number(row.events), 0)).toBe(events)
    expect(commands).toEqual([
      { actuator: "room/go", commands: "12", median_ms: 5 },
      { actuator: "room/take", commands: "12", median_ms: 5 },
    ])
    expect(task[0]).toMatchObject({ type: "TaskOpened" })
    const [own] = await query(
      `SELECT bucket, count(*) AS n FROM read_parquet('${directory}/*/*/*.parquet', hive_partitioning = true) WHERE task_id = 'task-1' GROUP BY bucket`,
    )
    expect(own).toEqual({ bucket: `${indexOf("task-1", 8)}`, n: `${task.length}` })
  })
})
