import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import * as Root from "../../src/workspace/Root.ts"
import * as TaskFiles from "../../src/workspace/TaskFiles.ts"
import * as Workspaces from "../../src/workspace/Workspaces.ts"

/** Others may look for what is in it. */
const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-root-")))
fs.chmodSync(base, 0o755)
const HOME = process.env.HOME
afterEach(() => {
  process.env.HOME = HOME
})
afterAll(() => fs.rmSync(base, { recursive: true, force: true }))

const at = (name: string) => path.join(base, name)

/** Runs work without the rights of root, if this process has them. */
const asOrdinaryUser = <A>(work: () => A): A => {
  if (process.geteuid?.() !== 0) return work()
  process.seteuid?.(65_534)
  try {
    return work()
  } finally {
    process.seteuid?.(0)
  }
}

describe("the directory whose files are recorded", () => {
  it("is no file system and no home, nor one above it", () => {
    fs.mkdirSync(at("above/home/project"), { recursive: true })
    process.env.HOME = at("above/home")
    expect(Root.around("/")).toEqual({ refused: "/ is a whole file system" })
    for (const wide of ["above", "above/home"])
      expect(Root.around(at(wide))).toEqual({ refused: `${at(wide)} is a home directory` })
    expect(Root.around(at("above/home/project"))).toEqual({ root: at("above/home/project") })
    // A repository of all settings in the home directory.
    fs.mkdirSync(at("above/home/.git"))
    expect(Root.around(at("above/home/project"))).toEqual({ root: at("above/home/project") })
  })

  it("is where a link leads", () => {
    fs.mkdirSync(at("real"))
    fs.symlinkSync("real", at("link"))
    fs.symlinkSync("nowhere", at("dangling"))
    expect(Root.around(at("link"))).toEqual({ root: at("real") })
    expect(Root.around(at("dangling"))).toEqual({ refused: expect.stringContaining("ENOENT") })
  })

  it("is refused where it is a file, missing, or closed to the user", () => {
    fs.writeFileSync(at("file"), "")
    fs.mkdirSync(at("closed/below"), { recursive: true })
    fs.chmodSync(at("closed"), 0)
    expect(Root.around(at("file"))).toEqual({ refused: `${at("file")} is no directory` })
    expect(Root.around(at("missing"))).toEqual({ refused: expect.stringContaining("ENOENT") })
    try {
      for (const closed of ["closed", "closed/below"])
        expect(asOrdinaryUser(() => Root.around(at(closed)))).toEqual({ refused: expect.stringContaining("EACCES") })
    } finally {
      // Whoever is not root could not remove it otherwise.
      fs.chmodSync(at("closed"), 0o700)
    }
  })
})

describe("a directory that cannot be read any more", () => {
  const looking = (root: string) => {
    const told: Array<CoreNewEvent> = []
    fs.writeFileSync(at("log.db"), "")
    const workspaces = Workspaces.make({ log: at("log.db"), hasSecret: () => false })
    const tell: TaskFiles.TaskFilesOptions["tell"] = async (...events) => told.push(...events)
    const files = TaskFiles.make({ workspaces, root, past: [], openedBy: "opened", tell })
    return { told, files, close: workspaces.close }
  }

  it.each([
    ["is gone before the first look", () => {}, "ENOENT"],
    ["became a file", (root: string) => fs.writeFileSync(root, ""), "ENOTDIR"],
  ])("is named once, and the session goes on: it %s", async (name, make, reason) => {
    const root = at(name.replaceAll(" ", "-"))
    make(root)
    const { told, files, close } = looking(root)
    const all = [
      files.look(),
      files.before({ commandId: "c", last: "l", args: {} }),
      files.after({ commandId: "c", end: "e" }),
    ]
    await Promise.all(all)
    close()
    expect(told).toEqual([
      {
        type: "CaptureNoted",
        payload: { unseen: [{ what: TaskFiles.NO_SNAPSHOTS, target: expect.stringContaining(reason), count: 1 }] },
      },
    ])
  })
})
