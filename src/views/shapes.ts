/** Writes the shapes of a picture as SVG. Element and attribute names come from the schema, values are escaped. */
import { Markup, markup } from "../values/Markup.ts"
import type { PictureBlock, Shape } from "./Drawing.ts"
import { COLOURS, type Colour } from "./Fields.ts"

/** Shades that can be read on light and on dark backgrounds. */
export const SHADES: { readonly [colour in Colour]: string } = {
  red: "#d1453b",
  green: "#2c9a5b",
  yellow: "#b58900",
  blue: "#3b7dd8",
  magenta: "#b0509f",
  cyan: "#1f97a3",
  white: "currentColor",
  grey: "#8a8f98",
}

/** What pictures and images are drawn on, and the ink of what has no colour. */
export const PAPER = "#fff"
export const INK = "#1a1b1e"

/** The shapes of a picture as SVG, without the element around them. */
export const shapes = ({ shapes }: PictureBlock): Markup => markup`${shapes.map(shape)}`

const shape = ({ element, attributes, text, children = [] }: Shape): Markup => {
  const name = new Markup(element)
  const written = attributes.map(([key, value]) => markup` ${new Markup(key)}="${paint(value)}"`)
  const style = element === "text" && !attributes.some(([key]) => key === "fill") ? markup` fill="currentColor"` : null
  return markup`<${name}${written}${style}>${text ?? null}${children.map(shape)}</${name}>`
}

/** A picture stands on white paper, on which white is a colour of its own. */
const paint = (value: string): string => {
  if (value === "white") return "#fff"
  const colour = COLOURS.find((name) => name === value)
  return colour === undefined ? value : SHADES[colour]
}
