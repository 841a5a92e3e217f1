/** Lays out a drawing as lines of a fixed width, in pieces of one style each. */
import { cut, pad, width, wrap } from "./Columns.ts"
import type { Block, Cell, Drawing, GaugesBlock, GridBlock, TableBlock, TextBlock } from "./Drawing.ts"
import type { Colour } from "./Fields.ts"

export interface Piece {
  readonly text: string
  readonly style?: Colour | "bold" | "dim" | undefined
}

export type Line = ReadonlyArray<Piece>

/** Minimum width, in columns. */
const MIN_COLUMNS = 10

/** Per text block. */
const MAX_LINES = 500

/** In columns. */
const BAR = 30

/** Columns of a table shrink no further than this. */
const NARROW = 8

/** Lines of all blocks, separated by blank lines, then the notes. Skips pictures. */
export const linesOf = ({ blocks, notes }: Drawing, columns: number): ReadonlyArray<Line> => {
  const room = Math.max(MIN_COLUMNS, columns)
  const parts = blocks.map((block) => linesOfBlock(block, room))
  const noted = notes.flatMap((note) => wrap(note, room).map((text): Line => [{ text, style: "dim" }]))
  return [...parts, noted]
    .filter(({ length }) => length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : [[], ...lines]))
}

/** Lines of one block, its title first. */
export const linesOfBlock = (block: Block, room: number): ReadonlyArray<Line> => {
  if (block.kind === "picture") return []
  const title: ReadonlyArray<Line> =
    block.title === undefined ? [] : [[{ text: cut(block.title, room), style: "bold" }]]
  switch (block.kind) {
    case "text":
      return [...title, ...textLines(block, room)]
    case "grid":
      return [...title, ...gridLines(block, room)]
    case "gauges":
      return [...title, ...gaugeLines(block, room)]
    case "table":
      return [...title, ...tableLines(block, room)]
  }
}

const textLines = ({ lines, colour }: TextBlock, room: number): ReadonlyArray<Line> =>
  lines
    .flatMap((line) => wrap(line, room))
    .slice(0, MAX_LINES)
    .map((text) => [{ text, style: colour }])

const gridLines = (block: GridBlock, room: number): ReadonlyArray<Line> => {
  const gap = block.spaced ? 1 : 0
  const count = block.rows[0]?.length ?? 0
  const fits = count * (block.width + gap) - gap <= room
  const shown = fits ? count : Math.max(1, Math.floor((room - 1) / (block.width + gap)))
  const padded = new Map<string, string>()
  const textOf = (text: string): string => {
    const known = padded.get(text) ?? pad(text, block.width)
    padded.set(text, known)
    return known
  }
  return [
    ...block.rows.map((row) => [
      ...merged(row.slice(0, shown), (text, index) => textOf(text) + (index < shown - 1 ? " ".repeat(gap) : "")),
      ...(fits ? [] : [{ text: "…" }]),
    ]),
    ...legendLines(block, room),
  ]
}

/** Merges neighbours of one colour into one piece. */
const merged = (row: ReadonlyArray<Cell>, textOf: (text: string, index: number) => string): Line => {
  const runs: Array<{ text: string; style: Colour | undefined }> = []
  for (const [index, { text, colour }] of row.entries()) {
    const last = runs.at(-1)
    if (last !== undefined && last.style === colour) last.text += textOf(text, index)
    else runs.push({ text: textOf(text, index), style: colour })
  }
  return runs
}

const legendLines = ({ legend }: GridBlock, room: number): ReadonlyArray<Line> => {
  const lines: Array<Array<Piece>> = []
  let used = room
  for (const { text, colour, label } of legend) {
    const entry = ` ${cut(label, room - 3)}`
    const needed = width(text) + width(entry)
    const last = lines.at(-1)
    if (last === undefined || used + 2 + needed > room) {
      lines.push([
        { text, style: colour },
        { text: entry, style: "dim" },
      ])
      used = needed
    } else {
      last.push({ text: "  " }, { text, style: colour }, { text: entry, style: "dim" })
      used += 2 + needed
    }
  }
  return lines
}

const gaugeLines = ({ gauges }: GaugesBlock, room: number): ReadonlyArray<Line> => {
  const label = Math.min(Math.max(...gauges.map(({ label }) => width(label))), Math.floor(room / 3))
  const value = Math.min(Math.max(...gauges.map(({ text }) => width(text))), Math.floor(room / 3))
  const bar = Math.min(BAR, room - label - value - 4)
  return gauges.map((gauge) => {
    const name = pad(cut(gauge.label, label), label)
    if (gauge.bar === null || bar < 3) return [{ text: `${name}  ${cut(gauge.text, room - label - 2)}` }]
    return [
      { text: `${name}  ` },
      ...barOf(gauge.bar, bar),
      { text: `  ${pad(cut(gauge.text, value), value, "start")}` },
    ]
  })
}

/** A bar from the minimum; if that is negative, a mark between the limits. */
const barOf = ({ min, max, value }: { min: number; max: number; value: number }, columns: number): Line => {
  const share = Math.min(1, Math.max(0, (value - min) / (max - min)))
  if (min >= 0) {
    const full = Math.round(share * columns)
    return [
      { text: "█".repeat(full), style: "cyan" },
      { text: "░".repeat(columns - full), style: "grey" },
    ]
  }
  const before = Math.round(share * (columns - 1))
  return [
    { text: "─".repeat(before), style: "grey" },
    { text: "●", style: "cyan" },
    { text: "─".repeat(columns - 1 - before), style: "grey" },
  ]
}

const GAP = "  "

const tableLines = ({ headings, rows, numeric }: TableBlock, room: number): ReadonlyArray<Line> => {
  const natural = headings.map((heading, index) =>
    Math.max(width(heading), ...rows.map((row) => width(row[index] ?? ""))),
  )
  const widths = fitted(natural, room - GAP.length * (headings.length - 1))
  const lineOf = (texts: ReadonlyArray<string>) =>
    widths
      .map((columns, index) =>
        pad(cut(texts[index] ?? "", columns), columns, numeric[index] === true ? "start" : "end"),
      )
      .join(GAP)
      .trimEnd()
  return [
    [{ text: cut(lineOf(headings), room), style: "dim" }],
    ...rows.map((row): Line => [{ text: cut(lineOf(row), room) }]),
  ]
}

/** Shrinks the widest columns first until the table fits. */
const fitted = (natural: ReadonlyArray<number>, room: number): ReadonlyArray<number> => {
  const widths = [...natural]
  let excess = widths.reduce((sum, each) => sum + each, 0) - room
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= NARROW) break
    const next = Math.max(NARROW, ...widths.filter((each) => each < widest))
    const wide = widths.flatMap((each, index) => (each === widest ? [index] : []))
    const less = Math.max(1, Math.min(widest - next, Math.ceil(excess / wide.length)))
    for (const index of wide) widths[index] = widest - less
    excess -= less * wide.length
  }
  return widths
}
