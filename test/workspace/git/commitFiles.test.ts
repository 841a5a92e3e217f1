import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Blobs from "../../../src/workspace/git/Blobs.ts"
import * as CommitFiles from "../../../src/workspace/git/CommitFiles.ts"
import * as Git from "../../../src/workspace/git/Git.ts"
import { temporary } from "../../record/recorded.ts"

const git = (root: string, args: ReadonlyArray<string>, input?: string) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@localhost", ...args], {
    cwd: root,
    encoding: "utf8",
    ...(input === undefined ? {} : { input }),
  }).trim()

/** A repository with a commit of these files. */
const committed = (files: Readonly<Record<string, string | Buffer>>, root = temporary("repository")) => {
  if (!fs.existsSync(root)) {
    fs.mkdirSync(root, { recursive: true })
    git(root, ["init", "-q"])
  }
  for (const [file, content] of Object.entries(files)) fs.writeFileSync(path.join(root, file), content)
  git(root, ["add", "-A"])
  git(root, ["commit", "-qm", "Work"])
  return root
}

/** The files of a commit, and how often Git ran. */
const filesOf = (root: string, revision = "HEAD") =>
  Effect.gen(function* () {
    const real = yield* Git.around(root)
    let runs = 0
    const counting: Git.Git = {
      ...real,
      run: (...given) => {
        runs++
        return real.run(...given)
      },
    }
    const found = yield* CommitFiles.of(counting, revision, () => true)
    return { ...found, runs }
  }).pipe(Effect.runPromise)

describe("the files of a commit", () => {
  it("cost the same few runs of Git, however many they are", async () => {
    const many = (text: string) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, `${at}\n${text}`]))
    const root = committed(many("one\n"))
    committed(many("one\ntwo\n"), root)
    const { files, leftOut, runs } = await filesOf(root)
    expect(files).toHaveLength(40)
    expect(files.map(({ added }) => [...added])).toEqual(Array.from({ length: 40 }, () => [3]))
    expect(Buffer.from(files[7]?.text ?? []).toString()).toMatch(/^\d+\none\ntwo\n$/)
    expect([leftOut, runs]).toEqual([[], 5])
  })

  it("are left out with the reason if they are binary or too large", async () => {
    const root = committed({
      "a.txt": "",
      "b.bin": Buffer.from([0, 1]),
      "c.txt": Buffer.alloc(16 * 1024 * 1024 + 1, 97),
    })
    const { files, leftOut } = await filesOf(root)
    expect(files.map(({ path, added }) => [path, added.size])).toEqual([["a.txt", 0]])
    expect(leftOut).toEqual(
      expect.arrayContaining([
        { path: "b.bin", why: "binary" },
        { path: "c.txt", why: "above 16 MiB" },
      ]),
    )
  })

  it("are left out if the clone lacks them", async () => {
    const root = committed({ "a.txt": "one\n", "b.txt": "two\n" })
    const id = git(root, ["rev-parse", "HEAD:b.txt"])
    fs.rmSync(path.join(root, ".git/objects", id.slice(0, 2), id.slice(2)))
    const { files, leftOut } = await filesOf(root)
    expect(files.map(({ path }) => path)).toEqual(["a.txt"])
    expect(leftOut).toEqual([{ path: "b.txt", why: "this clone lacks its content" }])
  })

  it("have the time of the commit, or none where it says none", async () => {
    const root = committed({ "a.txt": "one\n" })
    expect((await filesOf(root)).committedAt).toMatch(/^20\d\d-/)
    const commit = (committer: string) => {
      const text = `tree ${git(root, ["rev-parse", "HEAD^{tree}"])}\nauthor A <a> 1 +0000\ncommitter ${committer}\n\nOdd\n`
      return git(root, ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"], text)
    }
    expect((await filesOf(root, commit("A <a> 86400 +0000"))).committedAt).toBe("1970-01-02T00:00:00.000Z")
    for (const odd of ["A <a>", "A <a> yesterday +0000", "A <a> 1234567890123456 +0000"])
      expect((await filesOf(root, commit(odd))).committedAt).toBeUndefined()
  })

  it("are read in groups that fit into memory", () => {
    const half = 20 * 1024 * 1024
    const sizes = new Map([
      ["a", half],
      ["b", half],
      ["c", 1],
    ])
    const files = ["a", "b", "c"].map((id) => ({ blobs: [id] }))
    expect([...Blobs.grouped(files, sizes)].map((group) => group.map(({ blobs }) => blobs[0]))).toEqual([
      ["a"],
      ["b", "c"],
    ])
  })
})
