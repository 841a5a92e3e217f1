/** Snapshots of repositories in all states: the files that Git lists, its directory untouched, and none of its programs started. */

import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { Snapshots } from "../../src/workspace/Snapshots.ts"
import { ContentStore } from "../../src/workspace/store/ContentStore.ts"

const base = fs.realpathSync(fs.mkdtempSync("/tmp/hindcast-repositories-"))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync(
    "git",
    [
      "-c",
      "user.name=t",
      "-c",
      "user.email=t@t",
      "-c",
      "protocol.file.allow=always",
      "-c",
      "safe.directory=*",
      ...args,
    ],
    { cwd, stdio: "pipe", env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" } },
  ).toString()

const write = (root: string, file: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}

/** A repository with two commits, a tracked file that its rules ignore, and directories. */
const repository = (root: string, ...init: ReadonlyArray<string>) => {
  fs.mkdirSync(root, { recursive: true })
  git(root, "init", "-q", "-b", "main", ...init)
  write(root, ".gitignore", "*.log\n/build/\n")
  for (const file of ["a.txt", "in/b.txt", "in/deep/c.txt", "out/d.txt"]) write(root, file, `${file}\n`)
  write(root, "kept.log", "tracked all the same\n")
  git(root, "add", "-A")
  git(root, "add", "-f", "kept.log")
  git(root, "commit", "-q", "-m", "one")
  write(root, "a.txt", "again\n")
  git(root, "commit", "-q", "-am", "two")
  return root
}

const LFS_POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"0".repeat(64)}\nsize 12345\n`

/** Each makes a repository in a directory that does not exist, and returns the directory to look at. */
const KINDS: { readonly [kind: string]: (directory: string) => string } = {
  "a plain repository": repository,
  "objects by SHA-256": (directory) => repository(directory, "--object-format=sha256"),
  "a sparse checkout": (directory) => {
    repository(directory)
    git(directory, "sparse-checkout", "set", "--cone", "in")
    return directory
  },
  "a sparse index": (directory) => {
    repository(directory)
    git(directory, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    return directory
  },
  "a linked worktree": (directory) => {
    repository(path.join(directory, "first"))
    git(path.join(directory, "first"), "worktree", "add", "-q", "../second")
    return path.join(directory, "second")
  },
  "a shallow clone": (directory) => {
    repository(path.join(directory, "origin"))
    git(directory, "clone", "-q", "--depth", "1", `file://${directory}/origin`, "clone")
    return path.join(directory, "clone")
  },
  "a split index of version 4": (directory) => {
    repository(directory)
    git(directory, "update-index", "--index-version", "4")
    git(directory, "update-index", "--split-index")
    write(directory, "late.log", "added to the second part\n")
    git(directory, "add", "-f", "late.log")
    write(directory, "gone.log", "in the shared part, and tracked no more\n")
    git(directory, "add", "-f", "gone.log")
    git(directory, "update-index", "--split-index")
    git(directory, "rm", "-q", "--cached", "gone.log")
    return directory
  },
  "pointers of LFS": (directory) => {
    repository(directory)
    write(directory, ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    write(directory, "large.bin", LFS_POINTER)
    return directory
  },
  "a submodule": (directory) => {
    repository(path.join(directory, "library"))
    repository(path.join(directory, "program"))
    git(path.join(directory, "program"), "submodule", "--quiet", "add", `${directory}/library`, "library")
    return path.join(directory, "program")
  },
  "no commit yet": (directory) => {
    fs.mkdirSync(directory)
    git(directory, "init", "-q")
    write(directory, "a.txt", "a\n")
    return directory
  },
  "a detached head in the middle of a bisection": (directory) => {
    repository(directory)
    git(directory, "bisect", "start", "HEAD", "HEAD~1")
    return directory
  },
}

/** What Git lists: tracked or not ignored, and there. Those of a submodule are listed by the submodule. */
const listed = (root: string): ReadonlyArray<string> =>
  git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    .split("\0")
    .flatMap((file) => {
      const found = file === "" ? undefined : fs.lstatSync(path.join(root, file), { throwIfNoEntry: false })
      if (found === undefined) return []
      return found.isDirectory() ? listed(path.join(root, file)).map((one) => path.join(file, one)) : [file]
    })

const stateOf = (directory: string): ReadonlyArray<string> =>
  fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name)
    if (entry.isDirectory()) return stateOf(file)
    return [`${file} ${fs.statSync(file).mtimeMs} ${fs.readFileSync(file, "hex")}`]
  })

const gitDirectories = (root: string) =>
  ["--git-dir", "--git-common-dir"].map((option) => path.resolve(root, git(root, "rev-parse", option).trim()))

describe("a snapshot of a repository", () => {
  it.each(Object.keys(KINDS))("has the files that Git lists, and leaves Git's own: %s", (kind) => {
    const directory = path.join(base, kind.replaceAll(" ", "-"))
    const root = KINDS[kind]?.(directory) ?? ""
    write(root, "new.txt", "not tracked\n")
    write(root, "new.log", "ignored\n")
    write(root, "build/out.txt", "ignored\n")
    const started = path.join(base, `${path.basename(directory)}-started`)
    fs.appendFileSync(path.join(root, ".gitattributes"), "*.txt filter=evil\n")
    git(root, "config", "filter.evil.clean", `touch ${started}; cat`)
    git(root, "config", "core.fsmonitor", `touch ${started}`)
    const own = gitDirectories(root)
    const before = own.map(stateOf)
    const store = ContentStore.open(path.join(base, `${path.basename(directory)}.files`))
    const { tree, gaps } = new Snapshots({ root, store }).take()
    store.close()
    expect(own.map(stateOf)).toEqual(before)
    expect(fs.existsSync(started)).toBe(false)
    expect(gaps).toEqual([])
    git(root, "config", "--unset", "core.fsmonitor")
    expect([...tree.keys()].sort()).toEqual([...listed(root)].sort())
    expect(tree.size).toBeGreaterThan(1)
  })

  it("leaves out what the user's own ignore file excludes, wherever the configuration says that it is", () => {
    const root = repository(path.join(base, "users"))
    for (const file of ["mine.txt", "other.txt"]) write(root, file, `${file}\n`)
    const home = path.join(base, "home")
    const real = path.join(base, "dotfiles", "ignored")
    write(base, "dotfiles/ignored", "mine.txt\n")
    write(home, "elsewhere", "other.txt\n")
    fs.symlinkSync(real, path.join(home, "by link"))
    const store = ContentStore.open(path.join(base, "users.files"))
    const seen = (configuration: string) => {
      write(home, ".gitconfig", configuration)
      const variables = { HOME: home, XDG_CONFIG_HOME: undefined, GIT_CONFIG_GLOBAL: undefined }
      const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
      const set = (all: ReadonlyArray<readonly [string, string | undefined]>) => {
        for (const [name, value] of all)
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
      }
      set(Object.entries(variables))
      try {
        const files = [...new Snapshots({ root, store }).take().tree.keys()].sort()
        // Git itself, with the same configuration.
        const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" }
        const listed = execFileSync("git", args, { cwd: root, env })
          .toString()
          .split("\0")
          .filter((file) => file !== "")
        expect(files).toEqual(listed.sort())
        return files.filter((file) => file === "mine.txt" || file === "other.txt")
      } finally {
        set(before)
      }
    }
    expect(seen("")).toEqual(["mine.txt", "other.txt"])
    expect(seen('[core]\n  excludesFile = "~/by link" ; of the dotfiles\n')).toEqual(["other.txt"])
    expect(seen("[user]\nname = x\n[Core] excludesfile=~/elsewhere # comment\n")).toEqual(["mine.txt"])
    expect(seen(`[core "x"]\nexcludesFile = ${real}\n`)).toEqual(["mine.txt", "other.txt"])
    write(home, ".config/git/ignore", "*.txt\n")
    expect(seen("")).toEqual([])
    expect(seen("[core]\nexcludesFile =\n")).toEqual(["mine.txt", "other.txt"])
    git(root, "config", "core.excludesFile", real)
    expect(seen("[core]\nexcludesFile = ~/elsewhere\n")).toEqual(["other.txt"])
    store.close()
  })

  it("follows the rules and the index of a nested repository, as they are now", () => {
    const root = repository(path.join(base, "outer"))
    const nested = repository(path.join(root, "nested"))
    write(nested, ".git/info/exclude", "private.txt\n")
    for (const file of ["private.txt", "other.txt", "late.log"]) write(nested, file, `${file}\n`)
    const store = ContentStore.open(path.join(base, "outer.files"))
    const snapshots = new Snapshots({ root, store })
    const below = () => [...snapshots.take().tree.keys()].filter((file) => file.startsWith("nested/")).sort()
    const first = listed(nested).map((file) => `nested/${file}`)
    expect(below()).toEqual([...first].sort())
    expect(first).not.toContain("nested/private.txt")
    git(nested, "add", "-f", "late.log")
    write(nested, ".git/info/exclude", "other.txt\n")
    const second = listed(nested).map((file) => `nested/${file}`)
    expect(below()).toEqual([...second].sort())
    expect(second).toContain("nested/late.log")
    fs.rmSync(path.join(nested, ".git"), { recursive: true })
    // Without a repository of its own, the outer rules apply alone.
    expect(below()).toEqual(
      listed(root)
        .filter((file) => file.startsWith("nested/"))
        .sort(),
    )
    store.close()
  })

  it("has the files of another user's repository, which Git itself refuses", () => {
    const root = repository(path.join(base, "of-somebody-else"))
    write(root, "new.log", "ignored\n")
    // Only root can give files away; Git refuses by the owner of `.git`.
    if (process.getuid?.() === 0) for (const file of [root, path.join(root, ".git")]) fs.chownSync(file, 12345, 12345)
    const store = ContentStore.open(path.join(base, "of-somebody-else.files"))
    const { tree } = new Snapshots({ root, store }).take()
    store.close()
    expect([...tree.keys()].sort()).toEqual([
      ".gitignore",
      "a.txt",
      "in/b.txt",
      "in/deep/c.txt",
      "kept.log",
      "out/d.txt",
    ])
  })
})
