import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { modulesOf, projects } from "./projects.ts"
import { inRepository } from "./repository.ts"

const { source, program } = projects()

/** A path that leads into `dist/`, and one that leads to a program that imports what is there. */
const NEEDS_BUILD = /\.\.\/dist\/|[(,] ?"dist"|["'`/]programs\//

describe("the project `source`", () => {
  it("has no file of tests that comes to what is built", () => {
    const wrong = source.flatMap((file) =>
      [...modulesOf(file)].filter((module) => module !== OWN && NEEDS_BUILD.test(fs.readFileSync(module, "utf8"))),
    )
    expect(wrong.map((module) => path.relative(inRepository(), module))).toEqual([])
  })
})

describe("the project `program`", () => {
  it("has the tests that run what is built, by themselves or through another module, and no others", () => {
    expect(program).toContain("test/package/entries.test.ts")
    expect(program).toContain("test/events/faults/kills.test.ts")
    expect(program).not.toContain("test/events/conformance.test.ts")
  })

  it("shares no file of tests with the project `source`, and leaves none out", () => {
    const all = fs
      .readdirSync(inRepository("test"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts") && !name.startsWith("long"))
    expect([...source, ...program].sort()).toEqual(all.map((name) => `test/${name}`).sort())
  })
})

const OWN = inRepository("test", "projects.test.ts")
