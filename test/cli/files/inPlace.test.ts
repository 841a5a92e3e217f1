import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { eventsOf, temporary } from "../../record/recorded.ts"
import { inRepository, isOpenToOthers } from "../../repository.ts"
import * as Hindcast from "../hindcast.ts"
import { inTerminal, KEYS } from "../terminal.ts"
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

const run = ({ root, log }: Session.Project, ...words: ReadonlyArray<string>) =>
  Hindcast.start([...words, "--log", log], { cwd: root })

/** A file changed, one removed, one added, one made executable, a link, a directory for a file and a file for one. */
const busy = () =>
  given(
    { "src/app.ts": "good\n", "gone.txt": "gone\n", "run.sh": "#!/bin/sh\n", file: "a file\n", "dir/a": "a\n" },
    ({ write, at }) => {
      write("src/app.ts", "broken\n")
      fs.rmSync(at("gone.txt"))
      write("new/deep/er.txt", "new\n")
      fs.chmodSync(at("run.sh"), 0o755)
      fs.symlinkSync("src/app.ts", at("link"))
      fs.rmSync(at("file"))
      write("file/below", "x\n")
      fs.rmSync(at("dir"), { recursive: true })
      write("dir", "no directory\n")
    },
  )

describe("files restore --in-place", () => {
  it("gives back the files of the moment, and --undo those from before, again and again", async () => {
    const made = await busy()
    const { root, files, before, after } = made
    const broken = Session.onDisk(root)
    const said = await files("restore", before, "--in-place", "--yes")
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(said.stdout).toContain("change  src/app.ts")
    expect(said.stdout).toMatch(/Restored: 9 paths of .*each verified against the recording/)
    const restored = Session.onDisk(root)
    expect(restored.map((line) => line.split(" ")[0])).toEqual(["dir/a", "file", "gone.txt", "run.sh", "src/app.ts"])
    expect(fs.readFileSync(made.at("src/app.ts"), "utf8")).toBe("good\n")
    expect(fs.readdirSync(root)).not.toContain("new")
    expect((await files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(root)).toEqual(broken)
    expect((await files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(root)).toEqual(restored)
    expect((await files("restore", after, "--in-place", "--yes")).code).toBe(0)
    expect(Session.onDisk(root)).toEqual(broken)
  })
  it("records the files before, the command as their cause, and what it came to", async () => {
    const { files, json, log, before } = await busy()
    const document = await json("restore", before, "--in-place", "--yes")
    expect(document).toMatchObject({ at: Number(before.slice(1)), undo: false, restored: 9, left: [] })
    expect(document.changes).toContainEqual({ path: "run.sh", kind: "mode", mode: "644" })
    expect(document.changes).toContainEqual({ path: "link", kind: "removed", link: true })
    const events = (await eventsOf(log)).filter(({ taskId }) => taskId === document.taskId)
    expect(events.map(({ type }) => type)).toEqual([
      "TaskOpened",
      "EnvironmentReset",
      "ActuatorCommanded",
      "CommandAllowed",
      "CommandDispatched",
      "CommandSucceeded",
      "EnvironmentChanged",
      "TaskClosed",
    ])
    expect(events[1]?.position).toBe(document.before)
    expect(events[6]?.causationId).toBe(events[5]?.id)
    const { stdout } = await files("history", "gone.txt")
    expect(stdout).toMatch(/added \+1 −0 +hindcast\/restore/)
    const again = await json("restore", before, "--in-place", "--yes")
    expect(again).toMatchObject({ changes: [], restored: 0, left: [] })
    // Nothing was written the second time, so that there is nothing to undo but the first.
    expect(await json("restore", "--undo", "--yes")).toMatchObject({ undo: true, at: document.before, restored: 9 })
  })

  it("with --dry-run shows the plan, and writes nothing, not even to the log", async () => {
    const { files, root, log, before } = await busy()
    const [disk, events] = [Session.onDisk(root), await eventsOf(log)]
    const said = await files("restore", before, "--in-place", "--dry-run")
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(said.stdout).toMatch(/: add 3, change 1, change the mode of 1, remove 4 \(1 link\)/)
    expect(said.stdout).toMatch(/mode +run\.sh +755 → 644/)
    expect(said.stdout).toMatch(/In progress here: claude-code, task claude-code-s-1/)
    expect(Session.onDisk(root)).toEqual(disk)
    expect(await eventsOf(log)).toEqual(events)
    expect((await files("restore", "--undo", "--dry-run")).error).toContain("expected an earlier")
  })

  it("refuses without a terminal and --yes, and asks at a terminal", async () => {
    const made = await busy()
    const { files, root, log, before } = made
    const [disk, events] = [Session.onDisk(root), await eventsOf(log)]
    for (const more of [[], ["--json"]]) {
      const said = await files("restore", before, "--in-place", ...more)
      expect(said).toMatchObject({ code: 1, stdout: "" })
      expect(said.error).toContain("expected --yes, or a terminal to ask at, found neither")
    }
    expect(await eventsOf(log)).toEqual(events)
    const asking = () => inTerminal(["files", "restore", before, "--in-place", "--log", log], { cwd: root })
    const no = asking()
    await no.shows("Write these? [y/N]")
    expect(no.screen().join("\n")).toMatch(/remove +link/)
    no.type(`n${KEYS.enter}`)
    await no.shows("Nothing was written.")
    expect(await no.ended).toBe(0)
    expect(Session.onDisk(root)).toEqual(disk)
    const yes = asking()
    await yes.shows("Write these? [y/N]")
    yes.type(`y${KEYS.enter}`)
    expect(await yes.ended).toBe(0)
    expect(fs.readFileSync(made.at("src/app.ts"), "utf8")).toBe("good\n")
    // The declined one wrote nothing: it is not the one to undo.
    expect((await files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(root)).toEqual(disk)
  })

  it("leaves secrets and large files, names them, and fails unless that is accepted", async () => {
    const made = await given({ a: "one\n", ".env": "KEY=1\n", ".gitignore": "*.log\n", "x.log": "1\n" }, (project) => {
      project.write("a", "two\n")
      project.write(".env", "KEY=2\n")
      project.write("x.log", "2\n")
      project.write("large", Buffer.alloc(17 * 1024 * 1024))
    })
    const said = await made.files("restore", made.before, "--in-place", "--yes")
    expect(said.code).toBe(1)
    expect(said.error).toContain(".env: its present content is in no snapshot: it holds secrets")
    expect(said.error).toContain("large: its present content is in no snapshot: it is above")
    expect(said.error).toContain("--partial accepts this")
    expect(fs.readFileSync(made.at("a"), "utf8")).toBe("one\n")
    for (const file of [".env", "x.log"]) expect(fs.readFileSync(made.at(file), "utf8")).toContain("2\n")
    expect(fs.statSync(made.at("large")).size).toBe(17 * 1024 * 1024)
    const undone = await made.files("restore", "--undo", "--yes", "--partial")
    expect(undone).toMatchObject({ code: 0, error: "" })
    expect(fs.readFileSync(made.at("a"), "utf8")).toBe("two\n")
  })

  it("writes only where the files were recorded, and only from a log of this user and machine", async () => {
    const { root, log, before, write } = await busy()
    const elsewhere = temporary("elsewhere")
    fs.mkdirSync(elsewhere)
    write("inner/.git/HEAD", "ref: refs/heads/main\n")
    const disk = Session.onDisk(root)
    const restore = (cwd: string, env: NodeJS.ProcessEnv = {}) =>
      Hindcast.hindcast(["files", "restore", before, "--in-place", "--yes", "--log", log], { cwd, env })
    for (const cwd of [elsewhere, path.join(root, "inner")]) {
      const said = await restore(cwd)
      expect(said).toMatchObject({ code: 1, stdout: "" })
      expect(said.stderr).toContain(
        `Expected to work in ${root}, whose files were recorded, and to own it, found ${cwd}.`,
      )
    }
    const foreign = await restore(root, { HINDCAST_STATE: temporary("stranger") })
    expect(foreign).toMatchObject({ code: 1, stdout: "" })
    expect(foreign.stderr).toContain("is foreign")
    if (process.getuid?.() === 0) {
      fs.chownSync(root, 65534, 65534)
      expect((await restore(root)).stderr).toContain("found that user 65534 owns it, and you are user 0")
      fs.chownSync(root, 0, 0)
    }
    expect(Session.onDisk(root)).toEqual(disk)
    expect(fs.readdirSync(elsewhere)).toEqual([])
  })

  it("says what is wrong with its words", async () => {
    const { files, before, root } = await busy()
    const disk = Session.onDisk(root)
    for (const [words, message] of [
      [[before], "expected one of --into DIR, --in-place and --undo, found none"],
      [[before, "--in-place", "--into", "x"], "found --into and --in-place"],
      [["--in-place"], "expected a moment, found none"],
      [[before, "--undo"], "expected no moment with --undo"],
      [["--undo", "--task", "claude-code-s-1"], "expected no --task with --undo"],
      [[before, "--into", "x", "--yes", "--dry-run"], "found --yes and --dry-run with --into"],
    ] as const) {
      const said = await files("restore", ...words)
      expect(said).toMatchObject({ code: 1, stdout: "", error: expect.stringContaining(message) })
    }
    expect(await files("restore", "--undo", "--yes")).toMatchObject({
      code: 3,
      error: expect.stringContaining("expected an earlier"),
    })
    expect(Session.onDisk(root)).toEqual(disk)
  })

  it.runIf(process.getuid?.() === 0 && isOpenToOthers(inRepository()))(
    "restores what it may in a directory that may not be written, and names the rest",
    async () => {
      const made = await given({ "kept/a": "one\n", "free/a": "one\n" }, ({ write }) => {
        write("kept/a", "two\n")
        write("free/a", "two\n")
      })
      const { root, log, at, before } = made
      const nobody = 65534
      const home = temporary("nobody")
      fs.mkdirSync(home)
      // The log is in a directory that others may pass.
      const directory = path.dirname(log)
      fs.chmodSync(directory, 0o755)
      const moved = path.join(home, "log.db")
      for (const suffix of ["", ".files"]) fs.copyFileSync(log + suffix, moved + suffix)
      for (const file of [home, moved, `${moved}.files`, root, at("kept"), at("free"), at("kept/a"), at("free/a")])
        fs.chownSync(file, nobody, nobody)
      fs.chmodSync(at("kept"), 0o555)
      const words = ["files", "restore", before, "--in-place", "--yes", "--trust-log", "--log", moved]
      const env = { HOME: home, HINDCAST_STATE: path.join(home, "state") }
      const said = await Hindcast.start(words, { cwd: root, uid: nobody, env }).ended
      expect(said.code).toBe(1)
      expect(said.stderr).toMatch(/restored 1\. Not restored:\n +kept\/a: .*permission denied/)
      expect(fs.readFileSync(at("free/a"), "utf8")).toBe("one\n")
      expect(fs.readFileSync(at("kept/a"), "utf8")).toBe("two\n")
      expect(fs.readdirSync(at("kept"))).toEqual(["a"])
    },
  )
})

/** A session that removed many files, and a restore that is killed while it writes them. */
const killed = async () => {
  const many = Object.fromEntries(Array.from({ length: FILES }, (_, index) => [`many/${index}`, `file ${index}\n`]))
  const made = await given({ ...many, a: "one\n" }, ({ write, at }) => {
    fs.rmSync(at("many"), { recursive: true })
    write("a", "two\n")
    write("b", "two\n")
  })
  return { ...made, kill: () => killWhile(made, countIn(made), [made.before, "--in-place"]) }
}

const countIn =
  ({ at }: Session.Project) =>
  () =>
    fs.existsSync(at("many")) ? fs.readdirSync(at("many")).length : 0

/** Kills a restore once the number of files has changed. */
const killWhile = async (made: Session.Project, count: () => number, words: ReadonlyArray<string>) => {
  const from = count()
  const { child, ended } = run(made, "files", "restore", ...words, "--yes")
  while (count() === from && child.exitCode === null) await new Promise(setImmediate)
  child.kill("SIGKILL")
  expect((await ended).code).toBeNull()
  expect(count()).toBeGreaterThan(0)
  expect(count()).toBeLessThan(FILES)
}

describe("a killed files restore --in-place", () => {
  it("is completed by the next one, and --undo goes back to the files before the first", async () => {
    const made = await killed()
    const disk = Session.onDisk(made.root)
    await made.kill()
    const said = await made.files("restore", made.before, "--in-place", "--yes")
    expect(said).toMatchObject({ code: 0, error: "" })
    expect(countIn(made)()).toBe(FILES)
    expect(fs.readdirSync(made.root).sort()).toEqual(["a", "many"])
    expect(fs.readdirSync(made.at("many")).filter((name) => name.startsWith("."))).toEqual([])
    expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(made.root)).toEqual(disk)
  })

  it("is undone by --undo, and so is one whose undo was killed", async () => {
    const made = await killed()
    const disk = Session.onDisk(made.root)
    await made.kill()
    expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(made.root)).toEqual(disk)
    expect((await made.files("restore", made.before, "--in-place", "--yes")).code).toBe(0)
    const whole = Session.onDisk(made.root)
    await killWhile(made, countIn(made), ["--undo"])
    expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(made.root)).toEqual(disk)
    expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(made.root)).toEqual(whole)
  })

  it("keeps what somebody wrote between two of them: --undo goes back to that", async () => {
    const made = await killed()
    await made.kill()
    made.write("mine", "work\n")
    const half = Session.onDisk(made.root).filter((line) => !line.includes("/.hindcast-"))
    const said = await made.files("restore", made.before, "--in-place", "--yes")
    expect(said.code).toBe(1)
    expect(said.error).toContain("mine: no session has recorded its present content")
    expect(fs.existsSync(made.at("mine"))).toBe(true)
    expect((await made.files("restore", "--undo", "--yes")).code).toBe(0)
    expect(Session.onDisk(made.root).filter((line) => !line.includes("/.hindcast-"))).toEqual(half)
  })
})

const FILES = 3_000
