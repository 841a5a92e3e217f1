import * as fs from "node:fs"
import { SourceMap } from "node:module"
import { expect, it } from "vitest"
import { built } from "../built.ts"
import { inRepository } from "../repository.ts"

const read = (name: string) => fs.readFileSync(built(name), "utf8")
const readSource = (name: string) => fs.readFileSync(inRepository("src", name), "utf8")

const lineOf = (text: string, part: string): number => text.split("\n").findIndex((line) => line.includes(part))

it("a line of the build leads to its line of the sources", () => {
  const text = read("values/Digest.js")
  expect(text).toContain("//# sourceMappingURL=Digest.js.map")
  const part = "export const digest ="
  const line = lineOf(text, part)
  const found = new SourceMap(JSON.parse(read("values/Digest.js.map"))).findEntry(line, 0)
  expect(found).toMatchObject({
    generatedLine: line,
    originalSource: "../../src/values/Digest.ts",
    originalLine: lineOf(readSource("values/Digest.ts"), part),
  })
})

it("a line of the bundle that programs load leads to its line of the sources", () => {
  const part = " MAX_EVENTS_PER_APPEND ="
  const chunk = fs.readdirSync(built()).find((name) => name.endsWith(".js") && read(name).includes(part))
  const text = read(String(chunk))
  const line = lineOf(text, part)
  const found = new SourceMap(JSON.parse(read(`${chunk}.map`))).findEntry(line, 0)
  expect(found).toMatchObject({
    originalSource: "../src/events/append/AppendChecks.ts",
    originalLine: lineOf(readSource("events/append/AppendChecks.ts"), "export const MAX_EVENTS_PER_APPEND ="),
  })
})
