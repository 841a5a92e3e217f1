/** Words of a text as the search compares them: without case, accents and invisible characters. Pure. */

/** A word of a text, folded, with its place: `from` to `to` (exclusive), in UTF-16 code units. */
export interface Word {
  readonly word: string
  readonly from: number
  readonly to: number
}

/**
 * Maximum length of a word. Longer runs are data, such as base64; they match by their beginning. The index and queries
 * cut at the same place.
 */
export const MAX_WORD = 64

/** The words of a text in order. A character of a script that puts no spaces between words is a word of its own. */
export const wordsOf = (text: string): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  for (const run of text.matchAll(RUN)) {
    const from = run.index
    if (ASCII.test(run[0])) {
      words.push({ word: run[0].slice(0, MAX_WORD).toLowerCase(), from, to: from + run[0].length })
      continue
    }
    for (const part of run[0].matchAll(PART)) {
      const word = folded(part[0])
      if (word !== "") words.push({ word, from: from + part.index, to: from + part.index + part[0].length })
    }
  }
  return words
}

/** The folded words of a text, separated by spaces, for the index. Equals `wordsOf`, but faster for plain ASCII. */
export const wordText = (text: string): string => {
  if (ASCII.test(text)) return text.replace(LONG_RUN, "$1").replace(NOT_ASCII_WORD, " ").toLowerCase().trim()
  return wordsOf(text)
    .map(({ word }) => word)
    .join(" ")
}

/** Runs of letters, digits, their marks, and invisible characters within them. */
const RUN = /[\p{L}\p{N}\p{M}\p{Cf}]+/gu

/** Scripts without spaces between words. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}"

/** One character of such a script with its marks, or a run of others. */
const PART = new RegExp(`(?!\\p{M})[${UNSPACED}][\\p{M}\\p{Cf}]*|[^${UNSPACED}]+|[${UNSPACED}]`, "gu")

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/

const NOT_ASCII_WORD = /[^a-zA-Z0-9]+/g

const LONG_RUN = new RegExp(`([a-zA-Z0-9]{${MAX_WORD}})[a-zA-Z0-9]+`, "g")

/**
 * Folds compatible forms (`ﬁ`, `Ａ`), case (`ß` and `SS`, final sigma) and the accents of Latin, Greek and Cyrillic.
 * Marks of other scripts distinguish words, so they stay.
 */
const folded = (word: string): string =>
  word
    .replace(INVISIBLE, "")
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .replaceAll("ς", "σ")
    .normalize("NFC")
    // Compatible forms of some symbols contain others, such as the fraction slash.
    .replace(NO_WORD, "")
    .slice(0, MAX_WORD)

const INVISIBLE = /\p{Cf}/gu
const ACCENTS = /[\u0300-\u036f]/g
const NO_WORD = /[^\p{L}\p{N}\p{M}]/gu
