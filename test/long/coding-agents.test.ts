import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { start } from "../cli/hindcast.ts"
import { fetchedModules } from "../fetched.ts"
import { inRepository } from "../repository.ts"

// Gemini CLI reads no settings below a directory that others may write, such as the one for temporary files.
const root = fs.mkdtempSync(path.join(inRepository("node_modules"), ".cache", "hindcast-agents-"))
afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

const bin = path.join(root, "bin")

/** Where each program is in its packages. Packages that were fetched ran no scripts, which two need for their `bin`. */
const PROGRAMS = {
  claude: "@anthropic-ai/claude-code-linux-x64/claude",
  codex: "@openai/codex/bin/codex.js",
  gemini: "@google/gemini-cli/bundle/gemini.js",
  copilot: "@github/copilot/npm-loader.js",
  opencode: "opencode-linux-x64/bin/opencode",
  qwen: "@qwen-code/qwen-code/cli-entry.js",
}

beforeAll(() => {
  const modules = fetchedModules("test/coding-agents")
  fs.mkdirSync(bin)
  for (const [name, file] of Object.entries(PROGRAMS)) fs.symlinkSync(path.join(modules, file), path.join(bin, name))
}, 600_000)

/** A home, a project and a hook store of its own. */
const homeOf = (name: string) => {
  const home = path.join(root, name)
  const project = path.join(home, "project")
  fs.mkdirSync(project, { recursive: true })
  const env = {
    HOME: home,
    PATH: `${bin}${path.delimiter}${process.env.PATH}`,
    HINDCAST_STATE: path.join(home, "state"),
    XDG_CONFIG_HOME: path.join(home, ".config"),
    XDG_DATA_HOME: path.join(home, ".local", "share"),
    XDG_STATE_HOME: path.join(home, ".local", "state"),
    XDG_CACHE_HOME: path.join(home, ".cache"),
  }
  return { home, hindcast: (...args: ReadonlyArray<string>) => start(args, { cwd: project, env }).ended }
}

const AGENTS = ["claude-code", "codex", "gemini-cli", "copilot", "opencode"]

describe.skipIf(process.platform !== "linux" || process.arch !== "x64")("the real program of", () => {
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
