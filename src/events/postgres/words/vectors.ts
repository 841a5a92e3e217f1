/** Folded words as values of PostgreSQL's text search: vectors of events, and queries. Pure. */

import type { WordTerm } from "../../words/WordIndex.ts"

/** An event's words as texts of one or more `tsvector`s. */
export interface Vectors {
  /** Whether there is one vector, with the place of each word. Otherwise, each word is in one of them, without places. */
  readonly whole: boolean
  readonly texts: ReadonlyArray<string>
}

/** Limits of a vector: https://www.postgresql.org/docs/current/textsearch-limitations.html */
const MAX_PLACE = 16_383
const MAX_PLACES_OF_A_WORD = 255

/** Below the server's limit of 1 MB, in bytes. */
const MAX_VECTOR = 900_000

/** @param words folded words, separated by spaces: they hold neither quotes nor backslashes */
export const vectorsOf = (words: string): Vectors => {
  const places = new Map<string, Array<number>>()
  let place = 0
  for (const word of words.split(" ")) {
    if (word === "") continue
    place += 1
    const own = places.get(word)
    if (own === undefined) places.set(word, [place])
    else own.push(place)
  }
  const size = [...places].reduce((sum, [word, at]) => sum + sizeOf(word, at.length), 0)
  const whole =
    place <= MAX_PLACE && size <= MAX_VECTOR && [...places.values()].every((at) => at.length <= MAX_PLACES_OF_A_WORD)
  return whole
    ? { whole, texts: [[...places].map(([word, at]) => `${quoted(word)}:${at.join(",")}`).join(" ")] }
    : { whole, texts: divided([...places.keys()]) }
}

const quoted = (word: string): string => `'${word}'`

/** The most bytes that a word takes in a vector. */
const sizeOf = (word: string, places: number): number => 3 * word.length + 2 * places + 8

const divided = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const parts: Array<Array<string>> = [[]]
  let size = 0
  for (const word of words) {
    size += sizeOf(word, 0)
    if (size > MAX_VECTOR) {
      parts.push([])
      size = sizeOf(word, 0)
    }
    parts.at(-1)?.push(quoted(word))
  }
  return parts.map((part) => part.join(" "))
}

/** A `tsquery` that each whole vector of an event with all terms matches, and no other. */
export const queryOf = (terms: ReadonlyArray<WordTerm>): string =>
  terms
    .map(
      ({ words, isPrefix }) =>
        `(${words.map((word, at) => wordIn(word, isPrefix && at === words.length - 1)).join(" <-> ")})`,
    )
    .join(" & ")

/** A `tsquery` that at least one vector of each event with all terms matches, and others too. */
export const queryOfOne = (terms: ReadonlyArray<WordTerm>): string => {
  const all = terms.flatMap(({ words, isPrefix }) =>
    words.map((word, at) => ({ word, isPrefix: isPrefix && at === words.length - 1 })),
  )
  const longest = all.reduce((best, one) => (one.word.length > best.word.length ? one : best))
  return wordIn(longest.word, longest.isPrefix)
}

const wordIn = (word: string, isPrefix: boolean): string => `${quoted(word)}${isPrefix ? ":*" : ""}`
