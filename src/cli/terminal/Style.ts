/** Text styles for the terminal: coloured, or plain for pipes and files. */
import { styleText } from "node:util"

/** Functions that style a text by its meaning. */
export interface Style {
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
  bold: unchanged,
  dim: unchanged,
  good: unchanged,
  bad: unchanged,
  warn: unchanged,
  name: unchanged,
}

/** Styles text with terminal colours. */
export const coloured: Style = {
  bold: (text) => styleText("bold", text),
  dim: (text) => styleText("dim", text),
  good: (text) => styleText("green", text),
  bad: (text) => styleText("red", text),
  warn: (text) => styleText("yellow", text),
  name: (text) => styleText("cyan", text),
}
