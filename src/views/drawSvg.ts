/** Draws a state document as one SVG image. */
import type { Json } from "../values/Json.ts"
import { Markup, markup } from "../values/Markup.ts"
import { INK, PAPER, SHADES } from "./Colours.ts"
import type { Block, PictureBlock } from "./Drawing.ts"
import { draw } from "./draw.ts"
import { type Line, linesOf, linesOfBlock, type Piece } from "./lines.ts"
import { shapes } from "./shapes.ts"
import type { View } from "./View.ts"

/** Options of `drawSvg`. */
export interface SvgOptions {
  /** Maximum length of a line in characters, at least 10; it also sets the image's width. Default: 80. */
  readonly columns?: number
}

/** The size of a monospaced character, and the margin, in units of the image. */
const CHARACTER = 8.4
const FONT_SIZE = 14
const LINE = 18
const MARGIN = 12

/**
 * Returns an image of the parts, one below the other: pictures as they are, everything else as monospaced text. All
 * values are escaped; the image has no scripts and loads nothing.
 */
export const drawSvg = (view: View, document: Json, { columns = 80 }: SvgOptions = {}): string => {
  const { blocks, notes } = draw(view, document, true)
  const width = Math.ceil(columns * CHARACTER)
  const parts: Array<Markup> = []
  let y = MARGIN
  for (const block of blocks) {
    const part = partOf(block, y, columns, width)
    parts.push(part.body)
    y += part.height + LINE / 2
  }
  const noted = linesOf({ blocks: [], notes }, columns)
  parts.push(text(noted, y))
  const size = { width: width + 2 * MARGIN, height: Math.ceil(y + noted.length * LINE + MARGIN) }
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="ui-monospace,Menlo,Consolas,monospace" font-size="${FONT_SIZE}" color="${INK}" role="img" aria-label="State of the world"><rect width="${size.width}" height="${size.height}" fill="${PAPER}"/>${parts}</svg>`
    .source
}

const partOf = (block: Block, y: number, columns: number, width: number) => {
  if (block.kind === "picture") return pictureOf(block, y, width)
  const lines = linesOfBlock(block, columns)
  return { body: text(lines, y), height: lines.length * LINE }
}

/** Scales a picture down to the image's width. */
const pictureOf = (block: PictureBlock, y: number, widest: number) => {
  const scale = Math.min(1, widest / block.width)
  const size = { width: Math.round(block.width * scale), height: Math.round(block.height * scale) }
  return {
    body: markup`<svg x="${MARGIN}" y="${y}" width="${size.width}" height="${size.height}" viewBox="0 0 ${block.width} ${block.height}" role="img" aria-label="${block.title}">${shapes(block)}</svg>`,
    height: size.height,
  }
}

const text = (lines: ReadonlyArray<Line>, y: number): Markup =>
  markup`${lines.map((line, index) =>
    line.length === 0
      ? null
      : markup`<text x="${MARGIN}" y="${y + index * LINE + FONT_SIZE}" fill="currentColor" xml:space="preserve">${line.map(run)}</text>`,
  )}`

const run = ({ text, style }: Piece): Markup => {
  if (style === undefined) return markup`${text}`
  const look = style === "bold" ? `font-weight="bold"` : style === "dim" ? `opacity="0.65"` : `fill="${SHADES[style]}"`
  return markup`<tspan ${new Markup(look)}>${text}</tspan>`
}
