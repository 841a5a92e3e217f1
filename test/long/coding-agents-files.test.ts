import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { codingAgents, RUNS_HERE } from "./codingAgents.ts"

const homeOf = codingAgents()

/** The shell lines of the session. The third one breaks the test of the repository. */
const LINES = [
  "printf 'first\\ngood\\nlast\\n' > value.txt",
  "echo note > notes.txt",
  "sed -i s/good/bad/ value.txt",
  "echo more >> notes.txt",
]
const BREAKS = LINES[2] ?? ""
const TEST = "grep -qx good value.txt"

describe.skipIf(!RUNS_HERE)("a session of the real program of", () => {
  it.each(["claude-code", "codex", "gemini-cli", "opencode"])(
    "%s that breaks a test: which call did it, on which prompt, and the files as they were",
    async (agent) => {
      const { home, project, hindcast, runs } = homeOf(`files-${agent}`)
      execFileSync("git", ["init", "-q"], { cwd: project })
      fs.writeFileSync(path.join(project, "value.txt"), "good\n")
      const git = () =>
        execFileSync("git", ["status", "--porcelain=v2", "--branch"], { cwd: project, encoding: "utf8" })
      const log = path.join(home, "sessions.db")
      const installed = await hindcast("hooks", "install", agent, "--log", log, "--no-check")
      expect([installed.code, installed.stderr]).toEqual([0, ""])
      const said = await runs(agent, "improve the value", LINES)
      expect([said, fs.existsSync(path.join(project, "notes.txt"))]).toEqual([said, true])
      expect(fs.readFileSync(path.join(project, "value.txt"), "utf8")).toBe("first\nbad\nlast\n")
      const before = git()

      const asked = async (...words: ReadonlyArray<string>) => {
        const { code, stdout, stderr } = await hindcast("files", ...words, "--log", log, "--json")
        expect([words, code, stderr]).toEqual([words, 0, ""])
        return JSON.parse(stdout)
      }
      const blamed = await asked("blame", "value.txt")
      const callOf = (line: number) => JSON.stringify(blamed.versions[blamed.lines[line - 1].version])
      expect(callOf(2)).toContain(BREAKS)
      expect(callOf(2)).toContain("improve the value")
      expect(callOf(1)).toContain("printf")
      expect(callOf(1)).not.toContain(BREAKS)

      const bisected = await asked("bisect", "--run", TEST)
      expect(JSON.stringify(bisected)).toContain(BREAKS)

      const { versions } = await asked("history", "value.txt")
      const good = versions.at(-2).position
      const into = path.join(home, "restored")
      await asked("restore", `@${good}`, "--into", into)
      execFileSync("sh", ["-c", TEST], { cwd: into })
      expect(fs.readFileSync(path.join(into, "value.txt"), "utf8")).toBe("first\ngood\nlast\n")
      expect(git()).toBe(before)
    },
    400_000,
  )
})
