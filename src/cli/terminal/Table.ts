/** Plain tables with aligned columns. */
import { stripVTControlCharacters } from "node:util"
import type { Style } from "./Style.ts"

/** A column: its heading and alignment. */
export interface Column {
  readonly heading: string
  readonly align?: "left" | "right"
}

/** Columns whose cells are aligned to the right, such as columns of numbers. */
export const right = (...headings: ReadonlyArray<string>): ReadonlyArray<Column> =>
  headings.map((heading) => ({ heading, align: "right" }))

/** Columns. A heading alone is a column that is aligned to the left. */
export type Columns = ReadonlyArray<string | Column>

/** Columns with their alignment. */
export const columnsOf = (columns: Columns): ReadonlyArray<Column> =>
  columns.map((column) => (typeof column === "string" ? { heading: column } : column))

/** Spaces between two columns. */
const GAP = "  "

/** A table as lines: a line of headings, then one line for each row. Cells may be styled. */
export const lines = (
  style: Style,
  columns: Columns,
  cells: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<string> => {
  const headings = columnsOf(columns)
  return rows(
    [headings.map(({ heading }) => style.dim(heading)), ...cells],
    headings.map(({ align }) => align),
  )
}

/** What is told of a thing. */
export type Facts = ReadonlyArray<readonly [name: string, text: string]>

/** Facts as lines: an indented name, and the text. */
export const facts = (style: Style, named: Facts): ReadonlyArray<string> =>
  rows(named.map(([name, text]) => [`  ${style.dim(name)}`, text]))

/** Rows as lines, with cells padded to the widest cell of their column. Trailing spaces are removed. */
export const rows = (
  cells: ReadonlyArray<ReadonlyArray<string>>,
  alignments: ReadonlyArray<Column["align"]> = [],
): ReadonlyArray<string> => {
  const columns = Math.max(0, ...cells.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...cells.map((row) => widthOf(row[index] ?? ""))),
  )
  return cells.map((row) =>
    widths
      .map((width, index) => {
        const cell = row[index] ?? ""
        const padding = " ".repeat(width - widthOf(cell))
        return alignments[index] === "right" ? padding + cell : cell + padding
      })
      .join(GAP)
      .trimEnd(),
  )
}

/** The width of a cell, which may be styled, in characters. */
export const widthOf = (cell: string): number => [...stripVTControlCharacters(cell)].length
