import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Directory, directoryOf } from "../../../src/studio/page/parts/files/directories.ts"
import type { FileRow } from "../../../src/studio/wire/Files.ts"

const row = (path: string, change?: FileRow["change"]): FileRow => ({
  path,
  kind: "file",
  size: 1,
  ...(change === undefined ? {} : { change }),
})

const filesIn = ({ directories, files }: Directory): ReadonlyArray<FileRow> => [
  ...directories.flatMap(filesIn),
  ...files,
]

describe("the directories of files", () => {
  it("sort files by name below their directories, and count what changed", () => {
    const root = directoryOf([row("src/b/two.ts", "changed"), row("src/a.ts", "added"), row("README.md"), row("a.md")])
    expect(root.files.map(({ path }) => path)).toEqual(["README.md", "a.md"])
    expect(root.changed).toBe(2)
    const [src] = root.directories
    expect([src?.name, src?.path, src?.changed, src?.files.map(({ path }) => path)]).toEqual([
      "src",
      "src",
      2,
      ["src/a.ts"],
    ])
    expect(src?.directories.map(({ path, changed }) => [path, changed])).toEqual([["src/b", 1]])
  })

  it("lose no file, whatever its path is", () => {
    const names = fc.oneof(fc.constantFrom("__proto__", "constructor", "..", ""), fc.string())
    const paths = fc.uniqueArray(fc.array(names, { minLength: 1, maxLength: 80 }).map((parts) => parts.join("/")))
    fc.assert(
      fc.property(paths, (given) => {
        const found = filesIn(directoryOf(given.map((path) => row(path))))
        expect(found.map(({ path }) => path).sort()).toEqual([...given].sort())
      }),
    )
  })

  it("end above a path with very many directories", () => {
    const path = "a/".repeat(100_000)
    expect(filesIn(directoryOf([row(path)]))).toEqual([row(path)])
  })
})
