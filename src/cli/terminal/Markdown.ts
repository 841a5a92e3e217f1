import { stripVTControlCharacters } from "node:util"
import { oneLine } from "../../values/PlainText.ts"

/** A column of a table: its heading, and on which side its cells stand. */
export interface Column {
  readonly heading: string
  readonly align?: "left" | "right"
}

/**
 * Text that others wrote, as it stands, on one line: in a code span, in which nothing is obeyed, no name is called and no
 * address becomes a link (CommonMark §6.1). It fits into a cell of a table as well.
 */
export const code = (text: string): string => {
  const line = oneLine(stripVTControlCharacters(text))
  if (line.trim() === "") return "(empty)"
  // Whether a bar after a backslash ends a cell is told in two ways by those who read tables.
  if (line.includes("\\|")) return encoded(line)
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  const padding = /^`|`$|^ .* $/.test(line) ? " " : ""
  return fence + padding + line.replaceAll("|", "\\|") + padding + fence
}

/** The same as plain text, with every sign that could mean something as its number (CommonMark §2.5). */
const encoded = (line: string): string =>
  line.replaceAll(/[^\p{L}\p{N} ]/gu, (sign) => `&#${sign.codePointAt(0) ?? 0};`)

/** A table. Cells are Markdown on one line each; no cell is no table. */
export const table = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
): ReadonlyArray<string> =>
  rows.length === 0
    ? []
    : [
        row(columns.map(({ heading }) => heading)),
        row(columns.map(({ align }) => (align === "right" ? "---:" : "---"))),
        ...rows.map((cells) => row(columns.map((_, index) => cells[index] ?? ""))),
      ]

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

/** Blocks with an empty line between each two; empty ones are left out. */
export const blocks = (...parts: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : ["", ...part]))
