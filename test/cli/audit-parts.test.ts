import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"
import { writeHistory } from "./smallHistory.ts"

const place = workplace()
const log = place.file("log.db")

/** More than are read one by one. */
const TASKS = 70

beforeAll(() => writeHistory(log, TASKS))
afterAll(place.remove)

const on = (...args: ReadonlyArray<string>) => document([...args, "--log", log])

const exported = async (name: string, ...args: ReadonlyArray<string>) => {
  const file = place.file(name)
  await on("export", "audits", "--output", file, ...args)
  return fs.readFileSync(file)
}

const fails = async (...args: ReadonlyArray<string>) => {
  const { code, stderr } = await hindcast([...args, "--log", log, "--json"])
  expect(code).not.toBe(0)
  return JSON.parse(stderr).error.message
}

describe("audits in parts", () => {
  it("are exported byte for byte as one process does, by processes and by files", async () => {
    const { position } = (await on("log", "info")).head as { position: number }
    const until = ["--until", `@${position}`]
    const parts: Array<string> = []
    for (const part of ["1/3", "2/3", "3/3"]) {
      const file = place.file(`part-${part.replace("/", "-")}`)
      expect(await on("export", "audits", "--part", part, ...until, "--output", file)).toMatchObject({ part })
      parts.push("--merge", file)
    }
    for (const format of ["csv", "parquet", "jsonl", "json", "md"]) {
      const whole = await exported(`whole.${format}`)
      expect(whole.length).toBeGreaterThan(1_000)
      expect(await exported(`merged.${format}`, ...parts, ...until)).toEqual(whole)
      if (format === "jsonl") expect(await exported(`processes.${format}`, "--parts", "2")).toEqual(whole)
    }
    const scored = await exported("scored.csv", "--scores", "stricter")
    expect(await exported("scored-parts.csv", "--scores", "stricter", ...parts, ...until)).toEqual(scored)

    const out = ["--output", place.file("out.csv")]
    const [, first = ""] = parts
    for (const [args, text] of [
      [[...parts.slice(2), ...until], "Part 1/3 cannot be used: it is missing"],
      [[...parts, "--until", `@${position - 1}`], "it is of other work"],
      [[...parts, ...until, "--decrypt"], "it is of other work"],
      [parts, "expected --until @POSITION"],
      [["--part", "1/2"], "expected --until @POSITION"],
      [["--part", "1/2", ...until, "--scores", "live"], "expected neither --scores nor --format"],
      [["--part", "1/2", "--merge", first, ...until], "expected one of --parts, --part and --merge"],
      [until, "expected it with --part or --merge"],
      [["--parts", "2", ...until], "expected it with --part or --merge"],
    ] as const) {
      expect(await fails("export", "audits", ...out, ...args)).toContain(text)
      expect(fs.existsSync(place.file("out.csv"))).toBe(false)
    }
  })

  it("give the table of one process", async () => {
    for (const args of [
      ["--all"],
      ["--all", "--group", "agent"],
      ["--all", "--outcome", "failed", "--sort", "score:desc"],
    ])
      expect(await on("audit", ...args, "--parts", "2")).toEqual(await on("audit", ...args))
    expect(await fails("audit", "task-1", "--parts", "2")).toContain("expected it with --all")
  })
})
