/**
 * Parses Markdown (the common part of CommonMark and GitHub's tables) into a tree of blocks. Takes time in proportion
 * to the text: blocks nest to a fixed depth, and anything deeper is text.
 */
import { type Inline, inlinesOf } from "./Inlines.ts"

export type Align = "left" | "right" | "center" | null

export type Block =
  | { readonly kind: "paragraph"; readonly inlines: ReadonlyArray<Inline> }
  | { readonly kind: "heading"; readonly level: number; readonly inlines: ReadonlyArray<Inline> }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: ReadonlyArray<Block> }
  | {
      readonly kind: "list"
      /** The first number; null for a list without numbers. */
      readonly start: number | null
      readonly items: ReadonlyArray<ReadonlyArray<Block>>
    }
  | {
      readonly kind: "table"
      readonly align: ReadonlyArray<Align>
      readonly head: ReadonlyArray<ReadonlyArray<Inline>>
      readonly rows: ReadonlyArray<ReadonlyArray<ReadonlyArray<Inline>>>
    }
  | { readonly kind: "rule" }

/** Deepest nesting of quotes and lists. */
const DEEPEST = 12

/** Most columns of a table. */
const COLUMNS = 40

export const blocksOf = (text: string): ReadonlyArray<Block> => blocksIn(text.split(/\r\n|\r|\n/), 0)

/** Backticks after those of a fence make it a line of code in a paragraph. */
const FENCE = /^ {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)(.*)$/
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/
const DELIMITERS = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

type Lines = ReadonlyArray<string>

/** A block and the line after it. */
type Read = readonly [block: Block, next: number]

const blocksIn = (lines: Lines, depth: number): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const [block, next] = blockAt(lines, at, depth)
    blocks.push(block)
    at = next
  }
  return blocks
}

const blockAt = (lines: Lines, at: number, depth: number): Read => {
  const line = lines[at] ?? ""
  const fence = FENCE.exec(line)
  if (fence !== null) return codeAt(lines, at, fence[1] ?? fence[3] ?? "", fence[2] ?? fence[4] ?? "")
  const heading = HEADING.exec(line)
  if (heading !== null) return [headingOf(heading[1]?.length ?? 1, heading[2] ?? ""), at + 1]
  if (isRule(line)) return [{ kind: "rule" }, at + 1]
  if (depth < DEEPEST && QUOTE.test(line)) return quoteAt(lines, at, depth)
  if (depth < DEEPEST && ITEM.test(line)) return listAt(lines, at, depth)
  if (isTable(lines, at)) return tableAt(lines, at)
  return paragraphAt(lines, at, depth)
}

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === ""

/** A long line is no rule, and would take long to test. */
const isRule = (line: string): boolean => line.length <= 200 && RULE.test(line)

const headingOf = (level: number, text: string): Block => ({
  kind: "heading",
  level,
  inlines: inlinesOf(text.trim().replace(/[ \t]#{1,6}$/, "")),
})

const codeAt = (lines: Lines, at: number, fence: string, language: string): Read => {
  const closing = fence[0] ?? "`"
  const isClosing = (line: string): boolean => {
    const text = line.trim()
    return text.length >= fence.length && text.length <= fence.length + 80 && text === closing.repeat(text.length)
  }
  let end = at + 1
  while (end < lines.length && !isClosing(lines[end] ?? "")) end++
  return [{ kind: "code", language: language.trim(), text: lines.slice(at + 1, end).join("\n") }, end + 1]
}

/** Lines of a quote: those with its mark, and those that continue its paragraph. */
const quoteAt = (lines: Lines, at: number, depth: number): Read => {
  const inner: Array<string> = []
  let end = at
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ""
    if (QUOTE.test(line)) inner.push(line.replace(QUOTE, ""))
    else if (isBlank(line) || isBlank(inner.at(-1)) || begins(line)) break
    else inner.push(line)
  }
  return [{ kind: "quote", blocks: blocksIn(inner, depth + 1) }, end]
}

/** Whether a line ends a paragraph before it. */
const begins = (line: string): boolean =>
  FENCE.test(line) || HEADING.test(line) || isRule(line) || QUOTE.test(line) || ITEM.test(line)

const listAt = (lines: Lines, at: number, depth: number): Read => {
  const first = ITEM.exec(lines[at] ?? "")?.[2] ?? "-"
  const isNumbered = /\d/.test(first)
  const items: Array<ReadonlyArray<Block>> = []
  let next = at
  while (next < lines.length) {
    const item = ITEM.exec(lines[next] ?? "")
    if (item === null || /\d/.test(item[2] ?? "") !== isNumbered || isRule(lines[next] ?? "")) break
    const [inner, end] = itemAt(lines, next, item)
    items.push(blocksIn(inner, depth + 1))
    next = end
  }
  return [{ kind: "list", start: isNumbered ? Number.parseInt(first, 10) : null, items }, next]
}

const itemAt = (lines: Lines, at: number, item: RegExpExecArray): readonly [inner: Lines, next: number] => {
  const mark = (item[1]?.length ?? 0) + (item[2]?.length ?? 1)
  const indent = mark + Math.min(4, Math.max(1, item[3]?.length ?? 1))
  const inner = [(lines[at] ?? "").slice(item[0].length)]
  let end = at + 1
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ""
    if (isBlank(line)) {
      // Text after a blank line belongs to the item only if it is indented.
      let after = end
      while (after < lines.length && isBlank(lines[after])) after++
      if (after === lines.length || indentOf(lines[after] ?? "") < mark) {
        const isNext = after < lines.length && ITEM.test(lines[after] ?? "")
        return [inner, isNext ? after : end]
      }
      for (; end < after; end++) inner.push("")
      end -= 1
    } else if (indentOf(line) >= mark) inner.push(line.slice(Math.min(indent, indentOf(line))))
    else if (begins(line) || isBlank(inner.at(-1))) break
    else inner.push(line.trimStart())
  }
  return [inner, end]
}

const indentOf = (line: string): number => {
  let indent = 0
  while (line[indent] === " " || line[indent] === "\t") indent++
  return indent
}

const isTable = (lines: Lines, at: number): boolean => {
  const [head = "", line = ""] = [lines[at], lines[at + 1]]
  return head.includes("|") && line.includes("-") && line.length <= 4_000 && DELIMITERS.test(line)
}

const tableAt = (lines: Lines, at: number): Read => {
  const align = cellsOf(lines[at + 1] ?? "").map(alignOf)
  const row = (line: string) => {
    const cells = cellsOf(line)
    return align.map((_, column) => inlinesOf(cells[column] ?? ""))
  }
  let end = at + 2
  while (end < lines.length && !isBlank(lines[end]) && (lines[end] ?? "").includes("|")) end++
  return [{ kind: "table", align, head: row(lines[at] ?? ""), rows: lines.slice(at + 2, end).map(row) }, end]
}

const cellsOf = (line: string): ReadonlyArray<string> => {
  const cells: Array<string> = [""]
  const text = line.trim()
  for (let at = text.startsWith("|") ? 1 : 0; at < text.length; at++) {
    const character = text[at] ?? ""
    if (character === "\\" && text[at + 1] === "|") {
      cells.push(`${cells.pop() ?? ""}|`)
      at += 1
    } else if (character === "|" && cells.length < COLUMNS) cells.push("")
    else cells.push((cells.pop() ?? "") + character)
  }
  if (text.endsWith("|") && cells.length > 1 && cells.at(-1) === "") cells.pop()
  return cells.map((cell) => cell.trim())
}

const alignOf = (cell: string): Align => {
  if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right"
  return cell.startsWith(":") ? "left" : null
}

const paragraphAt = (lines: Lines, at: number, depth: number): Read => {
  let end = at + 1
  while (
    end < lines.length &&
    !isBlank(lines[end]) &&
    !(depth < DEEPEST && begins(lines[end] ?? "")) &&
    !isTable(lines, end)
  )
    end++
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join("\n")
    .trimEnd()
  return [{ kind: "paragraph", inlines: inlinesOf(text) }, end]
}
