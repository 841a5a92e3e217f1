/** Draws a state document as lines for a terminal. */
import type { Json } from "../values/Json.ts"
import { draw } from "./draw.ts"
import type { Colour } from "./Fields.ts"
import { type Line, linesOf, type Piece } from "./lines.ts"
import type { View } from "./View.ts"

/** How a view is drawn as text. */
export interface TextOptions {
  /** Widest line, in columns of a terminal; at least 10. Default: 80. */
  readonly columns?: number
  /** Whether colours are written, as ANSI escape sequences. Default: false. */
  readonly colour?: boolean
}

/**
 * The lines of a state document. Pictures are drawn as their alternatives. The lines have no control characters but
 * those of the colours, whatever is in the document.
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

/** Select Graphic Rendition (ECMA-48): on and off. White is the terminal's own colour, which its background suits. */
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
