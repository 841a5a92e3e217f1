/** What YAML's text is read by, whatever its style: lines, quotation marks, words. */

/** A place at which a key or a value is written. */
export interface Place {
  /** The keys that lead to the mapping of the key, or to the value; elements of lists are `0`. */
  readonly path: ReadonlyArray<string>
  /** Whether a key of a mapping can stand here. In block style a value can as well, where nothing stands beside it. */
  readonly isKey: boolean
  /** Where what is written here begins, with its quotation mark, and where it ends. */
  readonly from: number
  readonly to: number
  /** The other keys of the mapping, each with its value as it is written; empty where that is none on its line. */
  readonly beside: ReadonlyMap<string, string>
}

/** No keys. */
export const NONE: ReadonlyMap<string, string> = new Map()

/** Where the line of a place begins. */
export const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1

/** Where the line of a place ends. */
export const lineEnd = (text: string, offset: number): number => {
  const end = text.indexOf("\n", offset)
  return end < 0 ? text.length : end
}

/** Behind the quotation mark that ends what one begins. */
export const quoteEnd = (text: string, start: number): number => {
  const mark = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (mark === '"' && text[at] === "\\") at++
    else if (text[at] === mark) {
      if (mark === '"' || text[at + 1] !== mark) return at + 1
      at++
    }
  }
  return text.length
}

const WORD = /[\w-]*["']?/y

/** Where the word ends that begins at `from` and has a place in it, with the quotation mark that ends it. */
export const wordEnd = (text: string, from: number, offset: number): number => {
  WORD.lastIndex = offset
  const found = WORD.exec(text)?.[0] ?? ""
  const isQuoted = text[from] === '"' || text[from] === "'"
  return offset + (isQuoted ? found.length : found.replace(/["']$/, "").length)
}

/** A value without its quotation marks. */
export const unquoted = (value: string): string => {
  const [, text] = /^["'](.*)["']$/.exec(value.trim()) ?? []
  return text ?? value.trim()
}
