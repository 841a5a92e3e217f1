import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"
import { writeHistory } from "./smallHistory.ts"

const place = workplace()
const log = place.file("log.db")

beforeAll(() => writeHistory(log, 14))
afterAll(place.remove)

const run = (...args: ReadonlyArray<string>) => hindcast([...args, "--log", log])

describe("export html", () => {
  it("writes one page of all tasks, without a script, and tells what is in it", async () => {
    const file = place.file("report.html")
    const told = await document(["export", "html", "--output", file, "--log", log])
    const page = fs.readFileSync(file, "utf8")
    expect(told).toMatchObject({ file, bytes: Buffer.byteLength(page), scores: "live", tasks: 15, scored: 14 })
    expect(page).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/)
    expect(page).toContain("2 agents worked on 15 tasks and, by their own account, achieved 10 of them.")
    expect(page).toContain("1 task has no score and is left out")
    expect(page).toContain("How long did people take to answer?")
    expect(page).not.toMatch(/<script|javascript:|https?:\/\/(?!x)/)
  })

  it("shows the scores of the scoring that is named, and says where a task has none", async () => {
    const told = await document([
      ...["export", "html", "--output", place.file("strict.html"), "--scores", "stricter", "--log", log],
    ])
    expect(told).toMatchObject({ scores: "stricter", tasks: 15, scored: 13 })
  })

  it("writes a page of one task, named by the end of its id, with all that happened in it", async () => {
    const { code, stdout } = await run("export", "html", "--task", "task-13", "--output", "-")
    expect(code).toBe(0)
    expect(stdout).toContain("ConfirmationDecided")
    expect(stdout).toContain("What were people asked?")
    expect(stdout).toMatch(/^<!doctype html>/)
  })

  it("refuses to link to what is no page of Studio, and writes nothing", async () => {
    const file = place.file("linked.html")
    for (const [studio, found, expected = 1] of [
      [place.file("missing.html"), "no file", 3],
      [place.directory, "something else"],
      [place.file("other.html", "<!doctype html>"), "something else"],
      ["javascript:alert(1)", "no file", 3],
      ["http://127.0.0.1:8080/", "no file", 3],
      ["\0", "The argument 'path' must be a string", 3],
    ] as const) {
      const { code, stderr } = await run("export", "html", "--studio", studio, "--output", file)
      expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(found) })
      expect(stderr).toContain("expected a page that `")
    }
    expect(fs.existsSync(file)).toBe(false)
  })

  it("refuses a task that there is none of, a file that is there and a directory that is not, and writes nothing", async () => {
    const there = place.file("there.html", "mine")
    expect((await run("export", "html", "--task", "nobodys", "--output", place.file("no.html"))).code).toBe(3)
    const refused = await run("export", "html", "--output", there)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("--force replaces it") })
    const nowhere = await run("export", "html", "--output", place.file("no/where.html"))
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no directory") })
    expect([fs.readFileSync(there, "utf8"), fs.existsSync(place.file("no.html"))]).toEqual(["mine", false])
  })
})

describe("compare --html", () => {
  it("writes the comparison as a page beside what it prints", async () => {
    const file = place.file("compared.html")
    const { code, stdout } = await run("compare", "live", "stricter", "--html", file)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^live \(A: 14 score sets/)
    expect(stdout).toContain(`Written as a page to ${file}`)
    const page = fs.readFileSync(file, "utf8")
    expect(page).toContain("On average, B scores the 13 tasks")
    expect(page).toContain("Left out: 1 task that only A scores, 0 that only B scores.")
  })

  it("refuses a page that is there, replaces it by force, and tells of it in the document", async () => {
    const file = place.file("twice.html", "mine")
    expect((await run("compare", "live", "stricter", "--html", file)).code).toBe(1)
    expect(fs.readFileSync(file, "utf8")).toBe("mine")
    const told = await document(["compare", "live", "stricter", "--html", file, "--force", "--log", log])
    expect(told).toMatchObject({ html: { file, bytes: fs.statSync(file).size }, wins: expect.any(Number) })
  })

  it("writes the page alone to the standard output where that is named", async () => {
    const { stdout } = await run("compare", "live", "stricter", "--html", "-")
    expect(stdout).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/)
  })
})
