import * as fs from "node:fs"
import { JSONSchema } from "effect"
import { describe, expect, it } from "vitest"
import * as Rubric from "../../../src/kernel/rules/Rubric.ts"
import { completionAt } from "../../../src/studio/page/writing/completion.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { inRepository } from "../../repository.ts"

const scenario: JsonObject = JSON.parse(fs.readFileSync(inRepository("schema", "scenario.schema.json"), "utf8"))
const rubric: JsonObject = JSON.parse(JSON.stringify(JSONSchema.make(Rubric.Rubric)))

/** What is offered where the mark is. */
const offered = (marked: string, schema = scenario): ReadonlyArray<string> =>
  completionAt(schema, marked.replace("|", ""), marked.indexOf("|")).options.map(({ name }) => name)

/** The text once one of the options was chosen. */
const chosen = (marked: string, name: string, schema = scenario): string => {
  const text = marked.replace("|", "")
  const { from, to, options } = completionAt(schema, text, marked.indexOf("|"))
  const option = options.find((one) => one.name === name)
  return `${text.slice(0, from)}${option?.text ?? "(none)"}${text.slice(to)}`
}

const EVENT = "events:\n  - name: read\n    "

describe("the keys that are offered at the caret", () => {
  it("are those of the mapping, what is needed first, without those that it has", () => {
    expect(offered("|").slice(0, 5)).toEqual([
      ...["scenario_name", "environment_type", "version", "description", "win_conditions"],
    ])
    expect(offered('scenario_name: "x"\nversion: "1.0"\n|\ndescription: y\n')).not.toEqual(
      expect.arrayContaining(["scenario_name"]),
    )
    expect(offered('scenario_name: "x"\n|\nversion: "1.0"\ndescription: y\n').slice(0, 2)).toEqual([
      ...["environment_type", "win_conditions"],
    ])
    expect(offered(`${EVENT}|`)).toEqual(expect.arrayContaining(["trigger", "response"]))
    expect(offered(`${EVENT}|`)).not.toContain("name")
    expect(offered("events:\n  - |\n    name: read\n")).toEqual(expect.arrayContaining(["trigger", "response"]))
    expect(offered("events:\n  - na|\n  - name: other\n")).toEqual(["name"])
    expect(offered("events:\n- name: a\n|")).toContain("win_conditions")
    expect(offered("events:\n- name: a\n|")).not.toContain("events")
  })

  it("begin with what was typed, and end the word that the caret is in", () => {
    expect(offered("desc|")).toEqual(["description"])
    expect(offered("nothing|")).toEqual([])
    expect(chosen("desc|", "description")).toBe("description: ")
    expect(chosen("de|scr: x\n", "description")).toBe("description: x\n")
    expect(chosen(`${EVENT}tri|`, "trigger")).toBe(`${EVENT}trigger: `)
    expect(chosen('"desc|"', "description")).toBe('"description": ')
  })

  it("fit the words that stand beside them, in block and in flow style, on one line and on several", () => {
    const trigger = ["steps"]
    for (const marked of [
      `${EVENT}trigger:\n      type: step_reached\n      |`,
      `${EVENT}trigger:\n      |\n      type: step_reached\n`,
      `${EVENT}trigger:\n      type: step_reached # or another one\n      |`,
      `${EVENT}trigger:\n      type: "step_reached"  # "or another one"\n      |`,
      `${EVENT}trigger: { type: step_reached, | }`,
      `${EVENT}trigger: { |, type: "step_reached" }\n  - name: b\n`,
      `${EVENT}trigger: {\n      # which step, {\n      type: step_reached,\n      |\n    }\n`,
    ])
      expect(offered(marked).slice(0, 1), marked).toEqual(trigger)
    expect(offered("win_conditions:\n  - { type: flag_set, fl| }")).toEqual(["flag_name"])
    expect(offered('win_conditions: [{ type: rule, rule: "a, {b: [" }, { ty| }]')).toEqual(["type"])
    expect(chosen("win_conditions:\n  - { ty|: flag_set }", "type")).toBe("win_conditions:\n  - { type: flag_set }")
  })

  it("are in quotation marks in JSON", () => {
    expect(chosen('{ "version": "1.0", | }', "description")).toBe('{ "version": "1.0", "description":  }')
    expect(chosen('{ "events": [{ "na|" }] }', "name")).toBe('{ "events": [{ "name":  }] }')
    expect(chosen('{ "events": [{ "trigger": { "type": "st|" } }] }', "step_reached")).toContain(
      '{ "type": "step_reached" }',
    )
  })

  it("are those of a rubric in a rubric", () => {
    const reward = "name: x\nmeasures:\n  - name: m\n    rewards:\n      - name: a\n        "
    expect(offered(`${reward}|`, rubric)).toEqual(["when", "weight", "rule", "per"])
    expect(offered(`${reward}per: |`, rubric)).toEqual(["task", "occurrence", "step"])
    expect(chosen(`${reward}per:|`, "task", rubric)).toBe(`${reward}per: task`)
  })
})

describe("the words that are offered at the caret", () => {
  it("are those that the value may be", () => {
    expect(offered(`${EVENT}trigger: { type: | }`)).toEqual([
      ...["action_taken", "item_found", "flag_set", "step_reached", "rule"],
    ])
    expect(offered(`${EVENT}trigger:\n      type: st|`)).toEqual(["step_reached"])
    expect(chosen(`${EVENT}trigger: { type: "st|" }`, "step_reached")).toBe(`${EVENT}trigger: { type: "step_reached" }`)
    expect(offered("initial_state:\n  object_details:\n    chest: { is_container: | }")).toEqual(["true", "false"])
  })

  it("are none in texts, comments, rules of several lines, and keys of a document's own", () => {
    for (const marked of [
      ...["# desc|", "description: desc|", 'description: "a\n  desc|\n"\n', "version: '1'\n# |\n"],
      ...["description: >-\n  a\n  desc|", "initial_state:\n  rooms:\n    |"],
      ...["constructor|", "__proto__:\n  |", "toString: |", "[|", "win_conditions: [a] |"],
    ])
      expect(offered(marked), marked).toEqual([])
  })
})

describe("the place of the caret", () => {
  it("is around the caret in any text of 100,000 characters, before the time-out of a test", () => {
    const texts = ["[", "{", "{a: ", '"', "'", "- ", "a:\n", " a: {b: c}\n", "a: |\n", " ", "a:b", "# ", "a\\", "{\n"]
    const long = texts.map((text) => text.repeat(100_000 / text.length))
    for (const text of [...long, `a${" ".repeat(100_000)}x`])
      for (const offset of [0, 50_000, text.length]) {
        const { from, to } = completionAt(scenario, text, offset)
        expect(from).toBeLessThanOrEqual(offset)
        expect(to).toBeGreaterThanOrEqual(offset)
      }
  })
})
