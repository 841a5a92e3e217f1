import { describe, expect, it } from "vitest"
import { SWITCHES, VALUED } from "../../src/cli/command/Argv.ts"
import * as Examples from "../../src/cli/terminal/Examples.ts"
import * as Help from "../../src/cli/terminal/Help.ts"
import { PATHS } from "../../src/cli/terminal/Overview.ts"

describe("the help of each command", () => {
  it.each(PATHS.map((path) => [path.join(" "), path] as const))("has an example: %s", (words, path) => {
    const example = Examples.of(path)
    expect(Help.lines("USAGE\n\n$ x", path).at(-1)).toBe(`Example: hindcast ${example}`)
    expect(example?.startsWith(words)).toBe(true)
    const options = example?.split(" ").filter((word) => /^--\w/.test(word)) ?? []
    expect(options.filter((option) => !SWITCHES.has(option) && !VALUED.has(option))).toEqual([])
  })

  it("has none for a group", () => {
    expect(Examples.of(["nothing"])).toBeUndefined()
  })
})
