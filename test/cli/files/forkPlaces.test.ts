import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { temporary } from "../../record/recorded.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** A recorded project of this name with an agent's program, and a moment with its files. */
const recorded = async (name = "project", more: Readonly<Record<string, string>> = {}) => {
  const made = await Session.project(undefined, { root: path.join(temporary("above"), name) })
  opened.push(made)
  const { write, session, close, json } = made
  write("agent", "#!/bin/sh\n")
  write("conversation.md", "of the project\n")
  for (const [file, content] of Object.entries(more)) write(file, content)
  const { prompt, call } = session()
  await prompt("improve it")
  await call("Write", { file_path: "b.txt" }, () => write("b.txt", "b\n"))
  await close()
  const { versions } = await json("history", "b.txt")
  return { ...made, good: `@${versions.at(-1).position}` }
}

/** The fork's document. */
const forked = async ({ json, good }: Awaited<ReturnType<typeof recorded>>, ...words: ReadonlyArray<string>) => {
  const document = await json("fork", good, ...words)
  const own = path.dirname(document.directory)
  return { ...document, own, remove: () => fs.rmSync(own, { recursive: true }) }
}

describe("the directory of a fork", () => {
  it("keeps a file of the project that is named like the first prompt", async () => {
    const { directory, handover, remove } = await forked(await recorded())
    expect(fs.readFileSync(path.join(directory, "conversation.md"), "utf8")).toBe("of the project\n")
    expect(fs.readFileSync(handover.file, "utf8")).toContain("> improve it")
    remove()
  })

  it("is said to be without what snapshots left out then, and not without what came later", async () => {
    const made = await recorded("project", { ".gitignore": "lib/\n*.log\n/now\n", "deep/.gitignore": "made\n" })
    const { write, at } = made
    for (const file of ["lib/tool", "out.log", "deep/made", "README.md", "later/too.md", "mixed/a", "mixed/x.log"])
      write(file, "x\n")
    write("now", "hidden today\n")
    fs.rmSync(at("deep/.gitignore"))
    const first = await forked(made)
    first.remove()
    expect(first.missing).toEqual(["lib", "mixed", "now", "out.log"])
    // Rules of today do not count, but those of the moment.
    write(".gitignore", "README.md\n")
    const { missing, remove } = await forked(made)
    expect(missing).toEqual(["lib", "mixed", "now", "out.log"])
    remove()
  })

  it("has a name of its own where the project's is that of the first prompt", async () => {
    const { directory, handover, own, remove } = await forked(await recorded("Conversation.md"))
    expect([directory, handover.file]).toEqual([path.join(own, "files"), path.join(own, "conversation.md")])
    remove()
  })

  it.each([[["kept"]], [["made", "also-made"]], [["kept-empty"]]])(
    "is gone once a content is lost, and nothing else with it: %j",
    async (below) => {
      const { files, good } = await recorded()
      const base = temporary("into")
      fs.mkdirSync(base)
      const into = path.join(base, ...below)
      if (below[0] === "kept-empty") fs.mkdirSync(into)
      fs.writeFileSync(path.join(base, "of-somebody"), "")
      const before = Session.onDisk(base)
      expect(await files("purge", "b.txt", "--reason", "private", "--yes")).toMatchObject({ code: 0 })
      const said = await files("fork", good, "--into", into)
      expect([said.code, said.error]).toEqual([1, expect.stringContaining("The restored files were removed again")])
      expect(said.error).toContain("b.txt")
      expect(Session.onDisk(base)).toEqual(before)
      expect(fs.existsSync(into)).toBe(below[0] === "kept-empty")
      const accepted = await files("fork", good, "--into", into, "--partial")
      expect([accepted.code, fs.existsSync(path.join(into, "agent"))]).toEqual([0, true])
    },
  )

  it("is gone with its temporary parent", async () => {
    const { files, good } = await recorded()
    await files("purge", "b.txt", "--reason", "private", "--yes")
    const { TMPDIR } = process.env
    const base = temporary("tmp")
    fs.mkdirSync(base)
    process.env.TMPDIR = base
    try {
      expect(await files("fork", good)).toMatchObject({ code: 1 })
      expect(fs.readdirSync(base)).toEqual([])
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = TMPDIR
    }
  })

  it("is where a relative program is looked for, not the caller's directory", async () => {
    const { files, good, at, write } = await recorded()
    const into = temporary("forked")
    write("later", "#!/bin/sh\n")
    const refused = await files("fork", good, "--into", into, "--", "./later")
    expect([refused.code, refused.error]).toEqual([3, expect.stringContaining("a file of the fork's directory")])
    expect((await files("fork", good, "--into", into, "--", "../above/agent")).code).toBe(3)
    expect(fs.existsSync(into)).toBe(false)
    fs.rmSync(at("agent"))
    fs.chmodSync(at("later"), 0o755)
    const whole = await files("fork", good, "--into", into, "--json", "--", at("later"))
    expect([whole.code, whole.error]).toEqual([0, ""])
  })
})
