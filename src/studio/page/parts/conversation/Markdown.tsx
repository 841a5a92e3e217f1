/**
 * Markdown as elements. A reader's click opens links, in a tab of its own; nothing else on the page makes a request, so
 * that a remote image is a line with its address.
 */

import type { JSX } from "preact"
import { useMemo } from "preact/hooks"
import { pictureIn } from "../../model/conversation/pictures.ts"
import { type Align, type Block, blocksOf } from "../../model/markdown/Blocks.ts"
import { type Inline, textOf } from "../../model/markdown/Inlines.ts"
import { Code } from "./Code.tsx"
import { Picture } from "./Picture.tsx"

export const Markdown = ({ text }: { readonly text: string }) => {
  const blocks = useMemo(() => blocksOf(text), [text])
  return <div class="markdown">{blocks.map(blockOf)}</div>
}

const blockOf = (block: Block, key: number): JSX.Element => {
  switch (block.kind) {
    case "paragraph":
      return <p key={key}>{inlinesOf(block.inlines)}</p>
    // The page's own headings are above: a message's are never among them.
    case "heading":
      return (
        <p key={key} class={`heading level-${block.level}`}>
          {inlinesOf(block.inlines)}
        </p>
      )
    case "code":
      return <Code key={key} text={block.text} language={block.language} />
    case "quote":
      return <blockquote key={key}>{block.blocks.map(blockOf)}</blockquote>
    case "list":
      return <List key={key} list={block} />
    case "table":
      return <Table key={key} table={block} />
    case "rule":
      return <hr key={key} />
  }
}

const List = ({ list: { start, items } }: { readonly list: Extract<Block, { kind: "list" }> }) => {
  const rows = items.map((blocks, index) => <li key={index}>{blocks.map(itemBlockOf)}</li>)
  return start === null ? <ul>{rows}</ul> : <ol start={start}>{rows}</ol>
}

/** A paragraph that begins an item appears next to its mark. */
const itemBlockOf = (block: Block, index: number): JSX.Element =>
  block.kind === "paragraph" && index === 0 ? (
    <span key={index}>{inlinesOf(block.inlines)}</span>
  ) : (
    blockOf(block, index)
  )

/** Most rows of a table that are drawn at once. */
const ROWS = 200

const Table = ({ table: { head, rows, align } }: { readonly table: Extract<Block, { kind: "table" }> }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys.
  <div class="scroll" tabIndex={0}>
    <table>
      <thead>
        <tr>
          {head.map((cell, column) => (
            <th key={column} scope="col" class={alignOf(align[column])}>
              {inlinesOf(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, ROWS).map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (
              <td key={column} class={alignOf(align[column])}>
                {inlinesOf(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    {rows.length > ROWS ? <p class="note">… {rows.length - ROWS} more rows: show the raw text for all</p> : null}
  </div>
)

const alignOf = (align: Align | undefined): string | undefined => (align == null ? undefined : `to-${align}`)

const inlinesOf = (inlines: ReadonlyArray<Inline>): ReadonlyArray<JSX.Element> => inlines.map(inlineOf)

const inlineOf = (one: Inline, key: number): JSX.Element => {
  switch (one.kind) {
    case "text":
      return <bdi key={key}>{one.text}</bdi>
    case "strong":
      return <strong key={key}>{inlinesOf(one.inlines)}</strong>
    case "em":
      return <em key={key}>{inlinesOf(one.inlines)}</em>
    case "strike":
      return <s key={key}>{inlinesOf(one.inlines)}</s>
    case "code":
      return <code key={key}>{one.text}</code>
    case "break":
      return <br key={key} />
    case "link":
      return <Away key={key} href={one.href} inlines={one.inlines} />
    case "image":
      return <Pictured key={key} src={one.src} alt={one.alt} />
  }
}

/** A link out of the page, with its address, so that its text deceives nobody. */
const Away = ({ href, inlines }: { readonly href: string; readonly inlines: ReadonlyArray<Inline> }) => (
  <>
    <a href={href} target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">
      {inlinesOf(inlines)}
    </a>
    {sameAddress(textOf(inlines), href) ? null : <small class="address"> ({href})</small>}
  </>
)

const sameAddress = (text: string, href: string): boolean => text === href || `${text}/` === href

const DATA = /^data:([\w.+-]{1,60}\/[\w.+-]{1,60});base64,/

/** An image in Markdown: one that it contains is drawn; one elsewhere is not fetched. */
const Pictured = ({ src, alt }: { readonly src: string; readonly alt: string }) => {
  const data = DATA.exec(src)
  const picture = data === null ? undefined : pictureIn({ mediaType: data[1] ?? "", data: src.slice(data[0].length) })
  if (picture !== undefined) return <Picture picture={picture} alt={alt} />
  return (
    <span class="note">
      [image: <bdi>{alt || "without a name"}</bdi>, <code>{src.slice(0, 2_048)}</code>]
    </span>
  )
}
