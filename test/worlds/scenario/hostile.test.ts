/** Files that nobody writes by accident: each is refused soon, with a short message, or played in bounded time. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scenario from "../../../src/worlds/scenario/Scenario.ts"
import { decoded, mistakesIn } from "./given.ts"

const bare = `
scenario_name: Bare
environment_type: text-room
version: "1"
description: Nothing.
win_conditions: [{ type: max_steps_reached, steps: 10 }]`

const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index))

/** Decodes a text that is refused, and says how long that took and what the message is. */
const refused = (text: string) =>
  Effect.gen(function* () {
    const before = performance.now()
    const { message, mistakes } = yield* Effect.flip(Scenario.decode(text, "scenario.yaml"))
    return { message, mistakes, took: performance.now() - before }
  })

/** Far above what any of them takes, and far below what quadratic work does. */
const SOON = 10_000

describe("a hostile scenario", { timeout: 60_000 }, () => {
  it.effect("that is too long is refused by its length", () =>
    Effect.gen(function* () {
      const { message, took } = yield* refused(`${bare}\n# ${"x".repeat(1_000_000)}`)
      expect(message).toMatch(/1:1 \(the whole file\): expected a text of at most 1000000 characters, found 1000\d+$/)
      expect(took).toBeLessThan(SOON)
    }),
  )

  it.effect("with 20,000 fields, or names that are 100,000 long, is refused in linear time with a short message", () =>
    Effect.gen(function* () {
      const fields = yield* refused(`${bare}\n${many(20_000, (index) => `field_${index}: 1`).join("\n")}`)
      expect(fields.mistakes).toHaveLength(20_000)
      expect(fields.message.split("\n")).toHaveLength(52)
      expect(fields.message).toMatch(/and 19950 more$/)
      expect(fields.took).toBeLessThan(SOON)

      const long = "x".repeat(100_000)
      const names = yield* refused(`${bare}
initial_state: { rooms: { ${long}: { description: a, exits: { ${long}: ${long}y } } }, agent_setup: { agent_id: a } }
events: [{ trigger: { type: item_found, item_name: ${long} }, response: { type: set_flag, agent_id: ${long}, flag_name: f } }]
${long}: 1`)
      expect(names.message.length).toBeLessThan(10_000)
      expect(names.took).toBeLessThan(SOON)
    }),
  )

  it.effect("with 5,000 rooms whose exits lead nowhere lists some of them, and some of the names", () =>
    Effect.gen(function* () {
      const rooms = many(5_000, (index) => `    room_${index}: { description: a, exits: { north: rum_${index} } }`)
      const { message, mistakes, took } = yield* refused(`${bare}\ninitial_state:\n  rooms:\n${rooms.join("\n")}`)
      expect(mistakes).toHaveLength(5_000)
      expect(message.length).toBeLessThan(100_000)
      expect(message).toContain("room_19 and 4980 more), found")
      expect(took).toBeLessThan(SOON)
    }),
  )

  it.effect("with more events, conditions or agents than are looked at after each command is refused", () =>
    Effect.gen(function* () {
      const event = "{ trigger: { type: step_reached, steps: 1 }, response: { type: set_flag, flag_name: f } }"
      const events = yield* refused(`${bare}\nevents: [${many(1001, () => event).join(",")}]`)
      expect(events.message).toContain("/events: expected a list of at most 1000 events, found a list of 1001")
      const agents = many(1001, (index) => `{ agent_id: a${index} }`)
      expect((yield* refused(`${bare}\ninitial_state: { agent_setup: [${agents.join(",")}] }`)).message).toContain(
        "1000",
      )
      const conditions = many(101, () => "{ type: max_steps_reached, steps: 1 }")
      expect((yield* refused(`${bare}\nlose_conditions: [${conditions.join(",")}]`)).message).toContain(
        "/lose_conditions: expected a list of at most 100 conditions, found a list of 101",
      )
    }),
  )

  it.effect("that is nested too deep, as lists, objects or YAML's own, is refused with a place", () =>
    Effect.gen(function* () {
      const deep = (levels: number) => `${bare}\nconfiguration: { a: ${"[".repeat(levels)}${"]".repeat(levels)} }`
      for (const text of [
        deep(110),
        deep(50_000),
        `${bare}\nx: ${"[".repeat(50_000)}`,
        `${bare}\n${"- ".repeat(50_000)}`,
      ]) {
        const { message, took } = yield* refused(text)
        expect(message.split("\n")[1]).toMatch(/^ {2}\d+:\d+ /)
        expect(message.length).toBeLessThan(100_000)
        expect(took).toBeLessThan(SOON)
      }
      expect((yield* refused(deep(110))).message).toContain(
        "expected at most 100 levels of lists and objects, found more",
      )
      yield* decoded(deep(90))
    }),
  )

  it.effect("with a rule that is too long, too deep or too slow is refused", () =>
    Effect.gen(function* () {
      const rule = (source: string) =>
        Effect.map(
          refused(
            bare.replace("{ type: max_steps_reached, steps: 10 }", `{ type: rule, rule: ${JSON.stringify(source)} }`),
          ),
          ({ message }) => message,
        )
      expect(yield* rule(many(3_000, () => "true").join(" && "))).toContain("of at most 10000 characters")
      expect(yield* rule(`${"(".repeat(4_000)}true${")".repeat(4_000)}`)).toContain("expected a CEL expression")
      expect(yield* rule("[1,2].all(a, [1,2].all(b, [1,2].all(c, a == b)))")).toContain("can grow faster")
    }),
  )

  it.effect("with names of JavaScript's own is refused or taken as what it is", () =>
    Effect.gen(function* () {
      expect(yield* mistakesIn(`${bare}\ninitial_state: { rooms: { __proto__: { description: a } } }`)).toEqual([
        '7:27 /initial_state/rooms/__proto__: expected another name, found "__proto__"',
      ])
      const { scenario } = yield* decoded(
        `${bare}\ninitial_state: { rooms: { constructor: { description: a }, hasOwnProperty: { description: b } } }`,
      )
      expect(Object.keys(scenario.initial_state?.rooms ?? {})).toEqual(["constructor", "hasOwnProperty"])
      expect(yield* mistakesIn(`${bare}\n? [a, b]\n: 1`)).toEqual([
        expect.stringContaining("expected a name for each field, found none"),
      ])
    }),
  )

  it.effect("escapes what a terminal would obey", () =>
    Effect.gen(function* () {
      const { message } = yield* refused(`${bare}\n"\\u001b[2Jx\\u202e": 1`)
      expect(["\u001b", "\u202e"].filter((one) => message.includes(one))).toEqual([])
    }),
  )
})

describe("a scenario as other editors write it", () => {
  it.effect(
    "with a byte-order mark, CRLF, tabs between words and composed letters is the same, with the same places",
    () =>
      Effect.gen(function* () {
        const text = bare.trimStart()
        const { digest } = yield* decoded(text)
        const crlf = `\uFEFF${text.replaceAll("\n", "\r\n")}`
        expect((yield* decoded(crlf)).digest).toBe(digest)
        expect(yield* mistakesIn(`${crlf}\r\ncolour: blue`)).toEqual([
          expect.stringMatching(/^6:1 \/colour: expected one of the fields/),
        ])
        const door = (name: string) => `${text}
initial_state: { rooms: { ${name}: { description: a, exits: { n: ${name.normalize("NFD")} } } } }`
        yield* decoded(door("café"))
      }),
  )
})
