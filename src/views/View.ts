/**
 * The schema of a view: data in a plugin's manifest that draws its world. A view has no code: it points into the state
 * document, and maps values to texts, glyphs and shapes.
 */
import { type Either, Schema } from "effect"
import type { Json } from "../values/Json.ts"
import { issueOfCheck } from "../values/OptionIssues.ts"
import * as Options from "../values/Options.ts"
import { MAX_CELLS, MAX_SIDE, MAX_TABLE_ROWS } from "./Drawing.ts"
import { Colour, Entry, Format, Glyph, Label, optional, Pattern, Pointer, Text } from "./Fields.ts"
import { isLookupName } from "./Format.ts"
import { pictureOf } from "./Picture.ts"
import { unknownLookups } from "./references.ts"

const MAX_PARTS = 16
const MAX_GAUGES = 32
const MAX_TABLE_COLUMNS = 12
const MAX_ENTITIES = 16

const MAX_ENTRIES = 256
const MAX_LOOKUPS = 32

const listOf = <Item>(item: Schema.Schema<Item>, most: number, what: string) =>
  Schema.Array(item).pipe(
    Schema.filter(({ length }) => length >= 1 && length <= most),
    Schema.annotations({
      description: `a list of 1 to ${most} ${what}`,
      jsonSchema: { minItems: 1, maxItems: most },
    }),
  )

const recordOf = <Value>(value: Schema.Schema<Value>, most: number, what: string) =>
  Schema.Record({ key: Schema.String, value }).pipe(
    Schema.filter((record) => Object.keys(record).length <= most),
    Schema.annotations({ description: `an object of at most ${most} ${what}`, jsonSchema: { maxProperties: most } }),
  )

const wholeNumber = (least: number, most: number) =>
  Schema.Int.pipe(
    Schema.between(least, most),
    Schema.annotations({ description: `a whole number from ${least} to ${most}` }),
  )

/** A glyph with an optional colour and label for the legend. */
const GlyphChoice = Schema.Union(
  Glyph,
  Schema.Struct({ glyph: Glyph, colour: optional(Colour), label: optional(Label) }),
).annotations({ identifier: "ViewGlyph", description: 'one visible character, or { "glyph", "colour", "label" }' })

/** A glyph with an optional colour and label for the legend. */
export type GlyphChoice = typeof GlyphChoice.Type

const Quantity = Schema.Union(Schema.Finite, Pointer).annotations({
  description: "a number, or a JSON Pointer to one",
})

const Side = Schema.Union(wholeNumber(1, MAX_SIDE), Pointer).annotations({
  description: `a whole number from 1 to ${MAX_SIDE}, or a JSON Pointer to one`,
})

/** Things in cells of a grid. A later kind covers an earlier one. */
export const Entity = Schema.Struct({
  each: Pattern,
  /** The position, relative to the entity. Default: the entity itself. An entity at null is not drawn. */
  at: optional(Pointer),
  /** Default: `row-column`. `index` counts cells from 0, row by row. */
  order: optional(
    Schema.Literal("row-column", "x-y", "index").annotations({ description: '"row-column", "x-y" or "index"' }),
  ),
  /** Default: the first character of the entity's key. */
  glyph: optional(GlyphChoice),
  /** The value that selects from `glyphs`, relative to the entity. */
  by: optional(Pointer),
  glyphs: optional(recordOf(Schema.NullOr(GlyphChoice), MAX_ENTRIES, "glyphs by value; null is not drawn")),
}).annotations({ identifier: "ViewEntity" })

export type Entity = typeof Entity.Type

/** Cells of glyphs: from a list of rows, from a flat list with `columns`, or an empty field of a `size`. */
const Grid = Schema.Struct({
  type: Schema.Literal("grid"),
  title: optional(Label),
  rows: optional(Pointer),
  /** Cells per row, if `rows` is a flat list. */
  columns: optional(Side),
  size: optional(Schema.Struct({ rows: Side, columns: Side })),
  /** The value, relative to the cell. Default: the cell itself. */
  cell: optional(Pointer),
  /** Glyphs by value; `*` matches every other value. Default: a value that is one character draws itself. */
  cells: optional(recordOf(GlyphChoice, MAX_ENTRIES, "glyphs by value")),
  entities: optional(listOf(Entity, MAX_ENTITIES, "kinds of entities")),
  /** True for a space between cells. */
  spaced: optional(Schema.Boolean),
}).pipe(
  Schema.filter(({ rows, size }) => {
    if ((rows === undefined) === (size === undefined)) {
      const found = rows === undefined ? "neither" : "both"
      return issueOfCheck({ keys: ["rows"], expected: "either rows or a size", found })
    }
    const cells = Number(size?.rows) * Number(size?.columns)
    return (
      !(cells > MAX_CELLS) ||
      issueOfCheck({ keys: ["size"], expected: `at most ${MAX_CELLS} cells`, found: `${cells} cells` })
    )
  }),
)

/** Cells of glyphs: from a list of rows, from a flat list with `columns`, or an empty field of a `size`. */
export type Grid = typeof Grid.Type

/** A number between two limits, as a bar. */
export const Gauge = Schema.Struct({
  label: Label,
  from: Pointer,
  /** Default: 0. */
  min: optional(Quantity),
  max: Quantity,
  unit: optional(Label),
  format: optional(Format),
}).annotations({ identifier: "ViewGauge" })

const Gauges = Schema.Struct({
  type: Schema.Literal("gauges"),
  title: optional(Label),
  gauges: listOf(Gauge, MAX_GAUGES, "gauges"),
})

/** Gauges, one below the other. */
export type Gauges = typeof Gauges.Type

/** Rows of a list, or of an object with their keys. */
const Table = Schema.Struct({
  type: Schema.Literal("table"),
  title: optional(Label),
  rows: Pointer,
  columns: listOf(
    Schema.Struct({
      label: Label,
      /** The value, relative to the row. Default: the row itself. */
      from: optional(Pointer),
      /** Shows the row's key or index instead. */
      key: optional(Schema.Literal(true).annotations({ description: "true" })),
      format: optional(Format),
    }),
    MAX_TABLE_COLUMNS,
    "columns",
  ),
  /** Default: 50. */
  limit: optional(wholeNumber(1, MAX_TABLE_ROWS)),
  /** True to show the last rows if there are more than `limit`. Default: the first ones. */
  last: optional(Schema.Boolean),
})

/** Rows of a list, or of an object with their keys. */
export type Table = typeof Table.Type

const TextPart = Schema.Struct({
  type: Schema.Literal("text"),
  title: optional(Label),
  text: Text,
  colour: optional(Colour),
})

/** A part that every medium can draw. */
const PlainPart = Schema.Union(Grid, Gauges, Table, TextPart).annotations({
  description: 'an object with the type "grid", "gauges", "table" or "text"',
})

/** A part that every medium can draw; pictures name some as their alternative. */
export type PlainPart = typeof PlainPart.Type

const Picture = pictureOf(listOf(PlainPart, MAX_PARTS, "parts"))

/** A picture and its alternative for text. */
export type Picture = typeof Picture.Type

const Part = Schema.Union(Grid, Gauges, Table, TextPart, Picture).annotations({
  description: 'an object with the type "grid", "gauges", "table", "text" or "svg"',
})

const Lookups = Schema.Record({
  key: Schema.String,
  value: recordOf(Entry, MAX_ENTRIES, "texts by value"),
}).pipe(
  Schema.filter((lookups) => {
    const names = Object.keys(lookups)
    const found = `${names.length} lookups`
    if (names.length > MAX_LOOKUPS) return issueOfCheck({ keys: [], expected: `at most ${MAX_LOOKUPS} lookups`, found })
    const wrong = names.filter((name) => !isLookupName(name))
    const expected = "a name of letters, digits, _ and - that begins with a letter and is no format"
    return wrong.map((name) => issueOfCheck({ keys: [name], expected, found: JSON.stringify(name) }))
  }),
  Schema.annotations({
    description: "an object of named lookups",
    jsonSchema: { maxProperties: MAX_LOOKUPS },
  }),
)

/** A view: parts, one below the other. `lookups` are named maps from values to texts, for formats. */
export const View = Schema.Struct({
  lookups: optional(Lookups),
  parts: listOf(Part, MAX_PARTS, "parts"),
}).pipe(
  Schema.filter((view) => unknownLookups(view).map(issueOfCheck)),
  Schema.annotations({ identifier: "View", description: "an object with parts" }),
)

export type View = typeof View.Type

/** Decodes a view from JSON. The error lists all mistakes with their paths. */
export const decode = (view: Json): Either.Either<View, Options.InvalidOptions> =>
  Options.decode("the view", View, view)
