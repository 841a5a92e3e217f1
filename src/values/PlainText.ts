/**
 * Escapes text from outside before a person reads it, in logs, pages, errors and questions. Control characters steer a
 * terminal, and invisible ones make one text look like another. Escapes such as `\u{202e}` hide and lose nothing.
 */

/** Puts text on one line, with every control and invisible character as an escape. */
export const visible = (text: string): string =>
  ASCII.test(text)
    ? text
    : text.replaceAll(CONTROL_OR_INVISIBLE, (found) => (isEmojiPart(found) ? found : escaped(found)))

/** Like `visible`, but keeps line feeds. */
export const visibleLines = (text: string): string =>
  ASCII.test(text) ? text : text.split("\n").map(visible).join("\n")

/** True if `visible` leaves the text unchanged. */
export const isVisible = (text: string): boolean => visible(text) === text

/**
 * Escapes text that a person bases a decision on. Besides what `visible` escapes:
 *
 * - line feeds and tabs, and every space but U+0020;
 * - non-ASCII characters that are compatible with ASCII (Unicode NFKC): `ｒｍ`, `𝐫𝐦`, `․`;
 * - letters that look like Latin ones: a letter of another script in a word with Latin letters, a letter of a script
 *   that is not in modern use (UAX #31), phonetic letters, and a word of look-alikes alone (UTS #39), unless other
 *   words of the text show that it is written in that script;
 * - digits of another script in a word with ASCII letters or digits;
 * - characters that look like ASCII punctuation: `∕`, `‐`, `ǃ`, `∶`;
 * - unassigned and private characters, and combining marks that do not form a letter with the character before them.
 *
 * Text in Russian, Greek, Chinese or Arabic stays as it is.
 */
export const unmistakable = (text: string): string => {
  if (ASCII.test(text)) return text
  const composed = text.normalize("NFC")
  const scripts = scriptsOf(composed)
  return composed
    .replaceAll(WORD, (word) => withoutLookAlikes(word, scripts))
    .replaceAll(MISTAKABLE(), escaped)
    .replaceAll(LIKE_PUNCTUATION(), escaped)
    .replaceAll(PHONETIC, escaped)
    .replaceAll(OUTSIDE_MODERN_SCRIPTS(), escaped)
    .replaceAll(NOT_ASCII, (found) => (ASCII.test(found.normalize("NFKC")) ? escaped(found) : found))
}

/** True if `unmistakable` leaves the text unchanged, after NFC. */
export const isUnmistakable = (text: string): boolean => unmistakable(text) === text.normalize("NFC")

/** Most text needs no escapes. */
const ASCII = /^[\x20-\x7e]*$/

const NOT_ASCII = /\P{ASCII}/gu

/**
 * Controls (C0, DEL, C1), formats (direction, joiners, tags, soft hyphens), line and paragraph separators, lone
 * surrogates, all characters that Unicode renders as nothing (Hangul fillers, variation selectors), and the blank
 * Braille pattern. The expression below adds combining marks on top of four others, and spares selectors and joiners of
 * emoji.
 */
const INVISIBLE = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800"

const EMOJI = "\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?"

const CONTROL_OR_INVISIBLE = new RegExp(
  `${EMOJI}(?:\\u200D${EMOJI})+|\\p{Extended_Pictographic}\\uFE0F|[${INVISIBLE}]|(?<=\\p{M}{4})\\p{M}`,
  "gu",
)

/** Compiles an expression at its first use: each takes a millisecond, and few programs need them. */
const once = (make: () => RegExp): (() => RegExp) => {
  let made: RegExp | undefined
  return () => {
    made ??= make()
    return made
  }
}

const MISTAKABLE = once(
  () => new RegExp(`[${INVISIBLE}\\p{Co}\\p{Cn}]|(?! )\\p{Zs}|(?<=\\p{ASCII}|\\p{M}{3})\\p{M}`, "gu"),
)

/**
 * Characters that look like ASCII punctuation without being compatible with it (UTS #39): slashes, hyphens and minus
 * signs, colons, bars, stars, tildes, an exclamation mark, spacing primes and accents. Quotation marks and dashes of
 * prose stay.
 */
const LIKE_PUNCTUATION = once(
  () =>
    new RegExp(
      [
        "[\\u2044\\u2215\\u2571\\u27CB\\u29F8\\u3033\\u2216\\u27CD\\u29F5\\u29F9]",
        "[\\u2010\\u2012\\u2043\\u2212\\u2796\\u02D7\\u02D0\\u2236\\uA789\\u01C0\\u2223\\u2758\\u01C3]",
        "[\\u2217\\u204E\\u22C6\\u223C\\u02DC\\u02B9\\u02BA\\u02C2-\\u02C4\\u02C6\\u02C8\\u02CA\\u02CB]",
      ].join("|"),
      "gu",
    ),
)

/** Phonetic small letters and dotless letters look like ASCII ones. */
const PHONETIC = /[\u0250-\u02AF\u1D00-\u1D2B\uA730\uA731\u0237]/gu

/** Recommended scripts of UAX #31. Letters of other scripts serve only as look-alikes. */
const MODERN_SCRIPTS =
  "Common Inherited Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan"

const inScripts = (scripts: string): string =>
  scripts
    .split(" ")
    .map((script) => `\\p{Script=${script}}`)
    .join("")

const OUTSIDE_MODERN_SCRIPTS = once(() => new RegExp(`(?![${inScripts(MODERN_SCRIPTS)}])[\\p{L}\\p{N}]`, "gu"))

/** A match that begins with a pictograph is a complete, visible emoji. */
const isEmojiPart = (found: string): boolean => /^\p{Extended_Pictographic}/u.test(found)

const escaped = (found: string): string => Array.from(found, escapedOne).join("")

const escapedOne = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

const SHORT: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const WORD = /[\p{L}\p{M}\p{N}_]+/gu

const LATIN = /\p{Script=Latin}/u

const ALPHANUMERIC = /[0-9A-Za-z]/

const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu

/** Letters that no word mixes with Latin ones. Chinese, Japanese and Korean do mix (UTS #39, highly restrictive). */
const NOT_WITH_LATIN = once(
  () => new RegExp(`(?![${inScripts("Common Inherited Latin Han Hiragana Katakana Hangul Bopomofo")}])\\p{L}`, "gu"),
)

/** Alphabets with letters that look like Latin ones, and those letters (UTS #39, single-letter confusables). */
const ALPHABETS = [
  { letter: /\p{Script=Cyrillic}/gu, lookAlike: /^[АВЕЅІЈКМНОРСТУХЗаеѕіјорсухһԁԛԝӏҮѴѵ]$/u },
  { letter: /\p{Script=Greek}/gu, lookAlike: /^[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυικϲϳ]$/u },
  { letter: /\p{Script=Armenian}/gu, lookAlike: /^[ՍՕԼոսցօհզյ]$/u },
  { letter: /\p{Script=Cherokee}/gu, lookAlike: /^\p{Script=Cherokee}$/u },
  { letter: /\p{Script=Lisu}/gu, lookAlike: /^\p{Script=Lisu}$/u },
  { letter: /\p{Script=Coptic}/gu, lookAlike: /^\p{Script=Coptic}$/u },
] as const

type Alphabet = (typeof ALPHABETS)[number]

/** The alphabets that a text certainly uses: one of its words has a letter that is not a look-alike. */
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
  if (LATIN.test(word)) return digits.replaceAll(NOT_WITH_LATIN(), escaped)
  return ALPHABETS.reduce(
    (rest, alphabet) => (scripts.has(alphabet) ? rest : rest.replaceAll(alphabet.letter, (letter) => escaped(letter))),
    digits,
  )
}

/**
 * Text for one line of a terminal: line breaks and tabs become spaces, other control and invisible characters escapes.
 */
export const oneLine = (text: string): string => visible(text.replaceAll(/[\r\n\t]/g, " "))
