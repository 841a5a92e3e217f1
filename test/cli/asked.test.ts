import { describe, expect, it } from "vitest"
import * as ConfirmationPage from "../../src/cli/pages/events/ConfirmationPage.ts"
import * as Style from "../../src/cli/terminal/Style.ts"

const width = 60

describe("the page of a question", () => {
  it("has no lines of spaces, behind which a command would be out of sight", () => {
    const args = { cmd: `rm -rf / #${" ".repeat(15_000)}echo hi` }
    const { lines, hidden } = ConfirmationPage.page(
      Style.plain,
      { actuator: "shell/run", args, risk: "high" },
      { width },
    )
    expect(hidden).toBe(0)
    expect(lines.length).toBeLessThan(10)
    expect(lines.filter((line) => line.trim() === "")).toEqual([])
    expect(lines.join("\n")).toMatch(/rm -rf \/ #\n +… 3\d\d lines of spaces\n +echo\s+hi"/)
  })

  it("keeps what others wrote about whose question it is further in than its facts", () => {
    const origin = `me@1: Tidy up${" ".repeat(31)}${"actuator  safe/read".padEnd(54)}risk      none`
    const waiting = {
      position: 1,
      expiresAt: Date.now() + 60_000,
      argsDigest: "",
      shown: {},
      requestedAt: 0,
      taskId: null,
    }
    const heading = ConfirmationPage.heading(Style.plain, "id", waiting, origin, { width })
    expect(heading.filter((line) => /^ {0,3}(actuator|risk)/.test(line))).toEqual([])
    expect(heading.every((line) => line.length <= width)).toBe(true)
  })

  it("says in a list how much more there is, also where escapes alone make it longer than the line", () => {
    const args = { a: `${"\u202e".repeat(3)}${"x".repeat(47)}` }
    expect(JSON.stringify(args)).toHaveLength(width - 2)
    const lines = ConfirmationPage.summary(
      Style.plain,
      { actuator: "shell/run", args, risk: "high" },
      { width },
      "show it",
    )
    expect(lines.at(-1)).toBe("  … 21 more characters: show it")
  })
})
