/** What of a program's requests differs from run to run, though nothing was changed: single words, which are then passed over. Pure. */

import { Either, Schema } from "effect"
import { Asked } from "./ExaminedFetch.ts"

/** A request of a run that another run of the same made otherwise. */
interface RestlessRequest {
  readonly asked: Asked
  readonly words: ReadonlyArray<string>
  /** The places of the words that differed; null if there were more words, or fewer. */
  readonly places: ReadonlySet<number> | null
}

/** These requests, by the position of the recorded call that they were answered by. */
export type Restless = ReadonlyMap<number | null, RestlessRequest>

/** What two runs of the same asked otherwise. */
export const between = (base: ReadonlyArray<Asked>, again: ReadonlyArray<Asked>): Restless => {
  const restless = new Map<number | null, RestlessRequest>()
  const byPosition = new Map(base.map((asked) => [asked.position, asked]))
  for (const other of again) {
    const asked = byPosition.get(other.position)
    if (asked === undefined || asked.digest === other.digest) continue
    const [words, others] = [wordsOf(asked), wordsOf(other)]
    const differing = words.flatMap((word, place) => (word === others[place] ? [] : [place]))
    // Of the requests for which nothing was recorded, it is not known which is which.
    const isKnown = words.length === others.length && other.position !== null
    restless.set(other.position, { asked, words, places: isKnown ? new Set(differing) : null })
  }
  return restless
}

/**
 * A request of another run with its restless words as in the base, and the base's request itself where nothing else differs, or
 * where it cannot be told whether something does.
 */
export const calmed = (restless: Restless, asked: Asked): Asked => {
  const known = restless.get(asked.position)
  if (known === undefined) return asked
  const text = calmedWords(known, wordsOf(asked))?.join("")
  if (text === undefined || text === known.words.join("")) return known.asked
  return Either.match(asRead(text), { onLeft: () => asked, onRight: (read) => ({ ...asked, ...read }) })
}

/** The words with the restless ones of the base; undefined where those cannot be told from the others. */
const calmedWords = (
  { words: base, places }: RestlessRequest,
  words: ReadonlyArray<string>,
): ReadonlyArray<string | undefined> | undefined => {
  if (places === null) return undefined
  if (words.length === base.length) return words.map((word, place) => (places.has(place) ? base[place] : word))
  // There are more words, or fewer, in one place.
  const isSame = (place: number, word: string | undefined) => places.has(place) || base[place] === word
  const shorter = Math.min(base.length, words.length)
  let start = 0
  while (start < shorter && isSame(start, words[start])) start++
  let end = 0
  while (end < shorter - start && isSame(base.length - 1 - end, words.at(-1 - end))) end++
  // If a restless word is there, or beside it, it may be that one which is several now.
  for (let place = start - 1; place <= base.length - end; place++) if (places.has(place)) return undefined
  return [...base.slice(0, start), ...words.slice(start, words.length - end), ...base.slice(base.length - end)]
}

/** What is compared of a request, as words and what stands between them. */
const wordsOf = ({ reads, request }: Asked): ReadonlyArray<string> =>
  JSON.stringify({ reads, request }).match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []

const asRead = Schema.decodeUnknownEither(Schema.parseJson(Asked.pick("reads", "request")))
