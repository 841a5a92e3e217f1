/** The header of a run's columns: the shape of its steps, and how each column is encoded. */

import { Schema } from "effect"
import { isTooDeep } from "../../values/Json.ts"
import * as SchemaPredicate from "../../values/schema/SchemaPredicate.ts"
import { MAX_COLUMNS, type Shape } from "./JsonColumns.ts"
import type { Predictor } from "./Predictors.ts"

/** Maximum number of parts of all steps, because an empty list or object has no column, and so no bytes. */
const MAX_PARTS = 8 * 1024 * 1024

/** Whether so many steps of a shape have more parts than an event can hold. */
export const isTooWide = (shape: Shape, steps: number): boolean => sizeOf(shape).parts * steps > MAX_PARTS

/** Reads the header of so many steps. Throws an error with the reason if a writer of ours writes no such header. */
export const read = (text: string, steps: number): typeof Header.Type => {
  const header = decoded(text)
  const { shape, predictors, masks } = header
  const { columns, parts } = sizeOf(shape)
  if (isTooWide(shape, steps)) {
    throw new Error(`its ${steps} steps have ${parts} parts each, and no event has more than ${MAX_PARTS} in all`)
  }
  if (columns !== predictors.length || columns !== masks.length) {
    throw new Error(`expected ${columns} columns, found ${predictors.length} predictors and ${masks.length} masks`)
  }
  const unordered = predictors.findIndex((predictor, index) => !isInOrder(predictor, index, columns))
  if (unordered >= 0) throw new Error(`column ${unordered} is predicted by one that is not decoded before it`)
  return header
}

/** The number of columns of a shape, and of its parts: numbers, texts, lists and objects. */
export const sizeOf = (shape: Shape): { readonly columns: number; readonly parts: number } => {
  if (shape.kind === "number" || shape.kind === "text") return { columns: 1, parts: 1 }
  const within: ReadonlyArray<{ readonly has?: true; readonly shape: Shape }> =
    shape.kind === "list" ? shape.items.map((item) => ({ shape: item })) : shape.fields
  let [columns, parts] = [0, 1]
  for (const { has, shape: inside } of within) {
    const size = sizeOf(inside)
    columns += size.columns + (has === true ? 1 : 0)
    parts += size.parts
  }
  return { columns, parts }
}

/** Whether the columns that predict a number have it when that number is decoded: in its own row, only columns before. */
const isInOrder = (predictor: Predictor, index: number, count: number): boolean => {
  switch (predictor[0]) {
    case "p":
    case "l":
      return true
    case "e":
      return predictor[1] < count
    case "g":
      return predictor[1] < index && predictor[2] < count
    default:
      return predictor[1] < index
  }
}

const ShapeSchema: Schema.Schema<Shape> = Schema.suspend(() =>
  Schema.Union(
    Schema.Struct({ kind: Schema.Literal("number") }),
    Schema.Struct({ kind: Schema.Literal("text"), texts: Schema.Array(Schema.String) }),
    Schema.Struct({ kind: Schema.Literal("list"), items: Schema.Array(ShapeSchema) }),
    Schema.Struct({
      kind: Schema.Literal("object"),
      fields: Schema.Array(
        Schema.Struct({
          key: Schema.String,
          has: Schema.optionalWith(Schema.Literal(true), { exact: true }),
          shape: ShapeSchema,
        }),
      ),
    }),
  ),
)

const ColumnIndex = Schema.Int.pipe(Schema.between(0, MAX_COLUMNS))

const PredictorSchema: Schema.Schema<Predictor> = Schema.Union(
  Schema.Tuple(Schema.Literal("p")),
  Schema.Tuple(Schema.Literal("l")),
  Schema.Tuple(Schema.Literal("c", "f", "a", "m"), ColumnIndex),
  Schema.Tuple(Schema.Literal("e"), ColumnIndex, Schema.Finite),
  Schema.Tuple(Schema.Literal("g"), ColumnIndex, ColumnIndex, Schema.Finite),
)

const Header = Schema.Struct({
  shape: ShapeSchema,
  predictors: Schema.Array(PredictorSchema).pipe(Schema.maxItems(MAX_COLUMNS)),
  masks: Schema.Array(Schema.Int.pipe(Schema.between(0, 255))).pipe(Schema.maxItems(MAX_COLUMNS)),
})

const isHeader = SchemaPredicate.is(Header)

/** Says what is wrong. */
const decodeHeader = Schema.decodeUnknownSync(Header)

const decoded = (text: string) => {
  const header: unknown = JSON.parse(text)
  if (isTooDeep(header)) throw new Error("the header of its columns is nested too deep")
  return isHeader(header) ? header : decodeHeader(header)
}
