import { execFileSync } from "node:child_process"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { plainCommand, plainSettings } from "./shellWords.ts"

/** The words that a shell makes of commands, each of which is one line. */
const byShell = (commands: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const script = commands.map((command) => `printf '%s\\0' ${command}\nprintf '\\n\\0'`).join("\n")
  const found: Array<Array<string>> = [[]]
  for (const word of execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1)) {
    if (word === "\n") found.push([])
    else found.at(-1)?.push(word)
  }
  return found.slice(0, -1)
}

describe("a command of words alone", () => {
  it("has the words that a shell makes of it", () => {
    const sign = fc.constantFrom(
      ...["a", "Z", "0", "-", "=", "/", ".", "@", "'", '"', " ", "é", "~", "!", "{", "}", "#"],
    )
    const commands = fc
      .sample(fc.array(sign, { maxLength: 12 }), { numRuns: 3_000, seed: 7 })
      .map((signs) => `hindcast ${signs.join("")}`)
    const plain = commands.filter((command) => plainCommand(command) !== undefined)
    expect(plain.length).toBeGreaterThan(100)
    expect(plain.map(plainCommand)).toEqual(byShell(plain))
  })

  it("may be quoted, and go on in the next line", () => {
    expect(plainCommand(`hindcast why --when 'a > "4"' "two words"\\\n  --log=x.db`)).toEqual([
      "hindcast",
      "why",
      "--when",
      'a > "4"',
      "two words",
      "--log=x.db",
    ])
  })

  it.each(["a | b", "a > b", "a; b", "a && b", "a $B", 'a "$B"', "a *", "a `b`", "a 'b", "~/a", "a # b", "a\nb", ""])(
    "is not %j, which is for the shell",
    (command) => {
      expect(plainCommand(command)).toBeUndefined()
    },
  )

  it("is not one that sets a variable for itself", () => {
    expect(plainCommand("A=1 hindcast task ls")?.[0]).toBe("A=1")
  })
})

describe("settings", () => {
  it("are names with values", () => {
    expect(plainSettings("export HINDCAST_LOG=demo.db\nexport A='b c'\n")).toEqual({
      HINDCAST_LOG: "demo.db",
      A: "b c",
    })
    expect(plainSettings("")).toEqual({})
  })

  it("are for the shell where it would read more in them", () => {
    expect(plainSettings("export A=$B\n")).toBeUndefined()
    expect(plainSettings("cd /\n")).toBeUndefined()
  })
})
