import * as fs from "node:fs"
import { Ajv } from "ajv"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import * as Gate from "../../../src/kernel/gate/Gate.ts"
import * as GateSchema from "../../../src/kernel/gate/GateSchema.ts"
import { inRepository } from "../../repository.ts"

const example: unknown = parse(fs.readFileSync(inRepository("examples", "gate", "hindcast.gate.yaml"), "utf8"))

describe("the JSON Schema of gate rules", () => {
  it("is published as the package's file says; `npx vitest -u` on this test writes it", async () => {
    const text = `${JSON.stringify(GateSchema.jsonSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot("../../../schema/gate.schema.json")
  })

  it("accepts the example, which the gate accepts, and refuses what the gate refuses", () => {
    const fits = new Ajv({ strict: false }).compile(GateSchema.jsonSchema())
    expect(fits(example)).toBe(true)
    expect(Gate.decode(example)._tag).toBe("Right")
    const rule = { name: "a", decision: "allow" }
    for (const bad of [
      [],
      { rule: [] },
      { rules: [{ ...rule, decision: "perhaps" }] },
      { rules: [{ decision: "allow" }] },
      { rules: [{ ...rule, risk: [] }] },
      { rules: [{ ...rule, shell: "git *" }] },
      { rules: [{ ...rule, colour: "blue" }] },
      { default: true },
    ]) {
      expect([bad, fits(bad), Gate.decode(bad)._tag]).toEqual([bad, false, "Left"])
    }
  })

  it("has a valid example that decides as its rules say", () => {
    const decide = (tool: string, args: { readonly [name: string]: string }) =>
      Gate.decide(example as Gate.GateConfig, { actuator: tool, risk: undefined, args }).rule
    expect(decide("claude-code/Read", { file_path: "/repo/.env.local" })).toBe("no-secrets")
    expect(decide("gemini-cli/read_file", { file_path: ".env" })).toBe("no-secrets")
    expect(decide("opencode/read", { filePath: "/repo/.env" })).toBe("no-secrets-opencode")
    expect(decide("copilot/view", { path: "/repo/.env" })).toBe("no-secrets-copilot")
    for (const shell of ["claude-code/Bash", "codex/Bash", "gemini-cli/run_shell_command", "opencode/bash"]) {
      expect(decide(shell, { command: "ls && cat .env" })).toBe("ask-before-secrets")
      expect(decide(shell, { command: "cat - < src/.env" })).toBe("ask-before-secrets")
      expect(decide(shell, { command: "cd src && rm -rf ." })).toBe("no-deleting")
      expect(decide(shell, { command: "git push origin main" })).toBe("ask-before-publishing")
      expect(decide(shell, { command: "git status && npm test" })).toBe("looking")
      expect(decide(shell, { command: "make" })).toBe("other-commands")
      expect(decide(shell, { command: "> a.txt" })).toBe("other-commands")
    }
    expect(decide("claude-code/Edit", { file_path: "/repo/a.ts" })).toBe("default")
  })
})
