import { it } from "@effect/vitest"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as Gate from "../../src/kernel/gate/Gate.ts"

const command = (actuator: string, risk?: Gate.GateCommand["risk"]): Gate.GateCommand => ({ actuator, risk })

describe("the gate", () => {
  it("is closed where nobody said anything", () => {
    expect(Gate.decide({}, command("a/b", "none"))).toMatchObject({ decision: "deny", rule: "default" })
  })

  it("takes the first rule that matches, else its default", () => {
    const config: Gate.GateConfig = {
      rules: [
        { name: "no-shell", actuator: "workspace/run", decision: "deny", reason: "no commands today" },
        { name: "workspace", actuator: "workspace/*", decision: "confirm" },
        { name: "harmless", risk: ["none"], decision: "allow" },
      ],
      default: "deny",
    }
    expect(Gate.decide(config, command("workspace/run", "none"))).toEqual({
      decision: "deny",
      rule: "no-shell",
      reason: "no commands today",
      confirmWithinMs: Gate.CONFIRM_WITHIN_MS,
    })
    expect(Gate.decide(config, command("workspace/write_file", "none"))).toMatchObject({ rule: "workspace" })
    expect(Gate.decide(config, command("other/x", "none"))).toMatchObject({ decision: "allow", rule: "harmless" })
    expect(Gate.decide(config, command("other/x", "high"))).toMatchObject({ decision: "deny", rule: "default" })
  })

  it("lets a question wait as long as its rule says, else as the gate says, else five minutes", () => {
    const rules = [
      { name: "hurry", actuator: "a/run", decision: "confirm", confirmWithinMs: 200 },
      { name: "other", decision: "confirm" },
    ] as const
    const within = (config: Gate.GateConfig, actuator: string) => Gate.decide(config, command(actuator)).confirmWithinMs
    expect(within({ rules, confirmWithinMs: 1_000 }, "a/run")).toBe(200)
    expect(within({ rules, confirmWithinMs: 1_000 }, "a/write")).toBe(1_000)
    expect(within({ rules }, "a/write")).toBe(300_000)
    expect(within({ default: "confirm", confirmWithinMs: 1_000 }, "a/write")).toBe(1_000)
  })

  it("the gate by itself asks a person about everything that does not declare little risk", () => {
    const decisions = [undefined, "none", "low", "high", "irreversible"] as const
    expect(decisions.map((risk) => Gate.decide(Gate.standard, command("a/b", risk)).decision)).toEqual([
      "confirm",
      "allow",
      "allow",
      "confirm",
      "confirm",
    ])
  })

  it("matches a pattern exactly as the pattern with `*` for any text would", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 })
    const part = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 6 })
    const pattern = fc.oneof(
      fc.tuple(piece, piece).map(([plugin, actuator]) => `${plugin}/${actuator}`),
      piece.filter((pattern) => pattern.includes("*")),
    )
    fc.assert(
      fc.property(pattern, part, part, (pattern, plugin, actuator) => {
        fc.pre(!pattern.startsWith("/") && !pattern.endsWith("/"))
        const name = `${plugin}/${actuator}`
        const config: Gate.GateConfig = { rules: [{ name: "r", actuator: pattern, decision: "allow" }] }
        const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name)
        expect(Gate.decide(config, command(name)).decision).toBe(expected ? "allow" : "deny")
      }),
    )
  })
})
