/** Worlds are computed with functions that return the same bits in every engine. */
import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { elementary } from "../../src/plugins/elementary/Elementary.ts"
import { inRepository } from "../repository.ts"

/** What may differ from engine to engine in the last bit: functions of `Math`, by any way to name them, and powers. */
const FUNCTIONS = Object.keys(elementary).join("|")
const USES = new RegExp(
  String.raw`\bMath\s*\.\s*(?:${FUNCTIONS}|exp10|random)\b|\bMath\s*\[|[=,(]\s*Math\s*[;,)\n]|[^/*]\*\*[^/*]`,
)

/** The lines that use one of them; comments do not count. */
const usesIn = (text: string): ReadonlyArray<string> =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .split("\n")
    .map((line) => line.replace(/\/\/.*$/, ""))
    .filter((line) => USES.test(`${line}\n`))

const modulesIn = (...folder: ReadonlyArray<string>): ReadonlyArray<string> =>
  fs
    .readdirSync(inRepository(...folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/node_modules|vendor/.test(file))
    .map((file) => inRepository(...folder, file))

describe("the arithmetic of worlds", () => {
  it("finds functions whose last bit depends on the engine", () => {
    const lines = ["Math.sin(x)", "const { cos } = Math", "Math ['tan'](x)", "x ** 2", "Math.random()", "f(Math)"]
    expect(lines.filter((line) => usesIn(line).length === 1)).toEqual(lines)
    expect(usesIn("/** x ** 2 */\nMath.sqrt(x) * Math.PI // Math.sin\n/* Math.cos\n */ Math.fround(x)")).toEqual([])
  })

  it.each([
    ["packages", "worlds"],
    ["plugins"],
    ["template"],
    ["src", "plugins", "numpy"],
    ["src", "plugins", "spaces"],
  ])("is the same in every engine in %s", (...folder) => {
    const modules = modulesIn(...folder)
    expect(modules.length).toBeGreaterThan(0)
    expect(modules.flatMap((file) => usesIn(fs.readFileSync(file, "utf8")).map((line) => `${file}: ${line}`))).toEqual(
      folder.includes("numpy") ? [expect.stringContaining("number / 2 ** 32")] : [],
    )
  })
})
