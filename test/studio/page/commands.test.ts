import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { OVERVIEW } from "../../../src/studio/page/model/Address.ts"
import { meaningOf, suggestionsFor } from "../../../src/studio/page/model/commands.ts"
import { commandOf } from "../../../src/studio/page/model/copies.ts"
import type { Studio } from "../../../src/studio/page/model/Studio.ts"

describe("a text in the box", () => {
  it("names a task, or is a predicate of tasks where an operator follows", () => {
    expect(meaningOf("task the one")?.says).toBe("open the task the one")
    for (const predicate of ["task != null", "task == null", "task && true"])
      expect(meaningOf(predicate)?.says).toBe(`mark where this is true: ${predicate}`)
  })

  it("is completed by the paths of the state that it begins, however many there are", () => {
    const keys = Array.from({ length: 1_000 }, (_, key) => [`key/${key}`, key] as const)
    const frame = { value: { after: { wide: Object.fromEntries(keys) } } }
    const suggested = (text: string) => suggestionsFor(text, { frame } as unknown as Studio).map(({ text }) => text)
    expect(suggested("/wide/")).toHaveLength(100)
    expect(suggested("/wide/key~1999")).toEqual(["/wide/key~1999"])
    expect(suggested("/wi")).toEqual(["/wide"])
  })
})

describe("a word of a command line", () => {
  it("is exact for a shell, and has nothing invisible in it", () => {
    for (const where of ["plain", 'it\'s "it"', "Übung 日本", "\u202Egnp.\\n", "a\u0007b\n'c'\u{e0041}9 $HOME `x` !"]) {
      const command = commandOf({ ...OVERVIEW, where }, "log.db", 1)
      expect(command).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      const shell = `npx() { printf '%s\\0' "$@"; }; ${command}`
      const words = spawnSync("bash", ["-c", shell], { encoding: "utf8" }).stdout.split("\0")
      expect(words[words.indexOf("--where") + 1]).toBe(where)
    }
  })
})
