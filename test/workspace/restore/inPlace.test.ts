import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import type { OwnChange } from "../../../src/workspace/model/Changes.ts"
import type { Tree } from "../../../src/workspace/model/Entry.ts"
import * as IgnoredThen from "../../../src/workspace/restore/IgnoredThen.ts"
import * as InPlace from "../../../src/workspace/restore/InPlace.ts"
import * as RestorePlan from "../../../src/workspace/restore/RestorePlan.ts"
import { Snapshots } from "../../../src/workspace/Snapshots.ts"
import * as IgnoreRules from "../../../src/workspace/scan/IgnoreRules.ts"
import { ContentStore } from "../../../src/workspace/store/ContentStore.ts"

const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-in-place-")))
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

let made = 0
const fresh = (name: string) => path.join(base, `${name}${++made}`)

const LARGE = 60

const given = () => {
  const root = fresh("root")
  fs.mkdirSync(root)
  const store = ContentStore.open(fresh("store"))
  const snapshots = new Snapshots({ root, store, limits: { bytes: LARGE } })
  const at = (file: string) => path.join(root, file)
  /** Writes a file; what is in its place goes first, so that nothing is written through a link. */
  const write = (file: string, text: string | Buffer) => {
    makeWay(root, file)
    fs.writeFileSync(at(file), text, { flag: "wx" })
  }
  const plan = (present: Tree, recorded: Tree, others: Partial<InPlace.Planning> = {}) => {
    const unread = new Set<string>()
    const isIgnoredToday = IgnoreRules.outside(root)
    const wasHidden = IgnoredThen.of({ tree: recorded, contents: store, outerRules: [], isIgnoredToday, unread })
    const evidence = { isSeen: () => true, wasHidden, wasAbsent: () => false }
    return InPlace.plan({ root, present, recorded, store, own: [], evidence, willHold: false, ...others })
  }
  const carryOut = (step: OwnChange) => InPlace.carryOut({ root, contents: store, stays: root }, step)
  /** Restores a tree over the present files, as the command does. */
  const restore = (recorded: Tree) => {
    const { tree } = snapshots.take()
    const { steps, left } = plan(tree, recorded)
    const failed = steps.flatMap((step) => {
      const why = carryOut(step) ?? InPlace.difference(root, step)
      return why === undefined ? [] : [{ path: step.path, why }]
    })
    return { before: tree, steps, left, failed }
  }
  return { root, store, snapshots, at, write, plan, carryOut, restore }
}

/** Removes what is at a path, and files and links in the place of its directories; makes those. */
const makeWay = (root: string, file: string): void => {
  let directory = root
  for (const name of file.split("/").slice(0, -1)) {
    directory = path.join(directory, name)
    const found = fs.lstatSync(directory, { throwIfNoEntry: false })
    if (found !== undefined && !found.isDirectory()) fs.rmSync(directory)
    fs.mkdirSync(directory, { recursive: true })
  }
  fs.rmSync(path.join(root, file), { recursive: true, force: true })
}

/** All that is in a directory, by path: the reference. */
const onDisk = (root: string, directory = ""): Map<string, string> => {
  const found = new Map<string, string>()
  for (const entry of fs.readdirSync(path.join(root, directory), { withFileTypes: true })) {
    const file = path.posix.join(directory, entry.name)
    const place = path.join(root, file)
    if (entry.isDirectory()) for (const [below, what] of onDisk(root, file)) found.set(below, what)
    else if (entry.isFIFO()) found.set(file, "fifo")
    else {
      const isLink = entry.isSymbolicLink()
      const bytes = isLink ? fs.readlinkSync(place, { encoding: "buffer" }) : fs.readFileSync(place)
      found.set(file, `${isLink} ${(fs.lstatSync(place).mode & 0o7777).toString(8)} ${bytes.toString("hex")}`)
    }
  }
  return found
}

const FILES = ["a", "b", "d", "d/a", "d/e", "d/e/b", "Case", "case", "__proto__", "x y", "ä"] as const

const stepsOn = (files: ReadonlyArray<string>) => {
  const file = fc.constantFrom(...files)
  return fc.oneof(
    fc.record({ do: fc.constant("write" as const), file, bytes: fc.uint8Array({ maxLength: 40 }) }),
    fc.record({ do: fc.constant("remove" as const), file }),
    fc.record({ do: fc.constant("rename" as const), file, to: file }),
    fc.record({ do: fc.constant("mode" as const), file, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o666, 0o444) }),
    fc.record({
      do: fc.constant("link" as const),
      file,
      to: fc.constantFrom("a", "d", "../nowhere/at-all", "/nowhere/at-all"),
    }),
  )
}

type Edit = ReturnType<typeof stepsOn> extends fc.Arbitrary<infer Step> ? Step : never

const edit = ({ root, at, write }: ReturnType<typeof given>, one: Edit): void => {
  // A link above it would lead elsewhere.
  const isHere = (file: string) => {
    const directories = RestorePlan.directoriesOf(file)
    return directories.every((above) => fs.lstatSync(at(above), { throwIfNoEntry: false })?.isDirectory())
  }
  const found = isHere(one.file) ? fs.lstatSync(at(one.file), { throwIfNoEntry: false }) : undefined
  if (one.do === "write") write(one.file, Buffer.from(one.bytes))
  else if (one.do === "link") {
    makeWay(root, one.file)
    fs.symlinkSync(one.to, at(one.file))
  } else if (found === undefined) return
  else if (one.do === "remove") fs.rmSync(at(one.file), { recursive: true })
  else if (one.do === "mode" && found.isFile()) fs.chmodSync(at(one.file), one.mode)
  else if (one.do === "rename" && found.isFile() && !one.to.startsWith(`${one.file}/`) && one.to !== one.file) {
    const moving = fresh("moving")
    fs.renameSync(at(one.file), moving)
    makeWay(root, one.to)
    fs.renameSync(moving, at(one.to))
  }
}

describe("a tree restored over the present files", () => {
  it("gives each file's bytes, mode and link, and the way back gives those from before", () => {
    const edits = fc.array(stepsOn(FILES), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(edits, edits, (first, second) => {
        const project = given()
        const { root, store, snapshots, restore } = project
        for (const one of first) edit(project, one)
        const recorded = snapshots.take().tree
        const then = onDisk(root)
        for (const one of second) edit(project, one)
        const now = onDisk(root)
        const there = restore(recorded)
        expect([there.left, there.failed]).toEqual([[], []])
        expect(onDisk(root)).toEqual(then)
        const back = restore(there.before)
        expect([back.left, back.failed]).toEqual([[], []])
        expect(onDisk(root)).toEqual(now)
        store.close()
      }),
      { numRuns: 60 },
    )
  })

  it("puts a file where only empty directories are, but in the place of no file and of no directory in use", () => {
    const { root, at, write, snapshots, restore, plan } = given()
    for (const file of ["d/a", "e/a", "f/a"]) write(file, "then\n")
    const recorded = snapshots.take().tree
    fs.rmSync(at("d/a"))
    fs.mkdirSync(at("d/a/empty/deep"), { recursive: true })
    fs.rmSync(at("e/a"))
    fs.mkdirSync(at("e/a/pipes"), { recursive: true })
    execFileSync("mkfifo", [at("e/a/pipes/one")])
    fs.rmSync(at("f/a"))
    fs.mkdirSync(at("f/a/in use"), { recursive: true })
    const { steps } = plan(snapshots.take().tree, recorded)
    const inUse = steps.find(({ path }) => path === "f/a")
    expect(
      inUse &&
        InPlace.carryOut({ root, contents: { get: () => Buffer.from("then\n") }, stays: at("f/a/in use") }, inUse),
    ).toBe("something else is in its place")
    expect(fs.readdirSync(at("f/a"))).toEqual(["in use"])
    const { left, failed } = restore(recorded)
    expect([left, failed]).toEqual([[{ path: "e/a", why: "a directory is in its place" }], []])
    expect([...onDisk(root).keys()]).toEqual(["d/a", "e/a/pipes/one", "f/a"])
  })

  it("touches nothing that no snapshot holds, and does the rest", () => {
    const unseen = [".gitignore", "x.log", "d/x.log", "d/a/x.log", ".env", "d/.env", "large"]
    const step = fc.oneof(
      stepsOn([...FILES, ...unseen]),
      fc.record({
        do: fc.constant("write" as const),
        file: fc.constant("large"),
        bytes: fc.constant(Buffer.alloc(99)),
      }),
      fc.record({
        do: fc.constant("write" as const),
        file: fc.constantFrom(".gitignore", "d/.gitignore"),
        bytes: fc.constantFrom(Buffer.from("*.log\n"), Buffer.from("a\n"), Buffer.from("d/\n")),
      }),
    )
    const edits = fc.array(step, { minLength: 1, maxLength: 12 })
    let leftAlone = 0
    fc.assert(
      fc.property(edits, edits, (first, second) => {
        const project = given()
        const { root, store, snapshots, restore } = project
        for (const one of first) edit(project, one)
        const recorded = snapshots.take().tree
        const then = onDisk(root)
        for (const one of second) edit(project, one)
        const now = onDisk(root)
        const { before, left, failed } = restore(recorded)
        const stays = new Set([...left, ...failed].map(({ path }) => path))
        leftAlone += stays.size
        const after = onDisk(root)
        for (const file of new Set([...then.keys(), ...now.keys(), ...after.keys()])) {
          const isSeen = before.has(file) || recorded.has(file)
          const expected = isSeen && !stays.has(file) ? (recorded.has(file) ? then : new Map()) : now
          expect([file, after.get(file)]).toEqual([file, expected.get(file)])
        }
        store.close()
      }),
      { numRuns: 100 },
    )
    expect(leftAlone).toBeGreaterThan(0)
  })

  it("leaves .git as it is, byte by byte", () => {
    const { root, at, write, snapshots, restore } = given()
    const git = (...words: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...words], { cwd: root })
    git("init", "--quiet")
    write("a", "one\n")
    git("add", ".")
    git("commit", "--quiet", "-m", "one")
    const { tree } = new Snapshots({ root, store: ContentStore.open(fresh("other")) }).take()
    const recorded = snapshots.take().tree
    expect([...recorded.keys()]).toEqual([...tree.keys()])
    write("a", "two\n")
    write("b", "staged\n")
    git("add", ".")
    write("b", "and edited\n")
    fs.mkdirSync(at("sub"))
    execFileSync("git", ["init", "--quiet", at("sub")])
    write("sub/c", "c\n")
    const inGit = () => [...onDisk(at(".git")), ...onDisk(at("sub/.git"))]
    const before = inGit()
    expect(before.length).toBeGreaterThan(10)
    expect(restore(recorded)).toMatchObject({ left: [], failed: [] })
    expect(inGit()).toEqual(before)
    expect(fs.readFileSync(at("a"), "utf8")).toBe("one\n")
    expect(fs.existsSync(at("b"))).toBe(false)
    expect(fs.existsSync(at("sub/c"))).toBe(false)
  })
})

describe("a step", () => {
  it("leaves a file that somebody wrote after the snapshot, and says so", () => {
    const { at, write, snapshots, plan, carryOut } = given()
    write("changed", "one")
    write("mode", "one")
    write("gone", "one")
    const recorded = snapshots.take().tree
    write("changed", "two")
    fs.rmSync(at("gone"))
    write("added", "two")
    fs.chmodSync(at("mode"), 0o600)
    const { steps, left } = plan(snapshots.take().tree, recorded)
    expect([steps.length, left]).toEqual([4, []])
    write("changed", "three")
    write("added", "three")
    write("gone", "three")
    fs.chmodSync(at("mode"), 0o755)
    const why = new Map(steps.map((step) => [step.path, carryOut(step)]))
    expect(why.get("changed")).toContain("changed after the snapshot: its content differs")
    expect(why.get("added")).toContain("changed after the snapshot")
    expect(why.get("mode")).toContain("changed after the snapshot: its mode is 755")
    expect(why.get("gone")).toBe("something else is in its place")
    for (const file of ["changed", "added", "gone"]) expect(fs.readFileSync(at(file), "utf8")).toBe("three")
    expect(fs.readdirSync(at("")).sort()).toEqual(["added", "changed", "gone", "mode"])
  })

  it("goes through no link that took the place of a directory", () => {
    const { root, at, write, snapshots, plan, carryOut } = given()
    write("d/changed", "one")
    write("d/gone", "one")
    const recorded = snapshots.take().tree
    write("d/changed", "two")
    write("d/added", "two")
    fs.rmSync(at("d/gone"))
    const { steps } = plan(snapshots.take().tree, recorded)
    expect(steps.length).toBe(3)
    // The same files elsewhere: their digests fit.
    const elsewhere = fresh("elsewhere")
    fs.renameSync(at("d"), elsewhere)
    fs.symlinkSync(elsewhere, at("d"))
    const before = onDisk(elsewhere)
    for (const step of steps) expect([step.path, carryOut(step)]).not.toEqual([step.path, undefined])
    expect(onDisk(elsewhere)).toEqual(before)
    expect(onDisk(root)).toEqual(new Map([["d", onDisk(root).get("d")]]))
  })

  it("leaves a pipe, an ignored link and a directory where a file was, without waiting for any", () => {
    const { at, write, snapshots, restore } = given()
    for (const file of ["pipe", "ignored/below", "directory"]) write(file, "one")
    const recorded = snapshots.take().tree
    for (const file of ["pipe", "ignored", "directory"]) fs.rmSync(at(file), { recursive: true })
    execFileSync("mkfifo", [at("pipe")])
    write(".gitignore", "ignored\n*.log\n")
    const elsewhere = fresh("elsewhere")
    fs.mkdirSync(elsewhere)
    fs.symlinkSync(elsewhere, at("ignored"))
    write("directory/x.log", "mine")
    const { left, failed } = restore(recorded)
    expect(new Map(left.map(({ path, why }) => [path, why]))).toEqual(
      new Map([
        ["pipe", "something that no snapshot holds is in its place"],
        ["ignored/below", "ignored is no directory, and in no snapshot"],
        ["directory", "a directory is in its place"],
      ]),
    )
    expect(failed).toEqual([])
    expect(fs.readdirSync(elsewhere)).toEqual([])
    expect(fs.lstatSync(at("pipe")).isFIFO()).toBe(true)
    expect(fs.readFileSync(at("directory/x.log"), "utf8")).toBe("mine")
  })

  it("takes nothing away whose content the store lacks", () => {
    const { root, at, write, snapshots, plan } = given()
    const recorded = snapshots.take().tree
    write("only-here", "mine")
    const present = snapshots.take().tree
    const store = ContentStore.open(fresh("empty"))
    const { steps, left } = plan(present, recorded, { store })
    expect(steps).toEqual([])
    expect(left).toEqual([{ path: "only-here", why: expect.stringContaining("its present content is in no snapshot") }])
    const planned = plan(present, recorded, { store, willHold: true })
    const [step] = planned.steps
    if (step === undefined) throw new Error("no step")
    expect(InPlace.carryOut({ root, contents: store, stays: root }, step)).toContain("in no snapshot")
    expect(fs.readFileSync(at("only-here"), "utf8")).toBe("mine")
  })

  it("removes no file of Hindcast's, and no directory in which a program works", () => {
    const { root, at, write, snapshots, store, plan } = given()
    const recorded = snapshots.take().tree
    write(".hindcast/settings", "mine")
    write("my.db-wal", "mine")
    write("works/here/file", "new")
    const present = snapshots.take().tree
    const { steps, left } = plan(present, recorded, { own: [at("my.db")] })
    expect(left.map(({ path }) => path)).toEqual([".hindcast/settings", "my.db-wal"])
    for (const step of steps) InPlace.carryOut({ root, contents: store, stays: at("works/here") }, step)
    expect(fs.readdirSync(at("works/here"))).toEqual([])
  })
})

describe("what an interrupted restore leaves", () => {
  it("is between both trees, unless somebody has written since", () => {
    const { at, write, snapshots, plan, carryOut } = given()
    for (const file of ["a", "b", "c"]) write(file, "one")
    const recorded = snapshots.take().tree
    for (const file of ["a", "b", "d"]) write(file, "two")
    fs.rmSync(at("c"))
    const before = snapshots.take().tree
    for (const step of plan(before, recorded).steps.slice(0, 2)) expect(carryOut(step)).toBeUndefined()
    write(`.hindcast-${"0".repeat(16)}`, "half")
    expect(RestorePlan.isBetween(snapshots.take().tree, before, recorded)).toBe(true)
    write("b", "three")
    expect(RestorePlan.isBetween(snapshots.take().tree, before, recorded)).toBe(false)
  })
})
