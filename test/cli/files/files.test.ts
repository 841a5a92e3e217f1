import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { GateConfig } from "../../../src/kernel/gate/Gate.ts"
import { fileOf } from "../../../src/workspace/store/StoreFile.ts"
import { approve, asked } from "../../hooks/questions.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})
const project = async (gate?: GateConfig) => {
  const made = await Session.project(gate)
  opened.push(made)
  return made
}

const line = (shown: string, place: number) => shown.split("\n")[place - 1]

/** Each line of a blame: its kind, and the tool or the cause. */
const origins = (blame: {
  readonly lines: ReadonlyArray<{ readonly kind: string; readonly version?: number }>
  readonly versions: ReadonlyArray<{
    readonly cause: string
    readonly calls: ReadonlyArray<{ readonly actuator: string }>
  }>
}) =>
  blame.lines.map(({ kind, version }) => {
    const from = version === undefined ? undefined : blame.versions[version]
    if (kind !== "seen") return kind
    return from?.cause === "call" ? from.calls[0]?.actuator : from?.cause
  })

describe("files blame", () => {
  it("names each line's call, its decision, its approval and the prompt", async () => {
    const { write, at, session, log, files, json, close } = await project({
      rules: [{ name: "ask-for-edits", actuator: "*/Edit", decision: "confirm", confirmWithinMs: 60_000 }],
      default: "allow",
    })
    write("src/app.ts", "const one = 1\n\n")
    const { prompt, call } = session()
    await prompt("add the second constant")
    await call("Read", { file_path: at("src/app.ts") })
    const edit = { file_path: at("src/app.ts"), new_string: "const two = 2" }
    const edited = call("Edit", edit, () => write("src/app.ts", "const one = 1\n\nconst two = 2\n"))
    await approve(log, await asked(log))
    await edited
    await call("Bash", { command: "cat more >> src/app.ts" }, () =>
      fs.appendFileSync(at("src/app.ts"), "const three = 3\n"),
    )
    fs.appendFileSync(at("src/app.ts"), "typed by a person\n")
    await prompt("go on")
    await close()
    fs.appendFileSync(at("src/app.ts"), "typed after the session\n")
    const blame = await json("blame", "src/app.ts", "--read")
    expect(origins(blame)).toEqual(["start", "start", "claude-code/Edit", "claude-code/Bash", "no-call", "not-seen"])
    const version = blame.versions[blame.lines[2].version]
    expect(version.calls[0]).toMatchObject({
      actuator: "claude-code/Edit",
      args: edit,
      decision: { rule: "ask-for-edits" },
      approval: { approved: true },
      prompt: { content: "add the second constant" },
    })
    expect(version.reading).toMatchObject({ read: { actuator: "claude-code/Read" }, stale: false, changedSince: [] })
    const { stdout } = await files("blame", "src/app.ts:3", "--read")
    expect(line(stdout, 1)).toMatch(/^3 @\d+ claude-code\/Edit const two = 2$/)
    expect(stdout).toContain("allowed by ask-for-edits")
    expect(stdout).toMatch(/approval +approved by /)
    expect(stdout).toMatch(/prompt +"add the second constant"/)
    expect(stdout).toMatch(/read +@\d+ claude-code\/Read/)
    expect(stdout).toContain("the file did not change before this call")
  })

  it("says that a call wrote a file that had changed since the agent read it", async () => {
    const { write, at, session, files, close } = await project()
    write("a.txt", "first line\n")
    const { prompt, call } = session()
    await prompt("go")
    await call("Read", { file_path: at("a.txt") })
    write("a.txt", "first line\na person's\n")
    await call("Write", { file_path: at("a.txt") }, () => write("a.txt", "the agent's\n"))
    await close()
    const { stdout } = await files("blame", "a.txt", "--read")
    expect(stdout).toMatch(/stale: the file changed at @\d+, after it was read/)
  })

  it("follows renames, and knows lines again after a commit, a rebase or a stash", async () => {
    const { write, at, session, json, close } = await project()
    write("old.ts", "const kept = true\n")
    const { prompt, call } = session()
    await prompt("go")
    await call("Edit", { file_path: at("old.ts") }, () => write("old.ts", "const kept = true\nconst made = 1\n"))
    await call("Bash", { command: "git mv old.ts new.ts" }, () => fs.renameSync(at("old.ts"), at("new.ts")))
    write("new.ts", "const kept = true\n")
    await prompt("what now?")
    write("new.ts", "const upstream = 0\nconst kept = true\nconst made = 1\n")
    await prompt("and now?")
    await close()
    expect(origins(await json("blame", "new.ts"))).toEqual(["no-call", "start", "claude-code/Edit"])
    expect((await json("history", "new.ts")).versions.map(({ kind, path }: never) => `${kind} ${path}`)).toEqual([
      "start old.ts",
      "changed old.ts",
      "renamed new.ts",
      "changed new.ts",
      "changed new.ts",
    ])
  })

  it("gives a change that two sessions saw to the one whose call it was", async () => {
    const { write, at, session, json, close } = await project()
    write("a.txt", "first line\n")
    const [one, other] = [session("s-1"), session("s-2")]
    await one.prompt("go")
    await other.prompt("go")
    await other.begin("d1", "Bash", { command: "sed" })
    write("a.txt", "first line\nsecond line\n")
    await one.prompt("is it done?")
    await other.finish("d1", "Bash", { command: "sed" })
    await close()
    const blame = await json("blame", "a.txt")
    expect(origins(blame)).toEqual(["start", "claude-code/Bash"])
    expect(blame.versions[1].taskId).toBe("claude-code-s-2")
    expect((await json("history", "a.txt")).versions).toHaveLength(2)
    expect(at("a.txt")).toContain("a.txt")
  })

  it("goes on over sessions: what changed between them is nobody's call", async () => {
    const { write, session, json, close, reopen } = await project()
    write("a.txt", "first line\n")
    const one = session("s-1")
    await one.prompt("go")
    await one.call("Bash", { command: "x" }, () => write("a.txt", "first line\nby the first session\n"))
    await one.end()
    await close()
    write("a.txt", "first line\nby the first session\nby hand\n")
    await reopen()
    const other = session("s-2")
    await other.prompt("go")
    await other.call("Bash", { command: "y" }, () =>
      write("a.txt", "first line\nby the first session\nby hand\nby the second\n"),
    )
    await close()
    expect(origins(await json("blame", "a.txt"))).toEqual(["start", "claude-code/Bash", "start", "claude-code/Bash"])
    expect(origins(await json("blame", "a.txt", "--task", "claude-code-s-2"))).toEqual([
      "start",
      "start",
      "start",
      "claude-code/Bash",
    ])
  })

  it("does not know lines after a content that was not recorded, and says why", async () => {
    const { write, session, files, json, close } = await project()
    write("config.env", "PORT=1\n")
    write("big.txt", "small\n")
    const { prompt, call } = session()
    await prompt("go")
    await call("Bash", { command: "x" }, () => write("big.txt", "x".repeat(17 * 1024 * 1024)))
    await call("Bash", { command: "y" }, () => write("big.txt", "small\nand new\n"))
    await close()
    expect(origins(await json("blame", "big.txt"))).toEqual(["start", "unknown"])
    const { versions } = await json("history", "big.txt")
    const large = await files("show", "big.txt", "--at", `@${versions[1].position}`)
    expect(large).toMatchObject({ code: 3 })
    expect(large.error).toContain("above the recorder's size limit")
  })

  it("refuses lines and files that are not there, with what was meant", async () => {
    const { write, at, session, files, close } = await project()
    write("src/application.ts", "one\ntwo\n")
    write("image.bin", Uint8Array.of(0, 1, 2))
    await session().prompt("go")
    await close()
    expect(await files("blame", "src/application.ts:9")).toMatchObject({
      code: 1,
      error: "src/application.ts: expected a line from 1 to 2, found line 9.",
    })
    expect((await files("blame", "src/aplication.ts")).error).toContain("Did you mean src/application.ts?")
    expect((await files("history", "application.ts")).error).toContain("Did you mean src/application.ts?")
    expect(await files("show", "nothing-like-it")).toMatchObject({ code: 3 })
    expect(await files("show", "src")).toMatchObject({ code: 3, error: expect.stringContaining("found a directory") })
    expect((await files("blame", "image.bin")).error).toContain("found a binary one")
    expect((await files("show", "../../etc/passwd")).error).toContain("expected a recorded file")
    fs.rmSync(at("src/application.ts"))
    expect((await files("blame", "src/application.ts")).error).toContain("--at MOMENT")
    fs.symlinkSync("/etc/passwd", at("src/application.ts"))
    expect((await files("blame", "src/application.ts")).error).toContain("found a symbolic link")
  })
})

describe("files ls, show and diff", () => {
  it("show files as they were, from any directory of the workspace", async () => {
    const { root, write, at, session, files, json, close } = await project()
    write("src/a.txt", "one\r\n")
    write("b.txt", "b\n")
    const { prompt, call } = session()
    await prompt("go")
    await call("Bash", { command: "x" }, () => {
      write("src/a.txt", "one\r\ntwo\r\n")
      fs.rmSync(at("b.txt"))
    })
    await close()
    const { versions } = await json("history", "src/a.txt")
    const [start, changed] = versions.map(({ position }: { readonly position: number }) => `@${position}`)
    expect((await json("ls", "--at", start)).files.map(({ path }: { readonly path: string }) => path)).toEqual([
      "b.txt",
      "src/a.txt",
    ])
    expect((await json("ls")).files.map(({ path }: { readonly path: string }) => path)).toEqual(["src/a.txt"])
    expect((await files("show", "src/a.txt", "--at", start)).stdout).toBe("one\n")
    expect((await files("show", "src/a.txt", "--raw")).stdout).toBe("one\r\ntwo\r\n")
    expect(await json("show", "src/a.txt")).toMatchObject({ root, path: "src/a.txt", text: "one\r\ntwo\r\n" })
    expect((await files("show", "b.txt")).error).toContain(`it was removed at ${changed}`)
    fs.mkdirSync(at("src/deep"))
    const before = process.cwd()
    process.chdir(at("src/deep"))
    expect(path.relative(root, process.cwd())).toBe(path.join("src", "deep"))
    process.chdir(before)
  })

  it("compare two moments as Git does, with names and contents that control no terminal", async () => {
    const { root, write, at, session, files, json, close } = await project()
    const numbered = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    write("a.txt", numbered.join("\n"))
    write("gone.txt", "gone\n")
    write("moved.txt", "a text that moves\n")
    write("run.sh", "#!/bin/sh\n")
    const { prompt, call } = session()
    await prompt("go")
    await call("Bash", { command: "x" }, () => {
      write("a.txt", [...numbered.slice(0, 10), "\tnew \u001b[31mline", ...numbered.slice(12)].join("\n"))
      write("na\u001bme.txt", "new\n")
      fs.rmSync(at("gone.txt"))
      fs.renameSync(at("moved.txt"), at("there.txt"))
      fs.chmodSync(at("run.sh"), 0o755)
      write("binary", Uint8Array.of(0, 1))
    })
    await close()
    const { versions } = await json("history", "a.txt")
    const moments = versions.map(({ position }: { readonly position: number }) => `@${position}`)
    const { stdout } = await files("diff", ...moments)
    expect(stdout).not.toContain("\u001b")
    const parts = stdout.split(/^(?=diff --git)/m)
    expect(parts[0]).toBe(
      [
        "diff --git a/a.txt b/a.txt",
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -8,8 +8,7 @@",
        " line 7",
        " line 8",
        " line 9",
        "-line 10",
        "-line 11",
        "+\tnew \\u{1b}[31mline",
        " line 12",
        " line 13",
        " line 14",
        "",
      ].join("\n"),
    )
    expect(parts.map((part) => part.split("\n")[0])).toEqual([
      "diff --git a/a.txt b/a.txt",
      "diff --git a/binary b/binary",
      "diff --git a/gone.txt b/gone.txt",
      "diff --git a/na\\u{1b}me.txt b/na\\u{1b}me.txt",
      "diff --git a/run.sh b/run.sh",
      "diff --git a/moved.txt b/there.txt",
    ])
    expect(stdout).toContain("old mode 100644\nnew mode 100755\n")
    expect(stdout).toContain("(binary contents differ)")
    const stat = await files("diff", ...moments, "--stat")
    expect(stat.stdout).toMatch(/a\.txt +changed +\+1 −2/)
    expect(stat.stdout).toContain("6 files, +2 −3; 1 without a count of lines")
    const [one] = (await json("diff", ...moments, "a.txt")).files
    expect(one).toMatchObject({ path: "a.txt", kind: "changed", added: 1, removed: 2, aligned: true })
    const listed = (await files("ls")).stdout
    expect(listed).not.toContain("\u001b")
    expect(listed).toContain("na\\u{1b}me.txt")
    expect(root).toContain("project")
  })

  it("say that nothing is recorded, or that the store is gone", async () => {
    const { log, session, files, close, write } = await project()
    expect(await files("ls")).toMatchObject({ code: 3 })
    write("a.txt", "x\n")
    await session().prompt("go")
    await close()
    expect(await files("diff", "@0", "now")).toMatchObject({ code: 3 })
    expect((await files("diff", "@0", "now")).error).toContain("the first snapshot is at @")
    fs.rmSync(fileOf(log))
    const gone = await files("ls")
    expect(gone.code).toBe(1)
    expect(gone.error).toContain("there is no such file")
  })
})

describe("files why", () => {
  it("leads from a file's last change to the prompt", async () => {
    const { write, at, session, files, json, close } = await project()
    write("a.txt", "x\n")
    const { prompt, call } = session()
    await prompt("make it y")
    await call("Write", { file_path: at("a.txt") }, () => write("a.txt", "y\n"))
    await close()
    const { chain } = await json("why", "a.txt")
    expect(chain.map(({ type }: { readonly type: string }) => type)).toEqual([
      "EnvironmentChanged",
      "CommandSucceeded",
      "CommandDispatched",
      "CommandAllowed",
      "ActuatorCommanded",
      "InputReceived",
      "TaskOpened",
    ])
    expect((await files("why", "a.txt")).stdout).toMatch(/^a\.txt: changed \+1 −1 @\d+, claude-code\/Write\n/)
  })
})

describe("files history --limit and files diff --word", () => {
  it("show the last versions with the command for those before, and the words that differ", async () => {
    const { write, at, session, files, json, close } = await project()
    write("old.ts", "const one = 1\n")
    const { prompt, call } = session()
    await prompt("go")
    await call("Edit", {}, () => write("old.ts", "const one = 2\n"))
    await call("Bash", {}, () => fs.renameSync(at("old.ts"), at("new.ts")))
    await call("Edit", {}, () => write("new.ts", "const uno = 2\n"))
    await close()
    const { stdout } = await files("history", "new.ts", "--limit", "2")
    const next = /^2 earlier; `hindcast files (history old\.ts --at @\d+)` shows them\.$/m.exec(stdout)?.[1]?.split(" ")
    expect(stdout.split("\n")).toHaveLength(4)
    const { versions } = await json(...(next ?? []))
    expect(versions.map(({ kind }: { readonly kind: string }) => kind)).toEqual(["start", "changed"])
    const [{ position }] = versions
    const words = await files("diff", `@${position}`, "now", "new.ts", "--word")
    expect(words.stdout).toContain("{+const uno = 2+}")
    const changed = await files("diff", `@${position}`, next?.at(-1) ?? "", "--word")
    expect(changed.stdout).toContain("\nconst one = [-1-]{+2+}\n")
    for (const [options, expected] of [
      [["diff", "@1", "now", "--word", "--stat"], /--word: expected no --stat with it/],
      [["history", "new.ts", "--limit", "0"], /limit/],
    ] as const) {
      const said = await files(...options)
      expect(said.code).toBe(1)
      expect(said.error).toMatch(expected)
    }
  })
})
