/** Finds the terms of a search in a text, and cuts an excerpt around them. Pure. */

import type { Term, WordQuery } from "./WordQuery.ts"
import { type Word, wordsOf } from "./Words.ts"

/** A part of a text that matched: `from` to `to` (exclusive), in UTF-16 code units. */
export interface Mark {
  readonly from: number
  readonly to: number
}

/** The matches of a search in a text. */
export interface Match {
  /** Ordered, without overlaps. */
  readonly marks: ReadonlyArray<Mark>
  /** Number of words in the text. */
  readonly length: number
  /** Occurrences of each term. */
  readonly counts: ReadonlyArray<number>
}

/** Undefined if a term does not occur. */
export const match = ({ terms }: WordQuery, text: string): Match | undefined => {
  const words = wordsOf(text)
  const found: Array<Mark> = []
  const counts: Array<number> = []
  for (const term of terms) {
    const marks = occurrences(term, words)
    if (marks.length === 0) return undefined
    counts.push(marks.length)
    for (const mark of marks) found.push(mark)
  }
  return { marks: merged(found), length: words.length, counts }
}

/** Maximum number of occurrences of a term to look for. */
const MAX_OCCURRENCES = 200

const occurrences = ({ words: wanted, isPrefix }: Term, words: ReadonlyArray<Word>): ReadonlyArray<Mark> => {
  const marks: Array<Mark> = []
  const last = wanted.length - 1
  for (let at = 0; at + last < words.length && marks.length < MAX_OCCURRENCES; at++) {
    const isHere = wanted.every((word, index) => {
      const found = words[at + index]?.word ?? ""
      return isPrefix && index === last ? found.startsWith(word) : found === word
    })
    if (isHere) marks.push({ from: words[at]?.from ?? 0, to: words[at + last]?.to ?? 0 })
  }
  return marks
}

const merged = (marks: ReadonlyArray<Mark>): ReadonlyArray<Mark> => {
  const joined: Array<Mark> = []
  for (const mark of [...marks].sort((a, b) => a.from - b.from)) {
    const before = joined.at(-1)
    if (before !== undefined && mark.from <= before.to) {
      joined[joined.length - 1] = { from: before.from, to: Math.max(before.to, mark.to) }
    } else joined.push(mark)
  }
  return joined
}

/** A piece of an excerpt. */
export interface Piece {
  readonly text: string
  /** Whether the search matched here. */
  readonly marked: boolean
}

/** Maximum length of an excerpt, in UTF-16 code units, not counting ellipses and the end of a long match. */
export const EXCERPT = 200

/** How much of the excerpt comes before its first mark. */
const BEFORE = 60

/** A part of a text with as many marks as possible, in pieces; an ellipsis replaces omitted text. */
export const excerpt = (text: string, { marks }: Match): ReadonlyArray<Piece> => {
  const first = best(marks)
  const start =
    text.length <= EXCERPT ? 0 : edge(text, Math.max(0, Math.min(first.from - BEFORE, text.length - EXCERPT)))
  const end = Math.min(text.length, Math.max(start + EXCERPT, Math.min(first.to, start + 2 * EXCERPT)))
  const pieces: Array<Piece> = []
  const add = (from: number, to: number, marked: boolean) => {
    if (to > from) pieces.push({ text: text.slice(from, to).toWellFormed(), marked })
  }
  if (start > 0) pieces.push({ text: "…", marked: false })
  let at = start
  for (const mark of marks) {
    if (mark.to <= start || mark.from >= end) continue
    add(at, Math.max(at, mark.from), false)
    add(Math.max(at, mark.from), Math.min(mark.to, end), true)
    at = Math.min(mark.to, end)
  }
  add(at, end, false)
  if (end < text.length) pieces.push({ text: "…", marked: false })
  return pieces
}

/** The mark whose excerpt contains the most others. */
const best = (marks: ReadonlyArray<Mark>): Mark => {
  let found = marks[0] ?? { from: 0, to: 0 }
  let most = 0
  for (let first = 0, after = 0; first < marks.length; first++) {
    const mark = marks[first] as Mark
    while (after < marks.length && (marks[after] as Mark).to <= mark.from - BEFORE + EXCERPT) after++
    if (after - first > most) {
      most = after - first
      found = mark
    }
  }
  return found
}

/** Moves a cut to the next space, if one is near. */
const edge = (text: string, at: number): number => {
  if (at === 0) return 0
  const space = text.slice(at, at + 20).search(/\s/)
  return space < 0 ? at : at + space + 1
}
