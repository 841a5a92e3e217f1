import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Entry } from "../../../src/workspace/model/Entry.ts"
import * as Trees from "../../../src/workspace/store/Trees.ts"

const names = fc.constantFrom("a", "b", 'a"', "a\nb", "日", "[")
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((all) => all.join("/"))

describe("one entry of a tree", () => {
  it("is the one that the whole tree has", () => {
    fc.assert(
      fc.property(fc.uniqueArray(paths, { maxLength: 12 }), paths, (all, wanted) => {
        // A file is no directory.
        const files = all.filter((path) => !all.some((other) => other.startsWith(`${path}/`)))
        const tree = new Map(
          files.map((path, size): [string, Entry] => [path, { kind: "file", mode: 0o644, size, digest: "00" }]),
        )
        const texts: Array<string> = []
        const root = Trees.write(tree, (text) => String(texts.push(text) - 1))
        const get = (digest: string) => texts[Number(digest)]
        for (const path of [...files, wanted])
          assert.deepEqual(Trees.find(root, path, get).entry, Trees.read(root, get)?.get(path))
        assert.deepEqual(Trees.find("none", wanted, get), { isKnown: false })
      }),
    )
  })
})
