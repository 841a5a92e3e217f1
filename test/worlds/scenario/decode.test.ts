import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect } from "effect"
import { parse } from "yaml"
import * as Scenario from "../../../src/worlds/scenario/Scenario.ts"
import { inRepository } from "../../repository.ts"
import { decoded, mistakesIn, theLostKey, theLostKeyWhole } from "./given.ts"

/** A scenario in a world that is not made of rooms. */
const bare = `
scenario_name: Balance
environment_type: cart-pole
version: "1"
description: Keep the pole up.
win_conditions: [{ type: max_steps_reached, steps: 10 }]
`

describe("a scenario's document", () => {
  it.effect("the seed's own is read field for field, with and without what it has as comments", () =>
    Effect.gen(function* () {
      expect((yield* decoded(theLostKey)).scenario).toEqual(parse(theLostKey))
      const { scenario } = yield* decoded(theLostKeyWhole)
      expect(scenario).toEqual(parse(theLostKeyWhole))
      expect(scenario.lose_conditions).toHaveLength(2)
      expect(scenario.events).toMatchObject([
        { trigger: { type: "action_taken", count: 3 }, response: { type: "message_to_agent" } },
        { trigger: { type: "item_found" }, response: { milestone_name: "key_found_by_agent" } },
      ])
      expect(scenario.initial_state?.agent_setup).toMatchObject({
        initial_agent_config: { self_model: { mood: "curious" }, goals: [{ type: "find_item" }] },
      })
    }),
  )

  it.effect("JSON is read too, and equal content has one digest", () =>
    Effect.gen(function* () {
      const yaml = yield* decoded(bare)
      const json = yield* decoded(JSON.stringify(parse(bare), null, 2))
      expect(json.scenario).toEqual(yaml.scenario)
      expect(json.digest).toBe(yaml.digest)
    }),
  )

  it.effect("the text room's own scenarios are read", () =>
    Effect.gen(function* () {
      for (const name of ["the-lost-key", "the-empty-desk", "the-greenhouse", "the-signal-house"]) {
        yield* decoded(readFileSync(inRepository("plugins", "text-room", "scenarios", `${name}.yaml`), "utf8"))
      }
    }),
  )

  it.effect("all mistakes are reported at once, each with line and column, in the order of the file", () =>
    Effect.gen(function* () {
      const wrong = theLostKey
        .replace('version: "1.0"', "version: 1.0")
        .replace('north: "hallway"', 'north: "halway"')
        .replace('["desk", "bookshelf"]', '["desk", "bookself"]')
        .replace('start_room: "study"', 'start_room: "attic"')
        .replace('item_name: "old_document"', 'item_name: "crown"')
        .replace('agent_id: "PiaAgent_001"\n    flag', 'agent_id: "somebody"\n    flag')
        .replace("steps: 200", "steps: none")
        .replace("lose_conditions", "loose_conditions")
      expect(yield* mistakesIn(wrong)).toEqual([
        "3:1 /version: expected text: the scenario's version, in quotes, found 1",
        expect.stringMatching(
          /^14:16 \/initial_state\/rooms\/study\/exits\/north: expected the name of a room \(study, hallway\), found "halway" \(did you mean hallway\?\)$/,
        ),
        expect.stringMatching(
          /^15:25 \/initial_state\/rooms\/study\/objects\/1: expected the name of a thing in object_details .* found "bookself" \(did you mean bookshelf\?\)$/,
        ),
        expect.stringMatching(
          /^\d+:5 \/initial_state\/agent_setup\/start_room: expected the name of a room .* found "attic"$/,
        ),
        expect.stringMatching(/^\d+:5 \/win_conditions\/0\/item_name: expected the name of a thing .* found "crown"$/),
        expect.stringMatching(
          /^\d+:5 \/win_conditions\/1\/agent_id: expected the id of an agent of agent_setup \(PiaAgent_001\), found "somebody"$/,
        ),
        expect.stringMatching(
          /^\d+:1 \/loose_conditions: expected one of the fields .* found an unknown field \(did you mean lose_conditions\?\)$/,
        ),
      ])
    }),
  )

  it.effect(
    "text that is neither YAML nor JSON, and a document that is no scenario, are refused with their place",
    () =>
      Effect.gen(function* () {
        expect(yield* mistakesIn("a: [1, 2\nb: }")).toEqual(
          expect.arrayContaining([expect.stringMatching(/^2:\d+ \(the whole file\): expected YAML or JSON, found/)]),
        )
        expect(yield* mistakesIn("- a")).toEqual([
          "1:1 (the whole file): expected a scenario: an object, found a list of 1",
        ])
        expect(yield* mistakesIn("")).toHaveLength(1)
      }),
  )

  it.effect("a rule that does not compile, one that may take long, and a condition of no known type are mistakes", () =>
    Effect.gen(function* () {
      const rules = bare.replace(
        "[{ type: max_steps_reached, steps: 10 }]",
        `
  - { type: rule, rule: "state.environment[" }
  - { type: rule, rule: "event.type.matches('(a+)+')" }
  - { type: agent_state_condition, condition: "energy <=" }
  - { type: have_fun }
  - { type: rule, rule: "nothing == 1" }`,
      )
      const mistakes = yield* mistakesIn(rules)
      expect(mistakes.map((line) => line.replace(/ expected.*/, ""))).toEqual([
        "7:19 /win_conditions/0/rule:",
        "8:19 /win_conditions/1/rule:",
        "9:36 /win_conditions/2/condition:",
        expect.stringMatching(/^10:\d+ \/win_conditions\/3/),
        "11:19 /win_conditions/4/rule:",
      ])
      expect(mistakes[1]).toContain("can grow faster")
      expect(mistakes[3]).toContain("item_in_inventory")
    }),
  )

  it.effect("a scenario that is won, or lost, before anything is done is a mistake", () =>
    Effect.gen(function* () {
      const won = theLostKey.replace('["flashlight"]', '["flashlight", "Old Document"]')
      expect(yield* mistakesIn(won)).toEqual([
        expect.stringMatching(
          /^\d+:5 \/win_conditions\/0: expected a condition that does not hold yet, found one that already holds at the start: the scenario would be won/,
        ),
      ])
      const lost = theLostKey
        .replace('    start_room: "study"', '    start_room: "study"\n    flags: { tired: true }')
        .replace('- type: "max_steps_reached"\n    steps: 200', '- type: "flag_set"\n    flag_name: "tired"')
      expect(yield* mistakesIn(lost)).toEqual([expect.stringContaining("the scenario would be lost")])
    }),
  )

  it.effect(
    "an agent or an event that is there twice, a field twice, and more aliases than a person writes are mistakes",
    () =>
      Effect.gen(function* () {
        const twice = `${bare}
initial_state: { agent_setup: [{ agent_id: a }, { agent_id: a }] }
events:
  - { name: e, trigger: { type: step_reached, steps: 1 }, response: { type: set_flag, flag_name: f } }
  - { name: e, trigger: { type: flag_set, flag_name: f }, response: [{ type: reward, amount: 0 }] }
`
        expect((yield* mistakesIn(twice)).map((line) => line.split(":")[1]?.replace(/^\d+ /, ""))).toEqual([
          expect.stringContaining("/initial_state/agent_setup/1/agent_id"),
          expect.stringContaining("/events/1"),
        ])
        expect(yield* mistakesIn(`${bare}\nversion: "2"\n`)).toEqual([
          "8:1 /version: expected each field once, found it twice",
        ])
        const lists = Array.from({ length: 9 }, (_, level) => {
          const inner = level === 0 ? "1" : `*a${level - 1}`
          return `  a${level}: &a${level} [${Array.from({ length: 9 }, () => inner).join(", ")}]`
        })
        expect(yield* mistakesIn(`${bare}configuration:\n${lists.join("\n")}\n`)).toEqual([
          expect.stringContaining("expected at most 100 uses of aliases"),
        ])
      }),
  )
})

describe("the JSON Schema for editors", () => {
  it("is published as the package's file says; `npx vitest -u` on this test writes it anew", async () => {
    const text = `${JSON.stringify(Scenario.jsonSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot("../../../schema/scenario.schema.json")
  })

  it("takes the seed's scenario, and finds in another what decoding finds", () => {
    const fits = new Ajv({ strict: false }).compile(Scenario.jsonSchema())
    expect(fits(parse(theLostKeyWhole))).toBe(true)
    expect(fits(parse(bare))).toBe(true)
    for (const bad of [{}, { ...parse(bare), colour: "blue" }, { ...parse(bare), win_conditions: [] }, []]) {
      expect(fits(bad)).toBe(false)
    }
  })
})
