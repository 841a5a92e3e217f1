/** The header of a run's columns: the shape of its steps, and how each column is encoded. */

import { Schema } from "effect"
import { isTooDeep, MAX_DEPTH } from "../../values/Json.ts"
import * as SchemaPredicate from "../../values/schema/SchemaPredicate.ts"
import { MAX_COLUMN_BYTES } from "../vocabulary/Worlds.ts"
import { MAX_COLUMNS, type Shape } from "./JsonColumns.ts"
import * as Polynomials from "./Polynomials.ts"
import { type Predictor, readBy } from "./Predictors.ts"

/** Maximum number of parts of all steps, because an empty list or object has no column, and so no bytes. */
const MAX_PARTS = 8 * 1024 * 1024

/** Levels of a header: its own, and three for each level of a row, such as an object, its fields and one of them. */
const MAX_LEVELS = 3 * (MAX_DEPTH + 3)

/** Whether so many steps of a shape have more parts than an event can hold. */
export const isTooWide = (shape: Shape, steps: number): boolean => termsLeft(shape, steps) < 0

/** The number of terms that polynomials may have together: a term takes as much time as a part. Negative if the parts alone are too many. */
export const termsLeft = (shape: Shape, steps: number): number =>
  Math.floor(MAX_PARTS / Math.max(1, steps)) - sizeOf(shape).parts

/** Reads the header of so many steps. Throws an error with the reason if a writer of ours writes no such header. */
export const read = (text: string, steps: number): typeof Header.Type => {
  const header = decoded(text, isHeader, decodeHeader)
  check(header, header.sizes, "sizes", steps)
  return header
}

/** The same for a header of the first encoding. */
export const readFirst = (text: string, steps: number): typeof FirstHeader.Type => {
  const header = decoded(text, isFirstHeader, decodeFirstHeader)
  check(header, header.masks, "masks", steps)
  return header
}

const check = (
  { shape, predictors }: Pick<typeof Header.Type, "shape" | "predictors">,
  list: ReadonlyArray<number>,
  name: string,
  steps: number,
): void => {
  const { columns, parts } = sizeOf(shape)
  const terms = predictors.reduce((sum, predictor) => sum + (predictor[0] === "q" ? predictor[2].length : 0), 0)
  if (terms > termsLeft(shape, steps)) {
    throw new Error(
      `its ${steps} steps have ${parts + terms} parts each, and no event has more than ${MAX_PARTS} in all`,
    )
  }
  if (columns !== predictors.length || columns !== list.length) {
    throw new Error(`expected ${columns} columns, found ${predictors.length} predictors and ${list.length} ${name}`)
  }
  const unordered = predictors.findIndex((predictor, index) => !isInOrder(predictor, index, columns))
  if (unordered >= 0) throw new Error(`column ${unordered} is predicted by one that is not decoded before it`)
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

/** A name for each column of a shape, which it has in similar shapes, too. */
export const namesOf = (shape: Shape): ReadonlyArray<string> => {
  const names: Array<string> = []
  const visit = (inside: Shape, path: string): void => {
    if (inside.kind === "list") for (const [index, item] of inside.items.entries()) visit(item, `${path}\n${index}`)
    else if (inside.kind === "object") {
      for (const { key, has, shape: part } of inside.fields) {
        if (has === true) names.push(`${path}\n${key}?`)
        visit(part, `${path}\n${key}`)
      }
    } else names.push(`${path} ${inside.kind}`)
  }
  visit(shape, "")
  return names
}

/** Whether the columns that predict a number have it when that number is decoded: in its own row, only columns before. */
const isInOrder = (predictor: Predictor, index: number, count: number): boolean => {
  const { before, now } = readBy(predictor)
  return before.every((column) => column < count) && now.every((column) => column < index)
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

const Exponent = Schema.Int.pipe(Schema.between(0, Polynomials.MAX_EXPONENT))

const PredictorSchema: Schema.Schema<Predictor> = Schema.Union(
  Schema.Tuple(Schema.Literal("p")),
  Schema.Tuple(Schema.Literal("l")),
  Schema.Tuple(Schema.Literal("c", "f", "a", "m", "x"), ColumnIndex),
  Schema.Tuple(Schema.Literal("e"), ColumnIndex, Schema.Finite),
  Schema.Tuple(Schema.Literal("g"), ColumnIndex, ColumnIndex, Schema.Finite),
  Schema.Tuple(
    Schema.Literal("q"),
    Schema.Array(Schema.Tuple(ColumnIndex, Schema.Literal(0, 1), Schema.Finite)).pipe(
      Schema.maxItems(Polynomials.MAX_VARIABLES),
    ),
    Schema.Array(Schema.Tuple([Schema.Finite], Exponent)).pipe(Schema.maxItems(Polynomials.MAX_TERMS)),
  ),
  Schema.Tuple([Schema.Literal("d")], Schema.Finite),
)

const Predictors = Schema.Array(PredictorSchema).pipe(Schema.maxItems(MAX_COLUMNS))

const Header = Schema.Struct({
  rows: Schema.Int,
  shape: ShapeSchema,
  predictors: Predictors,
  sizes: Schema.Array(Schema.Int.pipe(Schema.between(0, MAX_COLUMN_BYTES))).pipe(Schema.maxItems(MAX_COLUMNS)),
})

const FirstHeader = Schema.Struct({
  shape: ShapeSchema,
  predictors: Predictors,
  masks: Schema.Array(Schema.Int.pipe(Schema.between(0, 255))).pipe(Schema.maxItems(MAX_COLUMNS)),
})

const isHeader = SchemaPredicate.is(Header)
const isFirstHeader = SchemaPredicate.is(FirstHeader)

/** They say what is wrong. */
const decodeHeader = Schema.decodeUnknownSync(Header)
const decodeFirstHeader = Schema.decodeUnknownSync(FirstHeader)

const decoded = <A>(text: string, is: (header: unknown) => header is A, decode: (header: unknown) => A): A => {
  const header: unknown = JSON.parse(text)
  if (isTooDeep(header, MAX_LEVELS)) throw new Error("the header of its columns is nested too deep")
  return is(header) ? header : decode(header)
}
