/** Plain tables with aligned columns, which fit the terminal. */
import type { Style } from "./Style.ts"
import * as Wrap from "./Wrap.ts"

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

/** The cells of a table, row by row. They may be styled. */
type Cells = ReadonlyArray<ReadonlyArray<string>>

/** Spaces between two columns. */
const GAP = "  "

/**
 * A table as lines: a line of headings, then one line for each row. In a narrow terminal the cells of text are wrapped;
 * where that is not enough, each row is a paragraph in which every cell follows its heading.
 */
export const lines = (style: Style, columns: Columns, cells: Cells): ReadonlyArray<string> => {
  const headings = columnsOf(columns)
  const all = [headings.map(({ heading }) => style.dim(heading)), ...cells]
  const alignments = headings.map(({ align }) => align)
  const widths = fittingWidths(all, alignments, style.columns)
  if (widths !== undefined) return all.flatMap((row) => laidOut(row, widths, alignments))
  return cells.flatMap(([first = "", ...others]) => [
    ...Wrap.line(first, style.columns),
    ...paragraph(
      others.flatMap((cell, index) =>
        cell === "" ? [] : [`${style.dim(headings[index + 1]?.heading ?? "")} ${cell}`],
      ),
      style.columns,
    ),
  ])
}

/** What is told of a thing. */
export type Facts = ReadonlyArray<readonly [name: string, text: string]>

/** Facts as lines: an indented name, and the text. */
export const facts = (style: Style, named: Facts): ReadonlyArray<string> =>
  rows(
    style,
    named.map(([name, text]) => [`  ${style.dim(name)}`, text]),
  )

/**
 * Rows as lines, with cells padded to the widest cell of their column. Trailing spaces are removed. In a narrow terminal
 * the cells of text are wrapped; where that is not enough, each row is a paragraph.
 */
export const rows = (
  style: Style,
  cells: Cells,
  alignments: ReadonlyArray<Column["align"]> = [],
): ReadonlyArray<string> => {
  const widths = fittingWidths(cells, alignments, style.columns)
  return widths === undefined
    ? cells.flatMap((row) => Wrap.line(row.filter((cell) => cell !== "").join(GAP), style.columns))
    : cells.flatMap((row) => laidOut(row, widths, alignments))
}

/** The width of a cell, which may be styled, in columns of a terminal. */
export const widthOf = Wrap.widthOf

/** The least columns of the last column of text, where a longer word may stand out. */
const LEAST_OF_LAST = 20

/** Longest word that another column of text keeps whole. */
const LONGEST_WORD = 32

/** The widths of the columns, of which those of text are narrowed until the table fits; undefined if it does not. */
const fittingWidths = (
  cells: Cells,
  alignments: ReadonlyArray<Column["align"]>,
  room: number,
): ReadonlyArray<number> | undefined => {
  const columns = Array.from({ length: Math.max(0, ...cells.map((row) => row.length)) }, (_, index) => {
    const column = cells.map((row) => row[index] ?? "")
    const width = Math.max(...column.map(widthOf))
    return { column, width, isText: alignments[index] !== "right" }
  })
  const natural = columns.map(({ width }) => width)
  let excess = natural.reduce((sum, width) => sum + width, GAP.length * (natural.length - 1)) - room
  if (excess <= 0) return natural
  const last = natural.length - 1
  const least = columns.map(({ column, width, isText }, index) => {
    if (!isText) return width
    return Math.min(
      width,
      index === last ? LEAST_OF_LAST : Math.min(LONGEST_WORD, Math.max(...column.map(Wrap.longestWord))),
    )
  })
  const narrowed = [...natural]
  // The last column first, which most often has the sentences; then the others, the widest of them first.
  const order = [...natural.keys()].sort(
    (a, b) => Number(b === last) - Number(a === last) || (natural[b] ?? 0) - (natural[a] ?? 0),
  )
  for (const index of order) {
    const given = Math.min(excess, (natural[index] ?? 0) - (least[index] ?? 0))
    narrowed[index] = (natural[index] ?? 0) - given
    excess -= given
  }
  return excess > 0 ? undefined : narrowed
}

/** One row: as many lines as its tallest cell has. */
const laidOut = (
  row: ReadonlyArray<string>,
  widths: ReadonlyArray<number>,
  alignments: ReadonlyArray<Column["align"]>,
): ReadonlyArray<string> => {
  const wrapped = widths.map((width, index) => Wrap.cell(row[index] ?? "", width, index < widths.length - 1))
  const height = Math.max(1, ...wrapped.map((cell) => cell.length))
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, index) => {
        const cell = wrapped[index]?.[line] ?? ""
        const padding = " ".repeat(Math.max(0, width - widthOf(cell)))
        return alignments[index] === "right" ? padding + cell : cell + padding
      })
      .join(GAP)
      .trimEnd(),
  )
}

const INDENT = "    "

/** Indented lines with as many of the parts as fit, each of which is wrapped if it does not fit by itself. */
const paragraph = (parts: ReadonlyArray<string>, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""}${GAP}${part}`
    if (lines.length > 0 && widthOf(longer) <= columns) lines[lines.length - 1] = longer
    else lines.push(...Wrap.line(`${INDENT}${part}`, columns))
  }
  return lines
}
