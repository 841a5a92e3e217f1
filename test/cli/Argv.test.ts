import { describe, expect, it } from "vitest"
import { arrange } from "../../src/cli/command/Argv.ts"
import { typedLog } from "../../src/cli/command/CommandHints.ts"
import { run } from "./fromSource.ts"

const args = async (...typed: ReadonlyArray<string>) => {
  const { args, problem } = await arrange(typed)
  return problem?.message ?? args
}

describe("what a person typed is put in order", () => {
  it("options may stand anywhere", async () => {
    const expected = ["audit", "TASK", "--log", "x.db", "--json"]
    expect(await args("audit", "TASK", "--log", "x.db", "--json")).toEqual(expected)
    expect(await args("audit", "--log", "x.db", "TASK", "--json")).toEqual(expected)
    expect(await args("--log", "x.db", "audit", "--json", "TASK")).toEqual(expected)
    const added = ["plugin", "add", "DIR", "--log", "ls"]
    expect(await args("plugin", "--log", "ls", "add", "DIR")).toEqual(added)
    expect(await args("--log", "ls", "plugin", "add", "DIR")).toEqual(added)
  })

  it("a value that is a command's name calls no command", async () => {
    expect(await args("--goal", "demo", "run")).toEqual(["run", "--goal", "demo"])
    expect(await args("--json", "audit", "demo")).toEqual(["audit", "demo", "--json"])
    expect(await args("--log", "audit", "task", "ls")).toEqual(["task", "ls", "--log", "audit"])
  })

  it("a switch that has a value in other commands takes one there", async () => {
    expect(await args("replay", "--live", "model", "TASK")).toEqual(["replay", "TASK", "--live", "model"])
    expect(await args("--live", "modle", "replay", "TASK")).toEqual(["replay", "TASK", "--live", "modle"])
    const { code, error } = await run(["replay", "TASK", "--live", "modle", "--", "node", "agent.js"])
    expect({ code, error }).toMatchObject({ code: 1, error: expect.stringContaining("expected one of model, tools") })
    expect(await args("demo", "--live", "word")).toEqual(["demo", "word", "--live"])
  })

  it("a program's first word is no argument that is missing before it", async () => {
    const found = "expected <task> before --, found none. `hindcast replay --help` shows an example."
    expect(await args("replay", "--", "node", "agent.js")).toBe(`hindcast replay: ${found}`)
    expect(await args("replay", "--json", "--", "node", "agent.js")).toContain("expected <task> before --")
    expect(await args("fork", "--task", "TASK", "--", "node", "agent.js")).toContain("expected <moment> before --")
    expect(await args("files", "fork", "--", "claude")).toContain("expected <moment> before --")
    expect(await args("replay", "TASK", "--", "node")).toEqual(["replay", "TASK", "--", "node"])
    expect(await args("replay", "--help", "--", "node")).toEqual(["replay", "--help"])
    // Elsewhere, -- only protects arguments that begin with a hyphen.
    expect(await args("tag", "--", "TASK", "-x")).toEqual(["tag", "--", "TASK", "-x"])
    expect(await args("note", "@4", "--", "-5 points")).toEqual(["note", "@4", "--", "-5 points"])
  })

  it("a switch takes no value, so that the next word stays an argument", async () => {
    expect(await args("plugin", "meta", "--json", "room", "key", "true")).toEqual([
      ...["plugin", "meta", "room", "key", "true"],
      "--json",
    ])
  })

  it("an option's value may be attached, and hold further signs", async () => {
    expect(await args("run", "--goal=a=b --json", "--plugin=--x")).toEqual([
      ...["run", "--goal", "a=b --json", "--plugin", "--x"],
    ])
    expect(await args("run", "--goal", "- a list")).toEqual(["run", "--goal", "- a list"])
  })

  it("help before a command is its --help", async () => {
    expect(await arrange(["help"])).toEqual(await arrange(["--help"]))
    expect(await arrange(["help", "plugin", "add"])).toEqual(await arrange(["plugin", "add", "--help"]))
    expect((await arrange(["help", "plugin"])).overview).toBe(true)
  })

  it("an option that lacks its value does not take the next option for it, misspelt or not", async () => {
    for (const next of ["--json", "--jsn", "--log=x"])
      expect(await args("task", "ls", "--log", next)).toMatch(/^--log: expected (a value, found none|the option once)/)
    expect(await args("task", "ls", "--log", "--help")).toEqual(["task", "ls", "--help"])
    expect(await arrange(["run", "--goal=--json"])).toMatchObject({ args: ["run", "--goal", "--json"], json: false })
  })

  it("positions and negative numbers are arguments, and may be values", async () => {
    expect(await args("diff", "@1", "--log", "x", "@2")).toEqual(["diff", "@1", "@2", "--log", "x"])
    expect(await args("plugin", "priority", "room/look", "-10")).toEqual(["plugin", "priority", "room/look", "-10"])
    expect(await args("plugin", "priority", "room/look", "-.5")).toEqual(["plugin", "priority", "room/look", "-.5"])
    expect(await args("play", "x", "--seed", "-1")).toEqual(["play", "x", "--seed", "-1"])
  })

  it("what follows -- are arguments, whatever they look like", async () => {
    expect(await args("blame", "--log", "x", "--", "--json")).toEqual(["blame", "--log", "x", "--", "--json"])
    expect((await arrange(["blame", "--", "--json"])).json).toBe(false)
  })

  it("help wins over everything but the version", async () => {
    expect(await args("plugin", "add", "DIR", "--log", "x", "-h")).toEqual(["plugin", "add", "--help"])
    expect(await args("plugin", "add", "--bogus", "--limit=", "--help")).toEqual(["plugin", "add", "--help"])
    expect(await args("plugin", "add", "--help", "--version")).toEqual(["--version"])
  })

  it("nothing, or a group alone, asks for the overview", async () => {
    for (const typed of [[], ["--help"], ["plugin"], ["plugin", "--help"]])
      expect((await arrange(typed)).overview).toBe(true)
    for (const typed of [["audit"], ["plugin", "--json"], ["state", "--help"], ["--bogus"]])
      expect((await arrange(typed)).overview).toBe(false)
  })

  it("errors are JSON where --json was typed, whatever is wrong beside it", async () => {
    for (const typed of [
      ["task", "ls", "--json", "--bogus"],
      ["--json", "frob"],
      ["plugin", "--json", "frob"],
      ["--json"],
    ])
      expect(await arrange(typed)).toMatchObject({ json: true, problem: { _tag: "BadInput" } })
  })
})

describe("a command that is not there", () => {
  it("is told with those that are possible at that level, and the nearest", async () => {
    expect(await args("auditt", "x")).toMatch(
      /^hindcast: expected one of demo, init, run, .*, found "auditt"\. Did you mean audit\?/,
    )
    expect(await args("plugin", "ad", "x")).toMatch(
      /^hindcast plugin: expected one of new, check, .*, found "ad"\. Did you mean add/,
    )
    expect(await args("plugin", "--json")).toMatch(/^hindcast plugin: expected one of new, .*, found none\./)
    for (const typed of [["events"], ["log", "events"]])
      expect(await args(...typed)).toContain("Did you mean `hindcast log ls` or `hindcast export events`?")
    expect(await args("verify")).toContain("Did you mean `hindcast log verify`?")
    expect(await args("log", "audit")).toContain("Did you mean `hindcast audit`?")
    expect(await args("plugin", "ls")).not.toContain("hindcast log ls")
    expect(await args("--json")).toMatch(/^hindcast: expected one of demo, .*, found none\./)
    expect(await args("--log", "x", "auditt")).toMatch(/found "auditt"\. Did you mean audit\?/)
    expect(await args("--completion", "bash")).toMatch(
      /^hindcast: expected one of its options, .* Did you mean --completions\b/,
    )
    expect(await args("--completions", "ksh")).toBe(
      '--completions: expected one of bash, zsh, fish, sh, found "ksh". Did you mean zsh or sh?',
    )
  })
})

describe("the log that suggested commands name", () => {
  it("is the one that was typed, apart or attached, before a --", () => {
    expect(typedLog(["audit", "--log", "x.db"])).toBe("x.db")
    expect(typedLog(["--log=a=b", "audit"])).toBe("a=b")
    expect(typedLog(["replay", "--", "--log", "x"])).toBeUndefined()
    expect(typedLog(["run", "--log-level", "debug"])).toBeUndefined()
  })
})
