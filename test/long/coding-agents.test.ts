import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { codingAgents, RUNS_HERE } from "./codingAgents.ts"

const homeOf = codingAgents()

const AGENTS = ["claude-code", "codex", "gemini-cli", "copilot", "opencode"]

describe.skipIf(!RUNS_HERE)("the real program of", () => {
  it.each(process.versions.node.startsWith("20.") ? AGENTS : [...AGENTS, "qwen"])(
    "%s runs what the gate allows, not what it denies, and nothing without a hook server",
    async (name) => {
      const { hindcast } = homeOf(name)
      const installed = await hindcast("hooks", "install", name, "--json")
      expect([installed.code, installed.stderr]).toEqual([0, ""])
      expect(JSON.parse(installed.stdout).check).toBe("a denied call does not run, and without a hook server none does")
      expect((await hindcast("hooks", "check", name)).code).toBe(0)
      expect((await hindcast("hooks", "status")).stdout).not.toContain("not in force")
      expect((await hindcast("hooks", "uninstall", name)).code).toBe(0)
      expect((await hindcast("hooks", "check", name)).code).toBe(3)
    },
    400_000,
  )

  it("Codex is found out where it does not trust the hooks", async () => {
    const { home, hindcast } = homeOf("codex-untrusted")
    expect((await hindcast("hooks", "install", "codex", "--no-check")).code).toBe(0)
    // A changed time-out ends the trust.
    const file = path.join(home, ".codex", "hooks.json")
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll("590", "580"))
    expect((await hindcast("hooks", "status")).stdout).toContain("not in force: Codex trusts")
    const { code, stderr } = await hindcast("hooks", "check", "codex")
    expect([code, stderr]).toEqual([1, expect.stringContaining("a call that the gate denies ran")])
    expect((await hindcast("hooks", "install", "codex")).code).toBe(0)
  }, 400_000)

  it("Claude Code is found out where its hooks are turned off", async () => {
    const { home, hindcast } = homeOf("claude-off")
    expect((await hindcast("hooks", "install", "claude-code", "--no-check")).code).toBe(0)
    const file = path.join(home, ".claude", "settings.json")
    const settings = JSON.parse(fs.readFileSync(file, "utf8"))
    fs.writeFileSync(file, JSON.stringify({ ...settings, disableAllHooks: true }))
    const { code, stderr } = await hindcast("hooks", "check", "claude-code")
    expect([code, stderr]).toEqual([1, expect.stringContaining("a call that the gate denies ran")])
  }, 400_000)
})
