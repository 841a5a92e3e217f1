import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ClaudeSettings from "../../src/hooks/install/ClaudeSettings.ts"
import * as Installer from "../../src/hooks/install/Installer.ts"

const COMMAND = ["/usr/bin/node", "/package/dist/hook.js", "claude-code"] as const

const installed = (text: string): string => {
  const result = ClaudeSettings.installer.installed(text, COMMAND)
  if (typeof result !== "string") throw new Error(JSON.stringify(result))
  return result
}

const OTHERS = {
  model: "opus",
  hooks: {
    PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "guard.sh" }] }],
    Notification: [{ hooks: [{ type: "command", command: "beep" }] }],
  },
}

describe("hooks in Claude Code's settings", () => {
  it("are added beside those that are there, and block when they fail", () => {
    const { model, hooks } = JSON.parse(installed(JSON.stringify(OTHERS)))
    expect(model).toBe("opus")
    expect(hooks.Notification).toEqual(OTHERS.hooks.Notification)
    expect(hooks.PreToolUse).toEqual([
      OTHERS.hooks.PreToolUse[0],
      {
        hooks: [
          {
            type: "command",
            command: "/usr/bin/node",
            args: ["/package/dist/hook.js", "claude-code"],
            timeout: 590,
            onFailure: "block",
            statusMessage: "Hindcast's gate",
          },
        ],
      },
    ])
    for (const event of ["PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "SessionEnd"]) {
      expect(hooks[event]).toHaveLength(1)
    }
  })

  it("are there once, however often they are installed, also by another copy of the package", () => {
    const once = installed(JSON.stringify(OTHERS))
    expect(installed(once)).toBe(once)
    const moved = ClaudeSettings.installer.installed(once, ["/other/node", "/other/dist/hook.js", "claude-code"])
    expect(JSON.parse(String(moved)).hooks.PreToolUse).toHaveLength(2)
    expect(String(moved)).not.toContain("/package/")
  })

  it("go without a trace, whatever else is in the settings", () => {
    const hook = fc.record({ type: fc.constant("command"), command: fc.string() }, { requiredKeys: ["type"] })
    const matchers = fc.array(fc.record({ matcher: fc.string(), hooks: fc.array(hook, { minLength: 1 }) }), {
      minLength: 1,
    })
    const settings = fc.record(
      {
        model: fc.string(),
        hooks: fc.dictionary(fc.constantFrom("PreToolUse", "Stop", "Other"), matchers, { minKeys: 1 }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(settings, (value) => {
        const text = JSON.stringify(value)
        expect(Installer.has(ClaudeSettings.installer, text)).toBe(false)
        const after = installed(text)
        expect(Installer.has(ClaudeSettings.installer, after)).toBe(true)
        expect(JSON.parse(String(ClaudeSettings.installer.uninstalled(after)))).toEqual(JSON.parse(text))
      }),
    )
    expect(ClaudeSettings.installer.uninstalled("")).toBe("")
    expect(JSON.parse(String(ClaudeSettings.installer.uninstalled(installed(""))))).toEqual({})
  })

  it.each(["{ // a comment\n}", "[]", '"x"', '{"hooks": []}', '{"hooks": 1}', "{"])(
    "are not written into %s",
    (text) => {
      expect(ClaudeSettings.installer.installed(text, COMMAND)).toMatchObject({ expected: expect.any(String) })
      expect(ClaudeSettings.installer.uninstalled(text)).toMatchObject({ found: expect.any(String) })
    },
  )
})
