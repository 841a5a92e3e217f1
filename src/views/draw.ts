/** Fills a view with the values of a state document. Pure; bounded for documents of any size. */
import { type Json, valueAt } from "../values/Json.ts"
import { Bindings } from "./Bindings.ts"
import { type Block, type Drawing, type GaugesBlock, TABLE_ROWS, type TableBlock } from "./Drawing.ts"
import { drawGrid } from "./drawGrid.ts"
import { drawPicture } from "./drawPicture.ts"
import { formatted, MISSING } from "./Format.ts"
import type { Gauges, Picture, PlainPart, Table, View } from "./View.ts"

/**
 * Draws a document. Never throws: a pointer that resolves to nothing draws `MISSING`.
 *
 * @param pictures true to draw pictures, false for their alternatives
 */
export const draw = (view: View, document: Json, pictures: boolean): Drawing => {
  const bindings = new Bindings(document, view.lookups ?? {})
  const blocks = view.parts.flatMap((part) => blocksOf(part, bindings, pictures))
  return { blocks, notes: bindings.notes() }
}

const blocksOf = (part: PlainPart | Picture, bindings: Bindings, pictures: boolean): ReadonlyArray<Block> => {
  switch (part.type) {
    case "text":
      return [{ kind: "text", title: part.title, lines: bindings.filled(part.text).split("\n"), colour: part.colour }]
    case "grid":
      return [drawGrid(part, bindings)]
    case "gauges":
      return [drawGauges(part, bindings)]
    case "table":
      return [drawTable(part, bindings)]
    case "svg":
      return pictures
        ? [drawPicture(part, bindings)]
        : part.alternative.flatMap((alternative) => blocksOf(alternative, bindings, pictures))
  }
}

const drawGauges = ({ title, gauges }: Gauges, bindings: Bindings): GaugesBlock => ({
  kind: "gauges",
  title,
  gauges: gauges.map(({ label, from, min: least = 0, max: most, unit, format }) => {
    const value = bindings.at(from)
    const [min, max] = [bindings.number(least), bindings.number(most)]
    const text = formatted(value, format, bindings.lookups)
    const isBar = typeof value === "number" && min !== undefined && max !== undefined && min < max
    return {
      label,
      text: unit === undefined || value === undefined ? text : `${text} ${unit}`,
      bar: isBar ? { min, max, value } : null,
    }
  }),
})

const drawTable = (part: Table, bindings: Bindings): TableBlock => {
  const { title, rows: pointer, columns, limit = TABLE_ROWS, last = false } = part
  const headings = columns.map(({ label }) => label)
  const source = bindings.at(pointer)
  if (typeof source !== "object" || source === null) {
    if (source !== undefined) bindings.note(`no list or object at ${pointer}`)
    return { kind: "table", title, headings, rows: [columns.map(() => MISSING)], numeric: columns.map(() => false) }
  }
  const { keys, count } = keysOf(source, limit, last)
  if (count > keys.length) bindings.note(`${last ? "the last" : "the first"} ${keys.length} of ${count} at ${pointer}`)
  const values = keys.map((key) => {
    const row = bindings.within(valueAt(source, [key]) ?? null)
    return columns.map(({ key: isKey, from = "", format }) => {
      const value = isKey === true ? key : row.at(from)
      return { text: formatted(value, format, bindings.lookups), isNumber: typeof value === "number" }
    })
  })
  return {
    kind: "table",
    title,
    headings,
    rows: values.map((row) => row.map(({ text }) => text)),
    numeric: columns.map((_, index) => values.length > 0 && values.every((row) => row[index]?.isNumber === true)),
  }
}

/** The keys of the shown rows, and the number of all rows. */
const keysOf = (source: object, limit: number, last: boolean) => {
  if (!Array.isArray(source)) {
    const keys = Object.keys(source)
    return { keys: last ? keys.slice(-limit) : keys.slice(0, limit), count: keys.length }
  }
  const first = last ? Math.max(0, source.length - limit) : 0
  const length = Math.min(limit, source.length)
  return { keys: Array.from({ length }, (_, index) => String(first + index)), count: source.length }
}
