/** Marks the words that differ in a hunk's lines. Pure, and bounded. */

import * as WordDifference from "../../projections/patch/WordDifference.ts"
import * as Content from "./Content.ts"
import { type DiffLine, NO_LINE_FEED } from "./UnifiedDiff.ts"

/** A part of a line. */
export interface WordPart {
  readonly mark: DiffLine["mark"]
  /** Within one line. */
  readonly text: string
}

/** The lines of a hunk with the words that differ: a replaced line becomes one line again. */
export const ofLines = (lines: ReadonlyArray<DiffLine>): ReadonlyArray<ReadonlyArray<WordPart>> => {
  const rows: Array<Array<WordPart>> = [[]]
  const add = (mark: WordPart["mark"], text: string) => {
    for (const [index, piece] of text.split("\n").entries()) {
      if (index > 0) rows.push([])
      if (piece !== "") rows.at(-1)?.push({ mark, text: piece })
    }
  }
  for (let at = 0; at < lines.length; ) {
    const kept = taken(lines, at, " ")
    const removed = taken(lines, at + kept.length, "-")
    const added = taken(lines, at + kept.length + removed.length, "+")
    at += kept.length + removed.length + added.length
    add(" ", textOf(kept))
    for (const { mark, text } of WordDifference.between(textOf(removed), textOf(added))) add(mark, text)
  }
  return rows.at(-1)?.length === 0 ? rows.slice(0, -1) : rows
}

/** The next lines with a mark. */
const taken = (lines: ReadonlyArray<DiffLine>, from: number, mark: DiffLine["mark"]): ReadonlyArray<DiffLine> => {
  let end = from
  while (lines[end]?.mark === mark) end++
  return lines.slice(from, end)
}

const textOf = (lines: ReadonlyArray<DiffLine>): string =>
  lines.map(({ bytes, hasLineFeed }) => `${Content.textOf(bytes)}\n${hasLineFeed ? "" : `${NO_LINE_FEED}\n`}`).join("")
