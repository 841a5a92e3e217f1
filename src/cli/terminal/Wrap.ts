/** Wraps possibly coloured text between words: whole lines, and cells of tables. */
import { stripVTControlCharacters } from "node:util"
import * as Columns from "../../views/Columns.ts"

export const widthOf = (text: string): number => Columns.width(stripVTControlCharacters(text))

/** Additional indentation of the lines after the first. */
const HANGING = 2

/** The beginning of a line: spaces and the branches of a tree. */
const LEAD = /^[ │├└─]*/u

/**
 * Wraps a line into lines of at most `columns` columns, indented after the first. A longer word stays whole on a line
 * of its own, so that ids, paths and commands in backticks can be copied. Breaks JSON values, and lists of choices
 * between the choices.
 */
export const line = (text: string, columns: number): ReadonlyArray<string> => {
  if (widthOf(text) <= columns) return [text]
  const [lead = ""] = LEAD.exec(text) ?? []
  const further = " ".repeat(Math.min(lead.length + HANGING, Math.floor(columns / 2)))
  const [first = "", ...rest] = words(text.slice(lead.length), columns - lead.length, columns - further.length)
  return [`${lead}${first}`, ...rest.map((later) => `${further}${later}`)]
}

/**
 * Wraps a table cell into lines of at most `width` columns. Each line carries its own colours, so that other cells can
 * stand next to it.
 *
 * @param breaksWords whether to break longer words, because another column follows
 */
export const cell = (text: string, width: number, breaksWords: boolean): ReadonlyArray<string> => {
  if (widthOf(text) <= width) return [text]
  const [lead = ""] = /^ */.exec(stripVTControlCharacters(text)) ?? []
  const room = Math.max(1, width - lead.length)
  const lines = words(text.slice(lead.length), room, room)
  const short = breaksWords ? lines.flatMap((each) => broken(each, room)) : lines
  return colouredApart(short.map((each) => lead + each))
}

/** The width of a cell's longest word, plus the cell's indentation. */
export const longestWord = (text: string): number => {
  const bare = stripVTControlCharacters(text)
  const indent = bare.length - bare.trimStart().length
  return indent + Math.max(0, ...Array.from(bare.matchAll(/\S+/g), ([word]) => widthOf(word)))
}

/** A word, or a command in backticks with its spaces. */
const WORD = /`[^`]*`\S*|\S+/g

/** Values in a line are shortened, so nobody copies them: they may break anywhere. */
const JSON_VALUE = /^[[{"]/

/** Fills lines with words: the first up to `first` columns, the others up to `further`. Keeps spaces within a line. */
const words = (text: string, first: number, further: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const last = lines.at(-1)
    const longer = `${last ?? ""}${text.slice(end, index)}${word}`
    if (last !== undefined && widthOf(longer) <= (lines.length === 1 ? first : further))
      lines[lines.length - 1] = longer
    else {
      const room = lines.length === 0 ? Math.min(first, further) : further
      lines.push(...(JSON_VALUE.test(word) ? broken(word, room) : CHOICES.test(word) ? choices(word, room) : [word]))
    }
    end = index + word.length
  }
  return lines
}

const CHOICES = /^[\w-]+(?:\|[\w-]+)+\]?(?:\.\.\.)?$/

const choices = (word: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const choice of word.split(/(?<=\|)/)) {
    const longer = `${lines.at(-1) ?? ""}${choice}`
    if (lines.length === 0 || longer.length > columns) lines.push(choice)
    else lines[lines.length - 1] = longer
  }
  return lines
}

const ESCAPE = "\u001b"

/** A colour's escape sequence (ECMA-48 SGR). */
const COLOUR = new RegExp(`(${ESCAPE}\\[\\d+m)`)

/** Breaks a line into pieces of at most `width` columns. Colours take none. */
const broken = (text: string, width: number): ReadonlyArray<string> => {
  if (widthOf(text) <= width) return [text]
  const lines = [""]
  let room = width
  for (const part of text.split(COLOUR)) {
    for (const piece of COLOUR.test(part) ? [part] : Columns.graphemes(part)) {
      const columns = widthOf(piece)
      if (columns > room) {
        lines.push("")
        room = width
      }
      lines[lines.length - 1] += piece
      room -= columns
    }
  }
  return lines
}

/** The sequence that ends a colour: 22 for bold and dim, 39 for others. */
const endOf = (colour: string): string => (/\[[12]m$/.test(colour) ? `${ESCAPE}[22m` : `${ESCAPE}[39m`)

/** Ends the open colours on each line, and reopens them on the next. */
const colouredApart = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  let open: ReadonlyArray<string> = []
  return lines.map((each) => {
    const before = open.join("")
    for (const [sequence] of each.matchAll(new RegExp(COLOUR, "g"))) {
      const ends = open.filter((colour) => endOf(colour) === sequence)
      open = ends.length > 0 ? open.filter((colour) => !ends.includes(colour)) : [...open, sequence]
    }
    return `${before}${each}${open.map(endOf).join("")}`
  })
}
