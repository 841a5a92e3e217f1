/**
 * Text that somebody else wrote, as it may be shown to a person: in logs, pages, errors and questions.
 *
 * A terminal obeys control characters, and nobody sees a character that has no ink. Either can make one text look like
 * another. Both are written here as what they are, `\u{202e}`, so that nothing is hidden and nothing is lost.
 */

/** Text on one line: every character that a terminal would obey, or that nobody would see, is written as an escape. */
export const visible = (text: string): string =>
  ASCII.test(text) ? text : text.replaceAll(CONTROL_OR_INVISIBLE, (found) => (isEmojiPart(found) ? found : escaped(found)))

/** The same, but line feeds stay: for text of several lines, such as an error's message. */
export const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n")

/** Whether a text has nothing that `visible` would write as an escape. */
export const isVisible = (text: string): boolean => visible(text) === text

/**
 * Text as somebody is shown it who decides by it. Besides what `visible` escapes, these are:
 *
 * - line feeds and tabs, and every space but U+0020;
 * - what is compatible with ASCII and is not ASCII (Unicode NFKC): `ｒｍ`, `𝐫𝐦`, `․`;
 * - a letter that stands for a Latin one: one of another script in a word that has Latin letters, one of a script that nobody
 *   writes in today (UAX #31), letters of phonetics, and a word that is made of look-alikes alone (UTS #39), unless other words
 *   of the text show that it is written in that script;
 * - a digit of another script in a word that has letters or digits of ASCII;
 * - what is drawn like punctuation of ASCII: `∕`, `‐`, `ǃ`, `∶`;
 * - unassigned and private characters, and marks that are drawn over what stands before them and do not make a letter.
 *
 * A text in Russian, Greek, Chinese or Arabic reads as it was written.
 */
export const unmistakable = (text: string): string => {
  if (ASCII.test(text)) return text
  const composed = text.normalize("NFC")
  const scripts = scriptsOf(composed)
  return composed
    .replaceAll(WORD, (word) => withoutLookAlikes(word, scripts))
    .replaceAll(MISTAKABLE, escaped)
    .replaceAll(LIKE_PUNCTUATION, escaped)
    .replaceAll(PHONETIC, escaped)
    .replaceAll(OUTSIDE_MODERN_SCRIPTS, escaped)
    .replaceAll(NOT_ASCII, (found) => (ASCII.test(found.normalize("NFKC")) ? escaped(found) : found))
}

/** Whether a text has nothing that `unmistakable` would write as an escape. */
export const isUnmistakable = (text: string): boolean => unmistakable(text) === text.normalize("NFC")

/** Nothing to be escaped, which is what most text is. */
const ASCII = /^[\x20-\x7e]*$/

const NOT_ASCII = /\P{ASCII}/gu

/**
 * Controls (C0, DEL, C1), formats (direction, joiners, tags, soft hyphens), line and paragraph separators, halves of
 * surrogates, whatever Unicode says is drawn as nothing (Hangul fillers, variation selectors), the blank Braille pattern, and
 * marks on top of four others. An emoji keeps the selector and the joiners that it is made with.
 */
const INVISIBLE = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800"

const EMOJI = "\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?"

const CONTROL_OR_INVISIBLE = new RegExp(
  `${EMOJI}(?:\\u200D${EMOJI})+|\\p{Extended_Pictographic}\\uFE0F|[${INVISIBLE}]|(?<=\\p{M}{4})\\p{M}`,
  "gu",
)

const MISTAKABLE = new RegExp(`[${INVISIBLE}\\p{Co}\\p{Cn}]|(?! )\\p{Zs}|(?<=\\p{ASCII}|\\p{M}{3})\\p{M}`, "gu")

/**
 * What is drawn like ASCII punctuation and is not compatible with it (UTS #39): slashes, hyphens and minus signs, colons, bars,
 * stars, tildes, an exclamation mark, primes and accents that stand alone, angles. Quotation marks and dashes of prose are none.
 */
const LIKE_PUNCTUATION = new RegExp(
  [
    "[\\u2044\\u2215\\u2571\\u27CB\\u29F8\\u3033\\u2216\\u27CD\\u29F5\\u29F9]",
    "[\\u2010\\u2012\\u2043\\u2212\\u2796\\u02D7\\u02D0\\u2236\\uA789\\u01C0\\u2223\\u2758\\u01C3]",
    "[\\u2217\\u204E\\u22C6\\u223C\\u02DC\\u02B9\\u02BA\\u02C2-\\u02C4\\u02C6\\u02C8\\u02CA\\u02CB]",
  ].join("|"),
  "gu",
)

/** Small letters of phonetics, which are drawn like those of ASCII, and the dotless ones. */
const PHONETIC = /[\u0250-\u02AF\u1D00-\u1D2B\uA730\uA731\u0237]/gu

/** The scripts that are in use (UAX #31, recommended scripts); the letters of others only stand for something else. */
const MODERN_SCRIPTS =
  "Common Inherited Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan"

const inScripts = (scripts: string): string =>
  scripts
    .split(" ")
    .map((script) => `\\p{Script=${script}}`)
    .join("")

const OUTSIDE_MODERN_SCRIPTS = new RegExp(`(?![${inScripts(MODERN_SCRIPTS)}])[\\p{L}\\p{N}]`, "gu")

/** What was found begins with a picture: then it is a whole emoji, and is seen. */
const isEmojiPart = (found: string): boolean => /^\p{Extended_Pictographic}/u.test(found)

const escaped = (found: string): string => Array.from(found, escapedOne).join("")

const escapedOne = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

const SHORT: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const WORD = /[\p{L}\p{M}\p{N}_]+/gu

const LATIN = /\p{Script=Latin}/u

const ALPHANUMERIC = /[0-9A-Za-z]/

/** Digits that are not ASCII's. */
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu

/** Letters that do not stand in one word with Latin ones: those of Chinese, Japanese and Korean do (UTS #39, highly restrictive). */
const NOT_WITH_LATIN = new RegExp(
  `(?![${inScripts("Common Inherited Latin Han Hiragana Katakana Hangul Bopomofo")}])\\p{L}`,
  "gu",
)

/** The alphabets whose letters are drawn like Latin ones, and the letters that are (UTS #39, confusables of one letter). */
const ALPHABETS = [
  { letter: /\p{Script=Cyrillic}/gu, lookAlike: /^[АВЕЅІЈКМНОРСТУХЗаеѕіјорсухһԁԛԝӏҮѴѵ]$/u },
  { letter: /\p{Script=Greek}/gu, lookAlike: /^[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυικϲϳ]$/u },
  { letter: /\p{Script=Armenian}/gu, lookAlike: /^[ՍՕԼոսցօհզյ]$/u },
  { letter: /\p{Script=Cherokee}/gu, lookAlike: /^\p{Script=Cherokee}$/u },
  { letter: /\p{Script=Lisu}/gu, lookAlike: /^\p{Script=Lisu}$/u },
  { letter: /\p{Script=Coptic}/gu, lookAlike: /^\p{Script=Coptic}$/u },
] as const

type Alphabet = (typeof ALPHABETS)[number]

/** The alphabets that a text is written in for certain: it has words of them that could be nothing else. */
const scriptsOf = (text: string): ReadonlySet<Alphabet> =>
  new Set(
    ALPHABETS.filter(({ letter, lookAlike }) =>
      (text.match(WORD) ?? []).some(
        (word) => !LATIN.test(word) && (word.match(letter) ?? []).some((character) => !lookAlike.test(character)),
      ),
    ),
  )

const withoutLookAlikes = (word: string, scripts: ReadonlySet<Alphabet>): string => {
  const digits = ALPHANUMERIC.test(word) ? word.replaceAll(OTHER_DIGIT, escaped) : word
  if (LATIN.test(word)) return digits.replaceAll(NOT_WITH_LATIN, escaped)
  return ALPHABETS.reduce(
    (rest, alphabet) => (scripts.has(alphabet) ? rest : rest.replaceAll(alphabet.letter, (letter) => escaped(letter))),
    digits,
  )
}

/** Text as it may be shown on one line of a terminal: line breaks and tabs as a space, whatever is not seen as an escape. */
export const oneLine = (text: string): string => visible(text.replaceAll(/[\r\n\t]/g, " "))
