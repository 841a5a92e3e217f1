/** A view filled with the values of one state document, before it becomes text, HTML or SVG. */
import type { Colour } from "./Fields.ts"

export interface Drawing {
  readonly blocks: ReadonlyArray<Block>
  /** Cut and missing parts, one line each. */
  readonly notes: ReadonlyArray<string>
}

/** A part of a view with its values. Texts are safe to show, but not escaped for HTML. */
export type Block = TextBlock | GridBlock | GaugesBlock | TableBlock | PictureBlock

interface Titled {
  readonly title?: string | undefined
}

export interface TextBlock extends Titled {
  readonly kind: "text"
  readonly lines: ReadonlyArray<string>
  readonly colour?: Colour | undefined
}

/** Text in one colour. */
export interface Cell {
  readonly text: string
  readonly colour?: Colour | undefined
}

export interface GridBlock extends Titled {
  readonly kind: "grid"
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
  /** Terminal columns of a cell: 1 or 2. */
  readonly width: number
  readonly spaced: boolean
  readonly legend: ReadonlyArray<Cell & { readonly label: string }>
}

export interface GaugesBlock extends Titled {
  readonly kind: "gauges"
  readonly gauges: ReadonlyArray<{
    readonly label: string
    /** The value with its unit. */
    readonly text: string
    /** Null if a limit or the value is missing. */
    readonly bar: { readonly min: number; readonly max: number; readonly value: number } | null
  }>
}

export interface TableBlock extends Titled {
  readonly kind: "table"
  readonly headings: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** By column: true if all values are numbers, which align right. */
  readonly numeric: ReadonlyArray<boolean>
}

export interface PictureBlock {
  readonly kind: "picture"
  readonly title: string
  readonly width: number
  readonly height: number
  readonly shapes: ReadonlyArray<Shape>
}

/** An SVG element with resolved attributes. */
export interface Shape {
  readonly element: string
  readonly attributes: ReadonlyArray<readonly [name: string, value: string]>
  readonly text?: string
  readonly children?: ReadonlyArray<Shape>
}

/** Rows of a grid, and cells of a row. */
export const MAX_SIDE = 500
export const MAX_CELLS = 40_000

export const MAX_TABLE_ROWS = 200
export const TABLE_ROWS = 50
