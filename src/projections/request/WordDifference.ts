/** The difference of two texts in words. Pure. */

import { longestCommon } from "../timetravel/alignment/CommonSubsequence.ts"

/** A stretch of text that stayed, was removed or was added. */
export interface Stretch {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Above this number of words in either text, whole lines are compared instead. */
const MOST_WORDS = 20_000

/** Maximum size of an exact comparison, in cells; larger texts are cut at words that occur once. */
const MAX_CELLS = 2 ** 24

/** The stretches of both texts, in order. `same` and `removed` together are the text before, `same` and `added` the one after. */
export const words = (before: string, after: string): ReadonlyArray<Stretch> => {
  const inWords = [before, after].map((text) => text.match(WORD) ?? [])
  const isLong = inWords.some(({ length }) => length > MOST_WORDS)
  const [a = [], b = []] = isLong ? [before, after].map((text) => text.match(LINE) ?? []) : inWords
  const numbers = new Map<string, number>()
  const tokens = (list: ReadonlyArray<string>) =>
    list.map((item) => {
      const known = numbers.get(item) ?? numbers.size
      numbers.set(item, known)
      return known
    })
  const stretches: Array<{ kind: Stretch["kind"]; text: string }> = []
  const add = (kind: Stretch["kind"], items: ReadonlyArray<string>) => {
    if (items.length === 0) return
    const last = stretches.at(-1)
    if (last?.kind === kind) last.text += items.join("")
    else stretches.push({ kind, text: items.join("") })
  }
  let [i, j] = [0, 0]
  for (const [nextI, nextJ] of [...longestCommon(tokens(a), tokens(b), MAX_CELLS), [a.length, b.length] as const]) {
    add("removed", a.slice(i, nextI))
    add("added", b.slice(j, nextJ))
    add("same", a.slice(nextI, nextI + 1))
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
  return stretches
}

/** Letters and digits, spaces, or one other character. */
const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu

const LINE = /[^\n]*\n|[^\n]+$/g
