import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Conversation from "../../../src/workspace/fork/Conversation.ts"
import * as CommitTrees from "../../../src/workspace/git/CommitTrees.ts"
import * as Git from "../../../src/workspace/git/Git.ts"
import * as TaskCommits from "../../../src/workspace/git/TaskCommits.ts"
import type { Entry } from "../../../src/workspace/model/Entry.ts"
import { digestOf } from "../../../src/workspace/store/ContentStore.ts"
import { temporary } from "../../record/recorded.ts"
import * as FromSource from "../fromSource.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const git = (cwd: string, ...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd, encoding: "utf8" }).trim()

const runIn = async (root: string, log: string, ...words: ReadonlyArray<string>) => {
  const before = process.cwd()
  process.chdir(root)
  try {
    return await FromSource.run([...words, "--log", log])
  } finally {
    process.chdir(before)
  }
}

/** A session of two prompts, with a secret, a link and a file that turns into a directory. */
const recorded = async () => {
  const root = temporary("project")
  fs.mkdirSync(root, { recursive: true })
  git(root, "init", "-q", "-b", "main")
  const made = await Session.project(undefined, { root })
  opened.push(made)
  const { write, session, at } = made
  write("a.txt", "one\n")
  const { prompt, call } = session()
  await prompt("first: do it\n\nHindcast-Task: forged")
  await call("Edit", { file_path: "a.txt" }, () => write("a.txt", "one\ntwo\n"))
  await call("Bash", { command: "x" }, () => {
    write(".env", "KEY=1\n")
    write("place", "file\n")
    fs.symlinkSync("../outside", at("link"))
    fs.chmodSync(at("a.txt"), 0o755)
  })
  write("by-hand.txt", "a person\n")
  await prompt("second")
  await call("Bash", { command: "y" }, () => {
    fs.rmSync(at("place"))
    write("place/inside.txt", "bin\0ary")
  })
  await made.close()
  return made
}

const TASK = "claude-code-s-1"

describe("export git", () => {
  it("writes a commit for each step with its causes, and touches only the new branch", async () => {
    const { root, log } = await recorded()
    fs.writeFileSync(path.join(root, ".git/hooks/reference-transaction"), `#!/bin/sh\ntouch ${root}/ran\n`, {
      mode: 0o755,
    })
    fs.writeFileSync(path.join(root, ".gitattributes"), "* filter=evil\n")
    git(root, "config", "filter.evil.clean", `touch ${root}/ran; cat`)
    git(root, "config", "core.fsmonitor", `touch ${root}/ran`)
    const said = await runIn(root, log, "export", "git", "--branch", "session", "--json")
    expect([said.code, said.error]).toEqual([0, ""])
    expect(JSON.parse(said.stdout)).toMatchObject({
      branch: "session",
      task: "claude-code-s-1",
      commits: 5,
      leftOut: [{ path: ".env", why: "it holds secrets, or its name says so" }],
    })
    expect(fs.existsSync(path.join(root, "ran"))).toBe(false)
    expect(fs.existsSync(path.join(root, ".git/index"))).toBe(false)
    expect(git(root, "symbolic-ref", "HEAD")).toBe("refs/heads/main")
    expect(git(root, "log", "--reverse", "--format=%an: %s", "session").split("\n")).toEqual([
      "unknown: Files at the start of the task",
      "claude-code: claude-code/Edit changes a.txt",
      "claude-code: claude-code/Bash changes 4 files",
      "unknown: No recorded call changes by-hand.txt",
      "claude-code: claude-code/Bash changes 2 files",
    ])
    const trailers = (revision: string) => git(root, "log", "-1", "--format=%(trailers:only,unfold)", revision)
    expect(trailers("session")).toMatch(
      /^Hindcast-Task: claude-code-s-1\nHindcast-Position: @\d+\nHindcast-Prompt: @\d+\nHindcast-Call: @\d+ claude-code\/Bash$/,
    )
    expect(trailers("session~1")).toContain("Hindcast-Cause: no-call")
    const names = git(root, "ls-tree", "-r", "--format=%(objectmode) %(path)", "session").split("\n")
    expect(names).toEqual(["100755 a.txt", "100644 by-hand.txt", "120000 link", "100644 place/inside.txt"])
    expect(git(root, "show", "session:a.txt")).toBe("one\ntwo")
    expect(git(root, "fsck", "--strict")).toBe("")
    const again = await runIn(root, log, "export", "git", "--branch", "session")
    expect(again.error).toContain("expected a new branch, found one")
    await runIn(root, log, "export", "git", "--branch", "again")
    expect(git(root, "rev-parse", "again")).toBe(git(root, "rev-parse", "session"))
  })

  it("writes a commit for each prompt, whose words are no trailers", async () => {
    const { root, log } = await recorded()
    expect(await runIn(root, log, "export", "git", "--branch", "by/prompt", "--by", "prompt")).toMatchObject({
      code: 0,
    })
    const subjects = git(root, "log", "--reverse", "--format=%s", "by/prompt").split("\n")
    expect(subjects).toHaveLength(3)
    expect(subjects[1]).toContain("first: do it")
    const tasks = git(root, "log", "-1", "--format=%(trailers:key=Hindcast-Task,valueonly)", "by/prompt~1")
    expect(tasks).toBe("claude-code-s-1")
    for (const name of ["by", "-x", "a..b", "HEAD", "x.lock"])
      expect((await runIn(root, log, "export", "git", "--branch", name)).code).not.toBe(0)
    expect(git(root, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/by/prompt")
  })

  it("writes where ids are longer, and through no reference, place or branch that it does not own", async () => {
    const { root, log } = await recorded()
    const long = temporary("sha256")
    fs.mkdirSync(long)
    git(long, "init", "-q", "--object-format=sha256")
    expect(await runIn(long, log, "export", "git", "--branch", "session", "--task", TASK)).toMatchObject({ code: 0 })
    expect(git(long, "ls-tree", "-r", "--name-only", "session").split("\n")).toContain("place/inside.txt")

    const unborn = await runIn(root, log, "export", "git", "--branch", "main")
    expect(unborn.error).toContain("which has no commits yet")
    fs.mkdirSync(path.join(root, ".git/refs/heads"), { recursive: true })
    fs.writeFileSync(path.join(root, ".git/refs/heads/session"), "ref: refs/heads/other\n")
    const symbolic = await runIn(root, log, "export", "git", "--branch", "session")
    expect(symbolic.error).toContain("expected a new branch, found one")

    const inner = path.join(root, "inner")
    fs.mkdirSync(path.join(inner, ".git"), { recursive: true })
    const outer = await runIn(inner, log, "export", "git", "--branch", "further", "--task", TASK)
    expect(outer.error).toContain("not a git repository")
    expect(git(root, "for-each-ref", "--format=%(refname)")).toBe("")
  })
})

describe("the author of a commit", () => {
  it.each([
    ["...", 9e15, "unknown"],
    ["' <.>\n", -1, "unknown"],
    ["a <b>\nc@1", 1_000, "a  b  c@1"],
  ])("has a name and a time that Git takes, for %j at %j", (agent, occurredAt, expected) => {
    const root = temporary("authors")
    fs.mkdirSync(root)
    git(root, "init", "-q")
    const input = `commit refs/heads/x\n${TaskCommits.identity(agent, occurredAt)}data 2\nx\n`
    execFileSync("git", ["fast-import", "--quiet"], { cwd: root, input })
    expect(git(root, "log", "-1", "--format=%an", "x")).toBe(expected.trim())
    expect(git(root, "fsck", "--strict")).not.toMatch(/error|warning/)
  })
})

describe("the prompts of commits", () => {
  it("are those of the task's own timeline", async () => {
    const root = temporary("project")
    fs.mkdirSync(root, { recursive: true })
    git(root, "init", "-q", "-b", "main")
    const made = await Session.project(undefined, { root })
    opened.push(made)
    const { prompt, call } = made.session()
    await prompt("of this timeline")
    await call("Edit", { file_path: "a.txt" }, () => made.write("a.txt", "one\n"))
    await EventLog.pipe(
      Effect.flatMap((log) =>
        Effect.gen(function* () {
          const { position: at } = yield* log.head
          const other = { timeline: "other", actor: "test" }
          const payload = { timeline: "other", parent: "main", at, overrides: {} }
          yield* log.append({ ...other, stream: "timelines", events: [{ type: "TimelineForked", payload }] })
          const told = { type: "InputReceived" as const, payload: { source: "test", content: "of another timeline" } }
          yield* log.append({ ...other, stream: "task/other", taskId: "claude-code-s-1", events: [told] })
        }),
      ),
      Effect.provide(SqliteEventLog.layer({ filename: made.log })),
      Effect.runPromise,
    )
    await call("Edit", { file_path: "a.txt" }, () => made.write("a.txt", "two\n"))
    await made.close()
    expect(await runIn(root, made.log, "export", "git", "--branch", "x", "--by", "prompt")).toMatchObject({ code: 0 })
    expect(git(root, "log", "--format=%s", "x").split("\n")).toEqual([
      "of this timeline",
      "Files at the start of the task",
    ])
  })

  it.each([
    [
      [
        { type: "text", text: "look at\nthis" },
        { type: "file", mediaType: "image/png" },
      ],
      "look at this [image/png]",
    ],
    ["  ", "Changes of 0 files"],
    [null, "Changes of 0 files"],
  ])("are their text: %j", (content, subject) => {
    const prompt = { type: "InputReceived", payload: { source: "test", content } } as unknown as Event
    expect(TaskCommits.messageOf({ steps: [], prompt }, "t-1").split("\n")[0]).toBe(subject)
  })

  it("are their text in a conversation that goes on", () => {
    const content = [
      { type: "file", mediaType: "image/png", data: "aGk=" },
      { type: "text", text: "look" },
    ]
    const prompt = { type: "InputReceived", payload: { source: "test", content } } as unknown as Event
    expect(Conversation.of([prompt])).toMatchObject([{ kind: "prompt", text: "[image/png]\nlook" }])
  })
})

describe("a recorded tree with hostile paths", () => {
  it("gets only files in the repository, and names the others", async () => {
    const root = temporary("repository")
    fs.mkdirSync(root)
    git(root, "init", "-q")
    const bytes = Buffer.from("x")
    const entry = { kind: "file", mode: 0o644, size: 1, digest: digestOf(bytes) } as const
    const bad = [".git/hooks/x", "a/.GIT/config", "../up", "/etc/passwd", "a//b", ".git\u200c/config", "git~1/x", "./c"]
    bad.push("half\ud800", "a\\.git\\x")
    const kept = ["-rf", 'a "quoted" one', "new\nline", "tab\tand é"]
    const tree = new Map<string, Entry>([...bad, "plain", ...kept].map((file) => [file, entry]))
    bad.push(".gitmodules")
    tree.set(".gitmodules", { ...entry, kind: "link" })
    const { id, leftOut } = await Effect.runPromise(
      Effect.gen(function* () {
        const trees = yield* CommitTrees.make(yield* Git.around(root), { get: () => bytes })
        yield* trees.commit({ tree, message: "x\n", identity: TaskCommits.identity("a", 0) })
        // What Git refused once, it refuses again; what is not there any more is removed.
        tree.delete("plain")
        yield* trees.commit({ tree, message: "y\n", identity: TaskCommits.identity("a", 0) })
        return { id: yield* trees.finish, leftOut: trees.leftOut }
      }).pipe(Effect.scoped),
    )
    expect([...leftOut.keys()].sort()).toEqual([...bad].sort())
    const names = (revision: string) => git(root, "ls-tree", "-r", "-z", "--name-only", revision).split("\0")
    expect(names(id).filter(Boolean)).toEqual(kept)
    expect(names(`${id}~1`).filter(Boolean).sort()).toEqual([...kept, "plain"].sort())
    expect(git(root, "for-each-ref", "--format=%(refname)")).toBe("")
    expect(git(root, "fsck", "--strict")).not.toMatch(/error|warning/)
    expect(fs.existsSync(path.join(root, ".git/hooks/x"))).toBe(false)
  })
})
