import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import type { Entry, Tree } from "../../../src/workspace/model/Entry.ts"
import * as RestoreInto from "../../../src/workspace/restore/RestoreInto.ts"
import { Snapshots } from "../../../src/workspace/Snapshots.ts"
import { ContentStore, digestOf } from "../../../src/workspace/store/ContentStore.ts"

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-restore-")))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

let made = 0
const fresh = (name: string) => path.join(base, `${name}${++made}`)

const given = () => {
  const root = fresh("root")
  fs.mkdirSync(root)
  const store = ContentStore.open(fresh("store"))
  const snapshots = new Snapshots({ root, store })
  const write = (file: string, text: string | Buffer) => {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), text)
  }
  return { root, store, snapshots, write }
}

/** All that is in a directory: the reference. */
const onDisk = (root: string, directory = ""): ReadonlyArray<string> =>
  fs.readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry): ReadonlyArray<string> => {
    const file = path.posix.join(directory, entry.name)
    if (entry.isDirectory()) return onDisk(root, file)
    const place = path.join(root, file)
    const isLink = entry.isSymbolicLink()
    const bytes = isLink ? fs.readlinkSync(place, { encoding: "buffer" }) : fs.readFileSync(place)
    return [`${file} ${isLink} ${(fs.lstatSync(place).mode & 0o7777).toString(8)} ${bytes.toString("hex")}`]
  })

/** A tree as a log from elsewhere can have it, with its contents in a store. */
const forged = (files: ReadonlyArray<readonly [path: string, content: string, more?: Partial<Entry>]>) => {
  const store = ContentStore.open(fresh("store"))
  const tree: Tree = new Map(
    files.map(([file, content, more]): [string, Entry] => {
      const bytes = Buffer.from(content)
      store.put(digestOf(bytes), bytes)
      return [file, { kind: "file", mode: 0o644, size: bytes.length, digest: digestOf(bytes), ...more }]
    }),
  )
  return { tree, store }
}

const LINK = { kind: "link", mode: 0o777 } as const

describe("a tree restored into a directory", () => {
  it("has each file's bytes, mode and link, for every snapshot of any history", () => {
    const file = fc.constantFrom("a", "b", "d/a", "d/e/b", "__proto__", "x y", "ä")
    const step = fc.oneof(
      fc.record({ do: fc.constant("write" as const), file, bytes: fc.uint8Array({ maxLength: 40 }) }),
      fc.record({ do: fc.constant("remove" as const), file }),
      fc.record({ do: fc.constant("rename" as const), file, to: file }),
      fc.record({ do: fc.constant("mode" as const), file, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o666, 0o444) }),
      fc.record({
        do: fc.constant("link" as const),
        file,
        to: fc.constantFrom("a", "../nowhere/at-all", "/nowhere/at-all"),
      }),
    )
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const { root, store, snapshots, write } = given()
        const past: Array<readonly [Tree, ReadonlyArray<string>]> = []
        for (const one of steps) {
          const place = path.join(root, one.file)
          const isThere = fs.lstatSync(place, { throwIfNoEntry: false })
          if (one.do === "write") {
            fs.rmSync(place, { force: true })
            write(one.file, Buffer.from(one.bytes))
          } else if (one.do === "link") {
            fs.rmSync(place, { force: true })
            fs.mkdirSync(path.dirname(place), { recursive: true })
            fs.symlinkSync(one.to, place)
          } else if (isThere !== undefined) {
            if (one.do === "remove") fs.rmSync(place)
            else if (one.do === "mode" && isThere.isFile()) fs.chmodSync(place, one.mode)
            else if (one.do === "rename" && one.to !== one.file) {
              fs.mkdirSync(path.dirname(path.join(root, one.to)), { recursive: true })
              fs.renameSync(place, path.join(root, one.to))
            }
          }
          past.push([snapshots.take().tree, onDisk(root)])
        }
        for (const [tree, expected] of past) {
          const directory = fresh("restored")
          const { restored, left } = RestoreInto.into(directory, tree, store)
          expect(left).toEqual([])
          expect(restored.length).toBe(tree.size)
          expect([...onDisk(directory)].sort()).toEqual([...expected].sort())
        }
        store.close()
      }),
      { numRuns: 25 },
    )
  })

  it("names each file whose content is not there, and restores the others", () => {
    const { root, store, snapshots, write } = given()
    write("kept.txt", "kept")
    write(".env", "KEY=1")
    const small = new Snapshots({ root, store, limits: { bytes: 10 } })
    write("large.bin", Buffer.alloc(11))
    const { tree } = small.take()
    const gone = new Map(tree).set("gone.txt", {
      kind: "file",
      mode: 0o644,
      size: 1,
      digest: digestOf(Buffer.from("?")),
    })
    const directory = fresh("restored")
    const { restored, left } = RestoreInto.into(directory, gone, store)
    expect(restored).toEqual(["kept.txt"])
    expect(new Map(left.map(({ path, why }) => [path, why]))).toEqual(
      new Map([
        [".env", "it holds secrets, or its name says so"],
        ["large.bin", "it is above the recorder's size limit"],
        ["gone.txt", "the store has no such content"],
      ]),
    )
    expect(onDisk(directory)).toEqual([`kept.txt false 644 ${Buffer.from("kept").toString("hex")}`])
    expect(snapshots.take().tree.size).toBe(3)
  })

  it("needs an empty directory or none, and does not write through a link to one", () => {
    const { tree, store } = forged([["a", "new"]])
    const full = fresh("full")
    fs.mkdirSync(full)
    fs.writeFileSync(path.join(full, "a"), "old")
    const empty = fresh("empty")
    fs.mkdirSync(empty)
    const link = fresh("link")
    fs.symlinkSync(empty, link)
    for (const [directory, found] of [
      [full, "found a directory with files"],
      [link, "found a link"],
      [path.join(full, "a"), "found a file"],
    ] as const)
      expect(() => RestoreInto.into(directory, tree, store)).toThrow(found)
    expect(fs.readFileSync(path.join(full, "a"), "utf8")).toBe("old")
    expect(fs.readdirSync(empty)).toEqual([])
    expect(RestoreInto.into(empty, tree, store).restored).toEqual(["a"])
  })
})

describe("a hostile tree", () => {
  it("writes nothing outside of the directory, and nothing that is Git's", () => {
    const outside = fresh("outside")
    fs.mkdirSync(outside)
    const before = fs.readdirSync(base).length
    const { tree, store } = forged([
      ["good/file", "good"],
      ["../up", "x"],
      ["good/../../up", "x"],
      [path.join(outside, "absolute"), "x"],
      ["", "x"],
      [".", "x"],
      ["a//b", "x"],
      ["nul\0.txt", "x"],
      [".git/hooks/pre-commit", "x", { mode: 0o755 }],
      ["sub/.GIT/config", "x"],
      [".g\u200cit/config", "x"],
      ["GIT~1/config", "x"],
      [".git. /config", "x"],
      [".git::$INDEX_ALLOCATION/config", "x"],
      ["n".repeat(300), "x"],
      [`${"d/".repeat(5000)}f`, "x"],
    ])
    const directory = path.join(outside, "into")
    const { restored, left } = RestoreInto.into(directory, tree, store)
    expect(restored).toEqual(["good/file"])
    expect(left.length).toBe(tree.size - 1)
    expect(fs.readdirSync(outside)).toEqual(["into"])
    expect(onDisk(directory)).toEqual([`good/file false 644 ${Buffer.from("good").toString("hex")}`])
    // The store and its two companions.
    expect(fs.readdirSync(base).length - before).toBeLessThanOrEqual(3)
  })

  it("leads no file through a link, whatever the order, and keeps a link as one", () => {
    const outside = fresh("outside")
    fs.mkdirSync(outside)
    fs.writeFileSync(path.join(outside, "target"), "theirs")
    const { tree, store } = forged([
      ["a/b", "through", {}],
      ["a", outside, LINK],
      ["c", outside, LINK],
      ["c/target", "through"],
      ["d", path.join(outside, "target"), LINK],
      ["f", "a file"],
      ["f/below", "x"],
      ["nul", "a\0b", LINK],
    ])
    const directory = fresh("restored")
    const { restored, left } = RestoreInto.into(directory, tree, store)
    expect([...restored].sort()).toEqual(["a", "c", "d", "f"])
    expect(left.map(({ path }) => path).sort()).toEqual(["a/b", "c/target", "f/below", "nul"])
    expect(fs.readlinkSync(path.join(directory, "d"))).toBe(path.join(outside, "target"))
    expect(fs.readdirSync(outside)).toEqual(["target"])
    expect(fs.readFileSync(path.join(outside, "target"), "utf8")).toBe("theirs")
  })

  it("sets no bits but permissions, and never lets one of two names for a file pass for both", () => {
    const { tree, store } = forged([
      ["setuid", "x", { mode: 0o6755 }],
      ["Twin", "one"],
      ["twin", "other"],
      ["no-number", "x", { mode: Number.NaN }],
    ])
    const directory = fresh("restored")
    const { restored, left } = RestoreInto.into(directory, tree, store)
    expect(fs.statSync(path.join(directory, "setuid")).mode & 0o7777).toBe(0o755)
    // Both on a file system that tells them apart, else one of them.
    const twins = fs.readdirSync(directory).filter((name) => name.toLowerCase() === "twin")
    expect(restored.filter((name) => name.toLowerCase() === "twin").sort()).toEqual(twins.sort())
    expect(restored.length + left.length).toBe(tree.size)
  })
})
