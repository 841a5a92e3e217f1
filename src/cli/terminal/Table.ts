/** Plain tables with aligned columns. */
import { stripVTControlCharacters } from "node:util"
import type { Style } from "./Style.ts"

/** A column: its heading and alignment. */
export interface Column {
  readonly heading: string
  readonly align?: "left" | "right"
}

/** Spaces between two columns. */
const GAP = "  "

/** A table as lines: a line of headings, then one line for each row. Cells may be styled. */
export const lines = (
  style: Style,
  columns: ReadonlyArray<Column>,
  cells: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<string> =>
  rows(
    [columns.map(({ heading }) => style.dim(heading)), ...cells],
    columns.map(({ align }) => align),
  )

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

const widthOf = (cell: string): number => [...stripVTControlCharacters(cell)].length
