/** Fills the cells of a grid and places its entities. */
import type { Json } from "../values/Json.ts"
import type { Bindings, Match } from "./Bindings.ts"
import { graphemes, width } from "./Columns.ts"
import { type Cell, type GridBlock, MAX_CELLS, MAX_SIDE } from "./Drawing.ts"
import { formatted, lookedUp, MISSING } from "./Format.ts"
import type { Entity, GlyphChoice, Grid } from "./View.ts"

export const drawGrid = (part: Grid, bindings: Bindings): GridBlock => {
  const cells = cellsOf(part, bindings)
  for (const entity of part.entities ?? []) place(entity, cells, bindings)
  return {
    kind: "grid",
    title: part.title,
    rows: cells,
    width: widestOf(cells),
    spaced: part.spaced === true,
    legend: legendOf(part),
  }
}

/** Measures each glyph once: a grid has many cells and few glyphs. */
const widestOf = (cells: Cells): number => {
  const glyphs = new Set<string>()
  for (const row of cells) for (const { text } of row) glyphs.add(text)
  return [...glyphs].some((glyph) => width(glyph) > 1) ? 2 : 1
}

type Cells = Array<Array<Cell>>

const BLANK: Cell = { text: " " }
const ABSENT: Cell = { text: MISSING }

/** Replaces a value that is no single character, such as a word or a control character. */
const UNDRAWABLE = "�"

const cellsOf = (part: Grid, bindings: Bindings): Cells => {
  if (part.size !== undefined) {
    const size = { rows: sideOf(part.size.rows, bindings), columns: sideOf(part.size.columns, bindings) }
    if (size.rows === undefined || size.columns === undefined) return [[ABSENT]]
    const { rows, columns } = bounded(size.rows, size.columns, bindings)
    const empty = lookedUpGlyph(part, "") ?? BLANK
    return Array.from({ length: rows }, () => Array<Cell>(columns).fill(empty))
  }
  const pointer = part.rows ?? ""
  const source = bindings.at(pointer)
  if (!Array.isArray(source)) {
    if (source !== undefined) bindings.note(`no list at ${pointer}`)
    return [[ABSENT]]
  }
  const list: ReadonlyArray<Json> = source
  const columns = part.columns === undefined ? undefined : sideOf(part.columns, bindings)
  if (part.columns !== undefined && columns === undefined) return [[ABSENT]]
  return columns === undefined ? rowsOf(part, list, bindings) : folded(part, list, columns, bindings)
}

const sideOf = (side: number | string, bindings: Bindings): number | undefined => {
  const length = bindings.number(side)
  return length === undefined || length < 1 ? undefined : Math.floor(length)
}

const bounded = (rows: number, columns: number, bindings: Bindings) => {
  const shown = Math.min(columns, MAX_SIDE)
  const drawn = { columns: shown, rows: Math.min(rows, MAX_SIDE, Math.floor(MAX_CELLS / Math.max(1, shown))) }
  if (drawn.rows < rows || drawn.columns < columns) {
    bindings.note(`only the first ${drawn.rows} × ${drawn.columns} of ${rows} × ${columns} cells are drawn`)
  }
  return drawn
}

const rowsOf = (part: Grid, list: ReadonlyArray<Json>, bindings: Bindings): Cells => {
  const rows = list.slice(0, MAX_SIDE).map(itemsOf)
  const size = bounded(list.length, Math.max(0, ...rows.map(({ length }) => length)), bindings)
  const cellOf = cellBy(part, bindings)
  return rows
    .slice(0, size.rows)
    .map(({ items }) =>
      Array.from({ length: size.columns }, (_, index) => (index < items.length ? cellOf(items[index]) : BLANK)),
    )
}

/** The items of a list, or the characters of a text. */
const itemsOf = (row: Json): { readonly items: ReadonlyArray<Json | undefined>; readonly length: number } => {
  if (typeof row === "string") {
    const items = graphemes(row.slice(0, MAX_SIDE * 4).toWellFormed()).slice(0, MAX_SIDE)
    return { items, length: items.length < MAX_SIDE ? items.length : row.length }
  }
  if (Array.isArray(row)) return { items: row.slice(0, MAX_SIDE), length: row.length }
  return { items: [undefined], length: 1 }
}

const folded = (part: Grid, list: ReadonlyArray<Json>, columns: number, bindings: Bindings): Cells => {
  const size = bounded(Math.ceil(list.length / columns), columns, bindings)
  const cellOf = cellBy(part, bindings)
  return Array.from({ length: size.rows }, (_, row) =>
    Array.from({ length: size.columns }, (_, column) => {
      const index = row * columns + column
      return index < list.length ? cellOf(list[index]) : BLANK
    }),
  )
}

/** Looks up equal texts and numbers once. */
const cellBy = (part: Grid, bindings: Bindings): ((item: Json | undefined) => Cell) => {
  const known = new Map<Json, Cell>()
  return (item) => {
    if (item === undefined) return ABSENT
    const value = part.cell === undefined ? item : bindings.within(item).at(part.cell)
    if (value === undefined) return ABSENT
    const found = known.get(value)
    if (found !== undefined) return found
    const cell = lookedUpGlyph(part, value) ?? { text: characterOf(value) }
    if (typeof value !== "object") known.set(value, cell)
    return cell
  }
}

const lookedUpGlyph = ({ cells }: Grid, value: Json): Cell | undefined => {
  const choice = cells === undefined ? undefined : lookedUp(cells, value)
  return choice === undefined ? undefined : cellOfGlyph(choice)
}

const cellOfGlyph = (choice: GlyphChoice): Cell =>
  typeof choice === "string" ? { text: choice } : { text: choice.glyph, colour: choice.colour }

/** Draws a value that has no glyph. */
const characterOf = (value: Json): string => {
  if (value === null || value === "") return " "
  const text = formatted(value, undefined, {})
  const [first = " ", ...others] = graphemes(text.slice(0, 16))
  const isCharacter = width(first) > 0 && width(first) <= 2
  return isCharacter && (others.length === 0 || typeof value === "boolean") ? first : UNDRAWABLE
}

const place = (entity: Entity, cells: Cells, bindings: Bindings): void => {
  const columns = cells[0]?.length ?? 0
  let outside = 0
  for (const match of bindings.matches(entity.each)) {
    const from = bindings.within(match.value)
    const glyph = glyphOf(entity, match, from)
    const position = glyph === undefined ? null : from.at(entity.at ?? "")
    if (glyph === undefined || position === null || position === undefined) continue
    const [row, column] = coordinates(position, entity.order ?? "row-column", columns)
    const line = cells[row]
    if (line?.[column] === undefined) outside += 1
    else line[column] = glyph
  }
  if (outside > 0) bindings.note(`${outside} of ${entity.each} outside the grid`)
}

const glyphOf = ({ by, glyphs, glyph }: Entity, { key }: Match, from: Bindings): Cell | undefined => {
  const value = by === undefined || glyphs === undefined ? undefined : from.at(by)
  const choice = value === undefined || glyphs === undefined ? undefined : lookedUp(glyphs, value)
  if (choice === null) return undefined
  const chosen = choice ?? glyph
  return chosen === undefined
    ? { text: characterOf(graphemes(key.slice(0, 16).toWellFormed())[0] ?? "") }
    : cellOfGlyph(chosen)
}

/** NaN if the position has no row or column. */
const coordinates = (
  position: Json,
  order: NonNullable<Entity["order"]>,
  columns: number,
): readonly [row: number, column: number] => {
  if (order === "index") {
    const index = typeof position === "number" ? Math.floor(position) : Number.NaN
    return [Math.floor(index / columns), index % columns]
  }
  const [first, second] = pairOf(position, order === "x-y" ? ["x", "y"] : ["row", "column"])
  return order === "x-y" ? [second, first] : [first, second]
}

const pairOf = (position: Json, names: readonly [string, string]): readonly [number, number] => {
  if (typeof position !== "object" || position === null) return [Number.NaN, Number.NaN]
  const member = (key: string) => (Object.hasOwn(position, key) ? Reflect.get(position, key) : undefined)
  const number = (key: string) => {
    const value: unknown = member(key)
    return typeof value === "number" ? Math.floor(value) : Number.NaN
  }
  return Array.isArray(position) ? [number("0"), number("1")] : [number(names[0]), number(names[1])]
}

const legendOf = ({ cells = {}, entities = [] }: Grid): GridBlock["legend"] => {
  const choices = [
    ...Object.values(cells),
    ...entities.flatMap(({ glyph, glyphs = {} }) => [glyph, ...Object.values(glyphs)]),
  ]
  return choices.flatMap((choice) =>
    choice == null || typeof choice === "string" || choice.label === undefined
      ? []
      : [{ ...cellOfGlyph(choice), label: choice.label }],
  )
}
