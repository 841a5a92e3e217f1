import { Effect } from "effect"
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import * as Check from "../../src/plugins/schemas/Check.ts"
import * as ComponentSchemas from "../../src/plugins/schemas/ComponentSchemas.ts"
import type { Json, JsonObject } from "../../src/values/Json.ts"

const shape = (kind: string, size: string) => ({
  type: "object",
  properties: { kind: { const: kind }, [size]: { type: "number" } },
  required: ["kind", size],
})

beforeAll(() => Effect.runPromise(ComponentSchemas.load))

const item: JsonObject = {
  type: "object",
  properties: { item: { type: "string" }, count: { type: "integer", minimum: 1 } },
  required: ["item"],
  additionalProperties: false,
}

const disagreement = (schema: JsonObject, value: Json, part: ComponentSchemas.SchemaPart = "args") =>
  ComponentSchemas.validationError(part, schema, value)

const DRAFT_07 = "http://json-schema.org/draft-07/schema#"

describe("a value and its schema", () => {
  it("a value that agrees, and one that nothing is said about, pass", () => {
    expect(disagreement(item, { item: "lamp", count: 2 })).toBeUndefined()
    expect(ComponentSchemas.validationError("args", undefined, { anything: 1 })).toBeUndefined()
  })

  it("each disagreement names its path, what was expected and what was found, all at once", () => {
    expect(disagreement(item, { item: 3, count: 0, colour: "red" })).toBe(
      "args.colour: expected one of the fields item, count, found an unknown field; " +
        "args.item: expected string, found 3; args.count: expected a value >= 1, found 0",
    )
    expect(disagreement(item, {})).toBe("args.item: expected string, found nothing")
  })

  it.each<[string, JsonObject, Json, string]>([
    ["a list's item", { items: { type: "string" } }, ["a", 1], "reading[1]: expected string, found 1"],
    [
      "an odd name",
      { properties: { "a b": { type: "null" } } },
      { "a b": [] },
      'reading["a b"]: expected null, found an empty list',
    ],
    ["types", { type: ["string", "null"] }, { a: 1 }, "reading: expected string or null, found an object"],
    ["an enum", { enum: ["north", 2] }, "up", 'reading: expected one of "north", 2, found "up"'],
    ["a const", { const: null }, 1, "reading: expected null, found 1"],
    ["a maximum", { exclusiveMaximum: 5 }, 5, "reading: expected a value < 5, found 5"],
    ["a multiple", { multipleOf: 2 }, 3, "reading: expected a multiple of 2, found 3"],
    ["a length", { maxLength: 2 }, "abc", 'reading: expected at most 2 characters, found "abc"'],
    ["a count of items", { minItems: 1 }, [], "reading: expected at least 1 item, found an empty list"],
    ["a count of fields", { maxProperties: 0 }, { a: 1 }, "reading: expected at most 0 fields, found an object"],
    ["a tuple", { prefixItems: [true], items: false }, [1, 2], "reading: expected at most 1 item, found a list of 2"],
    [
      "a repetition",
      { uniqueItems: true },
      [1, 2, 1],
      "reading: expected items that differ; items 0 and 2 are the same, found a list of 3",
    ],
    ["a pattern", { pattern: "^a+$" }, "b", 'reading: expected text that matches ^a+$, found "b"'],
    ["a format", { format: "date" }, "soon", 'reading: expected text in the format date, found "soon"'],
    [
      "alternatives",
      { anyOf: [{ type: "string" }, { type: "number" }] },
      true,
      "reading: expected string or number, found true",
    ],
    [
      "alternatives that a constant tells apart",
      { anyOf: [shape("circle", "radius"), shape("square", "side")] },
      { kind: "square", side: "long" },
      'reading.side: expected number, found "long"',
    ],
    [
      "a constant of no alternative",
      { anyOf: [shape("circle", "radius"), shape("square", "side")] },
      { kind: "cube" },
      'reading.kind: expected one of "circle", "square", found "cube"',
    ],
    [
      "a constant that does not tell alternatives apart",
      { anyOf: [shape("circle", "radius"), { type: "null" }] },
      { kind: "cube" },
      "reading: expected object or null, found an object",
    ],
    [
      "one of several",
      { oneOf: [{ type: "number" }, { const: 1 }] },
      1,
      "reading: expected exactly one of: number or 1, found 1",
    ],
    ["a negation", { not: { type: "string" } }, "x", 'reading: expected anything but string, found "x"'],
    [
      "a contained item",
      { contains: { type: "string" } },
      [1],
      "reading: expected 1 item that is string, found a list of 1",
    ],
    ["a name", { propertyNames: { maxLength: 1 } }, { ab: 1 }, 'reading.ab: expected another name, found "ab"'],
    ["a needed companion", { dependentRequired: { a: ["b"] } }, { a: 1 }, "reading.b: expected a value, found nothing"],
    [
      "a closed combination",
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { b: 1 },
      "reading.b: expected no fields, found an unknown field",
    ],
    [
      "a condition",
      JSON.parse('{ "if": { "type": "string" }, "then": { "minLength": 2 } }'),
      "x",
      'reading: expected at least 2 characters, found "x"',
    ],
    ["nothing", { properties: { a: false } }, { a: 1 }, "reading.a: expected nothing, found 1"],
    [
      "a reference",
      { $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } } },
      { a: "1" },
      'reading.a: expected number, found "1"',
    ],
  ])("%s is told in words", (_, schema, value, words) => {
    expect(disagreement(schema, value, "reading")).toBe(words)
  })

  it("the draft is as $schema says, else 2020-12", () => {
    const tuple = { items: [{ type: "string" }] }
    expect(disagreement({ $schema: DRAFT_07, ...tuple }, [1], "result")).toBe("result[0]: expected string, found 1")
    const prefix = { prefixItems: [{ type: "string" }] }
    expect(disagreement(prefix, [1])).toBe("args[0]: expected string, found 1")
    expect(disagreement({ $schema: "https://json-schema.org/draft/2020-12/schema", ...prefix }, [1])).toBeDefined()
    expect(disagreement({ $schema: DRAFT_07, ...prefix }, [1])).toBeUndefined()
  })

  it("nothing that an object inherits counts as its field", () => {
    expect(disagreement({ required: ["toString"] }, {})).toBe("args.toString: expected a value, found nothing")
    expect(disagreement({ properties: { constructor: { type: "string" } } }, {})).toBeUndefined()
  })

  it("the value is left as it was: no defaults, no conversions", () => {
    const schema = { properties: { a: { type: "number" }, b: { default: 1 } } }
    const value = { a: "1" }
    expect(disagreement(schema, value)).toBeDefined()
    expect(value).toEqual({ a: "1" })
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = structuredClone(value)
        disagreement(item, value as Json)
        expect(value).toEqual(before)
      }),
    )
  })

  it("of many disagreements the first eight are told, and how many more there are", () => {
    const words =
      disagreement(
        { items: { type: "string" } },
        Array.from({ length: 20 }, (_, index) => index),
      ) ?? ""
    expect(words.split("; ")).toHaveLength(9)
    expect(words).toMatch(/; and 12 more$/)
  })

  it("in a very long value the first disagreement is told, without a search for all of them", () => {
    const words = disagreement(
      { items: { type: "string" } },
      Array.from({ length: 100_000 }, (_, index) => index),
    )
    expect(words).toBe("args[0]: expected string, found 0")
  })
})

describe("a schema that is meant to do harm", () => {
  it("a pattern that backtracks for ever is stopped, and given up after three times", () => {
    const schema = { pattern: "^(a+)+$" }
    const value = `${"a".repeat(60)}!`
    for (let times = 0; times < 3; times++) {
      expect(disagreement(schema, value)).toContain("expected a value that can be checked within 250 ms")
    }
    expect(disagreement(schema, "a")).toContain("takes too long to check")
  })

  it("references that multiply are stopped", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `d${level}`,
        level === 39
          ? { type: "string" }
          : { anyOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
      ]),
    )
    expect(disagreement({ $defs, $ref: "#/$defs/d0" }, 1)).toContain("checked within 250 ms")
  })

  it("an answer that would come later is given at once", () => {
    expect(disagreement({ $async: true, type: "string" }, 1)).toBe("args: expected string, found 1")
  })

  it("names that objects inherit are no formats and no fields", () => {
    for (const format of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
      expect(ComponentSchemas.schemaMistakes({ peas: { sensors: [{ reading: { format } }] } })).toEqual([])
      expect(disagreement({ format }, "x")).toBeUndefined()
    }
    const hidden: Json = JSON.parse('{"__proto__": {"item": "lamp"}}')
    expect(disagreement(item, hidden)).toContain("args.item: expected string, found nothing")
  })

  it("a value that disagrees everywhere is refused quickly, without a word for each place", () => {
    const schema = { items: { anyOf: Array.from({ length: 100 }, (_, index) => ({ const: `option ${index}` })) } }
    const words =
      disagreement(
        schema,
        Array.from({ length: 4_000 }, () => 1),
      ) ?? ""
    expect(words).toMatch(/^args\[0\]: expected /)
    expect(words.length).toBeLessThan(30_000)
  })

  it("is compiled once, also where another manifest says the same", () => {
    expect(Check.validatorOf({ type: "string", maxLength: 5 })).toBe(
      Check.validatorOf({ type: "string", maxLength: 5 }),
    )
  })

  it("a reference to itself is an answer, not a crash", () => {
    expect(disagreement({ $ref: "#" }, 1)).toMatch(/^args: /)
  })

  it("a schema that cannot be used refuses every value, and says so", () => {
    const words = disagreement({ $ref: "https://example.org/schema.json" }, {})
    expect(words).toMatch(/^args: its schema in the manifest cannot be used: .*example\.org/)
    expect(disagreement({ $schema: "http://json-schema.org/draft-04/schema#" }, {})).toContain("cannot be used")
  })
})

describe("the schemas of a manifest", () => {
  const withArgs = (args: Json): JsonObject => ({ peas: { actuators: [{ name: "a", args }] } })
  const told = (args: Json) =>
    ComponentSchemas.schemaMistakes(withArgs(args)).map(({ path, expected, found }) => `${path}: ${expected}, ${found}`)

  it("good ones are not spoken of", () => {
    expect(told(item)).toEqual([])
    expect(told({ $schema: DRAFT_07, definitions: { a: true }, $ref: "#/definitions/a" })).toEqual([])
    expect(told({ $id: "https://example.org/args", $ref: "#/$defs/a~1b", $defs: { "a/b": { $anchor: "x" } } })).toEqual(
      [],
    )
    expect(told({ format: "of our own", "x-order": 1, const: { $ref: "https://example.org" } })).toEqual([])
  })

  it("each mistake has its path in the manifest, in sensors and actuators alike", () => {
    expect(
      ComponentSchemas.schemaMistakes({
        peas: {
          sensors: [{ name: "s" }, { name: "t", reading: { type: "text" } }],
          actuators: [{ name: "a", args: { properties: [] }, result: { minLength: -1, required: "b" } }],
        },
      }),
    ).toEqual([
      {
        path: "/peas/sensors/1/reading/type",
        expected: '"array", "boolean", "integer", "null", "number", "object" or "string", or a list of these',
        found: '"text"',
      },
      { path: "/peas/actuators/0/args/properties", expected: "object", found: "an empty list" },
      { path: "/peas/actuators/0/result/minLength", expected: "a value >= 0", found: "-1" },
      { path: "/peas/actuators/0/result/required", expected: "array", found: '"b"' },
    ])
  })

  it.each<[string, JsonObject, string]>([
    [
      "another draft",
      { $schema: "http://json-schema.org/draft-04/schema#" },
      '/$schema: "https://json-schema.org/draft/2020-12/schema" (the default)',
    ],
    [
      "a reference to the network",
      { items: { $ref: "https://example.org/s.json" } },
      '/items/$ref: a reference into this schema, such as "#/$defs/item": nothing is fetched',
    ],
    ["a reference to a file", { anyOf: [{ $ref: "other.json#/a" }] }, "/anyOf/0/$ref: a reference into this schema"],
    [
      "a reference to nothing",
      { properties: { a: { $ref: "#/$defs/gone" } } },
      '/properties/a/$ref: a reference to a part of this schema, "#/$defs/gone"',
    ],
    [
      "a name inside",
      { properties: { a: { $id: "https://example.org/a" } } },
      "/properties/a/$id: no $id inside a schema",
    ],
    [
      "a broken pattern",
      { pattern: "(" },
      "/pattern: a regular expression, Invalid regular expression: /(/u: Unterminated group",
    ],
    ["a reference by a name that is not there", { $ref: "#gone" }, ": a JSON Schema that can be compiled"],
    ["too much", { description: "x".repeat(70_000) }, ": a schema of at most 65536 characters of JSON, 70018"],
  ])("%s is a mistake", (_, schema, words) => {
    expect(told(schema)).toEqual([expect.stringContaining(`/peas/actuators/0/args${words}`)])
  })

  it.each<[string, JsonObject, string]>([
    ["a reference that is no URI", { $ref: "#/%zz" }, "/$ref: a reference to a part of this schema"],
    ["an answer that comes later", { $defs: { a: { $async: true } } }, "/$defs/a/$async: no $async, true"],
  ])("%s is a mistake too", (_, schema, words) => {
    expect(told(schema)).toEqual([expect.stringContaining(`/peas/actuators/0/args${words}`)])
  })

  it("whatever stands there, finding mistakes never fails", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (document, args) => {
        expect(Array.isArray(ComponentSchemas.schemaMistakes(document as Json))).toBe(true)
        expect(Array.isArray(ComponentSchemas.schemaMistakes(withArgs(args as Json)))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})
