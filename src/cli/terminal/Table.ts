/** Plain tables with aligned columns that fit the terminal. */
import type { Style } from "./Style.ts"
import * as Wrap from "./Wrap.ts"

export interface Column {
  readonly heading: string
  readonly align?: "left" | "right"
}

export const right = (...headings: ReadonlyArray<string>): ReadonlyArray<Column> =>
  headings.map((heading) => ({ heading, align: "right" }))

/** A heading alone is a left-aligned column. */
export type Columns = ReadonlyArray<string | Column>

export const columnsOf = (columns: Columns): ReadonlyArray<Column> =>
  columns.map((column) => (typeof column === "string" ? { heading: column } : column))

type Cells = ReadonlyArray<ReadonlyArray<string>>

const GAP = "  "

/**
 * A table as lines: the headings, then each row. A narrow terminal wraps the text cells; if that is not enough, each
 * row becomes a paragraph in which every cell follows its heading.
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

/** Deeper rows of a tree stand no further to the right: a foreign log may have a tree of any depth. */
const DEEPEST = 16

/** What stands before the name of a row in a tree. */
export const indent = (depth: number): string =>
  depth === 0 ? "" : `${"  ".repeat(Math.min(depth, DEEPEST) - 1)}${depth > DEEPEST ? `(${depth}) ` : ""}└ `

export type Facts = ReadonlyArray<readonly [name: string, text: string]>

/** Facts as lines: an indented name, and the text. */
export const facts = (style: Style, named: Facts): ReadonlyArray<string> =>
  rows(
    style,
    named.map(([name, text]) => [`  ${style.dim(name)}`, text]),
  )

/**
 * Rows as lines, padded to the widest cell of each column, without trailing spaces. A narrow terminal wraps the text
 * cells; if that is not enough, each row becomes a paragraph.
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

/** The width of a possibly styled cell in terminal columns. */
export const widthOf = Wrap.widthOf

/** Minimum columns of the last text column. A longer word may stick out of it. */
const LEAST_OF_LAST = 20

/** Longest word that another text column keeps whole. */
const LONGEST_WORD = 32

/** A call takes no more than some 120,000 arguments, and a table may have more rows. */
const largest = (numbers: ReadonlyArray<number>): number => numbers.reduce((most, number) => Math.max(most, number), 0)

/** The column widths, with text columns narrowed until the table fits. Undefined if it cannot fit. */
const fittingWidths = (
  cells: Cells,
  alignments: ReadonlyArray<Column["align"]>,
  room: number,
): ReadonlyArray<number> | undefined => {
  const columns = Array.from({ length: largest(cells.map((row) => row.length)) }, (_, index) => {
    const column = cells.map((row) => row[index] ?? "")
    const width = largest(column.map(widthOf))
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
      index === last ? LEAST_OF_LAST : Math.min(LONGEST_WORD, largest(column.map(Wrap.longestWord))),
    )
  })
  const narrowed = [...natural]
  // Narrow first the last column, which mostly holds sentences, then the others from the widest on.
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

/** Fills indented lines with as many parts as fit. Wraps a part that does not fit on a line by itself. */
const paragraph = (parts: ReadonlyArray<string>, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const part of parts) {
    const longer = `${lines.at(-1) ?? ""}${GAP}${part}`
    if (lines.length > 0 && widthOf(longer) <= columns) lines[lines.length - 1] = longer
    else lines.push(...Wrap.line(`${INDENT}${part}`, columns))
  }
  return lines
}
