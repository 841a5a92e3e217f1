import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import * as GitIndex from "../../src/platform/git/GitIndex.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

const root = fs.realpathSync(place.directory)
const at = (...names: ReadonlyArray<string>) => path.join(root, ...names)

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
})
