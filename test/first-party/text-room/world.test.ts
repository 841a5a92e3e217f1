import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { carried, look } from "../../../plugins/text-room/perception.ts"
import { holderOf, inventory, visible } from "../../../plugins/text-room/places.ts"
import { begin, document, step } from "../../../plugins/text-room/world.ts"
import { findNonJson } from "../../../src/values/Json.ts"
import { commandIn, optionsOf, play, SOLUTION, storyOf, theLostKey } from "./playing.ts"

describe("The Lost Key", () => {
  it("is won by the shortest way, with the step at which it is won", () => {
    const { world, outcomes } = play(theLostKey, ...SOLUTION)
    expect(outcomes).toEqual(SOLUTION.map(() => "ok"))
    expect(world).toMatchObject({
      won: true,
      lost: false,
      steps: 7,
      refusals: 0,
      discovered: ["brass_key"],
      milestones: ["found_the_key"],
    })
    expect(world.placed.document).toBe("inventory")
  })

  it("does not open the desk, nor show the key or what the desk holds, before they are found", () => {
    const { world, outcomes } = play(theLostKey, "open desk", "take document", "go north", "take brass key")
    expect(outcomes).toEqual(["locked", "not-here", "ok", "not-here"])
    expect(visible(theLostKey, world)).toEqual(["clock", "candle"])
  })

  it("tells nothing by refusing: what is hidden and what does not exist are refused in the same words", () => {
    const { messages } = play(theLostKey, "take document", "take unicorn")
    expect(messages).toEqual(["There is no document to be seen here.", "There is no unicorn to be seen here."])
  })

  it("hears names in any case, with spaces, hyphens and articles", () => {
    const lines = ["go North", "examine The Clock", "take Brass-Key", "go SOUTH", "use the brass key on the DESK"]
    expect(play(theLostKey, ...lines).outcomes).toEqual(["ok", "ok", "ok", "ok", "ok"])
  })

  it("is lost at its two hundredth command, and over from then on", () => {
    const waiting = Array.from({ length: 201 }, () => "examine desk")
    const { world, outcomes } = play(theLostKey, ...waiting)
    expect(outcomes.slice(-2)).toEqual(["ok", "over"])
    expect(world).toMatchObject({ lost: true, won: false, steps: 201, refusals: 1 })
  })

  it("stays won: later commands are refused and change nothing but the counts", () => {
    const { world, outcomes } = play(theLostKey, ...SOLUTION, "drop document")
    expect(outcomes.at(-1)).toBe("over")
    expect(world).toMatchObject({ won: true, steps: 8, refusals: 1 })
    expect(world.placed.document).toBe("inventory")
  })
})

describe("refusals", () => {
  const refusal = (code: string, ...lines: ReadonlyArray<string>) => ({ code, lines })
  const toTheKey = SOLUTION.slice(0, 4)

  it.each([
    refusal("no-exit", "go up"),
    refusal("not-here", "examine clock"),
    refusal("not-takeable", "take desk"),
    refusal("not-held", "drop notebook"),
    refusal("already-held", "take candle"),
    refusal("not-a-container", "open bookshelf"),
    refusal("not-a-container", "close bookshelf"),
    refusal("locked", "open desk"),
    refusal("already-closed", "close desk"),
    refusal("not-readable", "read desk"),
    refusal("not-held", "use brass key on desk"),
    refusal("no-effect", "use candle on bookshelf"),
    refusal("wrong-key", "use candle on desk"),
    refusal("no-effect", "go north", "go east", "use candle on tin"),
    refusal("already-open", "go north", "go east", "open tin", "open tin"),
    refusal("already-unlocked", ...toTheKey, "use brass key on desk", "use brass key on desk"),
    refusal("bad-arguments", "go "),
    refusal("bad-arguments", "take "),
    refusal("bad-arguments", "use  on desk"),
  ])("$lines ends in $code", ({ code, lines }) => {
    const { outcomes } = play(theLostKey, ...lines)
    expect(outcomes).toEqual([...lines.slice(1).map(() => "ok"), code])
  })

  it("say which exits there are", () => {
    expect(play(theLostKey, "go up").messages).toEqual(["There is no way up from here. Exits: north."])
  })

  it("count as steps, and again as repeated when the same command is refused for the same reason", () => {
    const { world } = play(theLostKey, "open desk", "open the Desk", "close desk", "open desk")
    expect(world).toMatchObject({ steps: 4, refusals: 4, repeatedRefusals: 2 })
    expect(world.refused).toEqual({ "open desk": ["locked"], "close desk": ["already-closed"] })
  })

  it("are no repetition when the reason is another", () => {
    const { world, outcomes } = play(
      theLostKey,
      "take document",
      ...SOLUTION.slice(0, 6),
      "close desk",
      "take document",
    )
    expect(outcomes.filter((outcome) => outcome !== "ok")).toEqual(["not-here", "not-here"])
    expect(world.repeatedRefusals).toBe(1)
    const other = play(theLostKey, "drop notebook", "go north", "drop notebook").world
    expect(other).toMatchObject({ refusals: 2, repeatedRefusals: 0 })
    expect(other.refused).toEqual({ "drop notebook": ["not-held", "not-here"] })
  })
})

describe("containers", () => {
  it("carry what is in them along, and show it while they are open", () => {
    const way = ["go north", "go east", "open tin", "take tin", "go west", "drop tin"]
    const { world } = play(theLostKey, ...way)
    expect(world.placed).toMatchObject({ tin: "room:hallway", button: "thing:tin" })
    expect(look(theLostKey, world).things).toMatchObject([
      { name: "clock" },
      { name: "tin", open: true },
      { name: "button", in: "tin" },
    ])
    const shut = play(theLostKey, ...way, "close tin").world
    expect(visible(theLostKey, shut)).not.toContain("button")
  })

  it("list what is in an open one that is carried", () => {
    const { world } = play(theLostKey, "go north", "go east", "open tin", "take tin")
    expect(inventory(theLostKey, world)).toEqual(["tin", "candle"])
    expect(carried(theLostKey, world)).toMatchObject({
      items: [{ name: "tin" }, { name: "button", in: "tin" }, { name: "candle" }],
    })
  })

  it("keep what is hidden in them to themselves while they are closed", () => {
    const story = storyOf(
      optionsOf(`
        scenario_name: False bottom
        environment_type: TextBasedRoom
        version: "1.0"
        description: A box in a cell.
        initial_state:
          rooms: { cell: { description: A cell., objects: [box] } }
          object_details:
            box: { description: A box., is_container: true, custom_properties: { hidden_item: coin } }
          agent_setup: { agent_id: player, start_room: cell }
        win_conditions: [{ type: item_in_inventory, item_name: coin }]
      `),
    )
    expect(play(story, "examine box").world.discovered).toEqual([])
    const { world, outcomes } = play(story, "open box", "examine box", "take coin")
    expect(outcomes).toEqual(["ok", "ok", "ok"])
    expect(world).toMatchObject({ discovered: ["coin"], won: true })
  })
})

describe("happenings", () => {
  const belfry = storyOf(
    optionsOf(`
      scenario_name: The bell
      environment_type: TextBasedRoom
      version: "1.0"
      description: Wake the keeper.
      initial_state:
        rooms: { belfry: { description: A belfry., exits: { down: belfry }, objects: [bell] } }
        object_details: { bell: { description: A bell. } }
        agent_setup: { agent_id: player, start_room: belfry, flags: { asleep: true } }
      win_conditions: [{ type: flag_set, agent_id: player, flag_name: awake }]
      events:
        - trigger: { type: action_taken, action_type: look, target: bell, count: 2 }
          response: { type: message_to_agent, agent_id: player, content: The rope is frayed. }
        - trigger: { type: action_taken, action_type: go, count: 3 }
          response: { type: set_flag, flag_name: awake }
    `),
  )

  it("speak when their action was carried out as often as they ask, and once only", () => {
    const messages = ["examine bell", "examine bell", "examine bell"].map(
      (_, index, lines) => play(belfry, ...lines.slice(0, index + 1)).world.messages,
    )
    expect(messages).toEqual([[], ["The rope is frayed."], []])
  })

  it("are not set off by a refused command", () => {
    expect(play(belfry, "go up", "go up", "go up").world).toMatchObject({ won: false, triggered: [0, 0] })
  })

  it("can win the story by a flag", () => {
    expect(play(belfry, "go down", "go down").world.won).toBe(false)
    expect(play(belfry, "go down", "go down", "go down").world).toMatchObject({
      won: true,
      flags: { asleep: true, awake: true },
    })
  })
})

describe("any sequence of commands", () => {
  const name = fc.constantFrom(...Object.keys(theLostKey.things), "north", "south", "east", "west", "__proto__", "")
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom("examine", "go", "take", "drop", "open", "close", "read"), name)
      .map((words) => words.join(" ")),
    fc.tuple(name, name).map(([item, on]) => `use ${item} on ${on}`),
    fc.string().map((text) => `take ${text}`),
  )
  // Starting anywhere on the way to the solution, so that the open desk and the found key are met often.
  const lines = fc
    .tuple(fc.nat(SOLUTION.length - 1), fc.array(line, { maxLength: 60 }))
    .map(([known, more]) => [...SOLUTION.slice(0, known), ...more])

  it("keeps every thing, each in one place that exists, and its world plain JSON", () => {
    fc.assert(
      fc.property(lines, (sequence) => {
        const { world } = play(theLostKey, ...sequence)
        expect(Object.keys(world.placed)).toEqual(Object.keys(theLostKey.things))
        for (const place of Object.values(world.placed)) {
          const holder = holderOf(place)
          const exists =
            place === "inventory" ||
            (holder === undefined
              ? Object.hasOwn(theLostKey.rooms, place.slice(5))
              : Object.hasOwn(world.placed, holder))
          expect(exists, place).toBe(true)
        }
        expect(findNonJson(document(theLostKey, world))).toBeUndefined()
        expect(findNonJson(look(theLostKey, world))).toBeUndefined()
        expect(findNonJson(carried(theLostKey, world))).toBeUndefined()
      }),
    )
  })

  it("counts every command, and refuses with a code and a message that says something", () => {
    fc.assert(
      fc.property(lines, (sequence) => {
        let world = begin(theLostKey)
        for (const text of sequence) {
          const next = step(theLostKey, world, commandIn(text))
          expect(next.world.steps).toBe(world.steps + 1)
          expect(next.world.refusals - world.refusals).toBe(next.refusal === undefined ? 0 : 1)
          if (next.refusal !== undefined) {
            expect(next.refusal.code).toMatch(/^[a-z]+(-[a-z]+)*$/)
            expect(next.refusal.message.length).toBeGreaterThan(10)
            expect({ ...next.world, placed: world.placed }).toEqual(next.world)
          }
          world = next.world
        }
        expect(world.repeatedRefusals).toBeLessThanOrEqual(world.refusals)
      }),
    )
  })

  it("changes no world in place", () => {
    fc.assert(
      fc.property(lines, line, (sequence, last) => {
        const { world } = play(theLostKey, ...sequence)
        const before = JSON.stringify(world)
        step(theLostKey, world, commandIn(last))
        expect(JSON.stringify(world)).toBe(before)
      }),
    )
  })
})
