/** How text is shown: coloured or plain, and how many columns a line may have. */
import { styleText } from "node:util"

/** Functions that style a text by its meaning, and the width that lines have to fit. */
export interface Style {
  readonly isColoured: boolean
  /** Columns of a line. `Infinity` in pipes and files, whose lines are not wrapped. */
  readonly columns: number
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly name: (text: string) => string
}

const unchanged = (text: string) => text

/** Does not style text: for pipes and files. */
export const plain: Style = {
  isColoured: false,
  columns: Number.POSITIVE_INFINITY,
  bold: unchanged,
  dim: unchanged,
  good: unchanged,
  bad: unchanged,
  warn: unchanged,
  name: unchanged,
}

/** Styles text with terminal colours. */
export const coloured: Style = {
  isColoured: true,
  columns: Number.POSITIVE_INFINITY,
  bold: (text) => styleText("bold", text),
  dim: (text) => styleText("dim", text),
  good: (text) => styleText("green", text),
  bad: (text) => styleText("red", text),
  warn: (text) => styleText("yellow", text),
  name: (text) => styleText("cyan", text),
}
