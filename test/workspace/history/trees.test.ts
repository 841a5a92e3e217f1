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

describe("a tree from elsewhere", () => {
  const stored = () => {
    const texts = new Map<string, string>()
    const put = (...lines: ReadonlyArray<unknown>) => {
      const digest = String(texts.size)
      texts.set(digest, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"))
      return digest
    }
    return { put, get: (digest: string) => texts.get(digest) }
  }
  const A_FILE = ["f", "f", 0o644, 1, "00"]

  it("is refused once it has more entries than any recorded one, whatever its directories say", () => {
    const { put, get } = stored()
    let digest = put()
    // Each directory holds the next one twice.
    for (let depth = 0; depth < 40; depth++) digest = put(["l", "d", digest], ["r", "d", digest])
    assert.throws(() => Trees.read(digest, get), `more than ${Trees.MAX_ENTRIES} entries`)
  })

  it("is refused if a path or a line is longer than any", () => {
    const { put, get } = stored()
    let digest = put(A_FILE)
    for (let depth = 0; depth < 20_000; depth++) digest = put(["d", "d", digest])
    assert.throws(() => Trees.read(digest, get), "a path of more than")
    const long = put(["x".repeat(1_000_000), ...A_FILE.slice(1)])
    assert.throws(() => Trees.read(long, get), "a line of more than")
    assert.throws(() => Trees.find(long, "x", get), "a line of more than")
    assert.throws(() => new Trees.Search(["x"]).in(long, get, () => {}), "a line of more than")
  })

  it("may have as many directories below each other as a path has room for", () => {
    const { put, get } = stored()
    const path = `${"d/".repeat(16_000)}f`
    const entry: Entry = { kind: "file", mode: 0o644, size: 1, digest: "00" }
    const root = Trees.write(new Map([[path, entry]]), put)
    assert.deepEqual(Trees.read(root, get), new Map([[path, entry]]))
    assert.deepEqual(Trees.find(root, path, get), { isKnown: true, entry })
  })
})
