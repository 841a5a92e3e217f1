import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAIN, program } from "../built.ts"
import { workplace } from "../workplace.ts"
import { writeHistory } from "./smallHistory.ts"

const place = workplace()
afterAll(place.remove)

const log = place.file("log.db")

beforeAll(() => writeHistory(log, 2))

/** Runs the program, on a disk that knows no links where `first` makes it so. */
const hindcast = (first: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => {
  const { status, stderr } = spawnSync(process.execPath, [...first, MAIN, ...args], { encoding: "utf8" })
  return { code: status, stderr }
}

const WITHOUT_LINKS = ["--import", program(import.meta.url, "noLinks")]

/** The files of a directory, sorted. */
const filesIn = (directory: string) => fs.readdirSync(directory).sort()

const inNew = (name: string): ((file: string) => string) => {
  const directory = place.file(name)
  fs.mkdirSync(directory)
  return (file) => path.join(directory, file)
}

describe("on a disk that knows no hard links", () => {
  it("logs are made by bundle and import, and exports, whole and under their names; and nothing there is replaced", () => {
    const to = inNew("linkless")
    const made = [
      ["export", "events", "--log", log, "--output", to("events.jsonl")],
      ["log", "import", to("events.jsonl"), "--log", to("again.db")],
      ["task", "bundle", "task-1", "--log", log, "--out", to("bundle.db")],
    ]
    for (const args of made) expect({ args, ...hindcast(WITHOUT_LINKS, ...args) }).toMatchObject({ args, code: 0 })
    expect(filesIn(to("."))).toEqual(["again.db", "bundle.db", "events.jsonl"])
    for (const file of ["again.db", "bundle.db"]) {
      expect(hindcast([], "log", "verify", "--log", to(file))).toMatchObject({ code: 0 })
    }
    const before = filesIn(to(".")).map((file) => fs.readFileSync(to(file), "latin1"))
    for (const args of made) expect({ args, ...hindcast(WITHOUT_LINKS, ...args) }).toMatchObject({ args, code: 1 })
    expect(filesIn(to(".")).map((file) => fs.readFileSync(to(file), "latin1"))).toEqual(before)
  }, 60_000)
})

describe("what a killed process left half-written", () => {
  const begun = (child: ChildProcess) => new Promise<void>((resolve) => child.stdout?.once("data", () => resolve()))
  const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once("exit", () => resolve()))

  it("is removed when its target is written again, and not while whoever writes it lives", async () => {
    const to = inNew("killed")
    const partials = () => filesIn(to(".")).filter((name) => name.includes(".partial"))
    const child = spawn(process.execPath, [program(import.meta.url, "stalled"), to("out.jsonl"), to("new.db")])
    await begun(child)
    const left = partials()
    expect(left.map((name) => name.replace(/\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.partial/, " partial"))).toEqual([
      ...["new.db partial", "new.db partial-shm", "new.db partial-wal", "out.jsonl partial"],
    ])
    const exporting = ["export", "events", "--log", log, "--force", "--output", to("out.jsonl")]
    expect(hindcast([], ...exporting)).toMatchObject({ code: 0 })
    expect(partials()).toEqual(left)
    const gone = ended(child)
    child.kill("SIGKILL")
    await gone
    expect(partials()).toEqual(left)
    expect(hindcast([], ...exporting)).toMatchObject({ code: 0 })
    expect(partials()).toEqual(left.filter((name) => name.startsWith("new.db")))
    expect(hindcast([], "log", "import", to("out.jsonl"), "--log", to("new.db"))).toMatchObject({ code: 0 })
    expect(filesIn(to("."))).toEqual(["new.db", "out.jsonl"])
  }, 60_000)
})
