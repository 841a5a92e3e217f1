import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { find, PATHS } from "../../src/cli/catalogue/Catalogue.ts"
import { workplace } from "../workplace.ts"
import { hindcast } from "./hindcast.ts"
import { writeHistory } from "./smallHistory.ts"
import { argumentsOf } from "./typed.ts"

const place = workplace()
afterAll(place.remove)
const log = place.file("log.db")
beforeAll(() => writeHistory(log, 3))

/** The options that name a file to write. */
const OUTPUTS = ["--output", "--out", "--html"]

/** Every command that writes a file which an option names. */
const writers = async () => {
  const found: Array<{ readonly path: ReadonlyArray<string>; readonly option: string; readonly formats: string }> = []
  for (const path of PATHS) {
    const { stdout } = await hindcast([...path, "--help"])
    const option = OUTPUTS.find((name) => new RegExp(`^ *${name} `, "m").test(stdout))
    // A directory has no format.
    if (/^ *--output directory$/m.test(stdout)) continue
    if (option !== undefined) found.push({ path, option, formats: /--format ([a-z|]+)/.exec(stdout)?.[1] ?? "" })
  }
  return found
}

/** A command's example, but for the option that names its output. */
const exampleWithout = (path: ReadonlyArray<string>, option: string): ReadonlyArray<string> => {
  const words = argumentsOf(`hindcast ${find(path)?.example}`) ?? []
  const at = words.indexOf(option)
  return at < 0 ? words : [...words.slice(0, at), ...words.slice(at + 2)]
}

describe("the name of a file to write", () => {
  it("is refused where it promises another format, by every command, before anything is read or written", async () => {
    const found = await writers()
    expect(found.length).toBeGreaterThanOrEqual(11)
    for (const { path, option } of found) {
      const file = place.file("table.xlsx")
      const { code, stderr } = await hindcast([...exampleWithout(path, option), option, file, "--log", log])
      expect({ path, code, stderr }).toMatchObject({ path, code: 1 })
      expect(stderr).toMatch(
        /^error: --\w+ \S+: expected a name that ends in \.\w+.*, found \.xlsx\. Nothing was written\.$/m,
      )
      expect(fs.existsSync(file)).toBe(false)
    }
  })

  it("is refused where it contradicts --format, and chooses the format without it", async () => {
    const exporting = (what: string, name: string, ...more: ReadonlyArray<string>) =>
      hindcast(["export", what, "--output", place.file(name), "--log", log, "--json", ...more])
    const formatOf = async (...args: Parameters<typeof exporting>) =>
      JSON.parse((await exporting(...args)).stdout).format
    expect(await formatOf("audits", "a.MD")).toBe("markdown")
    expect(await formatOf("audits", "a-0.3.1")).toBe("csv")
    expect(await formatOf("transitions", "t.ndjson", "--scores", "live")).toBe("jsonl")
    expect(await formatOf("events", "e.txt", "--format", "jsonl")).toBe("jsonl")
    expect((await exporting("transitions", "x.csv", "--scores", "live")).stderr).toContain(
      "expected a name that ends in .jsonl or .ndjson or .parquet",
    )
    expect((await exporting("audits", "au.xyz")).stderr).toContain(
      "or --format csv|parquet|jsonl|json|markdown, found .xyz.",
    )
    expect((await exporting("audits", "a.csv", "--format", "json")).stderr).toContain(
      "ends in .json, or has no ending, for JSON, found .csv.",
    )
    expect((await exporting("mcap", "m.jsonl")).stderr).toContain("for MCAP, found .jsonl.")
    expect(fs.readdirSync(place.directory).filter((name) => /^(x|au|m|a\.csv)/.test(name))).toEqual([])
  })
})
