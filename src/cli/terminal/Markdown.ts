/** Markdown output: escaped text, tables and blocks. */
import { stripVTControlCharacters } from "node:util"
import { oneLine } from "../../values/PlainText.ts"
import * as Table from "./Table.ts"

/**
 * Untrusted text as a code span on one line, valid in a table cell. Markdown, mentions and links in it have no effect
 * (CommonMark §6.1).
 */
export const code = (text: string): string => {
  const line = oneLine(stripVTControlCharacters(text))
  if (line.trim() === "") return "(empty)"
  // Markdown parsers disagree on whether a bar after a backslash ends a cell.
  if (line.includes("\\|")) return asCharacterReferences(line)
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  const padding = /^`|`$|^ .* $/.test(line) ? " " : ""
  return fence + padding + line.replaceAll("|", "\\|") + padding + fence
}

/** Writes every sign as a character reference (CommonMark §2.5). */
const asCharacterReferences = (line: string): string =>
  line.replaceAll(/[^\p{L}\p{N} ]/gu, (sign) => `&#${sign.codePointAt(0) ?? 0};`)

/** A table, with one line of Markdown per cell. No rows give no table. */
export const table = (columns: Table.Columns, rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  if (rows.length === 0) return []
  const headings = Table.columnsOf(columns)
  return [
    row(headings.map(({ heading }) => heading)),
    row(headings.map(({ align }) => (align === "right" ? "---:" : "---"))),
    ...rows.map((cells) => row(headings.map((_, index) => cells[index] ?? ""))),
  ]
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** Joins non-empty blocks with an empty line between them. */
export const blocks = (...parts: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : ["", ...part]))
