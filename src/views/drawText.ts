/** Draws a state document as lines for a terminal. */
import type { Json } from "../values/Json.ts"
import { draw } from "./draw.ts"
import type { Colour } from "./Fields.ts"
import { type Line, linesOf, type Run } from "./lines.ts"
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

const painted = ({ text, style }: Run): string =>
  style === undefined || text === "" ? text : `${ESCAPE}[${CODES[style]}m${text}${ESCAPE}[0m`

/** Select Graphic Rendition (ECMA-48). White is the terminal's own colour, which can be read on its background. */
const CODES: { readonly [style in Colour | "bold" | "dim"]: string } = {
  red: "31",
  green: "32",
  yellow: "33",
  blue: "34",
  magenta: "35",
  cyan: "36",
  white: "39",
  grey: "90",
  bold: "1",
  dim: "2",
}
