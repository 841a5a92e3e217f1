import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as GitPatch from "../../../src/workspace/history/GitPatch.ts"
import * as Changes from "../../../src/workspace/model/Changes.ts"
import type { Entry } from "../../../src/workspace/model/Entry.ts"
import { digestOf } from "../../../src/workspace/store/ContentStore.ts"
import { temporary } from "../../record/recorded.ts"

interface Made {
  readonly kind: "file" | "link"
  readonly isExecutable: boolean
  readonly bytes: Uint8Array
}

type Files = Readonly<Record<string, Made>>

const contents = new Map<string, Uint8Array>()

const treeOf = (files: Files) =>
  new Map(
    Object.entries(files).map(([file, { kind, isExecutable, bytes }]): [string, Entry] => {
      const digest = digestOf(bytes)
      contents.set(digest, bytes)
      return [file, { kind, mode: kind === "link" ? 0o777 : isExecutable ? 0o755 : 0o644, size: bytes.length, digest }]
    }),
  )

const git = (cwd: string, words: ReadonlyArray<string>, input?: Uint8Array) =>
  execFileSync("git", ["-c", "core.quotepath=off", "-c", "core.autocrlf=false", ...words], {
    cwd,
    input,
    stdio: ["pipe", "pipe", "pipe"],
  })

const write = (root: string, files: Files) => {
  for (const [file, { kind, isExecutable, bytes }] of Object.entries(files)) {
    const at = path.join(root, file)
    fs.mkdirSync(path.dirname(at), { recursive: true })
    if (kind === "link") fs.symlinkSync(Buffer.from(bytes), at)
    else fs.writeFileSync(at, bytes, { mode: isExecutable ? 0o755 : 0o644 })
  }
}

const read = (root: string, directory = ""): Files =>
  Object.fromEntries(
    fs.readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry): Array<[string, Made]> => {
      const file = path.posix.join(directory, entry.name)
      if (entry.name === ".git") return []
      if (entry.isDirectory()) return Object.entries(read(root, file))
      const at = path.join(root, file)
      if (entry.isSymbolicLink())
        return [[file, { kind: "link", isExecutable: false, bytes: fs.readlinkSync(at, { encoding: "buffer" }) }]]
      const isExecutable = (fs.statSync(at).mode & 0o100) !== 0
      return [[file, { kind: "file", isExecutable, bytes: fs.readFileSync(at) }]]
    }),
  )

const shown = (files: Files) =>
  Object.entries(files)
    .map(([file, { kind, isExecutable, bytes }]) => [file, kind, isExecutable, Buffer.from(bytes).toString("latin1")])
    .sort()

const NAMES = ["a.txt", "b with space.txt", "d/e.bin", "d/ä.txt", 'q"uote\\.txt', "tab\tname", "link", "d/x.sh"]

const line = fc.constantFrom("", "one", "two  ", "three\r", "\\ No newline", "--- a/x", "@@ -1 +1 @@", "ä", "\u2028")
const text = fc.tuple(fc.array(line, { maxLength: 30 }), fc.boolean()).map(([all, ends]) => {
  const joined = all.join("\n")
  return Buffer.from(ends ? `${joined}\n` : joined)
})
const made: fc.Arbitrary<Made> = fc.oneof(
  fc.record({ kind: fc.constant("file" as const), isExecutable: fc.boolean(), bytes: text }),
  fc.record({
    kind: fc.constant("file" as const),
    isExecutable: fc.boolean(),
    bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.concat([Buffer.of(0), bytes])),
  }),
  fc.record({
    kind: fc.constant("link" as const),
    isExecutable: fc.constant(false),
    bytes: fc.constantFrom("a.txt", "../elsewhere", "no such file").map((target) => Buffer.from(target)),
  }),
)
const files = fc.dictionary(fc.constantFrom(...NAMES), made, { maxKeys: NAMES.length, noNullPrototype: true })

describe("a patch of recorded files", () => {
  it("gives the later files by `git apply`, whatever they are", () => {
    fc.assert(
      fc.property(files, files, fc.boolean(), fc.constantFrom(0, 300, undefined), (before, after, renames, room) => {
        // A file that only has another name.
        const [first] = Object.keys(before)
        const moved =
          renames && first !== undefined ? { ...after, moved: before[first] as Made, [first]: undefined } : after
        const later = Object.fromEntries(Object.entries(moved).filter(([, one]) => one !== undefined)) as Files
        const root = temporary("patched")
        fs.mkdirSync(root)
        git(root, ["init", "-q"])
        write(root, before)
        const changes = Changes.between(treeOf(before), treeOf(later))
        const patch = GitPatch.of(changes, { get: (digest) => contents.get(digest) }, room)
        expect(patch.left).toEqual([])
        if (patch.bytes.length > 0) git(root, ["apply", "--whitespace=nowarn", "-"], patch.bytes)
        expect(shown(read(root))).toEqual(shown(later))
        fs.rmSync(root, { recursive: true })
      }),
      { numRuns: 60 },
    )
  }, 60_000)

  it("has texts without room for their lines as binary contents", () => {
    const { bytes } = GitPatch.of(
      Changes.between(new Map(), treeOf({ a: { kind: "file", isExecutable: false, bytes: Buffer.from("x\n") } })),
      { get: (digest) => contents.get(digest) },
      0,
    )
    expect(Buffer.from(bytes).toString()).toContain("GIT binary patch\nliteral 2\n")
  })

  it("leaves out what nobody has, and says why", () => {
    const known = { kind: "file", isExecutable: false, bytes: Buffer.from("x\n") } as const
    const tree = treeOf({ "a.txt": known })
    const secret: Entry = { kind: "file", mode: 0o644, size: 3, digest: "ab", omitted: "secret" }
    const gone: Entry = { kind: "file", mode: 0o644, size: 3, digest: "cd".repeat(32) }
    const changes = Changes.between(new Map([["old", gone]]), new Map([...tree, [".env", secret]]))
    const patch = GitPatch.of(changes, { get: (digest) => contents.get(digest) })
    expect(patch.left.map(({ path: file }) => file).sort()).toEqual([".env", "old"])
    expect(Buffer.from(patch.bytes).toString()).toContain("+x\n")
  })
})
