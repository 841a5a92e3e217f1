import * as path from "node:path"
import stringWidth from "string-width"
import { describe, expect, it } from "vitest"
import * as CommandHints from "../../src/cli/command/CommandHints.ts"
import * as ConfirmationPage from "../../src/cli/pages/events/ConfirmationPage.ts"
import * as GrantPage from "../../src/cli/pages/plugins/GrantPage.ts"
import * as Help from "../../src/cli/terminal/Help.ts"
import * as Overview from "../../src/cli/terminal/Overview.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import * as DidYouMean from "../../src/values/DidYouMean.ts"

const program = `node ${path.join("src", "cli", "main.js")}`

describe("commands in texts of the library", () => {
  it("begin as this program is called, those in backticks and those that grant", () => {
    expect(
      CommandHints.inText(
        "Gone. `hindcast plugin activate a/b` brings it.\nGrant it: hindcast plugin grant a --grant-run 'x y'",
      ),
    ).toBe(`Gone. \`${program} plugin activate a/b\` brings it.\nGrant it: ${program} plugin grant a --grant-run 'x y'`)
    expect(CommandHints.command(["log", "ls", "--type", "a b", "it's"])).toBe(
      `${program} log ls --type 'a b' 'it'\\''s'`,
    )
  })

  it("are left as they are where they are none", () => {
    for (const text of [
      "hindcast log: expected one",
      "held by (hindcast run of ada)",
      "the `hindcast` package",
      "`hindcast.ts`",
    ]) {
      expect(CommandHints.inText(text)).toBe(text)
    }
  })

  it("are for the log that was named, unless they name one themselves", () => {
    const typed = process.argv
    process.argv = ["node", "main.js", "task", "ls", "--log=a b.db"]
    try {
      expect(CommandHints.inText("`hindcast log verify`, `hindcast audit x --log y`, `hindcast task --help`")).toBe(
        `\`${program} log verify --log 'a b.db'\`, \`${program} audit x --log y\`, \`${program} task --help\``,
      )
    } finally {
      process.argv = typed
    }
  })
})

describe("a misspelt name", () => {
  it("has near ones, the nearest first, and none where nothing is near", () => {
    const known = ["SensorRead", "SensorFailed", "TaskOpened", "TaskClosed"]
    expect(DidYouMean.similarNames("sensorread", known)).toEqual(["SensorRead"])
    expect(DidYouMean.similarNames("TaskOpend", known)).toEqual(["TaskOpened"])
    expect(DidYouMean.similarNames("TasksClosed", known)).toEqual(["TaskClosed"])
    expect(DidYouMean.similarNames("Weather", known)).toEqual([])
    expect(DidYouMean.similarNames("", known)).toEqual([])
  })
})

describe("what a person is asked to confirm", () => {
  it("is shown whole, a line for each fact, with nothing that a terminal would obey", () => {
    const content = "x".repeat(500)
    const shown = { actuator: "a/b\u001b[2J", args: { content }, risk: "high" }
    expect(ConfirmationPage.page(Style.plain, shown, { width: Number.POSITIVE_INFINITY })).toEqual({
      lines: ["  actuator  a/b\\u{1b}[2J", `  args      {"content":"${content}"}`, "  risk      high"],
      hidden: 0,
    })
  })

  it("is whole at 60 columns too, and no value begins where a fact's name does", () => {
    const content = `${"x".repeat(70)}  risk      none ${"界".repeat(40)}`
    const { lines, hidden } = ConfirmationPage.page(Style.plain, { args: { content }, risk: "high" }, { width: 60 })
    expect(lines.every((line) => stringWidth(line) <= 60)).toBe(true)
    expect(lines.filter((line) => /^ {2}\S/.test(line))).toEqual(["  args  {", "  risk  high"])
    const text = lines.map((line) => line.slice("  args  ".length)).join("")
    expect(text.replaceAll(" ", "")).toBe(`{"content":"${content}"}high`.replaceAll(" ", ""))
    expect(hidden).toBe(0)
  })

  it("writes what nobody sees, and what looks like something else, as escapes", () => {
    const hidden = { actuator: "a/b", args: { path: "no\u3164te\u202e.txt", to: "p\u0430ypal.com" } }
    const { lines } = ConfirmationPage.page(Style.plain, hidden, { width: Number.POSITIVE_INFINITY })
    expect(lines[1]).toBe('  args      {"path":"no\\u{3164}te\\u{202e}.txt","to":"p\\u{430}ypal.com"}')
  })

  it("says how much of a long value is not shown, and shows the short facts beside it all the same", () => {
    const shown = { args: "y".repeat(5_000), risk: "high" }
    const { lines, hidden } = ConfirmationPage.page(Style.plain, shown, { width: 60, limit: 1_000 })
    expect(hidden).toBe(4_000)
    expect(lines.slice(-2)).toEqual(["        … 4,000 more characters not shown", "  risk  high"])
  })
})

describe("grants by name", () => {
  it("are words", () => {
    expect(GrantPage.words({ run: ["git", "npm"], read: ["/etc"], runAny: true })).toBe(
      "read /etc; run git, npm; any command",
    )
    expect(GrantPage.words({})).toBe("")
  })
})

describe("help", () => {
  it("shows in the call that what may be repeated may be left out", () => {
    const help =
      "hindcast\n\nUSAGE\n\n$ run --goal text --plugin text... [--json]\n\nOPTIONS\n\n--plugin text...\n  A plugin"
    expect(Help.lines(help, ["run"])[0]).toBe("hindcast run --goal text [--plugin text]... [--json]")
  })

  it("names every exit code", () => {
    expect(Overview.lines(Style.plain, "1.0.0").at(-1)).toBe(
      "Exit codes: 0 ok, 1 usage or bad input, 2 tampered or diverged, 3 not found, 70 a bug, 130 interrupted.",
    )
  })
})
