import * as fs from "node:fs"
import { SourceMap } from "node:module"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const read = (path: string) => fs.readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

const lineOf = (text: string, part: string): number => text.split("\n").findIndex((line) => line.includes(part))

it("a line of the build leads to its line of the sources", () => {
  const built = read("dist/values/Digest.js")
  expect(built).toContain("//# sourceMappingURL=Digest.js.map")
  const part = "export const digest ="
  const line = lineOf(built, part)
  const found = new SourceMap(JSON.parse(read("dist/values/Digest.js.map"))).findEntry(line, 0)
  expect(found).toMatchObject({
    generatedLine: line,
    originalSource: "../../src/values/Digest.ts",
    originalLine: lineOf(read("src/values/Digest.ts"), part),
  })
})

it("a line of the bundle that programs load leads to its line of the sources", () => {
  const part = "var MAX_EVENTS_PER_APPEND ="
  const chunk = fs
    .readdirSync(fileURLToPath(new URL("../../dist", import.meta.url)))
    .find((name) => name.endsWith(".js") && read(`dist/${name}`).includes(part))
  const built = read(`dist/${chunk}`)
  const line = lineOf(built, part)
  const found = new SourceMap(JSON.parse(read(`dist/${chunk}.map`))).findEntry(line, 0)
  expect(found).toMatchObject({
    originalSource: "../src/events/append/AppendValidation.ts",
    originalLine: lineOf(read("src/events/append/AppendValidation.ts"), "export const MAX_EVENTS_PER_APPEND ="),
  })
})
