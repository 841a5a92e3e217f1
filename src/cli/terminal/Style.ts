import { styleText } from "node:util"

/** How a piece of text is made to stand out. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly name: (text: string) => string
}

const asIs = (text: string) => text

/** Text as it is: for pipes and files. */
export const plain: Style = { bold: asIs, dim: asIs, good: asIs, bad: asIs, warn: asIs, name: asIs }

/** With terminal colours. */
export const coloured: Style = {
  bold: (text) => styleText("bold", text),
  dim: (text) => styleText("dim", text),
  good: (text) => styleText("green", text),
  bad: (text) => styleText("red", text),
  warn: (text) => styleText("yellow", text),
  name: (text) => styleText("cyan", text),
}
