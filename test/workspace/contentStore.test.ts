import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import type { Entry, Tree } from "../../src/workspace/model/Entry.ts"
import { ContentStore } from "../../src/workspace/store/ContentStore.ts"
import { temporary } from "../record/recorded.ts"
import { Database } from "../sqlite.ts"

const DIRECTORIES = 40

/** A directory's text has about 50,000 characters: all together do not fit into the memory of directories. */
const WIDTH = 600

const entryOf = (size: number): Entry => ({ kind: "file", mode: 0o644, size, digest: "0".repeat(64) })

const treeOf = (added: number): Tree =>
  new Map(
    Array.from({ length: DIRECTORIES * WIDTH }, (_, index) => [
      `d${index % DIRECTORIES}/${index}`,
      entryOf(index + added),
    ]),
  )

const newFile = (): string => {
  const directory = temporary("trees")
  fs.mkdirSync(directory)
  return path.join(directory, "log.db.files")
}

describe("a store of trees", () => {
  it("finds entries in more directories than it has in memory, each time", () => {
    const store = ContentStore.open(newFile())
    const bases = [store.putTree(treeOf(0)), store.putTree(treeOf(1))]
    for (let round = 0; round < 2; round++)
      for (const [added, base] of bases.entries())
        for (let index = 0; index < DIRECTORIES; index++) {
          const found = store.entryIn(base, `d${index % DIRECTORIES}/${index}`)
          expect(found).toEqual({ isKnown: true, entry: entryOf(index + added) })
          expect(store.entryIn(base, `d${index}/none`)).toEqual({ isKnown: true })
        }
    expect(store.tree(bases[1] ?? "")?.size).toBe(DIRECTORIES * WIDTH)
    store.close()
  })

  it("refuses a directory that was changed, also after others", () => {
    const file = newFile()
    const store = ContentStore.open(file)
    const [one, other] = [new Map([["a", entryOf(1)]]), new Map([["a", entryOf(2)]])].map((tree) => store.putTree(tree))
    const database = new Database(file)
    database
      .prepare("UPDATE tree SET body = (SELECT body FROM tree WHERE digest = ?) WHERE digest = ?")
      .run(Buffer.from(one ?? "", "hex"), Buffer.from(other ?? "", "hex"))
    database.close()
    expect(store.entryIn(one ?? "", "a").entry).toEqual(entryOf(1))
    expect(() => store.entryIn(other ?? "", "a")).toThrow(/was changed/)
    store.close()
  })
})
