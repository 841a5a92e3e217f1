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
  for (const other of again) {
    const asked = base.find(({ position }) => position === other.position)
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
 * A request of another run with its restless words as in the base, and the base's request itself where nothing else differs. So is
 * one that has more words or fewer: its restless ones cannot be told from the others.
 */
export const calmed = (restless: Restless, asked: Asked): Asked => {
  const known = restless.get(asked.position)
  if (known === undefined) return asked
  const words = wordsOf(asked)
  const { places } = known
  if (places === null || words.length !== known.words.length) return known.asked
  const text = words.map((word, place) => (places.has(place) ? known.words[place] : word)).join("")
  if (text === known.words.join("")) return known.asked
  return Either.match(asRead(text), { onLeft: () => asked, onRight: (read) => ({ ...asked, ...read }) })
}

/** What is compared of a request, as words and what stands between them. */
const wordsOf = ({ reads, request }: Asked): ReadonlyArray<string> =>
  JSON.stringify({ reads, request }).match(/[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []

const asRead = Schema.decodeUnknownEither(Schema.parseJson(Asked.pick("reads", "request")))
