import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SESSION, session } from "../importing/claudeSession.ts"
import { lines } from "../importing/given.ts"
import { header, sample, zip } from "../importing/inspectLog.ts"
import { inRepository } from "../repository.ts"
import { document, hindcast } from "./hindcast.ts"

let cwd = ""

beforeAll(() => {
  cwd = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-import-")))
  fs.mkdirSync(path.join(cwd, "sessions"))
  fs.writeFileSync(path.join(cwd, "sessions", `${SESSION}.jsonl`), lines(session()))
  const parts = ["1", "2"].map((id) => ({ name: `samples/${id}_epoch_1.json`, json: sample(id, 1) }))
  fs.writeFileSync(path.join(cwd, "log.eval"), zip([...parts, { name: "header.json", json: header() }]))
  fs.copyFileSync(inRepository("examples/rubrics/coding.yaml"), path.join(cwd, "rubric.yaml"))
  for (const name of ["mapping.yaml", "runs.jsonl"])
    fs.copyFileSync(inRepository(`examples/import/${name}`), path.join(cwd, name))
})

afterAll(() => fs.rmSync(cwd, { recursive: true, force: true }))

describe("a time as `log ls` prints it", () => {
  const log = "times.db"
  const told = async (...args: ReadonlyArray<string>) => hindcast([...args, "--log", log], { cwd })

  it("finds its event of an imported run, and each answer says which clock found which event", async () => {
    expect((await told("import", "sessions")).code).toBe(0)
    const ls = (await told("log", "ls")).stdout.trimEnd().split("\n")
    const times = ls.map((line) => /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(line)?.[0] ?? "")
    const time = times.find((one, index) => index > 2 && one !== "" && one !== times.at(-1)) ?? ""
    const position = times.lastIndexOf(time) + 1
    const sentence = `${time} is when @${position} happened (occurredAt).`
    const found = { asked: time, clock: "occurredAt", timeline: "main", position, beyond: null }
    const flat = (text: string) => text.replaceAll(/\s+/g, " ")
    for (const args of [
      ["state", "--at", time],
      ["diff", "@0", time],
      ["blame", "/tasks", "--at", time],
      ["why", time],
      ["log", "ls", "--until", time],
      ["history", "/tasks", "--until", time],
    ]) {
      expect([args, flat((await told(...args)).stderr)]).toEqual([args, expect.stringContaining(sentence)])
      expect([args, (await document([...args, "--log", log], { cwd })).times]).toEqual([args, [found]])
    }
    const events = (await document(["log", "ls", "--until", time, "--limit", "10000", "--log", log], { cwd })).events
    expect(events).toHaveLength(position)
    const between = `${time.slice(0, -4)}${time.slice(-4) === "999Z" ? "998Z" : "999Z"}`
    expect((await document(["state", "--at", between, "--log", log], { cwd })).times).toMatchObject([
      { clock: "recordedAt", position: 0 },
    ])
    expect((await document(["state", "--at", "2999-01-01", "--log", log], { cwd })).times).toMatchObject([
      { clock: "recordedAt", beyond: "now" },
    ])
  })
})

describe("hindcast import", () => {
  it("reports what became of each file, and the second time that nothing is new", async () => {
    const first = await hindcast(["import", "sessions", "--log", "report.db"], { cwd })
    expect(first.stdout.replaceAll(/[0-9a-f]{12}$/gm, "DIGEST")).toBe(
      [
        `sessions/${SESSION}.jsonl claude-code, 12 records, sha256 DIGEST`,
        `  claude-code-${SESSION} +34 events: Fix the sum in sum.ts`,
        "  kept as it was: 1 × summary",
        "Imported 35 events of 1 run.\n",
      ].join("\n"),
    )
    const again = await hindcast(["import", "sessions", "--log", "report.db"], { cwd })
    expect(again.stdout).toBe("1 file was already imported completely.\nNothing was imported.\n")
  })

  it("makes tasks that are stepped back in, scored again and compared with the scores that they came with", async () => {
    const log = ["--log", "scored.db"]
    await document(["import", "log.eval", "sessions", ...log], { cwd })
    const { tasks } = await document(["task", "ls", ...log], { cwd })
    expect(tasks).toHaveLength(3)
    await document(["rescore", "--rubric", "rubric.yaml", "--where", 'task.agent.startsWith("sums")', ...log], { cwd })
    const compared = await document(["compare", "match", "coding", ...log], { cwd })
    expect(JSON.stringify(compared)).toContain('"pairs"')
    const { code, stdout } = await hindcast(
      ["blame", `/tasks/claude-code-${SESSION}/environment/claude-code/files/~1repo~1sum.ts`, ...log],
      { cwd },
    )
    expect([code, stdout]).toEqual([0, expect.stringContaining("EnvironmentChanged")])
    expect((await hindcast(["log", "verify", ...log], { cwd })).stdout).toContain("Intact")
  })

  it("creates no log in a dry run, and refuses what it does not know", async () => {
    await document(["import", "sessions", "--dry-run", "--log", "none.db"], { cwd })
    expect(fs.existsSync(path.join(cwd, "none.db"))).toBe(false)
    const { code, stderr } = await hindcast(["import", "rubric.yaml", "--log", "none.db"], { cwd })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: rubric\.yaml: expected a session of Claude Code, a rollout of Codex, .*, a log of Inspect, .*, found a file that begins with/,
      ),
    ])
    expect((await hindcast(["import", "sessions", "--from", "klaude", "--log", "none.db"], { cwd })).stderr).toContain(
      "claude-code, codex, gemini-cli",
    )
    expect((await hindcast(["import", "--log", "none.db"], { cwd })).code).toBe(1)
    fs.mkdirSync(path.join(cwd, "nothing"))
    const nothing = await hindcast(["import", "nothing", "--log", "none.db"], { cwd })
    expect([nothing.code, nothing.stdout]).toEqual([3, "Nothing was imported.\n"])
    expect(nothing.stderr).toContain("nothing: expected a file of a known format, found none.")
    for (const name of ["a.md", "b.md", "README"]) fs.writeFileSync(path.join(cwd, "nothing", name), "x")
    fs.writeFileSync(path.join(cwd, "nothing", "c.jsonl"), "")
    const passed = await hindcast(["import", "nothing", "--log", "none.db"], { cwd })
    expect([passed.code, passed.stdout.split("\n")]).toEqual([
      3,
      [
        "1 file in an unknown format was skipped:",
        "  nothing/c.jsonl: an empty file; import it once it has content",
        "3 files were not read, because of their names (.md 2, no ending 1); to import one, name it.",
        "Nothing was imported.",
        "",
      ],
    ])
    expect(passed.stderr).toContain("expected a file of a known format, found 1 file in unknown formats.")
    expect((await hindcast(["import", "gone", "--log", "none.db"], { cwd })).code).toBe(3)
    expect((await hindcast(["import", "gone", "--follow", "--log", "none.db"], { cwd })).code).toBe(3)
    const archive = fs.readFileSync(path.join(cwd, "log.eval"))
    fs.writeFileSync(path.join(cwd, "cut.eval"), archive.subarray(0, archive.length / 2))
    const cut = await hindcast(["import", "cut.eval", "--log", "none.db"], { cwd })
    expect([cut.code, cut.stdout]).toEqual([1, "Nothing was imported.\n"])
    expect(cut.stderr).toContain("the archive has no directory of its entries: it is cut off, or still being written")
    fs.writeFileSync(path.join(cwd, "empty.traj"), '{"trajectory":[],"history":[]}')
    const empty = await hindcast(["import", "empty.traj", "--log", "none.db"], { cwd })
    expect([empty.code, empty.stdout]).toEqual([0, expect.stringContaining("it has neither steps nor a history")])
    expect(fs.readdirSync(cwd).filter((name) => name.startsWith("none.db"))).toEqual([])
  })

  it("imports by a mapping, and says what is wrong with one, and with options that exclude each other", async () => {
    const mapped = await hindcast(["import", "runs.jsonl", "--mapping", "mapping.yaml", "--log", "m.db", "--dry-run"], {
      cwd,
    })
    expect(mapped.stdout).toContain("The first run would be imported as: shop-agent-s1, Where is my parcel?")
    expect(mapped.stdout).toMatch(/2026-01-01T12:00:00\.000Z {2}InputReceived +user: .*Where is my parcel\?/)
    fs.writeFileSync(path.join(cwd, "bad.yaml"), "name: x\nrecords: [{ is: said, content: { cel: recrod.a } }]\n")
    const bad = await hindcast(["import", "runs.jsonl", "--mapping", "bad.yaml", "--log", "m.db"], { cwd })
    expect([bad.code, bad.stderr]).toEqual([
      1,
      expect.stringContaining("records[0].content: `recrod.a`, line 1, column 1"),
    ])
    for (const words of [
      ["--mapping", "mapping.yaml", "--from", "codex"],
      ["--follow", "--dry-run"],
    ]) {
      const { code, stderr } = await hindcast(["import", "runs.jsonl", ...words, "--log", "m.db"], { cwd })
      expect([code, stderr]).toEqual([1, expect.stringMatching(/expected no --(?:from|dry-run) with it, found both/)])
    }
    expect(fs.existsSync(path.join(cwd, "m.db"))).toBe(false)
  })

  it("imports the others where a file is refused, says so, and ends with 1", async () => {
    fs.mkdirSync(path.join(cwd, "mixed"))
    fs.copyFileSync(path.join(cwd, "log.eval"), path.join(cwd, "mixed", "whole.eval"))
    fs.writeFileSync(path.join(cwd, "mixed", "cut.eval"), fs.readFileSync(path.join(cwd, "log.eval")).subarray(0, 500))
    const { code, stdout, stderr } = await hindcast(["import", "mixed", "--log", "mixed.db"], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain("whole.eval inspect")
    expect(stderr).toMatch(
      /One file was refused.*\n.*cut\.eval: expected a log of Inspect, found the archive has no directory of its entries/,
    )
  })
})
