import { describe, expect, it } from "@effect/vitest"
import { checkScenario } from "../../../plugins/text-room/scenario.ts"
import type { JsonObject } from "../../../src/values/Json.ts"
import { optionsOf, play, storyOf, theLostKeyOptions } from "./playing.ts"

/** A right scenario, in YAML, with one line replaced by others. */
const scenario = (line?: string, instead: ReadonlyArray<string> = []): JsonObject => {
  if (line === undefined) return optionsOf(RIGHT)
  const lines = RIGHT.split("\n")
  const at = lines.findIndex((text) => text.trim() === line)
  const indent = /^ */.exec(lines[at] ?? "")?.[0] ?? ""
  if (at === -1) throw new Error(`There is no line ${line}`)
  return optionsOf(lines.toSpliced(at, 1, ...instead.map((text) => indent + text)).join("\n"))
}

const RIGHT = `
scenario_name: A cellar
environment_type: TextBasedRoom
version: "1.0"
description: A chest in a cellar.
initial_state:
  rooms:
    stairs:
      description: Stairs.
      exits: { down: cellar }
      objects: [lantern]
    cellar:
      description: A cellar.
      exits: { up: stairs }
      objects: [chest]
  object_details:
    lantern: { description: A lantern., can_be_taken: true }
    chest:
      description: A chest.
      is_container: true
      contains: [jewel]
      custom_properties: { locked: true, key_required: hook, colour: green }
    jewel: { description: A jewel., can_be_taken: true }
  agent_setup:
    agent_id: player
    start_room: stairs
    initial_inventory: [hook]
win_conditions:
  - { type: item_in_inventory, agent_id: player, item_name: jewel }
lose_conditions:
  - { type: max_steps_reached, steps: 50 }
`

const mistakesIn = (options: JsonObject) =>
  (checkScenario(options).mistakes ?? []).map(({ where, expected, found }) => `${where}: ${expected} <> ${found}`)

describe("a scenario", () => {
  it("a scenario that is right has no mistakes and can be played", () => {
    expect(mistakesIn(scenario())).toEqual([])
    const { world } = play(storyOf(scenario()), "go down", "use hook on chest", "open chest", "take jewel")
    expect(world.won).toBe(true)
  })

  it("may carry and hide things that have no details: they are small and can be taken", () => {
    const story = storyOf(scenario())
    expect(story.things.hook).toEqual({ description: "a hook.", takeable: true, text: null, lid: null })
  })

  it("may name its rooms and things as people write them", () => {
    const story = storyOf(scenario("exits: { down: cellar }", ["exits: { Down: The Cellar }"]))
    expect(story.rooms.stairs?.exits).toEqual({ down: "cellar" })
  })

  it("has no mistakes where it is the one that ships", () => {
    expect(mistakesIn(theLostKeyOptions)).toEqual([])
  })
})

describe("a mistake says where, what was expected and what was found", () => {
  const mistake = (line: string, instead: ReadonlyArray<string>, ...mistakes: ReadonlyArray<string>) => ({
    line,
    instead,
    mistakes,
  })

  it.each([
    mistake(
      "exits: { down: cellar }",
      ["exits: { down: celar }"],
      'initial_state.rooms.stairs.exits.down: the name of a room (stairs, cellar) <> "celar"',
    ),
    mistake(
      "start_room: stairs",
      ["start_room: attic"],
      'initial_state.agent_setup.start_room: the name of a room (stairs, cellar) <> "attic"',
    ),
    mistake(
      "start_room: stairs",
      [],
      "initial_state.agent_setup.start_room: a name of letters, digits, spaces and _ <> nothing",
    ),
    mistake(
      "objects: [lantern]",
      ["objects: [lantern, cat]"],
      'initial_state.rooms.stairs.objects[1]: the name of a thing in object_details (lantern, chest, jewel) <> "cat"',
    ),
    mistake(
      "objects: [lantern]",
      [],
      "initial_state.object_details.lantern: a place for it: a room, a container or the inventory <> none",
    ),
    mistake(
      "objects: [lantern]",
      ["objects: [lantern, jewel]"],
      'initial_state.object_details.chest.contains[0]: a thing that is not placed yet <> "jewel", which is also at "room:stairs"',
    ),
    mistake(
      "objects: [chest]",
      [],
      "initial_state.object_details.chest: a place for it: a room, a container or the inventory <> none",
    ),
    mistake(
      "contains: [jewel]",
      ["contains: [jewel, crown]"],
      'initial_state.object_details.chest.contains[1]: the name of a thing in object_details (lantern, chest, jewel) <> "crown"',
    ),
    mistake(
      "custom_properties: { locked: true, key_required: hook, colour: green }",
      ["custom_properties: { locked: true, key_required: crowbar }"],
      'initial_state.object_details.chest.custom_properties.key_required: the name of a thing (lantern, chest, jewel, hook) <> "crowbar"',
    ),
    mistake(
      "is_container: true",
      [],
      "initial_state.object_details.chest.is_container: true (since initial_state.object_details.chest.contains is given) <> nothing",
    ),
    mistake(
      "is_container: true",
      ["is_container: true", "is_open: true"],
      "initial_state.object_details.chest.is_open: false (since initial_state.object_details.chest.custom_properties.locked is true) <> true",
    ),
    mistake(
      "is_container: true",
      ['is_container: "yes"'],
      'initial_state.object_details.chest.is_container: true or false <> "yes"',
    ),
    mistake(
      "- { type: item_in_inventory, agent_id: player, item_name: jewel }",
      ["- { type: item_in_inventory, agent_id: robot, item_name: crown }"],
      'win_conditions[0].agent_id: "player", the agent of agent_setup <> "robot"',
      'win_conditions[0].item_name: the name of a thing (lantern, chest, jewel, hook) <> "crown"',
    ),
    mistake(
      "- { type: item_in_inventory, agent_id: player, item_name: jewel }",
      ["- { type: have_fun }"],
      'win_conditions[0].type: "item_in_inventory" or "flag_set" <> "have_fun"',
    ),
    mistake(
      "- { type: item_in_inventory, agent_id: player, item_name: jewel }",
      [],
      "win_conditions: a list of at least one condition <> nothing",
    ),
    mistake(
      "- { type: max_steps_reached, steps: 50 }",
      ["- { type: max_steps_reached, steps: soon }", "- { type: starved }"],
      'lose_conditions[0].steps: a whole number, 1 or more <> "soon"',
      'lose_conditions[1].type: "max_steps_reached" <> "starved"',
    ),
    mistake(
      "environment_type: TextBasedRoom",
      ["environment_type: GridWorld"],
      'environment_type: "TextBasedRoom" <> "GridWorld"',
    ),
    mistake('version: "1.0"', ["version: 1.0"], "version: text (put it in quotes) <> 1"),
    mistake(
      "description: A chest in a cellar.",
      ["description: A chest in a cellar.", "loose_conditions: []"],
      "loose_conditions: no such field here (the fields are scenario_name, environment_type, version, description, initial_state, win_conditions, lose_conditions, events) <> []",
    ),
    mistake(
      "agent_id: player",
      ["agent_id: player", "flags: { Lamp Lit: true, lamp_lit: false, '!': true }"],
      'initial_state.agent_setup.flags.lamp_lit: a name that no other has <> "lamp_lit" again',
      'initial_state.agent_setup.flags.!: a name of letters, digits, spaces and _ <> the name "!"',
    ),
    mistake(
      "objects: [lantern]",
      ["objects: [lantern, 7]"],
      "initial_state.rooms.stairs.objects[1]: a name of letters, digits, spaces and _ <> 7",
    ),
    mistake(
      "lose_conditions:",
      [
        "events:",
        "  - trigger: { type: action_taken, action_type: sing, target: chest }",
        "    response: { type: explode }",
        "  - trigger: { type: sunrise }",
        "    response: { type: log_milestone }",
        "lose_conditions:",
      ],
      'events[0].trigger.action_type: one of look, examine, go, take, drop, open, close, use, read <> "sing"',
      'events[0].response.type: "message_to_agent", "log_milestone" or "set_flag" <> "explode"',
      'events[1].trigger.type: "action_taken" or "item_found" <> "sunrise"',
      "events[1].response.milestone_name: a name of letters, digits, spaces and _ <> nothing",
    ),
  ])("$line → $instead", ({ line, instead, mistakes }) => {
    expect(mistakesIn(scenario(line, instead)).toSorted()).toEqual([...mistakes].toSorted())
  })

  it("a mistake says where containers lie in each other", () => {
    const options = scenario("lantern: { description: A lantern., can_be_taken: true }", [
      "lantern: { description: A lantern., is_container: true, contains: [sack] }",
      "sack: { description: A sack., is_container: true, contains: [purse] }",
      "purse: { description: A purse., is_container: true, custom_properties: { hidden_item: sack } }",
    ])
    expect(mistakesIn(options)).toEqual([
      'initial_state.object_details.purse.custom_properties.hidden_item: a thing that is not placed yet <> "sack", which is also at "thing:lantern"',
    ])
    const ring = scenario("lantern: { description: A lantern., can_be_taken: true }", [
      "lantern: { description: A lantern. }",
      "sack: { description: A sack., is_container: true, contains: [purse] }",
      "purse: { description: A purse., is_container: true, contains: [sack] }",
    ])
    expect(mistakesIn(ring)).toEqual([
      'initial_state.object_details.sack: a place outside itself <> it in "thing:purse"',
      'initial_state.object_details.purse: a place outside itself <> it in "thing:sack"',
    ])
  })

  it("mistakes are found all at once, also where nothing is as it should be", () => {
    const mistakes = mistakesIn({ initial_state: { rooms: [], object_details: 3, agent_setup: "me" } })
    expect(mistakes).toEqual(
      expect.arrayContaining([
        "scenario_name: text <> nothing",
        'environment_type: "TextBasedRoom" <> nothing',
        "initial_state.rooms: an object <> []",
        "initial_state.object_details: an object <> 3",
        'initial_state.agent_setup: an object <> "me"',
        "win_conditions: a list of at least one condition <> nothing",
      ]),
    )
  })
})
