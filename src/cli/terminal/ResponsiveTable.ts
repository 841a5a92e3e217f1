import { stripVTControlCharacters } from "node:util"
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import { shorten } from "./Text.ts"

/** A column of a table that fits a terminal. */
export interface Column extends Table.Column {
  readonly cells: ReadonlyArray<string>
  /** Columns of a lower rank are there first; those of rank 0 are always. */
  readonly rank: number
  /** Its cells, which are not styled, may be shortened to so many characters. Default: not at all. */
  readonly least?: number
}

/** Characters that a column is at most where there is no terminal to fit, if it may be shortened. */
const WIDEST = 50

/** Between two columns. */
const GAP = 2

/** As many of the columns as there is room for, in their order, as a table. */
export const lines = (style: Style, columns: ReadonlyArray<Column>, width: number): ReadonlyArray<string> => {
  const shown = chosen(columns, width)
  const rows = shown[0]?.cells.length ?? 0
  return Table.lines(
    style,
    shown,
    Array.from({ length: rows }, (_, row) => shown.map(({ cells }) => cells[row] ?? "")),
  )
}

/** Those that there is room for when the shortest is made of each; what is left over goes to the last that can be longer. */
const chosen = (columns: ReadonlyArray<Column>, width: number): ReadonlyArray<Column> => {
  const sized = columns.map((column) => ({ column, natural: naturalOf(column) }))
  const needs = ({ column, natural }: (typeof sized)[number]) => Math.min(natural, column.least ?? natural) + GAP
  let left = width + GAP
  const taken = new Set<Column>()
  for (const each of [...sized].sort((a, b) => a.column.rank - b.column.rank)) {
    if (each.column.rank > 0 && needs(each) > left) continue
    left -= needs(each)
    taken.add(each.column)
  }
  return sized.flatMap((each) => {
    const { column, natural } = each
    if (!taken.has(column)) return []
    if (column.least === undefined) return [column]
    const room = Math.min(Math.max(0, left), natural + GAP - needs(each))
    left -= room
    const length = Math.min(needs(each) - GAP + room, Number.isFinite(width) ? natural : WIDEST)
    return [{ ...column, cells: column.cells.map((cell) => shorten(cell, length)) }]
  })
}

const naturalOf = ({ heading, cells }: Column): number =>
  cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), heading.length)

const widthOf = (cell: string): number => [...stripVTControlCharacters(cell)].length
