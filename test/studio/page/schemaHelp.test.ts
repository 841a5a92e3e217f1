import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { helpAt } from "../../../src/studio/page/writing/schemaHelp.ts"
import { pathAt } from "../../../src/studio/page/writing/yamlPlace.ts"
import { inRepository } from "../../repository.ts"

const schema = JSON.parse(fs.readFileSync(inRepository("schema", "scenario.schema.json"), "utf8"))

/** A text with the caret at the mark. */
const at = (marked: string): [text: string, offset: number] => [marked.replace("|", ""), marked.indexOf("|")]

const TEXT = `scenario_name: "x"
initial_state:
  rooms:
    study: { description: "A study." }
  agent_setup:
    - agent_id: ann
      start_room: study
win_conditions:
  - { type: flag_set, flag_name: won }
events:
  - name: read
    trigger:
      type: rule
`

describe("the place of the caret in YAML", () => {
  it.each([
    ["scenario|_name", "scenario_name"],
    ["  ro|oms", "initial_state/rooms"],
    ["    stu|dy", "initial_state/rooms/study"],
    ["    - agent|_id", "initial_state/agent_setup/0/agent_id"],
    ["      start|_room", "initial_state/agent_setup/0/start_room"],
    ["  - { ty|pe", "win_conditions/0"],
    ["  - na|me: read", "events/0/name"],
    ["      type: ru|le", "events/0/trigger/type"],
  ])("%s is %s", (marked, path) => {
    expect(pathAt(...at(TEXT.replace(marked.replace("|", ""), marked))).join("/")).toBe(path)
  })

  it("is found in an empty line by its indentation, and in a text that is no YAML at all", () => {
    expect(pathAt(...at(`${TEXT}      |`)).join("/")).toBe("events/0/trigger")
    expect(pathAt(...at(`${TEXT}|`)).join("/")).toBe("")
    expect(pathAt("", 0)).toEqual([])
    expect(pathAt(`[${":".repeat(100_000)}`, 50_000)).toEqual([])
  })
})

describe("the help at the caret", () => {
  it("says what the field is, and which there are", () => {
    const top = helpAt(schema, ...at("|"))
    expect(top.fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual([
      ...["scenario_name", "environment_type", "version", "description", "win_conditions"],
    ])
    const type = helpAt(schema, ...at("environment_type|: x"))
    expect(type.description).toContain("a plugin's name")
    const trigger = helpAt(schema, ...at(`${TEXT}      |`))
    expect(trigger.description).toContain("a trigger: an object of the type")
    expect(trigger.fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["type", "action_type", "flag_name", "rule"]),
    )
    const agent = helpAt(schema, ...at(TEXT.replace("start_room", "start|_room")))
    expect(agent.fields.map(({ name }) => name)).toContain("initial_inventory")
    expect(helpAt(schema, ...at("nothing|: 1")).description).toBe("")
  })
})
