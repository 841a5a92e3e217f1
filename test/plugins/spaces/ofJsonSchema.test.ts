import { describe, expect, it } from "vitest"
import { ofJsonSchema } from "../../../src/plugins/spaces/ofJsonSchema.ts"
import { contains, jsonSchemaOf, type Space } from "../../../src/plugins/spaces/Space.ts"
import type { JsonObject } from "../../../src/values/Json.ts"

const real = { type: "number" }
const box = { type: "Box", dtype: "float64" } as const
const infinite = { low: "-Infinity", high: "Infinity" } as const

describe("the space of a JSON Schema", () => {
  it.each<[string, JsonObject, Space]>([
    ["a whole number in bounds", { type: "integer", minimum: 2, maximum: 5 }, { type: "Discrete", n: 4, start: 2 }],
    [
      "exclusive bounds",
      { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 3 },
      { type: "Discrete", n: 2, start: 1 },
    ],
    ["any whole number", { type: "integer" }, { type: "Box", dtype: "int64", shape: [], ...infinite }],
    ["a number", { type: "number", minimum: -1 }, { ...box, shape: [], low: -1, high: "Infinity" }],
    ["a truth value", { type: "boolean" }, { type: "Box", dtype: "bool", shape: [], low: false, high: true }],
    ["a text", { type: "string", minLength: 1, maxLength: 9 }, { type: "Text", min_length: 1, max_length: 9 }],
    ["a list", { type: "array", items: real }, { type: "Sequence", feature_space: { ...box, shape: [], ...infinite } }],
    ["three numbers", { type: "array", items: real, minItems: 3, maxItems: 3 }, { ...box, shape: [3], ...infinite }],
    [
      "an object",
      { type: "object", properties: { x: { type: "boolean" } }, required: ["x"] },
      { type: "Dict", subspaces: { x: { type: "Box", dtype: "bool", shape: [], low: false, high: true } } },
    ],
  ])("has %s", (_, schema, space) => {
    expect(ofJsonSchema(schema)).toEqual(space)
  })

  it.each<[string, JsonObject]>([
    ["null", { type: ["string", "null"] }],
    ["alternatives", { anyOf: [real, { type: "null" }] }],
    ["any keys", { type: "object", additionalProperties: true, properties: { x: real }, required: ["x"] }],
    ["a key that may be absent", { type: "object", properties: { x: real }, required: [] }],
    ["no schema", {}],
    ["a reference to elsewhere", { $ref: "https://example.org/schema" }],
    ["a reference that lacks its definition", { $ref: "#/$defs/constructor" }],
    ["lower bounds above upper ones", { type: "number", minimum: 2, maximum: 1 }],
    [
      "__proto__",
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"number"}},"required":["__proto__"]}'),
    ],
    ["an endless reference", { $ref: "#/$defs/Self" }],
    ["a list of a million lists", { type: "array", minItems: 1_000_000, maxItems: 1_000_000, items: real }],
  ])("is none for %s", (_, schema) => {
    const root = { $defs: { Self: { type: "array", items: { $ref: "#/$defs/Self" } } } }
    expect(ofJsonSchema(schema, root)).toBeUndefined()
  })

  it.each<[Space, unknown]>([
    [{ type: "Discrete", n: 3, start: -1 }, -1],
    [{ ...box, shape: [2], low: [-1, 0], high: [1, "Infinity"] }, [0.5, 3]],
    [
      { ...box, shape: [2, 2], low: 0, high: 1 },
      [
        [0, 1],
        [1, 0],
      ],
    ],
    [
      { type: "Dict", subspaces: { a: { type: "Text", max_length: 4 }, b: { type: "Discrete", n: 2 } } },
      { a: "x", b: 1 },
    ],
    [
      {
        type: "Tuple",
        subspaces: [
          { type: "Discrete", n: 2 },
          { type: "Text", max_length: 3 },
        ],
      },
      [1, "no"],
    ],
    [{ type: "Sequence", feature_space: { type: "Discrete", n: 2 } }, [1, 0, 1]],
    [{ type: "MultiDiscrete", nvec: [2, 3] }, [1, 2]],
  ])("of a space's own schema has its values: %j", (space, value) => {
    expect(contains(space, value)).toBeUndefined()
    const again = ofJsonSchema(jsonSchemaOf(space))
    expect(again && contains(again, value)).toBeUndefined()
    expect(again).toBeDefined()
  })

  it("of a schema that refers to itself a million million times is none", () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `p${index}`)
    const wide = (to: string) => ({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${to}` }])),
      required: names,
      additionalProperties: false,
    })
    const $defs = { a: wide("b"), b: wide("c"), c: wide("d"), d: { type: "boolean" } }
    expect(ofJsonSchema({ $ref: "#/$defs/a" }, { $defs })).toBeUndefined()
    const long = (items: JsonObject): JsonObject => ({ type: "array", minItems: 1_000, maxItems: 1_000, items })
    const text = { type: "string" }
    expect(ofJsonSchema(long(long(long(long(text)))))).toBeUndefined()
    const pair = { type: "array", prefixItems: [{ ...real, minimum: 0 }, real], minItems: 2, maxItems: 2 }
    expect(ofJsonSchema(long(long(long(long(pair)))))).toBeUndefined()
    expect(ofJsonSchema(long(long(real)))).toEqual({ ...box, shape: [1_000, 1_000], ...infinite })
  })
})
