/** Draws a state document as HTML, for a page with `CSS` in its style sheet. */
import type { Json } from "../values/Json.ts"
import { Markup, markup } from "../values/Markup.ts"
import { COLOURS, INK, PAPER, SHADES } from "./Colours.ts"
import type { Block, Cell, GaugesBlock, GridBlock, PictureBlock, TableBlock, TextBlock } from "./Drawing.ts"
import { draw } from "./draw.ts"
import type { Colour } from "./Fields.ts"
import { shapes } from "./shapes.ts"
import type { View } from "./View.ts"

/**
 * Returns HTML with every value of the document escaped. It has no scripts, no inline styles, and loads nothing, so a
 * strict Content-Security-Policy allows it.
 */
export const drawHtml = (view: View, document: Json): string => viewMarkup(view, document).source

/** The same as markup, for a template. */
export const viewMarkup = (view: View, document: Json): Markup => {
  const { blocks, notes } = draw(view, document, true)
  return markup`<div class="view">${blocks.map(block)}${notes.map((note) => markup`<p class="note">${note}</p>`)}</div>`
}

/** The style sheet of drawn views. */
export const CSS = `
.view{margin:1rem 0}
.view>*{margin:0 0 .75rem}
.view .title{font-weight:600;margin-bottom:.25rem}
.view pre{margin:0 0 .25rem;font:1rem/1.25 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;overflow-x:auto;direction:ltr;unicode-bidi:bidi-override}
.view .picture{display:block;max-width:40rem;max-height:32rem;width:100%;height:auto;overflow:hidden;background:${PAPER};color:${INK};border-radius:4px}
.view .gauge{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;margin:0}
.view .gauge span:first-child{min-width:8rem}
.view .gauge meter{width:14rem}
${COLOURS.map((colour) => `.view .v-${colour}{color:${SHADES[colour]}}`).join("\n")}
`

const block = (block: Block): Markup => {
  switch (block.kind) {
    case "text":
      return text(block)
    case "grid":
      return grid(block)
    case "gauges":
      return gauges(block)
    case "table":
      return table(block)
    case "picture":
      return picture(block)
  }
}

const titled = (title: string | undefined, body: Markup): Markup =>
  title === undefined ? body : markup`<div><p class="title">${title}</p>${body}</div>`

const coloured = (colour: Colour | undefined, text: string): Markup =>
  colour === undefined ? markup`${text}` : markup`<span class="v-${colour}">${text}</span>`

const BREAK = new Markup("<br>")

const text = ({ title, lines, colour }: TextBlock): Markup =>
  titled(
    title,
    markup`<p>${lines.map((line, index) => [index === 0 ? null : BREAK, markup`<bdi>${coloured(colour, line)}</bdi>`])}</p>`,
  )

const grid = ({ title, rows, spaced, legend }: GridBlock): Markup => {
  const label = `${title ?? "Grid"}, ${rows.length} × ${rows[0]?.length ?? 0} cells`
  const lines = rows.map((row, index) => [index === 0 ? "" : NEWLINE, merged(row, spaced ? " " : "")])
  const entries = legend.map(
    ({ text, colour, label }, index) => markup`${index === 0 ? "" : "  "}${coloured(colour, text)} ${label}`,
  )
  return titled(
    title,
    markup`<pre role="img" aria-label="${label}">${lines}</pre>${entries.length === 0 ? null : markup`<p class="note">${entries}</p>`}`,
  )
}

/** `markup` would write a line break as a space. */
const NEWLINE = new Markup("\n")

/** Merges neighbours of one colour into one element. */
const merged = (row: ReadonlyArray<Cell>, gap: string): ReadonlyArray<Markup> => {
  const runs: Array<{ text: string; readonly colour: Colour | undefined }> = []
  for (const [index, { text, colour }] of row.entries()) {
    const last = runs.at(-1)
    const cell = index === 0 ? text : gap + text
    if (last !== undefined && last.colour === colour) last.text += cell
    else runs.push({ text: cell, colour })
  }
  return runs.map(({ text, colour }) => coloured(colour, text))
}

const gauges = ({ title, gauges }: GaugesBlock): Markup =>
  titled(
    title,
    markup`<div>${gauges.map(
      ({ label, text, bar }) =>
        markup`<p class="gauge"><span>${label}</span>${
          bar === null
            ? null
            : markup`<meter min="${bar.min}" max="${bar.max}" value="${bar.value}" aria-label="${label}"></meter>`
        }<bdi>${text}</bdi></p>`,
    )}</div>`,
  )

const table = ({ title, headings, rows, numeric }: TableBlock): Markup => {
  const cell = (text: string, index: number) =>
    markup`<td${numeric[index] === true ? markup` class="n"` : null}><bdi>${text}</bdi></td>`
  return titled(
    title,
    markup`<div class="scroll"><table><thead><tr>${headings.map((heading) => markup`<th scope="col">${heading}</th>`)}</tr></thead><tbody>${rows.map((row) => markup`<tr>${row.map(cell)}</tr>`)}</tbody></table></div>`,
  )
}

const picture = (block: PictureBlock): Markup =>
  markup`<svg class="picture" viewBox="0 0 ${block.width} ${block.height}" role="img" aria-label="${block.title}">${shapes(block)}</svg>`
