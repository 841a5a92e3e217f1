/** A table that fits the terminal's width: it drops less important columns and shortens long cells. */
import type { Style } from "./Style.ts"
import * as Table from "./Table.ts"
import { shorten } from "./Text.ts"

export interface Column extends Table.Column {
  readonly cells: ReadonlyArray<string>
  /** Columns with a lower rank stay first. Columns with rank 0 always stay. */
  readonly rank: number
  /** Minimum width to which unstyled cells may be shortened. Default: no shortening. */
  readonly least?: number
}

/** Maximum width of a shortenable column without a terminal. */
const MAX_WIDTH_WITHOUT_TERMINAL = 50

const GAP = 2

/** A table of the columns that fit `width`, in their given order. */
export const lines = (style: Style, columns: ReadonlyArray<Column>, width: number): ReadonlyArray<string> => {
  const shown = fitColumns(columns, width)
  const rows = shown[0]?.cells.length ?? 0
  return Table.lines(
    style,
    shown,
    Array.from({ length: rows }, (_, row) => shown.map(({ cells }) => cells[row] ?? "")),
  )
}

/**
 * Selects the columns that fit at their minimum widths. The remaining width goes to shortenable columns, from left to
 * right.
 */
const fitColumns = (columns: ReadonlyArray<Column>, width: number): ReadonlyArray<Column> => {
  const sized = columns.map((column) => ({ column, natural: naturalWidth(column) }))
  const minWidth = ({ column, natural }: (typeof sized)[number]) => Math.min(natural, column.least ?? natural) + GAP
  let remaining = width + GAP
  const kept = new Set<Column>()
  for (const each of [...sized].sort((a, b) => a.column.rank - b.column.rank)) {
    if (each.column.rank > 0 && minWidth(each) > remaining) continue
    remaining -= minWidth(each)
    kept.add(each.column)
  }
  return sized.flatMap((each) => {
    const { column, natural } = each
    if (!kept.has(column)) return []
    if (column.least === undefined) return [column]
    const room = Math.min(Math.max(0, remaining), natural + GAP - minWidth(each))
    remaining -= room
    const length = Math.min(minWidth(each) - GAP + room, Number.isFinite(width) ? natural : MAX_WIDTH_WITHOUT_TERMINAL)
    return [{ ...column, cells: column.cells.map((cell) => shorten(cell, length)) }]
  })
}

const naturalWidth = ({ heading, cells }: Column): number =>
  cells.reduce((widest, cell) => Math.max(widest, Table.widthOf(cell)), heading.length)
