import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { fileOf } from "../../../src/workspace/store/StoreFile.ts"
import { temporary } from "../../record/recorded.ts"
import { Database } from "../../sqlite.ts"
import * as Hindcast from "../hindcast.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** A session that breaks a file, and the moment before it did. */
const broken = async (files: Readonly<Record<string, string>> = {}) => {
  const made = await Session.project()
  opened.push(made)
  const { write, at, session, close, json } = made
  for (const [file, content] of Object.entries({ "src/app.ts": "good\n", "run.sh": "#!/bin/sh\n", ...files }))
    write(file, content)
  fs.chmodSync(at("run.sh"), 0o755)
  fs.symlinkSync("src/app.ts", at("link"))
  const { prompt, call } = session()
  await prompt("improve it")
  await call("Bash", { command: "break it" }, () => {
    write("src/app.ts", "broken\n")
    fs.rmSync(at("run.sh"))
  })
  await close()
  const { versions } = await json("history", "src/app.ts")
  return { ...made, before: `@${versions[0].position}`, after: `@${versions[1].position}` }
}

describe("files restore --into", () => {
  it("writes the files of the moment, and leaves the workspace as it is", async () => {
    const { files, json, before, after, at } = await broken()
    const into = temporary("restored")
    const said = await files("restore", before, "--into", into)
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(said.stdout).toContain("Restored: 3 files")
    expect(fs.readFileSync(path.join(into, "src/app.ts"), "utf8")).toBe("good\n")
    expect(fs.statSync(path.join(into, "run.sh")).mode & 0o777).toBe(0o755)
    expect(fs.readlinkSync(path.join(into, "link"))).toBe("src/app.ts")
    expect(fs.readFileSync(at("src/app.ts"), "utf8")).toBe("broken\n")
    const document = await json("restore", after, "--into", temporary("later"))
    expect(document).toMatchObject({ restored: 2, left: [] })
  })

  it("fails and names each file that it cannot write, unless that is accepted", async () => {
    const { files, json, before } = await broken({ ".env": "KEY=1\n" })
    const said = await files("restore", before, "--into", temporary("restored"))
    expect(said.code).toBe(1)
    expect(said.stdout).toBe("")
    expect(said.error).toContain("expected to restore 4 files, restored 3")
    expect(said.error).toContain(".env: it holds secrets")
    const partial = await files("restore", before, "--into", temporary("partial"), "--partial")
    expect(partial.code).toBe(0)
    expect(partial.stdout).toContain("Restored in part: 3 of 4 files")
    expect(await json("restore", before, "--into", temporary("other"), "--partial")).toMatchObject({
      restored: 3,
      left: [{ path: ".env" }],
    })
  })

  it("names a file whose content in the store was changed or is gone", async () => {
    const { files, before, log } = await broken()
    new Database(fileOf(log)).exec("DELETE FROM content WHERE size < 10; UPDATE content SET body = x'00'").close()
    const said = await files("restore", before, "--into", temporary("restored"))
    expect(said).toMatchObject({ code: 1, stdout: "" })
    expect(said.error).toContain("restored 0")
    expect(said.error).toContain("src/app.ts: the store has no such content")
  })

  it("refuses a directory with files", async () => {
    const { files, before, root, at } = await broken()
    const said = await files("restore", before, "--into", root)
    expect(said).toMatchObject({ code: 1, stdout: "" })
    expect(said.error).toContain("found a directory with files. Nothing was written")
    expect(fs.readFileSync(at("src/app.ts"), "utf8")).toBe("broken\n")
  })

  it("killed half-way says nothing of success, passes for no whole tree, and can be done again", async () => {
    const many = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`many/${index}`, `file ${index}\n`]))
    const { files, before, log, root } = await broken(many)
    const into = temporary("killed")
    const { child, ended } = Hindcast.start(["files", "restore", before, "--into", into, "--log", log], { cwd: root })
    const written = () => (fs.existsSync(path.join(into, "many")) ? fs.readdirSync(path.join(into, "many")).length : 0)
    while (written() === 0 && child.exitCode === null) await new Promise(setImmediate)
    child.kill("SIGKILL")
    expect(await ended).toMatchObject({ code: null, stdout: "" })
    expect(written()).toBeGreaterThan(0)
    expect(written()).toBeLessThan(FILES)
    expect((await files("restore", before, "--into", into)).error).toContain("found a directory with files")
    fs.rmSync(into, { recursive: true })
    const said = await files("restore", before, "--into", into)
    expect(said.stdout).toContain(`Restored: ${FILES + 3} files`)
  })
})

const FILES = 3_000
