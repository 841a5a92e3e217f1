/** A search for words, as a person types it: words, "phrases in quotes" and beginnings*. Pure. */

import { wordsOf } from "./Words.ts"

/** One part of a search, which has to occur: its words next to one another. */
export interface Term {
  readonly words: readonly [string, ...Array<string>]
  /** Whether the last word may continue. */
  readonly isPrefix: boolean
}

/** All terms have to occur in an event, in any order. */
export interface WordQuery {
  readonly terms: readonly [Term, ...Array<Term>]
}

/** Maximum length of a search in characters. */
export const MAX_LENGTH = 1_000

/** Maximum number of terms. Later ones are ignored. */
const MAX_TERMS = 32

/**
 * Reads a search. Every text is valid: other characters separate words, and an open quote reaches to the end. Undefined
 * if the text contains no word.
 */
export const parse = (text: string): WordQuery | undefined => {
  const terms: Array<Term> = []
  for (const [, quoted, plain] of text.slice(0, MAX_LENGTH).matchAll(PARTS)) {
    const [first, ...rest] = wordsOf(quoted ?? plain ?? "").map(({ word }) => word)
    if (first === undefined) continue
    terms.push({ words: [first, ...rest], isPrefix: plain?.endsWith("*") === true })
  }
  const [first, ...rest] = terms.slice(0, MAX_TERMS)
  return first === undefined ? undefined : { terms: [first, ...rest] }
}

const PARTS = /["“”„]([^"“”„]*)(?:["“”„]|$)|([^\s"“”„]+)/gu

/** The same search for words that begin like the given ones. */
export const widened = ({ terms: [first, ...rest] }: WordQuery): WordQuery => ({
  terms: [{ ...first, isPrefix: true }, ...rest.map((term) => ({ ...term, isPrefix: true }))],
})
