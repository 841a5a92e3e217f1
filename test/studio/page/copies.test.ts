import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { OVERVIEW } from "../../../src/studio/page/model/Address.ts"
import { commandOf } from "../../../src/studio/page/model/copies.ts"

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
