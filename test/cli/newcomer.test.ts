import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"
import { writeHistory } from "./smallHistory.ts"
import { argumentsOf } from "./typed.ts"

const place = workplace()
afterAll(place.remove)

/** A log whose path a shell would split. */
const log = path.join(place.directory, "Tom's runs", "log 1.db")
beforeAll(async () => {
  fs.mkdirSync(path.dirname(log))
  await writeHistory(log, 6)
})

/** The commands that a text suggests, as the shell passes their words. */
const suggestions = (text: string) =>
  text
    .split("\n")
    .flatMap((line) => [...line.matchAll(/`(node [^`]+)`/g), ...line.matchAll(/^ {2}(node .+)$/g)])
    .map(([, command = ""]) => command)

describe("task show", () => {
  it("has one task on a screen, with its last error and commands that can be pasted", async () => {
    const { code, stdout } = await hindcast(["task", "show", "task-2", "--log", log])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Task task-2\n {2}goal .*\n(?:.*\n)* {2}outcome +failed\n/)
    expect(stdout).toMatch(/^ {2}error +none was recorded$/m)
    expect(stdout).toMatch(/^ {2}score .* by live$/m)
    const commands = suggestions(stdout)
    expect(commands).toHaveLength(2)
    expect(stdout).toContain("Tom'\\''s runs/log 1.db'")
    const { next } = await document(["task", "show", "task-2", "--log", log])
    for (const command of next as ReadonlyArray<string>) {
      const args = argumentsOf(command) ?? []
      expect(await hindcast([...args, "--log", log])).toMatchObject({ code: 0 })
    }
  })

  it("offers to cancel an open one, and task ls lists those that ended in one way", async () => {
    expect((await document(["task", "show", "task-open", "--log", log])).next).toContain(
      "hindcast task cancel task-open",
    )
    const idsOf = async (...args: ReadonlyArray<string>) =>
      ((await document(["task", "ls", "--log", log, ...args])).tasks as ReadonlyArray<{ id: string }>).map(
        ({ id }) => id,
      )
    expect(await idsOf("--outcome", "failed")).toEqual(["task-2", "task-5"])
    expect(await idsOf("--outcome", "failed", "--limit", "1")).toEqual(["task-5"])
    expect(await idsOf("--outcome", "open")).toEqual(["task-open"])
    expect(await hindcast(["task", "ls", "--outcome", "abandoned", "--log", log])).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("Expected a task with --outcome abandoned, found none among"),
    })
  })
})

describe("what is printed where something is wrong", () => {
  it("asks one question, with one sign at its end", async () => {
    const { stderr } = await hindcast(["compare", "a", "b", "--cluster", "gaol", "--log", log])
    expect(stderr).toMatch(/Did you mean goal\? See `node /)
  })

  it("tells since when events were recorded, where an archive is to end before that", async () => {
    const { code, stderr } = await hindcast(["log", "archive", "--until", "2001-01-01", "--log", log])
    expect({ code, stderr }).toMatchObject({ code: 1 })
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      /--until 2001-01-01: expected a moment after the first event, found none: the first one was recorded at 20\S+Z\. Nothing was archived\./,
    )
  })

  it("tells why a task failed, with commands that name the log of the environment", async () => {
    const { code, stdout, stderr } = await hindcast(["why", "task-2"], { env: { HINDCAST_LOG: log } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^It has not failed|^Failed|^Achieved|^Finished|^Stopped|^Abandoned/)
    expect((await hindcast(["why", "nothing", "--log", log])).stderr).toContain("is not a moment")
  })

  it("says that a key file is open to others, and not that there is none", async () => {
    await hindcast(["log", "snapshot", "--log", log])
    fs.chmodSync(`${log}.snapshot-key`, 0o644)
    const { stdout } = await hindcast(["log", "verify", "--log", log])
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "a key (<log>.snapshot-key) that is not used, because other users can read it",
    )
  })

  it("says that a time is in the future, or before all that was recorded, and by which clock", async () => {
    const at = (time: string, ...more: ReadonlyArray<string>) =>
      hindcast(["state", "--at", time, "--log", log, ...more])
    expect((await at("2999-01-01")).stderr).toMatch(
      /2999-01-01 is in the future by this machine's clock: the last event recorded by then is @\d+/,
    )
    expect((await at("2001-01-01")).stderr).toContain("No event was recorded by 2001-01-01 (recordedAt)")
    expect((await hindcast(["log", "ls", "--until", "2999-01-01", "--log", log])).stderr).toContain("in the future")
    expect((await at("now")).stderr).toBe("")
    expect((await at("2999-01-01", "--json")).stderr).toBe("")
  })

  it("lists the option that completes commands", async () => {
    expect((await hindcast([])).stdout).toContain("--completions")
  })
})
