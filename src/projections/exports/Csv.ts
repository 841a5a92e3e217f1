/** The CSV encoder for table rows (RFC 4180). */

import { iso } from "../../values/Time.ts"
import type { Encoder } from "./Encoder.ts"
import type { Column } from "./ParquetRows.ts"

/**
 * Encodes items as CSV: UTF-8, a header line, lines that end with CR LF, quotes where a field needs them. A time is ISO
 * 8601 in UTC, a boolean `true` or `false`, null an empty field, and an empty text `""`.
 *
 * A text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return gets an apostrophe in front, because a
 * spreadsheet would evaluate it as a formula, and text of an agent or a plugin must not run. Numbers get no apostrophe.
 * Other formats keep texts unchanged.
 */
export const encoder = <Item>(columns: ReadonlyArray<Column<Item>>): Encoder<Item> => {
  let hasHeader = false
  const header = () => {
    if (hasHeader) return ""
    hasHeader = true
    return line(columns.map(({ name }) => field(name)))
  }
  return {
    add: (items) => header() + items.map((item) => line(columns.map((column) => fieldOf(column, item)))).join(""),
    end: header,
  }
}

const line = (fields: ReadonlyArray<string>): string => `${fields.join(",")}\r\n`

const fieldOf = <Item>(column: Column<Item>, item: Item): string => {
  const value = column.of(item)
  if (value === null) return ""
  if (column.holds === "moment") return iso(Number(value))
  return typeof value === "string" ? field(FORMULA.test(value) ? `'${value}` : value) : String(value)
}

const FORMULA = /^[=+\-@\t\r]/

const field = (text: string): string =>
  text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
