import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { differencesOf, ofPython, onOneNode } from "./nodes.ts"
import { projects } from "./projects.ts"
import { inRepository } from "./repository.ts"

/** Beside the tests, where modules of theirs may be. What is made here is no file of tests. */
const place = fs.mkdtempSync(inRepository("test", "nodes-"))
afterAll(() => fs.rmSync(place, { recursive: true, force: true }))

/** By this, drivers of SQLite are loaded. */
const DRIVER = "node:module"

/** Tries one thing with Python where Python is there, and all else on every Node. */
const CONDITIONAL = "test/cli/step.test.ts"

/** The files that run once. */
const once = onOneNode()

/** What a file with this text comes to that may differ by Node. */
const differencesOfText = (text: string) => {
  const file = path.join(place, "module.ts")
  const copy = path.join(place, `${Buffer.from(text).toString("base64url").slice(-24)}.ts`)
  fs.writeFileSync(file, text)
  fs.renameSync(file, copy)
  return differencesOf(path.relative(inRepository(), copy))
}

describe("a file of tests", () => {
  it.each([
    "test/kernel/gate.test.ts",
    "test/values/PlainText.test.ts",
    "test/projections/comparison/statistics.test.ts",
  ])("%s, which comes to plain JavaScript alone, runs on one Node", (file) => {
    expect(differencesOf(file)).toEqual([])
    expect(once).toContain(file)
  })

  it.each([
    ["SQLite", "test/events/conformance.test.ts"],
    ["a process", "test/ci/suite.test.ts"],
    ["a server", "test/studio/live.test.ts"],
    ["the built program", "test/package/entries.test.ts"],
    ["a browser", "test/studio/browser/drawing.test.ts"],
  ])("that comes to %s runs on both: %s", (_, file) => {
    expect(fs.existsSync(inRepository(file))).toBe(true)
    expect(once).not.toContain(file)
  })

  it("that needs Python runs on one Node, and one that tries the same with Node's clients on both", () => {
    expect(ofPython()).toEqual(
      expect.arrayContaining(["test/cli/recordProxy.test.ts", "test/record/loopbackOnly.test.ts"]),
    )
    expect(ofPython()).not.toContain("test/cli/recordClosed.test.ts")
    expect(ofPython()).not.toContain("test/record/proxy/recording.test.ts")
  })

  it("that starts Python says so: by PYTHON, so that it runs where Python is", () => {
    const started = /\b(?:spawn|spawnSync|execFile|execFileSync)\("python3?"/
    const { source, program } = projects()
    const unsaid = [...source, ...program].filter((file) => started.test(fs.readFileSync(inRepository(file), "utf8")))
    expect(unsaid).toEqual([CONDITIONAL])
  })

  it("that starts to use SQLite runs on both, also through a module, an entry of this package, or several lines", () => {
    const plain = 'import * as path from "node:path"\nimport { Effect } from "effect"\n'
    expect(differencesOfText(plain)).toEqual([])
    expect(differencesOfText(`${plain}import { temporaryLog } from "../temporary.ts"\n`)).toContain(DRIVER)
    expect(differencesOfText(`${plain}import { Kernel } from "hindcast"\n`)).toContain(DRIVER)
    expect(differencesOfText(`${plain}import {\n  DatabaseSync,\n} from "node:sqlite"\n`)).toEqual(["node:sqlite"])
    expect(differencesOfText(`${plain}const { DatabaseSync } = await import("node:sqlite")\n`)).toEqual(["node:sqlite"])
  })

  it("that imports what nobody listed, what is chosen while it runs, or what is missing runs on both", () => {
    expect(differencesOfText('process.getBuiltinModule("node:sqlite")\n')).not.toEqual([])
    expect(differencesOfText('import "some-package/part.js"\n')).toEqual(["some-package/part.js"])
    expect(differencesOfText("await import(name)\n")).toEqual(["a module that is chosen while it runs"])
    expect(differencesOfText('export * from "./missing.ts"\n')).toEqual(["a module that is missing"])
  })

  it("that names a module for its types alone does not come to it", () => {
    expect(differencesOfText('import type { DatabaseSync } from "node:sqlite"\n')).toEqual([])
  })
})
