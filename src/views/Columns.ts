/**
 * The width of text in terminal columns: two for East Asian wide characters and emoji, none for combining marks.
 * Without dependencies, because browsers load it too.
 */

/** The number of columns of a text without control characters and colours. */
export const width = (text: string): number => {
  if (NARROW.test(text)) return text.length
  let columns = 0
  for (const character of graphemes(text)) columns += widthOf(character)
  return columns
}

/** Splits text into user-perceived characters: a letter with its marks, or an emoji of several code points. */
export const graphemes = (text: string): ReadonlyArray<string> =>
  NARROW.test(text) ? text.split("") : Array.from(segmenter().segment(text), ({ segment }) => segment)

/** Cuts a text to `columns`, with "…" at the end. */
export const cut = (text: string, columns: number): string => {
  if (width(text) <= columns) return text
  let kept = ""
  let left = columns - 1
  for (const character of graphemes(text)) {
    left -= widthOf(character)
    if (left < 0) break
    kept += character
  }
  return columns < 1 ? "" : `${kept}…`
}

/** Pads a text with spaces to `columns`. */
export const pad = (text: string, columns: number, at: "end" | "start" = "end"): string => {
  const spaces = " ".repeat(Math.max(0, columns - width(text)))
  return at === "end" ? text + spaces : spaces + text
}

/** Wraps a text between words. Breaks words longer than a line. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  let used = 0
  for (const word of text.split(" ")) {
    const needed = width(word)
    if (line !== "" && used + 1 + needed <= columns) {
      line += ` ${word}`
      used += 1 + needed
      continue
    }
    if (line !== "") lines.push(line)
    const pieces = broken(word, columns)
    lines.push(...pieces.slice(0, -1))
    line = pieces.at(-1) ?? ""
    used = width(line)
  }
  return [...lines, line]
}

const broken = (word: string, columns: number): ReadonlyArray<string> => {
  if (width(word) <= columns) return [word]
  const pieces: Array<string> = []
  let piece = ""
  let used = 0
  for (const character of graphemes(word)) {
    const needed = widthOf(character)
    if (used + needed > columns && piece !== "") {
      pieces.push(piece)
      piece = ""
      used = 0
    }
    piece += character
    used += needed
  }
  return [...pieces, piece]
}

/** Characters of one column that never join others: Latin, and signs, arrows, lines and blocks. */
const NARROW = /^[\x20-\x7e\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027\u2190-\u21FF\u2200-\u22FF\u2500-\u25FC]*$/

/** Created at first use: it costs as much as all of Hindcast's schemas, and most programs draw nothing. */
const segmenter = (): Intl.Segmenter => {
  made ??= new Intl.Segmenter()
  return made
}

let made: Intl.Segmenter | undefined

const widthOf = (grapheme: string): number => {
  if (NARROW.test(grapheme)) return grapheme.length
  return NO_WIDTH.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1
}

/** Marks without a letter that carries them. */
const NO_WIDTH = /^[\p{M}\p{Default_Ignorable_Code_Point}]+$/u

/** Begins with a wide character (Unicode's East Asian Width), or is an emoji by default or by its selector. */
const WIDE =
  /^(?:[\u1100-\u115F\u2329\u232A\u2630-\u2637\u268A-\u268F\u2E80-\u303E\u3041-\u3247\u3250-\u33FF\u3400-\u4DBF\u4DC0-\u4DFF\u4E00-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DF2}\u{1AFF0}-\u{1B2FF}\u{1D300}-\u{1D356}\u{1D360}-\u{1D376}\u{1F200}-\u{1F265}\u{20000}-\u{3FFFD}]|(?![\u{1F1E6}-\u{1F1FF}]$)\p{Emoji_Presentation}|.*\uFE0F)/u
