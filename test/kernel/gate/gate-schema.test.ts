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
      Gate.decide(example as Gate.GateConfig, { actuator: `claude-code/${tool}`, risk: undefined, args }).rule
    expect(decide("Read", { file_path: "/repo/.env.local" })).toBe("no-secrets")
    expect(decide("Bash", { command: "cd src && rm -rf ." })).toBe("no-deleting")
    expect(decide("Bash", { command: "git push origin main" })).toBe("ask-before-publishing")
    expect(decide("Bash", { command: "git status && npm test" })).toBe("looking")
    expect(decide("Bash", { command: "make" })).toBe("other-commands")
    expect(decide("Edit", { file_path: "/repo/a.ts" })).toBe("default")
  })
})
