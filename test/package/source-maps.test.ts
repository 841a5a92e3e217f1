import * as fs from "node:fs"
import { SourceMap } from "node:module"
import * as path from "node:path"
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

it("the licences of all packages that the library includes accompany it", () => {
  const maps = fs.readdirSync(built()).filter((name) => name.endsWith(".js.map"))
  const sources = maps.flatMap((name): ReadonlyArray<string> => JSON.parse(read(name)).sources)
  // A package that includes others names files that are not here, and has their licences itself.
  const ours = sources.filter(
    (source) => !source.includes("node_modules/") || fs.existsSync(path.join(built(), source)),
  )
  const names = ours.flatMap(
    (source) => /(?:^included-package:|node_modules\/)((?:@[^/]+\/)?[^/]+)(?:\/|$)/.exec(source)?.[1] ?? [],
  )
  const packages = [...new Set(names)].sort()
  expect(packages).toEqual(expect.arrayContaining(["ajv", "effect", "re2js", "simple-statistics", "uuidv7"]))
  const licences = read("THIRD-PARTY.txt")
  expect(packages.filter((name) => !new RegExp(`^${name} \\d[\\w.-]* \\(.+\\)$`, "m").test(licences))).toEqual([])
})
