import { it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { describe, expect } from "vitest"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import * as Comparison from "../../src/projections/comparison/Comparison.ts"
import * as Trend from "../../src/projections/comparison/Trend.ts"
import * as DidYouMean from "../../src/values/DidYouMean.ts"
import * as Options from "../../src/values/Options.ts"
import { outside } from "../wrongOptions.ts"

interface Lamp {
  readonly colour: "red" | "green"
  readonly watts?: number
  readonly parts?: ReadonlyArray<{ readonly name: string }>
  readonly onSwitch?: () => void
  readonly extra?: unknown
}

const Lamp = Options.of<Lamp>({
  required: { colour: Schema.Literal("red", "green") },
  optional: {
    watts: Options.wholeNumber(1, 100),
    parts: Schema.Array(Schema.Struct({ name: Options.Name })),
    onSwitch: Options.callable<() => void>(),
    extra: Schema.Unknown,
  },
})

const lines = (value: unknown) =>
  Either.match(Options.decode("a lamp", Lamp, value), {
    onLeft: ({ problems }) => problems.map(Options.describe),
    onRight: () => [],
  })

describe("options", () => {
  it("options that are right are answered as a copy, with functions as they are", () => {
    const onSwitch = () => {}
    const given = { colour: "red", parts: [{ name: "bulb" }], onSwitch, extra: { deep: [1] } }
    const decoded = Either.getOrThrow(Options.decode("a lamp", Lamp, given))
    given.parts.push({ name: "\u0000" })
    given.extra.deep.push(2)
    expect(decoded).toEqual({ colour: "red", parts: [{ name: "bulb" }], onSwitch, extra: { deep: [1] } })
  })

  it("are read once: what a getter says later does not count", () => {
    let asked = 0
    const given = {
      get colour() {
        return asked++ === 0 ? "red" : "blue"
      },
    }
    expect(Options.decode("a lamp", Lamp, given)).toEqual(Either.right({ colour: "red" }))
    expect(asked).toBe(1)
  })

  it.each([
    [{}, ['colour: expected "red" or "green", found nothing.']],
    [{ colour: "Red " }, ['colour: expected "red" or "green", found "Red ". Did you mean "red"?']],
    [
      { colour: "red", wats: 5 },
      [
        "wats: expected one of the fields colour, watts, parts, onSwitch, extra, found an unknown field. Did you mean watts?",
      ],
    ],
    [
      { colour: "red", watts: 1.5, onSwitch: {}, parts: [{ name: "" }, null] },
      [
        "watts: expected a whole number from 1 to 100, found 1.5.",
        'parts[0].name: expected 1 to 200 printable characters, without spaces at the ends, found "".',
        "parts[1]: expected an object, found null.",
        "onSwitch: expected a function, found an object.",
      ],
    ],
    [
      Object.create({ colour: "red" }),
      ["(all of them): expected an object of keys and values, found an object of a class."],
    ],
    [new Date(0), ["(all of them): expected an object of keys and values, found an instance of Date."]],
    ["red", ['(all of them): expected an object, found "red".']],
  ])("options that are wrong are told where, what was expected and what was found: %j", (given, expected) => {
    expect(lines(given)).toEqual(expected)
  })

  it("options from another realm of JavaScript are options too", async () => {
    const { runInNewContext } = await import("node:vm")
    expect(lines(runInNewContext("({ colour: 'red', parts: [{ name: 'bulb' }] })"))).toEqual([])
  })

  it("options with a key called __proto__ name it", () => {
    expect(lines(JSON.parse('{"colour":"red","__proto__":{"watts":5}}'))).toEqual([
      "__proto__: expected one of the fields colour, watts, parts, onSwitch, extra, found an unknown field.",
    ])
  })
})

describe("the nearest name", () => {
  it("may have two letters in each other's place", () => {
    expect(DidYouMean.similarNames("rnu", ["run", "net"])).toEqual(["run"])
    expect(DidYouMean.similarNames("defualt", ["rules", "default"])).toEqual(["default"])
  })
})

describe("functions that answer at once", () => {
  const scoring = { name: "a", scores: new Map() }
  const path = (answer: Either.Either<unknown, unknown>) =>
    Either.match(answer, {
      onLeft: (error) => (error instanceof Options.InvalidOptions ? error.problems.map(({ path }) => path) : error),
      onRight: () => [],
    })

  it("refuse options as all others do", () => {
    expect(path(Comparison.compare(outside(scoring), outside(scoring), outside({ values: "net", seed: 0.5 })))).toEqual(
      ["values", "seed"],
    )
    expect(path(Trend.trend([], outside(scoring), outside({ value: "nett", agentOf: "agent" })))).toEqual([
      "value",
      "agentOf",
    ])
  })

  it("refuse to extend a vocabulary by what is no event type", () => {
    expect(() => Vocabulary.extend(Vocabulary.core, outside([{ name: "acme/Ordered" }]))).toThrow(
      "Vocabulary.extend: expected event types, as `EventType.eventType` makes them, found an object",
    )
  })
})
