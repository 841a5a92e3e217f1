import { describe, expect, it } from "vitest"
import { arrange, COMMANDS_WITH_VALUE, SWITCHES, VALUED } from "../../src/cli/command/Argv.ts"
import { PATHS } from "../../src/cli/terminal/Overview.ts"
import { hindcast } from "./hindcast.ts"

const args = (...typed: ReadonlyArray<string>) => arrange(typed).args

describe("what a person typed is put in order", () => {
  it("options may stand anywhere", () => {
    const expected = ["audit", "TASK", "--log", "x.db", "--json"]
    expect(args("audit", "TASK", "--log", "x.db", "--json")).toEqual(expected)
    expect(args("audit", "--log", "x.db", "TASK", "--json")).toEqual(expected)
    expect(args("--log", "x.db", "audit", "--json", "TASK")).toEqual(["audit", "TASK", "--log", "x.db", "--json"])
  })

  it("a switch that has a value in other commands takes one there", async () => {
    expect(args("replay", "--live", "model", "TASK")).toEqual(["replay", "TASK", "--live", "model"])
    expect(args("--live", "modle", "replay", "TASK")).toEqual(["replay", "TASK", "--live", "modle"])
    const { code, stderr } = await hindcast(["replay", "TASK", "--live", "modle", "--", "node", "agent.js"])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("expected one of model, tools") })
    expect(args("demo", "--live", "word")).toEqual(["demo", "word", "--live"])
  })

  it("a switch takes no value, so that the next word stays an argument", () => {
    expect(args("plugin", "meta", "--json", "room", "key", "true")).toEqual([
      ...["plugin", "meta", "room", "key", "true"],
      "--json",
    ])
  })

  it("an option's value may be attached, be empty, and hold further signs", () => {
    expect(args("run", "--goal=a=b --json", "--plugin=")).toEqual(["run", "--goal", "a=b --json", "--plugin", ""])
  })

  it("help before a command is its --help", () => {
    expect(arrange(["help"])).toEqual(arrange(["--help"]))
    expect(arrange(["help", "plugin", "add"])).toEqual(arrange(["plugin", "add", "--help"]))
    expect(arrange(["help", "plugin"]).overview).toBe(true)
  })

  it("an option that lacks its value does not take the next option for it", () => {
    expect(args("task", "ls", "--log", "--json")).toEqual(["task", "ls", "--json", "--log"])
    expect(arrange(["task", "ls", "--log", "--json"]).lacking).toBe("--log")
    expect(arrange(["task", "ls", "--log", "--help"]).lacking).toBeUndefined()
    expect(arrange(["run", "--goal=--json"])).toMatchObject({ args: ["run", "--goal", "--json"], json: false })
  })

  it("positions and negative numbers are arguments", () => {
    expect(args("diff", "@1", "--log", "x", "@2")).toEqual(["diff", "@1", "@2", "--log", "x"])
    expect(args("plugin", "priority", "room/look", "-10")).toEqual(["plugin", "priority", "room/look", "-10"])
  })

  it("what follows -- are arguments, whatever they look like", () => {
    expect(args("blame", "--log", "x", "--", "--json")).toEqual(["blame", "--log", "x", "--", "--json"])
    expect(arrange(["blame", "--", "--json"]).json).toBe(false)
  })

  it("an option that is not known stays where the parser will name it", () => {
    expect(args("audit", "--bogus", "TASK")).toEqual(["audit", "TASK", "--bogus"])
  })

  it("help wins over everything but the version", () => {
    expect(args("plugin", "add", "DIR", "--log", "x", "-h")).toEqual(["plugin", "add", "--help"])
    expect(args("plugin", "add", "--help", "--version")).toEqual(["--version"])
  })

  it("nothing, or a group alone, asks for the overview", () => {
    for (const typed of [[], ["--help"], ["plugin"], ["plugin", "--help"]]) expect(arrange(typed).overview).toBe(true)
    for (const typed of [["audit"], ["plugin", "--json"], ["state", "--help"], ["--bogus"]]) {
      expect(arrange(typed).overview).toBe(false)
    }
  })
})

describe("the program's own lists are complete", () => {
  it("every option of every command is known to `arrange`, as what it is, and every command to the overview", async () => {
    // The one text in which the parser tells all commands and options, and which of them take a value.
    const { stdout } = await hindcast(["--completions", "fish"])
    const options = [...stdout.matchAll(/ -l ([a-z-]+)( -r)?/g)]
    const named = (valued: boolean) =>
      [...new Set(options.filter(([, , r]) => (r !== undefined) === valued).map(([, name]) => `--${name}`))].sort()
    expect(named(true)).toEqual([...VALUED, ...Object.keys(COMMANDS_WITH_VALUE)].sort())
    expect(named(false)).toEqual([...SWITCHES, "--help", "--version"].sort())
    const commands = [...stdout.matchAll(/use_subcommand" -f -a "([a-z]+)"/g)].map(([, name]) => name)
    expect([...new Set(PATHS.map(([first]) => first))].sort()).toEqual(commands.sort())
  })

  it("a command's help says how it is called, and what each argument and option is for", async () => {
    const { stdout } = await hindcast(["plugin", "meta", "--help"])
    expect(stdout).toMatch(/^hindcast plugin meta .*<target> <key> \[<value>\]\n\nShow, set or remove metadata/)
    expect(stdout).toContain("\n--unset\n  Remove the key\n")
  })
})
