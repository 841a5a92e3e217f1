/** The look of text: coloured or plain, and the columns of a line. */
import { styleText } from "node:util"

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
