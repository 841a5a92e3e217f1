/** An editor that saves while files are restored over the present ones. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as InPlace from "../../../src/workspace/restore/InPlace.ts"
import * as WrittenFile from "../../../src/workspace/restore/WrittenFile.ts"
import { Snapshots } from "../../../src/workspace/Snapshots.ts"
import { ContentStore } from "../../../src/workspace/store/ContentStore.ts"
import { temporary } from "../../record/recorded.ts"

const root = temporary("edited")
fs.mkdirSync(root, { recursive: true })
const store = ContentStore.open(temporary("store"))
afterAll(() => store.close())

const at = (file: string) => path.join(root, file)

/** Another process saves a file as editors do: in its place, or whole under another name that it then renames. */
const save = (file: string, way: "in place" | "renamed") =>
  execFileSync("sh", [
    "-c",
    way === "in place" ? 'echo saved > "$1"' : 'echo saved > "$1.part" && mv "$1.part" "$1"',
    "sh",
    at(file),
  ])

describe("a restore during which an editor saves", () => {
  it.each(["in place", "renamed"] as const)("loses nothing of it, and names each such file (%s)", (way) => {
    const files = ["done", "current", "next", "gone", "added", "mode"]
    for (const file of files) fs.rmSync(at(file), { force: true })
    for (const file of ["done", "current", "next", "gone", "mode"])
      fs.writeFileSync(at(file), "then\n", { mode: 0o644 })
    const snapshots = new Snapshots({ root, store })
    const recorded = snapshots.take().tree
    for (const file of ["done", "current", "next"]) fs.writeFileSync(at(file), "now\n")
    fs.rmSync(at("gone"))
    fs.writeFileSync(at("added"), "now\n")
    fs.chmodSync(at("mode"), 0o755)
    const evidence = { isSeen: () => true, wasHidden: () => false, wasAbsent: () => false }
    const present = snapshots.take().tree
    const { steps } = InPlace.plan({ root, present, recorded, store, own: [], evidence, willHold: false })
    expect(steps.map(({ path }) => path).sort()).toEqual([...files].sort())
    const order = steps.toSorted((one, other) => files.indexOf(one.path) - files.indexOf(other.path))
    const why = new Map<string, string | undefined>()
    for (const step of order) {
      let isSaved = step.path !== "current"
      const contents = {
        get: (digest: string) => {
          if (!isSaved) for (const file of files) save(file, way)
          isSaved = true
          return store.get(digest)
        },
      }
      why.set(step.path, InPlace.carryOut({ root, contents, stays: root }, step))
    }
    for (const step of order) if (why.get(step.path) === undefined) why.set(step.path, InPlace.difference(root, step))
    for (const file of files) {
      expect([file, fs.readFileSync(at(file), "utf8")]).toEqual([file, "saved\n"])
      expect([file, why.get(file)]).toEqual([
        file,
        expect.stringMatching(/differs|it changed|in its place|it is there/),
      ])
    }
    expect(fs.readdirSync(root).sort()).toEqual([...files].sort())
  })

  it("leaves a file that is saved while its replacement is written", () => {
    fs.writeFileSync(at("late"), "now\n")
    const entry = { kind: "file", mode: 0o644, size: 5 } as const
    const whyNot = () => {
      save("late", "renamed")
      return "it was saved"
    }
    expect(WrittenFile.write(root, "late", entry, Buffer.from("then\n"), "replace", whyNot)).toBe("it was saved")
    expect(fs.readFileSync(at("late"), "utf8")).toBe("saved\n")
    expect(fs.readdirSync(root).filter(WrittenFile.isUnfinished)).toEqual([])
    fs.rmSync(at("late"))
  })
})
