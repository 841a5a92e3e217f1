/** Finds words in requests that differ between two identical runs, so that comparisons can ignore them. Pure. */

import { Either, Schema } from "effect"
import { Asked } from "./ExaminedFetch.ts"

interface RestlessRequest {
  readonly asked: Asked
  readonly words: ReadonlyArray<string>
  /** Indexes of the words that differ; null if the number of words differs. */
  readonly places: ReadonlySet<number> | null
}

export type Restless = ReadonlyMap<number | null, RestlessRequest>

export const between = (base: ReadonlyArray<Asked>, again: ReadonlyArray<Asked>): Restless => {
  const restless = new Map<number | null, RestlessRequest>()
  const byPosition = new Map(base.map((asked) => [asked.position, asked]))
  for (const other of again) {
    const asked = byPosition.get(other.position)
    if (asked === undefined || asked.digest === other.digest) continue
    const [words, others] = [wordsOf(asked), wordsOf(other)]
    const differing = words.flatMap((word, place) => (word === others[place] ? [] : [place]))
    // Requests without a recorded answer cannot be matched up.
    const isKnown = words.length === others.length && other.position !== null
    restless.set(other.position, { asked, words, places: isKnown ? new Set(differing) : null })
  }
  return restless
}

/**
 * Replaces a request's restless words by those of the base run. Returns the base's request if nothing else differs or
 * if that cannot be decided.
 */
export const calmed = (restless: Restless, asked: Asked): Asked => {
  const known = restless.get(asked.position)
  if (known === undefined) return asked
  const text = calmedWords(known, wordsOf(asked))?.join("")
  if (text === undefined || text === known.words.join("")) return known.asked
  return Either.match(asRead(text), { onLeft: () => asked, onRight: (read) => ({ ...asked, ...read }) })
}

/** The words with restless ones replaced; undefined if the two cannot be told apart. */
const calmedWords = (
  { words: base, places }: RestlessRequest,
  words: ReadonlyArray<string>,
): ReadonlyArray<string | undefined> | undefined => {
  if (places === null) return undefined
  if (words.length === base.length) return words.map((word, place) => (places.has(place) ? base[place] : word))
  // The number of words differs, in one place.
  const isSame = (place: number, word: string | undefined) => places.has(place) || base[place] === word
  const shorter = Math.min(base.length, words.length)
  let start = 0
  while (start < shorter && isSame(start, words[start])) start++
  let end = 0
  while (end < shorter - start && isSame(base.length - 1 - end, words.at(-1 - end))) end++
  // A restless word in or next to that place may have become several words.
  for (let place = start - 1; place <= base.length - end; place++) if (places.has(place)) return undefined
  return [...base.slice(0, start), ...words.slice(start, words.length - end), ...base.slice(base.length - end)]
}

const wordsOf = ({ reads, request }: Asked): ReadonlyArray<string> =>
  JSON.stringify({ reads, request }).match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []

const asRead = Schema.decodeUnknownEither(Schema.parseJson(Asked.pick("reads", "request")))
