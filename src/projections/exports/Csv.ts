import { iso } from "../../values/Time.ts"
import type { Encoder } from "./Encoder.ts"
import type { Column } from "./ParquetRows.ts"

/**
 * Items as lines of CSV (RFC 4180): UTF-8, a heading line, lines that end with CR LF, quotes where a field needs them. A time
 * is ISO 8601 in UTC, a truth `true` or `false`, what is not there an empty field; a text that is empty is `""`.
 *
 * A text that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a carriage return,
 * gets an apostrophe before it: what an agent or a plugin wrote shall not run where somebody opens the file. Numbers are
 * numbers, with their sign. The other formats hold texts as they are.
 */
export const encoder = <Item>(columns: ReadonlyArray<Column<Item>>): Encoder<Item> => {
  let begun = false
  const heading = () => {
    if (begun) return ""
    begun = true
    return line(columns.map(({ name }) => field(name)))
  }
  return {
    add: (items) => heading() + items.map((item) => line(columns.map((column) => fieldOf(column, item)))).join(""),
    end: heading,
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
