import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import * as ExcludesFile from "../../src/platform/git/ExcludesFile.ts"
import * as GitIndex from "../../src/platform/git/GitIndex.ts"
import * as SplitIndex from "../../src/platform/git/SplitIndex.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

const root = fs.realpathSync(place.directory)
const at = (...names: ReadonlyArray<string>) => path.join(root, ...names)

/** Entries of an index whose names would take gigabytes. */
const ENTRIES = 40_000

const git = (directory: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    stdio: ["ignore", "pipe", "pipe"],
  })

const tracked = (directory: string) => {
  const found: Array<string> = []
  GitIndex.firstTracked(directory, (file) => {
    found.push(path.relative(directory, file))
    return false
  })
  return found
}

const names = ["a.txt", ".hindcast/log.db", ".hindcast/log.db.plugins/é/main.ts", `deep/${"x".repeat(120)}/y`].sort()

const repository = at("repository")
for (const name of names) {
  fs.mkdirSync(path.dirname(path.join(repository, name)), { recursive: true })
  fs.writeFileSync(path.join(repository, name), name)
}
git(root, "init", "--quiet", repository)
git(repository, "add", "--all", "--force")
git(repository, "commit", "--quiet", "--message=first")

describe("the index of a repository", () => {
  it.each([2, 4])("of version %d names what Git tracks", (version) => {
    git(repository, "update-index", "--index-version", String(version))
    expect(tracked(repository).sort()).toEqual(names)
  })

  it("of version 3, whose entries have more flags", () => {
    git(repository, "update-index", "--index-version", "2")
    fs.writeFileSync(path.join(repository, "later.txt"), "")
    git(repository, "add", "--intent-to-add", "later.txt")
    expect(tracked(repository)).toContain("later.txt")
    git(repository, "rm", "--quiet", "--cached", "later.txt")
  })

  it("is found from a directory below, and by the file of a linked worktree", () => {
    const wanted = (file: string) => file.endsWith("log.db")
    expect(GitIndex.firstTracked(path.join(repository, ".hindcast"), wanted)).toEqual({
      repository,
      file: ".hindcast/log.db",
    })
    git(repository, "worktree", "add", "--quiet", at("linked"))
    expect(GitIndex.firstTracked(at("linked"), wanted)?.repository).toBe(at("linked"))
  })

  it("is unknown where it is damaged, and nothing is thrown", () => {
    const index = path.join(repository, ".git", "index")
    const whole = fs.readFileSync(index)
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), (position, byte, isCut) => {
        const damaged = isCut ? whole.subarray(0, position) : Buffer.from(whole)
        if (!isCut) damaged[position] = byte
        fs.writeFileSync(index, damaged)
        tracked(repository)
      }),
    )
    fs.writeFileSync(index, whole)
    expect(tracked(repository).sort()).toEqual(names)
  })

  it("is unknown where it is a pipe, which nobody writes to", () => {
    const directory = at("pipes")
    git(root, "init", "--quiet", directory)
    execFileSync(
      "mkfifo",
      ["index", "commondir"].map((name) => path.join(directory, ".git", name)),
    )
    expect(GitIndex.tracked(directory)).toBeUndefined()
    expect(GitIndex.commonDirectory(path.join(directory, ".git"))).toBe(path.join(directory, ".git"))
  })

  it("is unknown where names repeat each other beyond any memory", () => {
    const directory = at("grown")
    git(root, "init", "--quiet", directory)
    const header = Buffer.from("DIRC\0\0\0\x04\0\0\0\0", "latin1")
    header.writeUInt32BE(ENTRIES, 8)
    // Each name is the one before it with four more letters.
    const entry = (index: number) => {
      const bytes = Buffer.alloc(62)
      bytes.writeUInt16BE(Math.min(4 * (index + 1), 0xfff), 60)
      return [bytes, Buffer.from("\0xxxx\0", "latin1")]
    }
    const entries = Array.from({ length: ENTRIES }, (_, index) => entry(index)).flat()
    fs.writeFileSync(path.join(directory, ".git", "index"), Buffer.concat([header, ...entries, Buffer.alloc(20)]))
    expect(GitIndex.tracked(directory)).toBeUndefined()
  })

  it("is refused where a few bytes of a bitmap name billions of entries", () => {
    const bitmap = Buffer.alloc(20)
    bitmap.writeUInt32BE(2 ** 32 - 1, 0)
    bitmap.writeUInt32BE(1, 4)
    bitmap.writeBigUInt64BE((0xffffffffn << 1n) | 1n, 8)
    const link = Buffer.concat([Buffer.alloc(20, 1), bitmap])
    const head = Buffer.from("link\0\0\0\0", "latin1")
    head.writeUInt32BE(link.length, 4)
    expect(() => SplitIndex.linkIn(Buffer.concat([head, link, Buffer.alloc(20)]), 0, 20)).toThrow("expected at most")
  })
})

describe("the configuration of Git", () => {
  it.each([
    ["[core]\n\texcludesFile = ~/own # a comment", "~/own"],
    ['[core] excludesfile="a b;c"', "a b;c"],
    ["[ Core ]\r\n  EXCLUDESFILE =\r\n", ""],
    ["[core]\nexcludesfile = a\n[user]\nexcludesfile = b", "a"],
    ["[core]\nexcludesfile = a\nexcludesfile = b", "b"],
    ["[core]\nexcludesfileother = a", undefined],
    ['[core "x"]\nexcludesfile = a', undefined],
  ])("names the user's ignore file: %j", (configuration, expected) => {
    expect(ExcludesFile.excludesFileOf(configuration)).toBe(expected)
  })

  it.each(["[", "[core]\nexcludesfile", "[core]\nexcludesfile = a"])("may have any blanks after %j", (line) => {
    const blanks = " ".repeat(500_000)
    expect(ExcludesFile.excludesFileOf(`${line}${blanks}x`)).toBe(line.endsWith("a") ? `a${blanks}x` : undefined)
  })
})
