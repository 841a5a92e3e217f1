import { Arbitrary, FastCheck, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { core } from "../../src/events/vocabulary/Vocabulary.ts"
import { StepResult } from "../../src/kernel/acting/WorldRewards.ts"
import { Grants } from "../../src/plugins/manifest/Grants.ts"
import * as SchemaPredicate from "../../src/values/schema/SchemaPredicate.ts"

interface Tree {
  readonly value: number
  readonly children: ReadonlyArray<Tree>
}

const Tree: Schema.Schema<Tree> = Schema.Struct({
  value: Schema.Number,
  children: Schema.Array(Schema.suspend((): Schema.Schema<Tree> => Tree)),
})

const Forms = {
  Tree,
  "no other field": Schema.Struct({ a: Schema.Number }).annotations({ parseOptions: { onExcessProperty: "error" } }),
  tuple: Schema.Tuple(Schema.String, Schema.Number),
  "a tuple with a rest": Schema.Tuple([Schema.String], Schema.Number),
  "an empty struct": Schema.Struct({}),
  "a struct with an index": Schema.Struct({ a: Schema.Number }, { key: Schema.String, value: Schema.Unknown }),
  "keys of a form": Schema.Record({ key: Schema.NonEmptyString, value: Schema.Number }),
  "keys by a template": Schema.Record({ key: Schema.TemplateLiteral("a-", Schema.String), value: Schema.Number }),
  "an optional property": Schema.Struct({ a: Schema.optional(Schema.Number) }),
  "an exact optional property": Schema.Struct({ a: Schema.optionalWith(Schema.Number, { exact: true }) }),
  transformation: Schema.NumberFromString,
  class: class Point extends Schema.Class<Point>("Point")({ x: Schema.Number }) {},
  enums: Schema.Enums({ A: "a", B: 1 } as const),
  union: Schema.Union(
    Schema.Struct({ kind: Schema.Literal("a"), x: Schema.Number }),
    Schema.Struct({ kind: Schema.Literal("b"), y: Schema.String }),
    Schema.Null,
  ),
  StepResult,
  Grants,
}

const schemas: ReadonlyArray<readonly [string, Schema.Schema.AnyNoContext]> = [
  ...Object.entries(Forms),
  ...[...core.types.values()].map(({ name, payload }) => [name, payload] as const),
]

/** Values that are nearly of a schema: parts of them are replaced, left out or added. */
const nearly = (schema: Schema.Schema.AnyNoContext): FastCheck.Arbitrary<unknown> =>
  FastCheck.tuple(
    Arbitrary.make(Schema.typeSchema(schema)),
    FastCheck.nat(),
    FastCheck.oneof(
      FastCheck.anything({ maxDepth: 1 }),
      FastCheck.constantFrom(undefined, null, "", -1, 0.5, Number.NaN, [], {}, new Array(1)),
    ),
    FastCheck.constantFrom("keep", "replace", "leave out", "add"),
  ).map(([value, at, other, how]) => changed(value, at, other, how))

const changed = (value: unknown, at: number, other: unknown, how: string): unknown => {
  if (how === "keep") return value
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return other
  const keys = Object.keys(value)
  const key = keys[at % Math.max(1, keys.length)]
  if (key === undefined || how === "add") return { ...value, [typeof other === "string" ? other : "extra"]: other }
  if (how === "leave out") return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  const inside = Reflect.get(value, key)
  const deeper = at % 2 === 0 && typeof inside === "object" && inside !== null && !Array.isArray(inside)
  return { ...value, [key]: deeper ? changed(inside, at >> 1, other, how) : other }
}

describe("a schema as a predicate", () => {
  it.each(schemas)("%s: agrees with Schema.is about values, and about those that are nearly right", (_, schema) => {
    const [ours, effects] = [SchemaPredicate.is(schema), Schema.is(schema)]
    FastCheck.assert(
      FastCheck.property(nearly(schema), (value) => {
        expect(ours(value)).toBe(effects(value))
      }),
      { numRuns: 60 },
    )
  })

  it("agrees about values that no schema describes", () => {
    const odd = [
      undefined,
      null,
      0,
      "",
      [],
      {},
      () => {},
      Symbol("s"),
      new Map(),
      new Date(0),
      Object.create(null),
      new Array(1),
    ]
    for (const [name, schema] of schemas) {
      const [ours, effects] = [SchemaPredicate.is(schema), Schema.is(schema)]
      for (const value of odd) expect([name, ours(value)]).toEqual([name, effects(value)])
    }
  })
})
