/**
 * Escapes text from outside before a person sees it, in logs, pages, errors and questions.
 *
 * A terminal obeys control characters, and some characters are invisible. Either can make one text look like another.
 * Both are written as escapes, `\u{202e}`, so that nothing is hidden and nothing is lost.
 */

/** Text on one line: every control character and every invisible character is written as an escape. */
export const visible = (text: string): string =>
  ASCII.test(text)
    ? text
    : text.replaceAll(CONTROL_OR_INVISIBLE, (found) => (isEmojiPart(found) ? found : escaped(found)))

/** Like `visible`, but keeps line feeds: for text of several lines, such as an error's message. */
export const visibleLines = (text: string): string =>
  ASCII.test(text) ? text : text.split("\n").map(visible).join("\n")

/** Whether `visible` leaves a text unchanged. */
export const isVisible = (text: string): boolean => visible(text) === text

/**
 * Text for a person who decides by it. Besides what `visible` escapes, it escapes:
 *
 * - line feeds and tabs, and every space but U+0020;
 * - characters that are compatible with ASCII and not ASCII (Unicode NFKC): `ｒｍ`, `𝐫𝐦`, `․`;
 * - letters that look like Latin ones: a letter of another script in a word with Latin letters, a letter of a script
 *   that is not in modern use (UAX #31), phonetic letters, and a word of look-alikes alone (UTS #39), unless other
 *   words of the text show that it is written in that script;
 * - digits of another script in a word with ASCII letters or digits;
 * - characters that look like ASCII punctuation: `∕`, `‐`, `ǃ`, `∶`;
 * - unassigned and private characters, and combining marks that do not form a letter with the character before them.
 *
 * Text in Russian, Greek, Chinese or Arabic is unchanged.
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

/** Whether `unmistakable` leaves a text unchanged, after NFC. */
export const isUnmistakable = (text: string): boolean => unmistakable(text) === text.normalize("NFC")

/** Printable ASCII, which needs no escapes: most text. */
const ASCII = /^[\x20-\x7e]*$/

const NOT_ASCII = /\P{ASCII}/gu

/**
 * Controls (C0, DEL, C1), formats (direction, joiners, tags, soft hyphens), line and paragraph separators, lone
 * surrogates, all characters that Unicode renders as nothing (Hangul fillers, variation selectors), the blank Braille
 * pattern, and combining marks on top of four others. The selectors and joiners of an emoji are kept.
 */
const INVISIBLE = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800"

const EMOJI = "\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?"

const CONTROL_OR_INVISIBLE = new RegExp(
  `${EMOJI}(?:\\u200D${EMOJI})+|\\p{Extended_Pictographic}\\uFE0F|[${INVISIBLE}]|(?<=\\p{M}{4})\\p{M}`,
  "gu",
)

/** Makes an expression at its first use: those of many scripts take a millisecond each, and few programs ask for them. */
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
 * Characters that look like ASCII punctuation and are not compatible with it (UTS #39): slashes, hyphens and minus
 * signs, colons, bars, stars, tildes, an exclamation mark, spacing primes and accents, angles. Quotation marks and
 * dashes of prose are not among them.
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

/** Phonetic small letters, which look like ASCII ones, and the dotless letters. */
const PHONETIC = /[\u0250-\u02AF\u1D00-\u1D2B\uA730\uA731\u0237]/gu

/** The scripts in modern use (UAX #31, recommended scripts). Letters of other scripts serve only as look-alikes. */
const MODERN_SCRIPTS =
  "Common Inherited Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan"

const inScripts = (scripts: string): string =>
  scripts
    .split(" ")
    .map((script) => `\\p{Script=${script}}`)
    .join("")

const OUTSIDE_MODERN_SCRIPTS = once(() => new RegExp(`(?![${inScripts(MODERN_SCRIPTS)}])[\\p{L}\\p{N}]`, "gu"))

/** A match that begins with a pictograph is a complete emoji, which is visible. */
const isEmojiPart = (found: string): boolean => /^\p{Extended_Pictographic}/u.test(found)

const escaped = (found: string): string => Array.from(found, escapedOne).join("")

const escapedOne = (character: string): string =>
  SHORT[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

const SHORT: { readonly [character: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const WORD = /[\p{L}\p{M}\p{N}_]+/gu

const LATIN = /\p{Script=Latin}/u

const ALPHANUMERIC = /[0-9A-Za-z]/

/** Digits of other scripts than ASCII's. */
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu

/**
 * Letters that do not occur in one word with Latin ones. Those of Chinese, Japanese and Korean do (UTS #39, highly
 * restrictive).
 */
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

/** The alphabets that a text is certainly written in: some word in it has a letter that is not a look-alike. */
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
