/** Draws a state document as lines for a terminal. */
import type { Json } from "../values/Json.ts"
import { draw } from "./draw.ts"
import type { Colour } from "./Fields.ts"
import { type Line, linesOf, type Piece } from "./lines.ts"
import type { View } from "./View.ts"

/** Options of `drawText`. */
export interface TextOptions {
  /** Maximum width in terminal columns, at least 10. Default: 80. */
  readonly columns?: number
  /** True for colours, as ANSI escape sequences. Default: false. */
  readonly colour?: boolean
}

/**
 * Draws lines, with the alternatives of pictures. For every document, the only control characters are those
 * of the colours.
 */
export const drawText = (
  view: View,
  document: Json,
  { columns = 80, colour = false }: TextOptions = {},
): ReadonlyArray<string> => {
  const textOf = colour ? coloured : plain
  return linesOf(draw(view, document, false), columns).map(textOf)
}

const plain = (line: Line): string =>
  line
    .map(({ text }) => text)
    .join("")
    .trimEnd()

const coloured = (line: Line): string => line.map(painted).join("")

const ESCAPE = "\u001b"

const painted = ({ text, style }: Piece): string => {
  const codes = style === undefined || text === "" ? null : CODES[style]
  return codes === null ? text : `${ESCAPE}[${codes[0]}m${text}${ESCAPE}[${codes[1]}m`
}

/** Select Graphic Rendition (ECMA-48): on and off. White is the terminal's default, which suits its background. */
const CODES: { readonly [style in Colour | "bold" | "dim"]: readonly [on: number, off: number] | null } = {
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  white: null,
  grey: [2, 22],
  bold: [1, 22],
  dim: [2, 22],
}
