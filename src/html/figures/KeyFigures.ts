/** The key figures at the top of a page. */

import { type Markup, markup } from "../../values/Markup.ts"
import * as FormattedNumbers from "../FormattedNumbers.ts"

export const key = (name: string, figure: string, meaning: string): Markup =>
  markup`<div><dt>${name}</dt><dd>${figure}<small>${meaning}</small></dd></div>`

/** An amount in the colour of its sign. */
export const signed = (of: number): Markup =>
  of === 0 ? markup`0` : markup`<span class="${of > 0 ? "gain" : "loss"}">${FormattedNumbers.signed(of)}</span>`
