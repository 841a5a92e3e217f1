import * as fs from "node:fs/promises"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  changesBetween,
  type ListedFile,
  type Listing,
  list,
  MAX_DIGEST_BYTES,
  MAX_FILES,
} from "../../../plugins/workspace/listing.ts"
import { sha256 } from "../../../src/values/Digest.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { nodeDisk } from "./nodeDisk.ts"

const write = (root: string, files: { readonly [name: string]: string | Uint8Array }) =>
  Effect.promise(async () => {
    for (const [name, content] of Object.entries(files)) {
      await fs.mkdir(path.join(root, path.dirname(name)), { recursive: true })
      await fs.writeFile(path.join(root, name), content)
    }
  })

const listed = (root: string) => Effect.promise(() => list(nodeDisk, root, new AbortController().signal))

describe("a listing", () => {
  it.scoped("has every file with size and digest, sorted by whole path", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      yield* write(root, { "a/b.txt": "one", "a-b": "two", "a.txt": "", "Z/é/ü.md": "ü" })
      const { files, truncated, unreadable } = yield* listed(root)
      expect(files.map(({ path, size, digest }) => [path, size, digest])).toEqual([
        ["Z/é/ü.md", 2, sha256("ü")],
        ["a-b", 3, sha256("two")],
        ["a.txt", 0, sha256("")],
        ["a/b.txt", 3, sha256("one")],
      ])
      expect({ truncated, unreadable }).toEqual({ truncated: false, unreadable: [] })
    }),
  )

  it.scoped("leaves out what tools make, at any depth, and nothing that only looks like it", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      yield* write(root, {
        ".git/HEAD": "x",
        "web/node_modules/a.js": "x",
        "web/dist/a.js": "x",
        "web/distance": "x",
        dist: "x",
      })
      expect((yield* listed(root)).files.map(({ path }) => path)).toEqual(["dist", "web/distance"])
    }),
  )

  it.scoped("follows no link, neither out of the directory nor in a circle", () =>
    Effect.gen(function* () {
      const outside = yield* temporaryDirectory
      const root = yield* temporaryDirectory
      yield* write(outside, { secret: "x" })
      yield* write(root, { "a/file": "x" })
      yield* Effect.promise(() => fs.symlink(outside, path.join(root, "out")))
      yield* Effect.promise(() => fs.symlink(path.join(outside, "secret"), path.join(root, "secret")))
      yield* Effect.promise(() => fs.symlink(root, path.join(root, "a/round")))
      expect((yield* listed(root)).files.map(({ path }) => path)).toEqual(["a/file"])
    }),
  )

  it.scoped("gives no digest to a file above the limit", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      yield* write(root, { at: new Uint8Array(MAX_DIGEST_BYTES), above: new Uint8Array(MAX_DIGEST_BYTES + 1) })
      const { files } = yield* listed(root)
      expect(files.map(({ path, digest }) => [path, digest !== null])).toEqual([
        ["above", false],
        ["at", true],
      ])
    }),
  )

  it.scoped("stops at the limit of files and says that it is truncated, not one file earlier", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const names = Array.from({ length: MAX_FILES }, (_, index) => `f${String(index).padStart(5, "0")}`)
      yield* write(root, Object.fromEntries(names.map((name) => [name, ""])))
      const full = yield* listed(root)
      expect([full.files.length, full.truncated]).toEqual([MAX_FILES, false])
      yield* write(root, { "f00000x/deep": "" })
      const more = yield* listed(root)
      expect([more.files.length, more.truncated, more.files[1]?.path]).toEqual([MAX_FILES, true, "f00000x/deep"])
      expect(changesBetween(full, more)).toEqual({ added: ["f00000x/deep"], modified: [], removed: [] })
    }),
  )

  it.scoped("names what cannot be read, and leaves out what went while it looked", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      yield* write(root, { gone: "x", locked: "x", open: "x" })
      const read = async (file: string) => {
        if (file.endsWith("locked")) throw new Error("permission denied")
        if (file.endsWith("gone")) await fs.rm(file)
        return nodeDisk.read(file)
      }
      const disk = { ...nodeDisk, read }
      const { files, unreadable } = yield* Effect.promise(() => list(disk, root, new AbortController().signal))
      expect(files.map(({ path }) => path)).toEqual(["open"])
      expect(unreadable).toEqual(["locked"])
    }),
  )

  it.scoped("a listing of an aborted call is not made", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      yield* write(root, { a: "x" })
      const aborted = yield* Effect.promise(() =>
        list(nodeDisk, root, AbortSignal.abort(new Error("enough"))).catch((error: unknown) => error),
      )
      expect(aborted).toEqual(new Error("enough"))
    }),
  )

  it.effect("a listing of a directory that is not there fails", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.promise(() =>
        list(nodeDisk, "/nowhere/at/all", new AbortController().signal).catch(() => "failed"),
      )
      expect(failed).toBe("failed")
    }),
  )
})

describe("changes", () => {
  const file = (path: string, digest: string | null = path, size = 1, modifiedAt = 1): ListedFile => ({
    path,
    size,
    modifiedAt,
    digest,
  })
  const listing = (files: ReadonlyArray<ListedFile>, truncated = false): Listing => ({
    files,
    truncated,
    unreadable: [],
  })

  it("are added, modified and removed files", () => {
    const before = listing([file("a"), file("b"), file("c")])
    const after = listing([file("b", "other"), file("c"), file("d")])
    expect(changesBetween(before, after)).toEqual({ added: ["d"], modified: ["b"], removed: ["a"] })
  })

  it("go by content where there is a digest, else by size and time", () => {
    const before = listing([file("a", "same", 1, 1), file("b", null, 1, 1), file("c", null, 1, 1), file("d", null)])
    const after = listing([file("a", "same", 1, 2), file("b", null, 1, 2), file("c", null, 2, 1), file("d", null)])
    expect(changesBetween(before, after).modified).toEqual(["b", "c"])
  })

  it("say nothing of what lies after the end of a truncated listing", () => {
    const before = listing([file("a"), file("c")], true)
    const after = listing([file("a"), file("b")], true)
    expect(changesBetween(before, after)).toEqual({ added: ["b"], modified: [], removed: [] })
    expect(changesBetween(listing([], true), listing([file("a")]))).toEqual({ added: [], modified: [], removed: [] })
  })

  it("between the same two listings are the same both ways, mirrored", () => {
    const arbitrary = fc
      .uniqueArray(fc.tuple(fc.constantFrom(..."abcdefgh"), fc.constantFrom("x", "y")), { selector: ([path]) => path })
      .map((files) =>
        listing(files.map(([path, digest]) => file(path, digest)).sort((a, b) => (a.path < b.path ? -1 : 1))),
      )
    fc.assert(
      fc.property(arbitrary, arbitrary, (one, two) => {
        const there = changesBetween(one, two)
        const back = changesBetween(two, one)
        expect(back).toEqual({ added: there.removed, modified: there.modified, removed: there.added })
      }),
    )
  })
})
