/** Cuts and wraps lines by their width in terminal columns, which differs from their length in characters. */
import * as Columns from "../../views/Columns.ts"
import { widthOf } from "./Wrap.ts"

const ESCAPE = "\u001b"

/** A colour's escape sequence, which takes no columns. */
const COLOUR = new RegExp(`(${ESCAPE}\\[[0-9;]*m)`)

/** Cuts a possibly coloured line to at most `columns` columns. A cut line ends with "…"; its colours still end. */
export const cut = (line: string, columns: number): string => {
  if (widthOf(line) <= columns) return line
  let remaining = columns - 1
  let output = ""
  for (const part of line.split(COLOUR)) {
    if (COLOUR.test(part)) output += part
    else if (remaining >= 0) {
      for (const character of Columns.graphemes(part)) {
        remaining -= widthOf(character)
        output += remaining < 0 ? "…" : character
        if (remaining < 0) break
      }
    }
  }
  return output
}

/** Wraps a text between words into lines of at most `columns` columns. A longer word gets a line of its own, uncut. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    const longer = `${last} ${word}`
    if (last === undefined || widthOf(longer) > columns) lines.push(word)
    else lines.splice(-1, 1, longer)
  }
  return lines
}

/**
 * Breaks a text into lines of at most `columns` columns, even within words, and loses no character. Counts a non-ASCII
 * character as at least two columns, because terminals disagree about its width.
 */
export const breakAnywhere = (text: string, columns: number): ReadonlyArray<string> => {
  if (text.length <= columns && /^[\x20-\x7e]*$/.test(text)) return [text]
  const lines: Array<string> = []
  let line = ""
  let remaining = columns
  for (const character of Columns.graphemes(text)) {
    const width = /^[\x20-\x7e]$/.test(character) ? 1 : Math.max(2, widthOf(character))
    if (width > remaining && line !== "") {
      lines.push(line)
      line = ""
      remaining = columns
    }
    line += character
    remaining -= width
  }
  return [...lines, line]
}
