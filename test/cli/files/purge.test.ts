import * as fs from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import { fileOf } from "../../../src/workspace/store/StoreFile.ts"
import { temporary } from "../../record/recorded.ts"
import { Database } from "../../sqlite.ts"
import * as FromSource from "../fromSource.ts"
import { inTerminal, KEYS } from "../terminal.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

/** Random, so that it cannot be in the file in another way, and not compressed away. */
const LEAKED = Array.from({ length: 40 }, () => Math.random().toString(36).slice(2)).join(" ")

/** A session that writes a file with something that has to go, changes it, and copies its first version. */
const leaked = async () => {
  const made = await Session.project()
  opened.push(made)
  const { write, at, session } = made
  write("kept.txt", "kept\n")
  const { prompt, call } = session()
  await prompt("configure it")
  await call("Write", { file_path: "config.txt" }, () => write("config.txt", `${LEAKED}\n`))
  await call("Bash", { command: "cp config.txt copy.txt" }, () => fs.copyFileSync(at("config.txt"), at("copy.txt")))
  await call("Write", { file_path: "config.txt" }, () => write("config.txt", "clean\n"))
  await call("Bash", { command: "rm copy.txt" }, () => fs.rmSync(at("copy.txt")))
  return made
}

const bytesOf = (log: string): string =>
  ["", "-wal"]
    .map((end) => fileOf(log) + end)
    .filter((file) => fs.existsSync(file))
    .map((file) => fs.readFileSync(file, "latin1"))
    .join("")

const contentsIn = (log: string): number => {
  const database = new Database(fileOf(log), { readonly: true })
  const [row] = database.prepare("SELECT count(*) AS n FROM content").all() as ReadonlyArray<{ n: number }>
  database.close()
  return row?.n ?? 0
}

describe("files purge FILE", () => {
  it("removes every content of the file, and says so wherever it is asked for", async () => {
    const { close, json, files, log, session, write, reopen } = await leaked()
    await close()
    const [leak] = (await json("history", "config.txt")).versions.map(
      ({ position }: { position: number }) => `@${position}`,
    )
    const before = contentsIn(log)
    const said = await files("purge", "config.txt", "--reason", "It held a key", "--yes")
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(said.stdout).toContain("2 contents of config.txt")
    expect(said.stdout).toContain("also of copy.txt")
    expect(contentsIn(log)).toBe(before - 2)
    const { stdout } = await FromSource.run(["log", "info", "--log", log, "--json"])
    const kept =
      fs.statSync(fileOf(log)).size + (fs.statSync(`${fileOf(log)}-wal`, { throwIfNoEntry: false })?.size ?? 0)
    expect(JSON.parse(stdout).space.filesBytes).toBe(kept)
    const shown = await files("show", "config.txt", "--at", leak ?? "")
    expect(shown.error).toContain("`hindcast files purge` removed it")
    expect((await files("show", "kept.txt")).stdout).toBe("kept\n")
    const listed = await FromSource.run(["log", "ls", "--type", "FilesPurged", "--log", log, "--json"])
    expect(JSON.stringify(listed.stdout)).toContain("It held a key")

    // The same bytes are not stored again, neither under this name nor under another.
    await reopen()
    const { call } = session("s-2")
    await call("Write", { file_path: "again.txt" }, () => write("again.txt", `${LEAKED}\n`))
    await close()
    expect((await files("show", "again.txt")).error).toContain("removed it")
    expect(contentsIn(log)).toBe(before - 2)
  })

  it("leaves none of the bytes in the file or in its write-ahead log", async () => {
    const { close, files, log } = await leaked()
    await close()
    const database = new Database(fileOf(log))
    // As stored without compression.
    const [row] = database
      .prepare("SELECT hex(body) AS hex FROM content ORDER BY size DESC LIMIT 1")
      .all() as ReadonlyArray<{
      hex: string
    }>
    database.close()
    const part = Buffer.from(row?.hex ?? "", "hex")
      .subarray(100, 160)
      .toString("latin1")
    expect(part).toHaveLength(60)
    expect(bytesOf(log)).toContain(part)
    expect(await files("purge", "config.txt", "--reason", "key", "--yes")).toMatchObject({ code: 0 })
    expect(bytesOf(log)).not.toContain(part)
  })

  it("fails without consent, for unknown files, and without or with two scopes; removes nothing", async () => {
    const { close, files, log } = await leaked()
    await close()
    const before = contentsIn(log)
    const failures = [
      [["config.txt", "--reason", "r"], "expected --yes, or a terminal to ask at"],
      [["confg.txt", "--reason", "r", "--yes"], "Did you mean config.txt or copy.txt?"],
      [["--reason", "r", "--yes"], "found neither"],
      [["config.txt", "--before", "now", "--reason", "r", "--yes"], "found both"],
      [["--before", "@99999", "--reason", "r", "--yes"], "@99999"],
    ] as const
    for (const [words, text] of failures) {
      const said = await files("purge", ...words)
      expect(said.code).not.toBe(0)
      expect(said.error).toContain(text)
    }
    expect(contentsIn(log)).toBe(before)
  })

  it("removes contents while the recorder runs, which goes on", async () => {
    const { close, json, files, session, write } = await leaked()
    expect(await files("purge", "config.txt", "--reason", "key", "--yes")).toMatchObject({ code: 0 })
    const { call } = session("s-2")
    await call("Write", { file_path: "next.txt" }, () => write("next.txt", "next\n"))
    await close()
    expect((await json("history", "next.txt")).versions).toHaveLength(1)
    expect((await files("show", "next.txt")).stdout).toBe("next\n")
  })
})

describe("files purge --before", () => {
  it("removes the contents that only earlier moments need; later ones stay whole", async () => {
    const { close, json, files, log } = await leaked()
    await close()
    const versions = (await json("history", "config.txt")).versions
    const clean = versions.at(-1).position
    const document = await json("purge", "--before", `@${clean}`, "--reason", "90 days", "--yes")
    // The leak is also what the copy has at that moment: its removal comes later.
    expect(document).toMatchObject({ before: clean, contents: 0 })
    const now = await json("purge", "--before", "now", "--reason", "90 days", "--yes")
    expect(now).toMatchObject({ contents: 1, overwritten: true })
    expect((await files("show", "config.txt", "--at", `@${versions[0].position}`)).error).toContain(
      "the store has no such content",
    )
    const into = temporary("restored")
    expect(await files("restore", "now", "--into", into)).toMatchObject({ code: 0 })
    expect(fs.readFileSync(`${into}/config.txt`, "utf8")).toBe("clean\n")
    expect(await files("purge", "--before", "now", "--reason", "90 days", "--yes")).toMatchObject({ code: 0 })
    expect(contentsIn(log)).toBe(2)
  })

  it("keeps a content that a file has again by the time of the answer", async () => {
    const { files, log, root, session, write, close } = await leaked()
    const asking = inTerminal(["files", "purge", "--before", "now", "--reason", "90 days", "--log", log], { cwd: root })
    await asking.shows("[y/N]")
    const { call } = session("s-2")
    await call("Bash", { command: "git checkout" }, () => write("config.txt", `${LEAKED}\n`))
    asking.type(`y${KEYS.enter}`)
    await asking.shows("The store has no content of moments before")
    expect(await asking.ended).toBe(0)
    await close()
    expect((await files("show", "config.txt")).stdout).toBe(`${LEAKED}\n`)
  })
})
