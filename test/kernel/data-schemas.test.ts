import * as path from "node:path"
import { it } from "@effect/vitest"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Effect, Layer, Schema } from "effect"
import * as v from "valibot"
import { describe, expect, expectTypeOf } from "vitest"
import { z } from "zod"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as DataSchema from "../../src/kernel/program/DataSchema.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import type { InvalidOptions } from "../../src/values/Options.ts"
import type { StandardSchema } from "../../src/values/schema/StandardSchema.ts"
import { temporaryDirectory } from "../temporary.ts"
import { outside } from "../wrongOptions.ts"
import { events } from "./given.ts"
import { testKernel } from "./testKernel.ts"

interface Inhabitants {
  readonly city: string
  readonly year: number
}

/** The same tool, described by the schema of each library. `run` gets the default year. */
const described = {
  zod: Tool.make({
    description: "Counts",
    risk: "none",
    args: z.object({ city: z.string(), year: z.number().default(2020) }),
    result: z.object({ inhabitants: z.number() }),
    run: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; year: number }>()
      return { inhabitants: counted(args) }
    },
  }),
  valibot: Tool.make({
    description: "Counts",
    risk: "none",
    args: toStandardJsonSchema(v.object({ city: v.string(), year: v.optional(v.number(), 2020) })),
    result: toStandardJsonSchema(v.object({ inhabitants: v.number() })),
    run: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; year: number }>()
      return { inhabitants: counted(args) }
    },
  }),
  arktype: Tool.make({
    description: "Counts",
    risk: "none",
    args: type({ city: "string", year: "number = 2020" }),
    result: type({ inhabitants: "number" }),
    run: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; year: number }>()
      return { inhabitants: counted(args) }
    },
  }),
  effect: Tool.make({
    description: "Counts",
    risk: "none",
    args: Schema.Struct({
      city: Schema.String,
      year: Schema.optionalWith(Schema.Number, { exact: true, default: () => 2020 }),
    }),
    result: Schema.Struct({ inhabitants: Schema.Number }),
    run: (args) => {
      expectTypeOf(args).toEqualTypeOf<Inhabitants>()
      return { inhabitants: counted(args) }
    },
  }),
  json: Tool.make({
    description: "Counts",
    risk: "none",
    args: {
      type: "object",
      properties: { city: { type: "string" }, year: { type: "number" } },
      required: ["city"],
    },
    result: { type: "object", properties: { inhabitants: { type: "number" } }, required: ["inhabitants"] },
    run: (args) => {
      expectTypeOf(args).toEqualTypeOf<{ readonly city: string; readonly year?: number }>()
      return { inhabitants: counted({ year: 2020, ...args }) }
    },
  }),
}

const counted = ({ city, year }: Inhabitants) => (city === "Basel" ? year * 10 : 0)

/** A kernel with tools, and an open task. */
const opened = (options: Parameters<typeof testKernel>[0]) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel(options)).start
    const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "call tools", id: "t" })))
    return { run, task }
  })

const problemsOf = (options: object) =>
  Effect.gen(function* () {
    const log = path.join(yield* temporaryDirectory, "log.db")
    const layer: Layer.Layer<never, unknown> = Hindcast.layer(outside({ log, ...options }))
    return ((yield* Effect.flip(Effect.scoped(Layer.build(layer)))) as InvalidOptions).problems
  })

describe("a tool described by the schema of any library", () => {
  for (const library of Object.keys(described) as ReadonlyArray<keyof typeof described>) {
    it.scopedLive(`${library}: receives decoded arguments; those that do not fit are denied by path`, () =>
      Effect.gen(function* () {
        const { run, task } = yield* opened({ tools: { count: described[library] } })
        expect(yield* task.act("program/count", { city: "Basel" })).toMatchObject({
          status: "succeeded",
          result: { inhabitants: 20_200 },
        })
        expect(yield* task.act("program/count", { city: "Basel", year: 1900 })).toMatchObject({
          result: { inhabitants: 19_000 },
        })
        expect(yield* task.act("program/count", { city: 7 })).toMatchObject({
          status: "denied",
          reason: expect.stringContaining("args.city: expected string, found 7"),
        })
        expect((yield* run(events("CommandDispatched"))).length).toBe(2)
      }),
    )
  }

  it.scopedLive("is declared to agents by what it takes before its defaults, and gives after them", () =>
    Effect.gen(function* () {
      const pages = z.object({ pages: z.number().default(1) })
      const book = Tool.make({ description: "Opens", risk: "none", args: pages, result: pages, run: () => ({}) })
      const { run, task } = yield* opened({ tools: { book } })
      const [imported] = yield* run(events("PluginImported"))
      expect(imported?.payload).toMatchObject({
        manifest: {
          peas: {
            actuators: [
              {
                args: { type: "object", properties: { pages: { type: "number", default: 1 } } },
                result: { type: "object", required: ["pages"] },
              },
            ],
          },
        },
      })
      // The function returned nothing; the schema added the default.
      expect(yield* task.act("program/book", {})).toMatchObject({ status: "succeeded", result: { pages: 1 } })
    }),
  )

  it.scopedLive(
    "fails the command where only validating finds the mistake, and waits for a schema that takes time",
    () =>
      Effect.gen(function* () {
        const even = z.object({ n: z.number().refine(async (n) => n % 2 === 0, "expected an even number") })
        const half = Tool.make({ description: "Halves", risk: "none", args: even, run: ({ n }) => n / 2 })
        const { task } = yield* opened({ tools: { half } })
        expect(yield* task.act("program/half", { n: 8 })).toMatchObject({ status: "succeeded", result: 4 })
        expect(yield* task.act("program/half", { n: 7 })).toMatchObject({
          status: "failed",
          error: { code: "ArgumentsInvalid", message: "n: expected an even number" },
        })
      }),
  )

  it.scopedLive("says what is wrong with a result and a reading that do not fit", () =>
    Effect.gen(function* () {
      const lies = (): number => "many" as never
      const result = z.object({ count: z.number() })
      const tool = Tool.make({ description: "Lies", risk: "none", result, run: () => ({ count: lies() }) })
      const sensor = Sensor.make({ description: "Lies", reading: z.number(), read: lies })
      const { run, task } = yield* opened({ tools: { tool }, sensors: { sensor } })
      expect(yield* task.act("program/tool")).toMatchObject({
        status: "succeeded",
        result: null,
        unrecorded: "count: Invalid input: expected number, received string",
      })
      expect(yield* task.perceive()).toEqual([])
      const [failed] = yield* run(events("SensorFailed"))
      expect(JSON.stringify(failed?.payload)).toContain("expected number, received string")
    }),
  )
})

describe("a schema that cannot describe a tool", () => {
  const tool = { description: "Does it", run: () => 1 }
  const cases: ReadonlyArray<readonly [string, object, RegExp]> = [
    [
      "a bare schema of valibot",
      { args: v.object({}) },
      /valibot that has no JSON Schema\. Wrap it: toStandardJsonSchema/,
    ],
    ["a date of zod", { args: z.object({ at: z.date() }) }, /a schema of zod: Date cannot be represented/],
    ["a list of zod", { args: z.array(z.string()) }, /"array"/],
    ["a result of zod that JSON lacks", { result: z.bigint() }, /BigInt cannot be represented/],
    [
      "one whose JSON Schema throws",
      {
        args: standard({
          input: () => {
            throw new Error("no")
          },
        }),
      },
      /a schema of mine: no/,
    ],
    ["one whose JSON Schema is none", { args: standard({ input: () => ({ type: 7 }) }) }, /"array", "boolean".*, 7/],
    ["a class", { args: new Map() }, /an instance of Map/],
  ]
  for (const [what, schemas, message] of cases) {
    it.scopedLive(`is refused before a log is opened: ${what}`, () =>
      Effect.gen(function* () {
        const problems = yield* problemsOf({ tools: { wrong: { ...tool, ...schemas } } })
        const [field] = Object.keys(schemas)
        expect(problems.map(({ path }) => path.startsWith(`tools.wrong.${field}`))).toEqual([true])
        expect(problems.map(({ expected, found }) => `${expected}, ${found}`).join()).toMatch(message)
      }),
    )
  }
})

/** A Standard Schema of a library that nobody knows. */
function standard(jsonSchema: object): StandardSchema {
  const validate = (value: unknown) => ({ value })
  return outside({
    "~standard": { version: 1, vendor: "mine", validate, jsonSchema: { output: () => ({}), ...jsonSchema } },
  })
}

describe("the type of a JSON Schema's values", () => {
  it("follows literals, and is JSON where it cannot be known", () => {
    type Of<S extends DataSchema.DataSchema> = DataSchema.Described<S, JsonObject>
    expectTypeOf<Of<{ readonly enum: readonly ["a", 1] }>>().toEqualTypeOf<"a" | 1>()
    expectTypeOf<Of<{ readonly type: readonly ["string", "null"] }>>().toEqualTypeOf<string | null>()
    expectTypeOf<Of<{ readonly type: "array"; readonly items: { readonly type: "integer" } }>>().toEqualTypeOf<
      ReadonlyArray<number>
    >()
    expectTypeOf<
      Of<{ readonly anyOf: readonly [{ readonly const: 1 }, { readonly type: "boolean" }] }>
    >().toEqualTypeOf<1 | boolean>()
    expectTypeOf<Of<{ readonly $ref: "#/$defs/a"; readonly type: "string" }>>().toEqualTypeOf<JsonObject>()
    expectTypeOf<Of<JsonObject>>().toEqualTypeOf<JsonObject>()
    const given = z.toJSONSchema(z.object({ city: z.string() }))
    expectTypeOf(given).toExtend<DataSchema.DataSchema>()
    expect(DataSchema.mistakes(given, "received")).toEqual([])
  })
})
