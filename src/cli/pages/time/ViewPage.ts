/** Draws worlds by their views. */
import { Either } from "effect"
import type { World } from "../../../projections/state/Worlds.ts"
import { oneLine } from "../../../values/PlainText.ts"
import { drawText } from "../../../views/drawText.ts"
import type { Style } from "../../terminal/Style.ts"

/** Each world under the name of its plugin, in lines of at most `columns`. */
export const lines = (style: Style, worlds: ReadonlyArray<World>, columns: number): ReadonlyArray<string> =>
  worlds.flatMap((world, index) => [
    ...(index === 0 ? [] : [""]),
    style.name(oneLine(world.plugin)),
    ...(world.outOfStep
      ? [style.warn("The document stopped following its events; `outOfStep` in the state says why.")]
      : []),
    ...drawn(world, columns, style.isColoured),
  ])

export const drawn = ({ view, document }: World, columns: number, colour: boolean): ReadonlyArray<string> =>
  Either.match(view, {
    onLeft: ({ message }) => [`The view cannot be drawn. ${message}`].flatMap((text) => text.split("\n")),
    onRight: (view) => drawText(view, document, { columns, colour }),
  })
