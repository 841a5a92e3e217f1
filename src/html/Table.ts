/** HTML tables. */

import { type Markup, markup, type Value } from "../values/Markup.ts"

/** A column: its heading, and whether it holds numbers. */
export interface Column {
  readonly heading: string
  readonly numbers?: boolean
}

export const numbers = (...headings: ReadonlyArray<string>): ReadonlyArray<Column> =>
  headings.map((heading) => ({ heading, numbers: true }))

/** A table that scrolls horizontally if it is wider than the page. A row's first cell is its heading. */
export const table = (
  caption: string,
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<Value>>,
): Markup =>
  markup`<p class="caption">${caption}</p><div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table aria-label="${caption}"><thead><tr>${columns.map(
    ({ heading, numbers }) => markup`<th scope="col"${numbers === true ? NUMBER : ""}>${heading}</th>`,
  )}</tr></thead><tbody>${rows.map(
    (cells) =>
      markup`<tr>${cells.map((cell, index) =>
        index === 0
          ? markup`<th scope="row">${cell}</th>`
          : markup`<td${columns[index]?.numbers === true ? NUMBER : ""}>${cell}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`

const NUMBER = markup` class="n"`

/** A note on the number of rows left out, if any. */
export const leftOut = (shown: number, all: number, what: string): Markup =>
  all > shown ? markup`<p class="note">${(all - shown).toLocaleString("en")} more ${what} are not shown.</p>` : markup``
