import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { inRepository } from "./repository.ts"

const read = (page: string) => fs.readFileSync(inRepository(page), "utf8")

/** The folders of `src/`, as paths in it. */
const folders = fs
  .readdirSync(inRepository("src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ parentPath, name }) => path.relative(inRepository("src"), path.join(parentPath, name)))

describe("the picture in ARCHITECTURE.md", () => {
  const [, picture = ""] = /```\n([\s\S]*?)```/.exec(read("ARCHITECTURE.md")) ?? []
  const named = new Set([...picture.matchAll(/([a-z]+)\//g)].map(([, name = ""]) => name))

  it("names folders that exist", () => {
    const existing = new Set(folders.map((folder) => path.basename(folder)))
    expect(named.size).toBeGreaterThan(80)
    expect([...named].filter((name) => !existing.has(name))).toEqual([])
  })

  it("names every level and every room; those of the command line and of pages are by their families", () => {
    const rooms = folders.filter((folder) => folder.split(path.sep).length <= 2 && !/^(?:cli|html)\//.test(folder))
    expect(rooms.filter((room) => !named.has(path.basename(room)))).toEqual([])
  })
})

describe("docs/contributing/code.md", () => {
  it("shows the module as it is, from its first line down", () => {
    const page = read("docs/contributing/code.md")
    const [, file = ""] = /`(src\/\S+\.ts)`/.exec(page) ?? []
    const source = read(file)
    const shown = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].flatMap(([, block = ""]) => block.split("…\n"))
    expect(shown.length).toBeGreaterThan(8)
    let from = 0
    for (const excerpt of shown) {
      const at = source.indexOf(excerpt, from)
      expect(at, excerpt).toBeGreaterThanOrEqual(from)
      from = at + excerpt.length
    }
  })
})
