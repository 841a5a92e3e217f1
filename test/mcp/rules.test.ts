import * as fs from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import * as GatePattern from "../../src/kernel/gate/GatePattern.ts"
import * as RuleCoverage from "../../src/mcp/RuleCoverage.ts"
import { hindcast } from "../cli/hindcast.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { gateway, scripted } from "./gateway.ts"

const rules = (...actuators: ReadonlyArray<string>): GateConfig => ({
  rules: actuators.map((actuator, index) => ({ name: `rule-${index}`, actuator, decision: "deny" })),
  default: "allow",
})

describe("rules that apply to no tool", () => {
  it("are those of other servers, or of tools that the server lacks", () => {
    expect(RuleCoverage.ofOthers(rules("memory/*"), "server-memory")).toBe(
      "No rule is about the tools of server-memory. The rules name memory/*: --name memory gives it the name that they use",
    )
    for (const pattern of ["*", "server-*", "server-memory/x", "*/x", "*delete*", "server-*/y"]) {
      expect(RuleCoverage.ofOthers(rules("memory/*", pattern), "server-memory")).toBeUndefined()
    }
    expect(RuleCoverage.ofOthers({ rules: [{ name: "a", decision: "deny" }] }, "server-memory")).toBeUndefined()
    const idle = RuleCoverage.ofNoTool(rules("s/delete_*", "s/read", "other/x"), "s", ["s/read", "s/remove"])
    expect(idle).toBe('A rule matches no tool of s: "rule-0" (s/delete_*). Its tools are s/read, s/remove')
    expect(RuleCoverage.ofNoTool(rules("s/re*"), "s", ["s/read"])).toBeUndefined()
  })

  it("never hide a rule that matches: a pattern that matches a tool is about its server", () => {
    const part = fc.string({ unit: fc.constantFrom("a", "b", "*"), minLength: 1, maxLength: 5 })
    const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 4 })
    const pattern = fc.oneof(
      part.filter((text) => text.includes("*")),
      fc.tuple(part, part).map((parts) => parts.join("/")),
    )
    fc.assert(
      fc.property(pattern, name, name, (pattern, server, tool) => {
        fc.pre(GatePattern.matches(pattern, `${server}/${tool}`))
        expect(GatePattern.isAbout(pattern, server)).toBe(true)
      }),
    )
  })

  it("are said when the session begins and when the tools are known, and recorded", async () => {
    const log = temporary("idle.db")
    const client = gateway({ log, gate: rules("scripted/erase", "scripted/delete_*") })
    await client.initialize()
    await client.request("tools/list")
    await client.request("tools/list")
    await client.end()
    const said = expect.stringMatching(/^A rule matches no tool of scripted: "rule-1" \(scripted\/delete_\*\)/)
    expect(client.notes).toEqual([said])
    const other = gateway({ log, gate: rules("memory/*") })
    await other.initialize()
    await other.end()
    expect(other.notes).toEqual([expect.stringMatching(/--name memory/)])
    const kept = (await eventsOf(log)).filter(({ payload }) => payload.kind === "rules without a tool")
    expect(kept).toHaveLength(2)
  })
})

describe("hindcast mcp gate --check", () => {
  const check = async (text: string, ...more: ReadonlyArray<string>) => {
    const file = temporary("gate.yaml")
    fs.writeFileSync(file, text)
    return hindcast(["mcp", "gate", "--check", "--rules", file, ...more])
  }

  it("shows what the rules decide about each tool, and fails if a rule matches none", async () => {
    const rule = "rules: [{ name: no-erasing, actuator: tools/erase, decision: deny }]\ndefault: allow\n"
    const fine = await check(rule, "--name", "tools", "--", ...scripted("plain"))
    expect(fine.code).toBe(0)
    expect(fine.stdout).toMatch(/^tools\/echo +undeclared +allow +default *$/m)
    expect(fine.stdout).toMatch(/^tools\/erase +high +deny +no-erasing *$/m)
    const other = await check(rule, "--", ...scripted("plain"))
    expect(other.code).toBe(1)
    expect(other.stderr).toMatch(/No rule is about the tools of scripted.*--name tools/s)
    const idle = await check(rule.replace("erase", "delete"), "--name", "tools", "--", ...scripted("plain"))
    expect(idle.stderr).toMatch(/A rule matches no tool of tools: "no-erasing" \(tools\/delete\)/)
  }, 60_000)

  it("fails if the server lists nothing, and if the name is none that a rule can have", async () => {
    const dead = await check("default: allow\n", "--name", "x", "--", process.execPath, "-e", "process.exit(3)")
    expect(dead.code).toBe(1)
    expect(dead.stderr).toMatch(/ended|the end of its messages/)
    const named = await check("default: allow\n", "--name", "Tools", "--", ...scripted("plain"))
    expect(named.stderr).toMatch(/--name: expected a name that rules can use/)
    const none = await check("default: allow\n")
    expect(none.stderr).toMatch(/found nothing/)
  }, 60_000)
})
