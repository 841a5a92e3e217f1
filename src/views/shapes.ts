/** Writes the shapes of a picture as SVG. The schema fixes element and attribute names; values are escaped. */
import { Markup, markup } from "../values/Markup.ts"
import { paint } from "./Colours.ts"
import type { PictureBlock, Shape } from "./Drawing.ts"

/** The shapes without the enclosing `svg` element. */
export const shapes = ({ shapes }: PictureBlock): Markup => markup`${shapes.map(shape)}`

const shape = ({ element, attributes, text, children = [] }: Shape): Markup => {
  const name = new Markup(element)
  const written = attributes.map(([key, value]) => markup` ${new Markup(key)}="${paint(value)}"`)
  const style = element === "text" && !attributes.some(([key]) => key === "fill") ? markup` fill="currentColor"` : null
  return markup`<${name}${written}${style}>${text ?? null}${children.map(shape)}</${name}>`
}
