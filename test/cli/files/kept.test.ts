import * as fs from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const given: typeof Session.worked = async (files, work) => {
  const made = await Session.worked(files, work)
  opened.push(made)
  return made
}

const textOf = ({ at }: Session.Project, file: string) => fs.readFileSync(at(file), "utf8")

const UNSEEN = "no session has recorded its present content, so that it may be your own work"
const HIDDEN = "it was ignored at that moment, or could not be read, so that nobody knows whether it was there"

describe("files restore --in-place", () => {
  it("keeps a file that no session has recorded, however often it runs", async () => {
    const made = await given({ a: "one\n" }, ({ write }) => {
      write("a", "two\n")
      write("b", "by the agent\n")
      write("c", "by the agent\n")
    })
    made.write("mine", "my work\n")
    made.write("c", "my change\n")
    const planned = await made.json("restore", made.before, "--in-place", "--dry-run")
    expect(planned.left).toEqual([
      { path: "c", why: UNSEEN },
      { path: "mine", why: UNSEEN },
    ])
    for (let time = 0; time < 2; time++) {
      const said = await made.files("restore", made.before, "--in-place", "--yes")
      expect(said.code).toBe(1)
      expect(said.error).toContain(`mine: ${UNSEEN}`)
      expect(fs.readdirSync(made.root).sort()).toEqual(["a", "c", "mine"])
      expect([textOf(made, "a"), textOf(made, "c"), textOf(made, "mine")]).toEqual([
        "one\n",
        "my change\n",
        "my work\n",
      ])
    }
    made.write("later", "more of mine\n")
    expect((await made.files("restore", "--undo", "--yes", "--partial")).code).toBe(0)
    expect(fs.readdirSync(made.root).sort()).toEqual(["a", "b", "c", "later", "mine"])
  })

  it("keeps a file that .git/info/exclude hid then, and one that it would hide without today's .gitignore", async () => {
    const hidden = { ".git/HEAD": "ref: refs/heads/main\n", ".git/info/exclude": "notes\n*.log\n" }
    const made = await given({ ...hidden, a: "one\n", notes: "mine\n", "x.log": "mine\n" }, ({ write }) => {
      write("a", "two\n")
      // A session sees the log from here on.
      write(".gitignore", "!x.log\n")
    })
    made.write(".git/info/exclude", "*.log\n")
    const { left } = await made.json("restore", made.before, "--in-place", "--yes", "--partial")
    expect(left).toEqual([
      { path: "notes", why: UNSEEN },
      { path: "x.log", why: HIDDEN },
    ])
    expect([textOf(made, "a"), textOf(made, "notes"), textOf(made, "x.log")]).toEqual(["one\n", "mine\n", "mine\n"])
    expect(fs.existsSync(made.at(".gitignore"))).toBe(false)
  })

  it("keeps all below a .gitignore whose content is not known", async () => {
    const made = await given({ "in/.gitignore": "x\n", "in/x": "mine\n", "out/.gitignore": "x\n" }, ({ at, write }) => {
      fs.rmSync(at("in/.gitignore"))
      write("in/deep/new", "new\n")
      write("out/new", "new\n")
      write("out/.gitignore", "y\n")
    })
    expect((await made.files("purge", "in/.gitignore", "--reason", "a key", "--yes")).code).toBe(0)
    const { left } = await made.json("restore", made.before, "--in-place", "--yes", "--partial")
    expect(left.map(({ path }: { path: string }) => path)).toEqual([
      "in/.gitignore",
      "in/deep/new",
      "in/x",
      "out/.gitignore",
      "out/new",
    ])
    expect(textOf(made, "in/x")).toBe("mine\n")
  })

  it("with --undo removes what it wrote, though the rules of then hide it, unless somebody changed it", async () => {
    const made = await given({ x: "x\n", y: "y\n", "d/z": "z\n" }, ({ at, write }) => {
      for (const file of ["x", "y", "d"]) fs.rmSync(at(file), { recursive: true })
      write(".gitignore", "x\ny\nd\n")
    })
    const without = Session.onDisk(made.root)
    expect((await made.files("restore", made.before, "--in-place", "--yes")).code).toBe(0)
    const restored = Session.onDisk(made.root)
    expect(restored.length).toBe(3)
    expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(made.root)).toEqual(without)
    expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(made.root)).toEqual(restored)
    made.write("y", "mine\n")
    const { left } = await made.json("restore", "--undo", "--yes", "--partial")
    expect(left).toEqual([{ path: "y", why: UNSEEN }])
    expect(Session.onDisk(made.root).map((line) => line.split(" ")[0])).toEqual([".gitignore", "y"])
  })

  it.runIf(process.platform !== "win32")(
    "keeps setuid and setgid bits only with the content they belong to",
    async () => {
      const made = await given({ mode: "same\n", content: "one\n", gone: "one\n" }, ({ at, write }) => {
        fs.chmodSync(at("mode"), 0o6755)
        write("content", "two\n")
        fs.chmodSync(at("content"), 0o4755)
        fs.rmSync(at("gone"))
      })
      const modes = () => ["mode", "content"].map((file) => (fs.statSync(made.at(file)).mode & 0o7777).toString(8))
      expect(modes()).toEqual(["6755", "4755"])
      expect(await made.files("restore", made.before, "--in-place", "--yes")).toMatchObject({ code: 0, error: "" })
      expect(modes()).toEqual(["6644", "644"])
      expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
      expect(modes()).toEqual(["6755", "755"])
    },
  )
})
