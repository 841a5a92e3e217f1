import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { afterEach, describe, expect, it } from "vitest"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import * as GitAiNote from "../../../src/importing/attributions/GitAiNote.ts"
import { sha256 } from "../../../src/values/Digest.ts"
import { eventsOf, temporary } from "../../record/recorded.ts"
import * as FromSource from "../fromSource.ts"
import * as Session from "./session.ts"

const opened: Array<Session.Project> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const schema = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "../../workspace/attributions/agent-trace.schema.json"), "utf8"),
)

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=A Person", "-c", "user.email=a@localhost", ...args], {
    cwd,
    encoding: "utf8",
  }).trim()

const started = (files: Readonly<Record<string, string>>, root = temporary("project")) => {
  fs.mkdirSync(root, { recursive: true })
  git(root, "init", "-q")
  for (const [file, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    fs.writeFileSync(path.join(root, file), content)
  }
  git(root, "add", "-A")
  git(root, "commit", "-qm", "Start")
  return root
}

/** Two sessions and a person write in a repository; everything is committed. */
const written = async () => {
  const made = await Session.project(undefined, { root: started({ "a.txt": "one\n", "with space.md": "title\n" }) })
  opened.push(made)
  const { write, session, root } = made
  const [first, second] = [session("s-1"), session("s-2")]
  await first.prompt("two, please")
  await first.call("Edit", { file_path: "a.txt" }, () => write("a.txt", "one\ntwo\nthree\n"))
  await first.call("Bash", { command: "printf" }, () => write("with space.md", "title\ntext\n"))
  write("a.txt", "one\ntwo\nthree\nby hand\n")
  await first.prompt("go on")
  await second.prompt("zero")
  await second.call("Bash", { command: "x" }, () => write("a.txt", "zero\none\ntwo\nthree\nby hand\n"))
  await first.end()
  await second.end()
  await made.close()
  git(root, "add", "-A")
  git(root, "commit", "-qm", "Work")
  return { ...made, commit: git(root, "rev-parse", "HEAD") }
}

/** A command in the project; the log is its own. */
const runIn = async ({ root, log }: Session.Project, ...words: ReadonlyArray<string>) => {
  const before = process.cwd()
  process.chdir(root)
  try {
    return await FromSource.run([...words, "--log", log])
  } finally {
    process.chdir(before)
  }
}

/** Each line of an imported document: who wrote it, in which conversation. */
const attributionsIn = async (log: string) =>
  (await eventsOf(log))
    .flatMap((event) => (is(event, "EnvironmentReset") ? [event.payload.state] : []))
    .flatMap((state) => {
      const { files } = JSON.parse(JSON.stringify(state)) as Document
      return Object.entries(files).flatMap(([file, entries]) =>
        entries.flatMap(({ by, conversation, ranges }) =>
          ranges.flatMap(([first, last]) =>
            Array.from({ length: last - first + 1 }, (_, at) => `${file}:${first + at} ${by} ${conversation ?? "-"}`),
          ),
        ),
      )
    })
    .sort()

interface Document {
  readonly files: Readonly<Record<string, ReadonlyArray<Imported>>>
}

interface Imported {
  readonly by: string
  readonly conversation?: string
  readonly ranges: ReadonlyArray<readonly [number, number]>
}

const imported = async (file: string) => {
  const log = temporary("imported.db")
  const said = await FromSource.run(["import", file, "--log", log])
  return { log, ...said }
}

describe("export agent-trace", () => {
  it("says which agent wrote which lines, in records that the published schema takes and our import reads", async () => {
    const made = await written()
    const out = temporary("traces.jsonl")
    const said = await runIn(made, "export", "agent-trace", "--commit", "HEAD", "--output", out)
    expect(said).toMatchObject({ code: 0 })
    expect(said.stdout).toContain("4 lines of 2 files to agents")
    const records = fs
      .readFileSync(out, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    const validate = ajv.compile(schema)
    for (const record of records) expect([validate(record), validate.errors]).toEqual([true, null])
    expect(records.map(({ vcs }) => vcs)).toEqual(records.map(() => ({ type: "git", revision: made.commit })))
    // The hooks tell of no model, and a person's line is nobody's.
    expect(records.map(({ tool, files }) => [tool?.name, files[0].conversations[0].contributor])).toEqual([
      ["claude-code", { type: "ai" }],
      ["claude-code", { type: "ai" }],
      [undefined, { type: "unknown" }],
    ])
    const hash = `sha256:${sha256("two\nthree\n")}`
    expect(JSON.stringify(records)).toContain(hash)
    const back = await imported(out)
    expect(back.code).toBe(0)
    expect(await attributionsIn(back.log)).toEqual([
      "a.txt:1 ai hindcast:task/claude-code-s-2",
      "a.txt:3 ai hindcast:task/claude-code-s-1",
      "a.txt:4 ai hindcast:task/claude-code-s-1",
      "a.txt:5 unknown -",
      "with space.md:2 ai hindcast:task/claude-code-s-1",
    ])
    const again = temporary("again.jsonl")
    await runIn(made, "export", "agent-trace", "--commit", made.commit, "--output", again)
    expect(fs.readFileSync(again, "utf8")).toBe(fs.readFileSync(out, "utf8"))
  })

  it("names no revision for files at a moment, and leaves out files without text", async () => {
    const made = await Session.project()
    opened.push(made)
    const { prompt, call } = made.session()
    await prompt("go")
    await call("Bash", { command: "x" }, () => {
      made.write("b.bin", Uint8Array.of(0, 1))
      made.write("t.txt", "text\n")
    })
    await made.close()
    const out = temporary("moment.jsonl")
    const { stdout } = await runIn(made, "export", "agent-trace", "--output", out)
    const record = JSON.parse(fs.readFileSync(out, "utf8"))
    expect([record.vcs, record.files.map(({ path }: { path: string }) => path)]).toEqual([undefined, ["t.txt"]])
    expect(stdout).toContain("1 × b.bin: binary")
    const none = await runIn(made, "export", "agent-trace", "--commit", "HEAD", "--output", temporary("none"))
    expect(none.code).not.toBe(0)
    expect(none.error).toContain("expected a Git repository around it, found none")
  })
})

describe("export git-ai", () => {
  it("prints a note by the standard, which our import reads, and touches nothing", async () => {
    const made = await written()
    const before = fingerprint(made.root)
    const said = await runIn(made, "export", "git-ai")
    expect(said.code).toBe(0)
    expect(fingerprint(made.root)).toEqual(before)
    const session = (id: string) => `s_${sha256(`claude:${id}`).slice(0, 14)}`
    const note = GitAiNote.read(said.stdout)
    expect(note?.attestations.map(({ path, key, ranges }) => [path, key.split("::")[0], ranges])).toEqual([
      ["a.txt", session("s-2"), [[1, 1]]],
      ["a.txt", session("s-1"), [[3, 4]]],
      ["with space.md", session("s-1"), [[2, 2]]],
    ])
    expect(said.stdout).toMatch(/^"with space\.md"$/m)
    expect(said.stdout).toMatch(/^ {2}s_[0-9a-f]{14}::t_[0-9a-f]{14} 3-4$/m)
    expect(note?.metadata).toMatchObject({
      schema_version: "authorship/3.0.0",
      base_commit_sha: made.commit,
      prompts: {},
      sessions: { [session("s-1")]: { agent_id: { tool: "claude", id: "s-1", model: "unknown" } } },
    })
    const { leftOut } = JSON.parse((await runIn(made, "export", "git-ai", "--json")).stdout)
    expect(leftOut).toContainEqual({
      what: "lines that came from outside of calls, or from calls of several tasks",
      count: 1,
    })
    const file = temporary("head.note")
    fs.writeFileSync(file, said.stdout)
    const back = await imported(file)
    expect(await attributionsIn(back.log)).toEqual([
      "a.txt:1 ai s-2",
      "a.txt:3 ai s-1",
      "a.txt:4 ai s-1",
      "with space.md:2 ai s-1",
    ])
  })

  it("writes only on request, to the chosen reference, and never over a note", async () => {
    const made = await written()
    const hook = path.join(made.root, ".git/hooks/reference-transaction")
    fs.mkdirSync(path.dirname(hook), { recursive: true })
    fs.writeFileSync(hook, `#!/bin/sh\ntouch ${made.root}/hook-ran\n`, { mode: 0o755 })
    const [head, index] = [git(made.root, "rev-parse", "HEAD"), fs.readFileSync(path.join(made.root, ".git/index"))]
    expect(await runIn(made, "export", "git-ai", "--write")).toMatchObject({ code: 0 })
    expect(git(made.root, "notes", "--ref=ai", "show", "HEAD")).toContain("authorship/3.0.0")
    const again = await runIn(made, "export", "git-ai", "--write")
    expect(again.error).toContain("expected no note in refs/notes/ai, found one")
    expect(again.code).not.toBe(0)
    expect(await runIn(made, "export", "git-ai", "--write", "--force")).toMatchObject({ code: 0 })
    expect(await runIn(made, "export", "git-ai", "--write", "--ref", "refs/notes/mine")).toMatchObject({ code: 0 })
    expect((await runIn(made, "export", "git-ai", "--write", "--ref", "refs/heads/main")).error).toContain("--ref")
    const branch = git(made.root, "symbolic-ref", "HEAD")
    git(made.root, "symbolic-ref", "refs/notes/elsewhere", branch)
    const through = await runIn(made, "export", "git-ai", "--write", "--ref", "refs/notes/elsewhere")
    expect(through.error).toContain("stands for another reference")
    expect(git(made.root, "rev-parse", branch)).toBe(made.commit)
    expect(fs.existsSync(path.join(made.root, "hook-ran"))).toBe(false)
    expect([git(made.root, "rev-parse", "HEAD"), fs.readFileSync(path.join(made.root, ".git/index"))]).toEqual([
      head,
      index,
    ])
  })

  it("follows the lines through a squash, and says what a commit without them lacks", async () => {
    const made = await written()
    git(made.root, "reset", "-q", "--soft", "HEAD~1")
    git(made.root, "commit", "-qm", "Squashed and renamed", "--date=2020-01-01T00:00:00Z")
    expect((await runIn(made, "export", "git-ai")).stdout).toMatch(/^ {2}\S+ 3-4$/m)
    const first = await runIn(made, "export", "git-ai", "--commit", "HEAD~1")
    expect(first.error).toContain("expected lines that a recorded call wrote, found none")
    const none = await runIn(made, "export", "git-ai", "--commit", "--upload-pack=x")
    expect(none.code).not.toBe(0)
  })
})

/** Every file of a repository's directory, with its content. */
const fingerprint = (root: string): ReadonlyArray<string> =>
  fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name)
      return `${file} ${sha256(fs.readFileSync(file, "latin1"))}`
    })
    .sort()

describe("import of attributions", () => {
  it("reads the standard's own example, with old keys, persons and sessions", async () => {
    const file = temporary("example.note")
    fs.writeFileSync(file, EXAMPLE)
    const { log, code } = await imported(file)
    expect(code).toBe(0)
    const reset = (await eventsOf(log)).find((event) => is(event, "EnvironmentReset"))
    expect(reset?.payload.state).toEqual({
      partial: true,
      vcs: { type: "git", revision: "7734793b756b3921c88db5375a8c156e9532447b" },
      files: {
        "src/main.rs": [
          {
            by: "ai",
            agent: "claude",
            model: "claude-sonnet-4-5-20250514",
            conversation: "conv_abc123",
            trace: "t_9f8e7d6c5b4a32",
            ranges: [[1, 10]],
          },
          { by: "human", conversation: "h_31dce776f88375", ranges: [[15, 20]] },
        ],
        "src/lib.rs": [
          { by: "ai", agent: "cursor", model: "gpt-4", conversation: "old_session_id", ranges: [[1, 50]] },
        ],
      },
    })
    expect(JSON.stringify(await eventsOf(log))).not.toContain("dev@example.com")
    const again = await FromSource.run(["import", file, "--log", log])
    expect(again.stdout).toContain("Nothing was imported")
  })

  it.each([
    ["no JSON", "a\n  s_1::t_1 1\n---\n{", "no JSON object"],
    ["another version", `a\n  s_1::t_1 1\n---\n{"schema_version":"authorship/4.0.0"}`, "authorship/4.0.0"],
  ])("refuses a note with %s", async (_, text, found) => {
    const file = temporary("bad.note")
    fs.writeFileSync(file, text)
    const said = await imported(file)
    expect(said.code).not.toBe(0)
    expect(said.error).toContain(found)
  })

  it("refuses a note of 100 MB, and keeps hostile paths as names", async () => {
    const large = temporary("large.note")
    fs.writeFileSync(large, `${EXAMPLE}${" ".repeat(100 * 1024 * 1024)}`)
    const refused = await imported(large)
    expect(refused.code).not.toBe(0)
    expect(refused.error).toContain("a note of at most 16 MiB")
    const hostile = temporary("hostile.note")
    fs.writeFileSync(
      hostile,
      `__proto__\n  s_1::t_1 1-3\n../../.git/hooks/x\n  s_1::t_1 4294967295\n  s_1::t_1 2-1\n  0123456789abcdef 7\n---\n${JSON.stringify({ schema_version: "authorship/3.0.0", prompts: { __proto__: 1 } })}`,
    )
    const { log, code, stdout } = await imported(hostile)
    expect(code).toBe(0)
    expect(stdout).toContain("2 × line: it is neither a path nor a key with ranges")
    expect(await attributionsIn(log)).toEqual([
      "../../.git/hooks/x:7 ai 0123456789abcdef",
      "__proto__:1 ai s_1",
      "__proto__:2 ai s_1",
      "__proto__:3 ai s_1",
    ])
  })

  it("leaves out damaged records and ranges of Agent Trace, and names them", async () => {
    const record = (more: object) => ({
      version: "0.1.0",
      id: "r",
      timestamp: "2026-01-25T10:00:00Z",
      files: [],
      ...more,
    })
    const range = (start_line: unknown, end_line: unknown) => ({ start_line, end_line })
    const ranges = [range(1, 2), range(0, 1), range(3, 2), range("1", 2), range(1e99, 1e99), null]
    const lines = [
      record({
        id: "a",
        files: [{ path: "x", conversations: [{ contributor: { type: "ai" }, ranges }] }, { path: 7 }],
      }),
      record({ id: "a" }),
      record({ id: "b", version: "9.0.0" }),
      record({ id: "c", files: [{ path: "y", conversations: "z" }] }),
      { no: "record" },
    ]
    const file = temporary("damaged.jsonl")
    fs.writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n${"[".repeat(100_000)}\n`)
    const { log, code, stdout } = await imported(file)
    expect([code, await attributionsIn(log)]).toEqual([0, ["x:1 ai -", "x:2 ai -"]])
    for (const said of [
      "5 × range: it has no first and last line in order",
      "1 × file: it has no path",
      "1 × record: it has the id of another one",
      "1 × record: its version is 9.0.0, and not 0.1",
      "1 × record: it has no version, id, timestamp and files",
    ])
      expect(stdout).toContain(said)
  })
})

const EXAMPLE = `src/main.rs
  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10
  h_31dce776f88375 15-20
src/lib.rs
  abcd1234abcd1234 1-50
---
{
  "schema_version": "authorship/3.0.0",
  "git_ai_version": "1.4.5",
  "base_commit_sha": "7734793b756b3921c88db5375a8c156e9532447b",
  "prompts": {
    "abcd1234abcd1234": {
      "agent_id": { "tool": "cursor", "id": "old_session_id", "model": "gpt-4" },
      "human_author": "Developer <dev@example.com>",
      "total_additions": 50,
      "total_deletions": 0,
      "accepted_lines": 50,
      "overriden_lines": 0
    }
  },
  "humans": { "h_31dce776f88375": { "author": "Developer <dev@example.com>" } },
  "sessions": {
    "s_c9883b05a2487d": {
      "agent_id": { "tool": "claude", "id": "conv_abc123", "model": "claude-sonnet-4-5-20250514" },
      "human_author": "dev@example.com"
    }
  }
}
`
