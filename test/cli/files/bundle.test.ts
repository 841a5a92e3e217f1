import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { temporary } from "../../record/recorded.ts"
import * as FromSource from "../fromSource.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const SECRET = ".env"

/** Two sessions in one directory; the first changes a file, the second another one. */
const sessions = async () => {
  const made = await Session.project()
  opened.push(made)
  const { write, session, close } = made
  write("app.ts", "one\ntwo\n")
  write("large.bin", "0123456789".repeat(5_000))
  write(SECRET, "KEY=1\n")
  const first = session()
  await first.prompt("improve it")
  await first.call("Edit", { file: "app.ts" }, () => write("app.ts", "one\n2\n"))
  await first.end()
  const second = session("s-2")
  await second.prompt("and now the other")
  await second.call("Write", { file: "other.ts" }, () => write("other.ts", "only in the second session\n"))
  await close()
  return made
}

const directoryFor = (): string => {
  const directory = temporary("bundle")
  fs.mkdirSync(directory)
  return directory
}

/** The tasks, the first one first. */
const tasksOf = async (log: string): Promise<ReadonlyArray<{ readonly id: string }>> =>
  JSON.parse((await FromSource.run(["task", "ls", "--log", log, "--json"])).stdout).tasks

describe("task bundle", () => {
  it("takes along the contents of the task's files, and no others", async () => {
    const { log } = await sessions()
    const [first] = await tasksOf(log)
    const out = path.join(directoryFor(), "task.db")
    const said = await FromSource.run(["task", "bundle", first?.id ?? "", "--out", out, "--log", log])
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(said.stdout).toContain(`${out}.files: 3 contents`)
    expect(fs.statSync(`${out}.files`).mode & 0o077).toBe(0)
    expect(fs.readdirSync(path.dirname(out)).sort()).toEqual(["task.db", "task.db.files"])
    // The bundle alone answers: its source may be gone.
    const files = (...args: ReadonlyArray<string>) =>
      FromSource.run(["files", ...args, "--task", first?.id ?? "", "--log", out])
    expect(await files("show", "app.ts")).toMatchObject({ code: 0, stdout: "one\n2\n" })
    const into = path.join(path.dirname(out), "restored")
    expect(await files("restore", "--into", into, "--partial", "now")).toMatchObject({ code: 0 })
    expect(fs.readdirSync(into).sort()).toEqual(["app.ts", "large.bin"])
    const blamed = await files("blame", "app.ts", "--at", "now")
    expect(blamed.stdout).toContain("Edit")
    expect(fs.readFileSync(`${out}.files`).includes("only in the second session")).toBe(false)
  })

  it("leaves contents out where that is asked, and says which are gone", async () => {
    const { log, files } = await sessions()
    const [first] = await tasksOf(log)
    const directory = directoryFor()
    const without = path.join(directory, "without.db")
    const bundle = (out: string, ...more: ReadonlyArray<string>) =>
      FromSource.run(["task", "bundle", first?.id ?? "", "--out", out, "--log", log, ...more])
    expect(await bundle(without, "--no-files")).toMatchObject({ code: 0 })
    expect(fs.existsSync(`${without}.files`)).toBe(false)
    expect(await files("purge", "large.bin", "--reason", "not for others", "--yes")).toMatchObject({ code: 0 })
    const said = await bundle(path.join(directory, "purged.db"), "--json")
    expect(JSON.parse(said.stdout).files).toMatchObject({ contents: 2, missing: 1 })
  })

  it("refuses to leave its contents next to another log's", async () => {
    const { log } = await sessions()
    const [first] = await tasksOf(log)
    const out = path.join(directoryFor(), "task.db")
    fs.writeFileSync(`${out}.files`, "somebody's")
    const said = await FromSource.run(["task", "bundle", first?.id ?? "", "--out", out, "--log", log])
    expect(said).toMatchObject({ code: 1 })
    expect(said.error).toContain(`${out}.files`)
    expect(fs.readFileSync(`${out}.files`, "utf8")).toBe("somebody's")
    expect(fs.existsSync(out)).toBe(false)
    const nowhere = path.join(path.dirname(out), "none", "task.db")
    const lost = await FromSource.run(["task", "bundle", first?.id ?? "", "--out", nowhere, "--log", log])
    expect(lost).toMatchObject({ code: 1 })
    expect(lost.error).toContain(`expected a directory that exists, found none`)
  })
})
