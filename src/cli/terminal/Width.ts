import stringWidth from "string-width"

const ESCAPE = "\u001b"

/** What colours a text: it takes no room. */
const COLOUR = new RegExp(`(${ESCAPE}\\[[0-9;]*m)`)

const characters = new Intl.Segmenter()

/** A line that may be coloured, cut to at most so many columns of a terminal; what was cut off shows as "…". */
export const cut = (line: string, columns: number): string => {
  if (stringWidth(line) <= columns) return line
  let room = columns - 1
  let coloured = false
  let fitted = ""
  for (const part of line.split(COLOUR)) {
    if (COLOUR.test(part)) {
      coloured = true
      fitted += part
      continue
    }
    for (const { segment } of characters.segment(part)) {
      room -= stringWidth(segment)
      if (room < 0) return `${fitted}…${coloured ? `${ESCAPE}[0m` : ""}`
      fitted += segment
    }
  }
  return fitted
}

/** A text as lines of at most so many columns, broken between words. A word that is longer stands alone, uncut. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    const longer = `${last} ${word}`
    if (last === undefined || stringWidth(longer) > columns) lines.push(word)
    else lines.splice(-1, 1, longer)
  }
  return lines
}

/**
 * A text as lines of at most so many columns, broken wherever they are full; nothing of it is lost. What is not ASCII counts for two
 * columns at least, for terminals disagree about it.
 */
export const broken = (text: string, columns: number): ReadonlyArray<string> => {
  if (text.length <= columns && /^[\x20-\x7e]*$/.test(text)) return [text]
  const lines: Array<string> = []
  let line = ""
  let room = columns
  for (const { segment } of characters.segment(text)) {
    const width = /^[\x20-\x7e]$/.test(segment) ? 1 : Math.max(2, stringWidth(segment))
    if (width > room && line !== "") {
      lines.push(line)
      line = ""
      room = columns
    }
    line += segment
    room -= width
  }
  return [...lines, line]
}
