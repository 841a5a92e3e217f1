import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { NODE_DEPENDENT } from "./nodeDependent.ts"
import { differencesOf, isNodeDependent, leftOut, modulesOf, ofPython, onOneNode, parseTurn } from "./nodes.ts"
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

const all = Object.values(projects()).flat()

/** The files that run on another Node in each turn. */
const TURNS = 10
const turns = Array.from({ length: TURNS }, (_, turn) => {
  const left = new Set(leftOut({ turn, of: TURNS }))
  return all.filter((file) => !left.has(file))
})

/** Parts of Node that are much the same on each. */
const STEADY = "assert|buffer|crypto|fs|fs/promises|os|path|timers/promises|url|util"

/** Whether a module of the sources imports a part of Node that may differ, itself. */
const importsAPart = (module: string) =>
  module.startsWith(inRepository("src/")) &&
  new RegExp(`^(?:import (?!type )|\\} from )[^\\n]*"node:(?!(?:${STEADY})")`, "m").test(
    fs.readFileSync(module, "utf8"),
  )

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
  ])("that comes to %s does not run on one Node alone: %s", (_, file) => {
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

describe("the turns of another Node", () => {
  const needPython = ofPython()
  const both = all.filter((file) => !once.includes(file) && !needPython.includes(file))

  it("come to each file that runs on both: in each turn where it depends on Node, else in one", () => {
    const wanted = both.map((file) => [file, isNodeDependent(file) ? TURNS : 1])
    expect(both.map((file) => [file, turns.filter((turn) => turn.includes(file)).length])).toEqual(wanted)
    expect(turns.flat().filter((file) => !both.includes(file))).toEqual([])
  })

  it("each come to every module of the sources that uses a part of Node which may differ", () => {
    const users = (files: ReadonlyArray<string>) => new Set(files.flatMap((file) => [...modulesOf(file)]))
    const dependent = users(both.filter(isNodeDependent))
    const unmet = [...users(both)].filter((module) => !dependent.has(module) && importsAPart(module))
    expect([...users(both)].filter(importsAPart).length).toBeGreaterThan(50)
    expect(unmet).toEqual([])
  })

  it("are named by files and directories that are there, and run on both", () => {
    const names = NODE_DEPENDENT.flatMap(({ files }) => files)
    const of = (name: string) => both.filter((file) => file === name || (name.endsWith("/") && file.startsWith(name)))
    expect(names.filter((name) => of(name).length === 0)).toEqual([])
    expect(new Set(names).size).toBe(names.length)
    expect(isNodeDependent("test/eventsOfOthers.test.ts")).toBe(false)
  })

  it.each(["", "24", "3/", "8/8", "-1/8", "0/0", "1/8 ", "1e1/20", "0x1/8"])("are not read from %o", (text) => {
    expect(() => parseTurn(text)).toThrow("HINDCAST_TEST_OTHER_NODE: expected a turn, from 0/8 to 7/8 say, found")
    expect(parseTurn("7/8")).toEqual({ turn: 7, of: 8 })
  })
})
