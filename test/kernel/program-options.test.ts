import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import type { InvalidOptions } from "../../src/values/Options.ts"
import { temporaryDirectory } from "../temporary.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { writePlugin } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const tool = { description: "Does it", run: () => 1 }

/** Why a layer with these options is not built. */
const refused = (options: object) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const layer: Layer.Layer<never, unknown> = Hindcast.layer(
      outside({ log: path.join(directory, "log.db"), workspace: directory, ...options }),
    )
    return yield* Effect.flip(Effect.scoped(Layer.build(layer)))
  })

const problemsOf = (options: object) =>
  Effect.map(refused(options), (error) => {
    expect(placesOf(error)).not.toEqual([])
    return (error as InvalidOptions).problems
  })

describe("the tools and sensors of a layer", () => {
  it.scopedLive("are refused with all that is wrong in them, and nothing is recorded", () =>
    Effect.gen(function* () {
      const error = yield* refused({
        tools: {
          "two words": tool,
          "a/b": tool,
          ["x".repeat(65)]: tool,
          bare: 1,
          noRun: { description: "Does it", run: "now" },
          unknown: { ...tool, rsk: "low" },
          risky: { ...tool, risk: "mild" },
          blank: { ...tool, description: " " },
          unseen: { ...tool, description: "Does\u202eit" },
          slow: { ...tool, timeout: 0 },
          noSchema: { ...tool, args: 42 },
          badSchema: { ...tool, args: { type: "banana" }, result: { type: "object", properties: 1 } },
          noObject: { ...tool, args: Schema.String },
          noJson: { ...tool, args: { type: "object", default: Number.NaN } },
          foreign: { ...tool, args: Schema.Struct({ when: Schema.DateFromSelf }), result: Schema.instanceOf(Map) },
        },
        sensors: {
          risky: { description: "Sees", read: () => 1 },
          noRead: { description: "Sees" },
          often: { description: "Sees", read: () => 1, every: -1, interval: 5 },
        },
        seed: -1,
      })
      expect([...placesOf(error)].sort()).toEqual(
        [
          'tools["two words"]',
          'tools["a/b"]',
          `tools.${"x".repeat(65)}`,
          "tools.bare",
          "tools.noRun.run",
          "tools.unknown.rsk: risk?",
          "tools.risky.risk",
          "tools.blank.description",
          "tools.unseen.description",
          "tools.slow.timeout",
          "tools.noSchema.args",
          "tools.badSchema.args.type",
          "tools.badSchema.result.properties",
          "tools.noObject.args",
          "tools.noJson.args.default",
          "tools.foreign.args",
          "tools.foreign.result",
          "sensors.risky",
          "sensors.noRead.read",
          "sensors.often.every",
          "sensors.often.interval",
          "seed",
        ].sort(),
      )
    }),
  )

  it.scopedLive("are objects by name: a list or a map is none", () =>
    Effect.gen(function* () {
      expect(placesOf(yield* refused({ tools: [tool] }))).toEqual(["tools"])
      expect(placesOf(yield* refused({ sensors: new Map([["a", 1]]) }))).toEqual(["sensors"])
    }),
  )

  it.scopedLive("have no name that an object would lose", () =>
    Effect.gen(function* () {
      expect(placesOf(yield* refused({ tools: { ["__proto__"]: tool } }))).toEqual(["tools.__proto__"])
      expect(placesOf(yield* refused({ sensors: JSON.parse('{"__proto__":{}}') }))).toContain("sensors.__proto__")
    }),
  )

  it.scopedLive("that share a name are told so, because both are called `program/name`", () =>
    Effect.gen(function* () {
      const sensors = { same: { description: "Sees", read: () => 1 } }
      expect(yield* problemsOf({ tools: { same: tool }, sensors })).toEqual([
        {
          path: "sensors.same",
          expected: "each tool and sensor to have a name of its own, because both are called `program/name`",
          found: '"same", which a tool has already',
        },
      ])
    }),
  )

  it.scopedLive("say why an Effect Schema cannot be written as JSON Schema", () =>
    Effect.gen(function* () {
      const args = Schema.Struct({ when: Schema.DateFromSelf })
      const [problem] = yield* problemsOf({ tools: { at: { ...tool, args } } })
      expect(problem).toMatchObject({
        path: "tools.at.args",
        expected: "a schema that can be written as JSON Schema",
        found: expect.stringContaining("when"),
      })
    }),
  )

  it.scopedLive("may have parts that any value fits, optional fields, unions, classes and defaults", () =>
    Effect.gen(function* () {
      class Money extends Schema.Class<Money>("Money")({ amount: Schema.Number }) {}
      const args = Schema.Struct({
        any: Schema.Unknown,
        object: Schema.Object,
        other: Schema.Unknown,
        many: Schema.optionalWith(Schema.Number, { default: () => 3 }),
        money: Money,
        kind: Schema.Union(Schema.Literal("a"), Schema.Int.pipe(Schema.positive())),
      })
      const many = Tool.make({
        description: "Takes all",
        args,
        risk: "none",
        run: ({ many, money }) => [many, money instanceof Money, money.amount],
      })
      const { start } = yield* testKernel({ tools: { many } })
      const { run } = yield* start
      const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "take" })))
      const given = { any: 1, object: {}, other: [], money: { amount: 2 }, kind: "a" }
      expect(yield* task.act("program/many", given)).toMatchObject({ status: "succeeded", result: [3, true, 2] })
    }),
  )
})

describe("a plugin from a directory that is named `program`", () => {
  const sample = {
    name: "program",
    sensors: [{ name: "look" }],
    entry: "export default { sensors: { look: () => 1 } }",
  }

  it.scopedLive("and tools of the program exclude each other, whichever came first", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const source = writePlugin(path.join(directory, "sources", "program"), sample)
      const log = path.join(directory, "log.db")
      const both = Hindcast.layer({ log, workspace: directory, plugins: [source], tools: { it: Tool.make(tool) } })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(both)))
      expect(error).toMatchObject({ _tag: "SourceRefused", source })
      expect(error.message).toContain("reserved for the tools and sensors")

      const other = path.join(directory, "other.db")
      const imported = Hindcast.layer({ log: other, workspace: directory, plugins: [source] })
      yield* Effect.scoped(Layer.build(imported))
      const clock = Sensor.make({ description: "Sees", read: () => 1 })
      const declared = Hindcast.layer({ log: other, workspace: directory, sensors: { clock } })
      const taken = yield* Effect.flip(Effect.scoped(Layer.build(declared)))
      expect(taken).toMatchObject({ _tag: "SourceRefused" })
      expect(taken.message).toContain(`imported from ${source}; \`hindcast plugin remove program\``)

      yield* Effect.gen(function* () {
        const registry = yield* Registry
        expect(Object.keys((yield* registry.state).program?.components ?? {})).toEqual(["look"])
        yield* registry.remove("program")
      }).pipe(Effect.provide(Hindcast.layerLog({ log: other, workspace: directory })))
      yield* Effect.gen(function* () {
        const events = yield* (yield* EventLog).readPage({ types: ["PluginImported"] }, 10)
        expect(events.map(({ payload }) => payload.source)).toEqual([source, "in-process"])
      }).pipe(Effect.provide(declared))
    }),
  )
})
