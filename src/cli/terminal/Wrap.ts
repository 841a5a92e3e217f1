/** Wraps text between words: whole lines, and cells of tables. The text may be coloured. */
import { stripVTControlCharacters } from "node:util"
import * as Columns from "../../views/Columns.ts"

/** The columns that a text takes, which may be coloured. */
export const widthOf = (text: string): number => Columns.width(stripVTControlCharacters(text))

/** How far the lines after the first are indented. */
const HANGING = 2

/** What a line begins with: spaces and the branches of a tree. */
const LEAD = /^[ │├└─]*/u

/**
 * Wraps a line into lines of at most `columns` columns, of which the later ones are indented further. A word that is longer is a
 * line of its own and stays whole, so that ids, paths and commands (in backticks) can be copied: the terminal breaks it. Values as
 * JSON are broken, and lists of choices between these.
 */
export const line = (text: string, columns: number): ReadonlyArray<string> => {
  if (widthOf(text) <= columns) return [text]
  const [lead = ""] = LEAD.exec(text) ?? []
  const further = " ".repeat(Math.min(lead.length + HANGING, Math.floor(columns / 2)))
  const [first = "", ...rest] = words(text.slice(lead.length), columns - lead.length, columns - further.length)
  return [`${lead}${first}`, ...rest.map((later) => `${further}${later}`)]
}

/**
 * Wraps the cell of a table into lines of at most `width` columns. Each line is coloured by itself, so that others may stand beside
 * it.
 *
 * @param breaksWords whether longer words are broken too, because another column follows
 */
export const cell = (text: string, width: number, breaksWords: boolean): ReadonlyArray<string> => {
  if (widthOf(text) <= width) return [text]
  const [lead = ""] = /^ */.exec(stripVTControlCharacters(text)) ?? []
  const room = Math.max(1, width - lead.length)
  const lines = words(text.slice(lead.length), room, room)
  const short = breaksWords ? lines.flatMap((each) => broken(each, room)) : lines
  return colouredApart(short.map((each) => lead + each))
}

/** The columns of the longest word of a cell, with the spaces that the cell begins with. */
export const longestWord = (text: string): number => {
  const bare = stripVTControlCharacters(text)
  const indent = bare.length - bare.trimStart().length
  return indent + Math.max(0, ...Array.from(bare.matchAll(/\S+/g), ([word]) => widthOf(word)))
}

/** A word, or a command in backticks with its spaces. */
const WORD = /`[^`]*`\S*|\S+/g

/** A value in a line is shortened, so that nobody copies it: it may be broken anywhere. */
const JSON_VALUE = /^[[{"]/

/** The words in lines: the first of at most `first` columns, the others of `further`. Spaces within a line stay. */
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

/** A list of choices, as usages have it. */
const CHOICES = /^[\w-]+(?:\|[\w-]+)+\]?$/

/** A list of choices in lines of at most so many columns. */
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

/** An escape sequence for a colour (ECMA-48 SGR). */
const COLOUR = new RegExp(`(${ESCAPE}\\[\\d+m)`)

/** A line in pieces of at most `width` columns. Colours take none. */
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

/** Which sequence ends a colour: bold and dim by 22, others by 39. */
const endOf = (colour: string): string => (/\[[12]m$/.test(colour) ? `${ESCAPE}[22m` : `${ESCAPE}[39m`)

/** Ends each line's colours with it, and begins the next line with them. */
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
