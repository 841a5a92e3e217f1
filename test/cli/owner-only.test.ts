import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAIN, program } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

const directory = path.join(place.directory, "made")
const log = path.join(directory, "log.db")

/** Runs a program of Node in a shell whose umask is this. */
const under = (umask: string, ...args: ReadonlyArray<string>): string => {
  const shell = ["-c", `umask ${umask}; exec "$@"`, "sh", process.execPath, ...args]
  const { status, stdout, stderr } = spawnSync("sh", shell, { encoding: "utf8", cwd: place.directory })
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`)
  return stdout
}

const hindcast = (...args: ReadonlyArray<string>) => under("0", MAIN, ...args, "--log", log)

/** What Deno keeps is its own: that others cannot get there is enough. */
const isDenos = (name: string) => name.endsWith(".deno")

/** Everything in a directory, with it, and the mode of each. */
const modes = (name: string): ReadonlyArray<readonly [name: string, mode: string]> => {
  const found = fs.lstatSync(name)
  const own = [path.relative(place.directory, name), (found.mode & 0o7777).toString(8)] as const
  if (!found.isDirectory() || isDenos(name)) return [own]
  return [own, ...fs.readdirSync(name).flatMap((entry) => modes(path.join(name, entry)))]
}

/** What others than the owner may do anything with. */
const openToOthers = (name: string) => modes(name).filter(([, mode]) => (Number.parseInt(mode, 8) & 0o077) !== 0)

const agent = inRepository("examples", "agents", "knows-the-way.mjs")
const plugin = inRepository("plugins", "text-room")

describe.skipIf(process.platform === "win32")("whatever the umask, only its owner may read or write", () => {
  beforeAll(() => {
    hindcast("run", "--agent", agent, "--goal", "Find the document", "--plugin", plugin, "--seed", "7")
  })

  it("a log, what lies beside it, and what is made of it", () => {
    const [task] = JSON.parse(hindcast("task", "ls", "--json")).tasks
    const to = (name: string) => path.join(directory, name)
    hindcast("log", "archive", "--until", "9")
    hindcast("task", "bundle", task.id, "--out", to("bundle.db"))
    for (const format of ["otlp", "piaavt", "mcap"]) hindcast("export", format, "--output", to(format))
    hindcast("export", "events", "--output", to("events.jsonl"))
    hindcast("export", "html", "--output", to("report.html"))
    under("0", MAIN, "log", "import", to("events.jsonl"), "--log", to("again.db"))
    hindcast("log", "anchor", "--key", to("signing.key"))
    // What is for handing out is no secret; nobody else may write it all the same.
    expect(modes(to("signing.key.pub"))).toEqual([["made/signing.key.pub", "644"]])
    fs.rmSync(to("signing.key.pub"))
    expect(openToOthers(directory)).toEqual([])
    expect(modes(directory).map(([name]) => name)).toEqual(
      expect.arrayContaining([
        ...["made/log.db", "made/log.db.segments/0000000001-0000000009.segment", "made/again.db", "made/bundle.db"],
        ...["made/otlp", "made/piaavt", "made/mcap", "made/events.jsonl", "made/report.html", "made/signing.key"],
        ...["made/log.db.plugins/text-room.deno"],
      ]),
    )
  }, 120_000)

  it("a log that is open, its write-ahead log, its keys and its snapshots; and one that is being made", () => {
    const openLog = program(import.meta.url, "openLog")
    const open = path.join(place.directory, "open", "below", "log.db")
    const files = under("0", openLog, open).trim().split("\n")
    expect(files).toEqual(
      expect.arrayContaining(["log.db", "log.db-wal", "log.db-shm", "log.db.keys"].map((f) => `600 ${f}`)),
    )
    expect(files.filter((line) => !line.startsWith("600 "))).toEqual([])
    expect(openToOthers(path.join(place.directory, "open"))).toEqual([])
  })

  it("a directory of plugins that an earlier version left open", () => {
    fs.chmodSync(`${log}.plugins`, 0o777)
    hindcast("run", "--agent", agent, "--goal", "Again", "--seed", "7")
    expect(openToOthers(`${log}.plugins`)).toEqual([])
  })
})
