import { execFileSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import * as Changes from "../../src/workspace/model/Changes.ts"
import * as Document from "../../src/workspace/model/Document.ts"
import type { Tree } from "../../src/workspace/model/Entry.ts"
import { type Limits, Snapshots } from "../../src/workspace/Snapshots.ts"
import { ContentStore, digestOf } from "../../src/workspace/store/ContentStore.ts"
import { Database } from "../sqlite.ts"

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-workspace-")))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

let made = 0
const given = (limits: Partial<Limits> = {}, hasSecret?: (text: string) => boolean) => {
  const root = path.join(base, `root${++made}`)
  fs.mkdirSync(root)
  const store = ContentStore.open(path.join(base, `store${made}`))
  const again = () => new Snapshots({ root, store, limits, hasSecret })
  return { root, store, snapshots: again(), again, write: (file: string, text: string) => write(root, file, text) }
}

const write = (root: string, file: string, text: string | Buffer) => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  fs.writeFileSync(path.join(root, file), text)
}

/** The directory itself: the reference. */
const onDisk = (root: string, directory = ""): ReadonlyArray<string> =>
  fs.readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry): ReadonlyArray<string> => {
    const file = path.posix.join(directory, entry.name)
    if (entry.isDirectory()) return entry.name === ".git" ? [] : onDisk(root, file)
    const found = fs.lstatSync(path.join(root, file))
    const bytes = found.isSymbolicLink()
      ? fs.readlinkSync(path.join(root, file))
      : fs.readFileSync(path.join(root, file))
    return [`${file} ${found.isSymbolicLink()} ${found.mode & 0o777} ${Buffer.from(bytes).toString("hex")}`]
  })

const inTree = (tree: Tree, store: ContentStore) =>
  [...tree].map(([file, { kind, mode, digest = "" }]) => {
    const bytes = store.get(digest)
    return `${file} ${kind === "link"} ${mode} ${Buffer.from(bytes ?? "?").toString("hex")}`
  })

describe("snapshots", () => {
  it("have each file's bytes, mode and link, whatever is written, also by the changes between them", () => {
    const file = fc.constantFrom("a", "b", "d/a", "d/e/b", "__proto__", "x y", "ä")
    const step = fc.oneof(
      fc.record({ do: fc.constant("write" as const), file, text: fc.string({ unit: "binary" }) }),
      fc.record({ do: fc.constant("remove" as const), file }),
      fc.record({ do: fc.constant("rename" as const), file, to: file }),
      fc.record({ do: fc.constant("mode" as const), file, mode: fc.constantFrom(0o644, 0o755, 0o600) }),
      fc.record({
        do: fc.constant("link" as const),
        file,
        to: fc.constantFrom("a", "../nowhere/at-all", "/nowhere/at-all"),
      }),
      fc.record({ do: fc.constant("restart" as const) }),
    )
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 5 }), (rounds) => {
        const { root, store, snapshots, again } = given()
        let taking = snapshots
        const start = taking.take().tree
        const told = new Map(store.tree(taking.keep(start)) ?? [])
        let last = start
        for (const round of rounds) {
          for (const one of round) {
            if (one.do === "restart") {
              taking = again()
              continue
            }
            const at = path.join(root, one.file)
            try {
              fs.mkdirSync(path.dirname(at), { recursive: true })
              // Nothing is written through a link: it may lead out of the workspace.
              if (one.do === "remove" || one.do === "link" || one.do === "write")
                fs.rmSync(at, { force: true, recursive: true })
              if (one.do === "write") fs.writeFileSync(at, one.text)
              else if (one.do === "link") fs.symlinkSync(one.to, at)
              else if (one.do === "rename") fs.renameSync(at, path.join(root, one.to))
              else if (one.do === "mode" && fs.lstatSync(at).isFile()) fs.chmodSync(at, one.mode)
            } catch {
              // A directory is in its place, or the file does not exist.
            }
          }
          const { tree, gaps } = taking.take()
          const changes = Changes.between(last, tree)
          const patch = JSON.parse(JSON.stringify(changes.flatMap((one) => Document.operations(one, {}))))
          Document.apply(told, Document.read(patch))
          expect(gaps).toEqual([])
          expect(inTree(tree, store).sort()).toEqual([...onDisk(root)].sort())
          expect(new Map([...told].sort())).toEqual(new Map([...tree].sort()))
          expect(store.tree(taking.keep(tree))).toEqual(new Map([...(store.tree(taking.keep(told)) ?? [])]))
          last = tree
        }
        store.close()
      }),
      { numRuns: 40 },
    )
  }, 60_000)

  it("see a change that leaves size and times as they were", () => {
    const { root, store, snapshots, write } = given()
    write("a", "one")
    const time = new Date()
    fs.utimesSync(path.join(root, "a"), time, time)
    const before = snapshots.take().tree
    write("a", "two")
    fs.utimesSync(path.join(root, "a"), time, time)
    expect(Changes.between(before, snapshots.take().tree)).toMatchObject([{ kind: "changed", path: "a" }])
    store.close()
  })

  it("keep secrets by a digest that nobody can guess, and large files by their state", () => {
    const { root, store, snapshots, write } = given({ bytes: 100 }, (text) => text.includes("sk-live"))
    for (const [file, text] of Object.entries({
      ".env": "KEY=1",
      "c/app.pem": "p",
      "notes.md": "sk-live-1",
      ".env.example": "KEY=",
    }))
      write(file, text)
    write("large", "x".repeat(101))
    const { tree } = snapshots.take()
    const omitted = Object.fromEntries([...tree].map(([file, entry]) => [file, entry.omitted]))
    const secret = "secret"
    expect(omitted).toEqual({
      ".env": secret,
      "c/app.pem": secret,
      "notes.md": secret,
      ".env.example": undefined,
      large: "large",
    })
    for (const [file, { digest = "0".repeat(64), omitted }] of tree) {
      expect(store.get(digest) === undefined).toBe(omitted !== undefined)
      const bytes = fs.readFileSync(path.join(root, file))
      expect(digest === crypto.createHash("sha256").update(bytes).digest("hex")).toBe(omitted === undefined)
    }
    write(".env", "KEY=2")
    write("large", "y".repeat(101))
    const changed = Changes.between(tree, snapshots.take().tree)
    expect(changed.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["changed .env", "changed large"])
    const stored = fs
      .readdirSync(base)
      .flatMap((file) => (file.startsWith(`store${made}`) ? [fs.readFileSync(path.join(base, file), "latin1")] : []))
    expect(stored.join("")).not.toContain("sk-live")
    store.close()
  })

  it("name what they cannot contain, and go on", () => {
    const { root, store, snapshots, write } = given()
    write("a", "")
    execFileSync("mkfifo", [path.join(root, "pipe")])
    fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff])]), "")
    write("\ufffd", "a name that is UTF-8")
    const { tree, gaps } = snapshots.take()
    expect([...tree.keys()].sort()).toEqual(["a", "\ufffd"])
    expect(gaps.map(({ what }) => what).sort()).toEqual(["a name that is not UTF-8", "a pipe, socket or device"])
    store.close()
  })

  it("refuse a directory with too many files, and one that is gone", () => {
    const { root, store, snapshots, write } = given({ files: 2 })
    for (const file of ["a", "b", "c"]) write(file, "")
    expect(() => snapshots.take()).toThrow(`${root} has more than 2 files or directories that Git does not ignore`)
    for (const file of ["a", "b", "c"]) fs.rmSync(path.join(root, file))
    fs.mkdirSync(path.join(root, "one/two/three"), { recursive: true })
    expect(() => snapshots.take()).toThrow("more than 2 files or directories")
    fs.rmSync(root, { recursive: true })
    expect(() => snapshots.take()).toThrow("ENOENT")
    store.close()
  })

  it("refuse a directory in whose place, or above which, a link is", () => {
    const { root, store } = given()
    const place = path.join(root, "above", "workspace")
    const other = path.join(root, "other")
    write(place, "a", "inside\n")
    write(path.join(other, "workspace"), "a", "outside\n")
    const snapshots = new Snapshots({ root: place, store })
    expect([...snapshots.take().tree.keys()]).toEqual(["a"])
    fs.renameSync(place, `${place}.old`)
    fs.symlinkSync(path.join(other, "workspace"), place)
    expect(() => snapshots.take()).toThrow(`${place}: expected the recorded directory, found a link in its path`)
    fs.renameSync(path.join(root, "above"), path.join(root, "before"))
    fs.symlinkSync(other, path.join(root, "above"))
    expect(() => snapshots.take()).toThrow(`which leads to ${path.join(other, "workspace")}`)
    expect(store.has(digestOf(Buffer.from("outside\n")))).toBe(false)
    store.close()
  })

  it("leave a repository's own directory as it is, in the middle of a rebase, and start nothing of it", () => {
    const { root, store, snapshots, write } = given()
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: root, stdio: "pipe" })
    git("init", "-q", "-b", "main")
    for (const text of ["1", "2"]) {
      write("a", text)
      git("add", "-A")
      git("commit", "-q", "-m", text)
    }
    git("checkout", "-q", "-b", "other", "HEAD~1")
    write("a", "3")
    git("commit", "-q", "-am", "3")
    expect(() => git("rebase", "main")).toThrow()
    const started = path.join(base, `started${made}`)
    write(".gitattributes", "* filter=evil diff=evil\n")
    fs.appendFileSync(
      path.join(root, ".git/config"),
      `[filter "evil"]\nclean = touch ${started}\n[core]\nfsmonitor = touch ${started}\nhooksPath = .\n`,
    )
    const state = (directory: string): ReadonlyArray<string> =>
      fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
        const file = path.join(directory, entry.name)
        return entry.isDirectory()
          ? state(file)
          : [`${file} ${fs.statSync(file).mtimeMs} ${fs.readFileSync(file, "hex")}`]
      })
    const before = state(path.join(root, ".git"))
    const { tree } = snapshots.take()
    write("a", "4")
    snapshots.take()
    expect([...tree.keys()].sort()).toEqual([".gitattributes", "a"])
    expect(state(path.join(root, ".git"))).toEqual(before)
    expect(fs.existsSync(started)).toBe(false)
    store.close()
  })

  it("contain nested repositories and submodules, and find their own rules", () => {
    const { root, store, snapshots, write } = given()
    execFileSync("git", ["init", "-q"], { cwd: root })
    for (const file of ["sub/a", "sub/b.log"]) write(file, file)
    execFileSync("git", ["init", "-q"], { cwd: path.join(root, "sub") })
    write("sub/.gitignore", "*.log\n")
    expect([...snapshots.take().tree.keys()].sort()).toEqual(["sub/.gitignore", "sub/a"])
    store.close()
  })
})

describe("the store of contents", () => {
  it("refuses another program's file", () => {
    const other = path.join(base, "other")
    fs.writeFileSync(other, "no database at all, but long enough to be read as one".repeat(10))
    expect(() => ContentStore.open(other)).toThrow(`${other}: the recorded files' contents cannot be used`)
    expect(ContentStore.openReadOnly(path.join(base, "missing"))).toBeUndefined()
  })

  it("refuses a content that was changed, and one that states a size beyond all limits", () => {
    const { store } = given()
    const [changed, huge] = ["one", "two"].map((text) => {
      const digest = digestOf(Buffer.from(text))
      store.put(digest, Buffer.from(text))
      return digest
    })
    store.close()
    const database = new Database(path.join(base, `store${made}`))
    const of = (digest = "") => Buffer.from(digest, "hex")
    database.prepare("UPDATE content SET body = ? WHERE digest = ?").run(Buffer.from("eno"), of(changed))
    database.prepare("UPDATE content SET size = 1e15 WHERE digest = ?").run(of(huge))
    database.close()
    const again = ContentStore.open(path.join(base, `store${made}`))
    expect(() => again.get(changed ?? "")).toThrow("was changed. Restore a backup")
    expect(() => again.get(huge ?? "")).toThrow("is larger than any that is stored")
    again.close()
  })
})
