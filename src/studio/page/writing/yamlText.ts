/** Reads YAML text in either style: lines, quotation marks, words. */

export interface Place {
  /** The keys that lead to the key's mapping or to the value. List elements are `0`. */
  readonly path: ReadonlyArray<string>
  /** Whether a key can be here. In block style, a value can too if nothing is next to it. */
  readonly isKey: boolean
  /** The range of the text here, with its opening quotation mark. */
  readonly from: number
  readonly to: number
  /** The other keys of the mapping with their values as written; empty if a value is not on its line. */
  readonly beside: ReadonlyMap<string, string>
}

export const NONE: ReadonlyMap<string, string> = new Map()

export const lineStart = (text: string, offset: number): number => text.lastIndexOf("\n", offset - 1) + 1

export const lineEnd = (text: string, offset: number): number => {
  const end = text.indexOf("\n", offset)
  return end < 0 ? text.length : end
}

/** The offset behind the closing quotation mark. */
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

/** The end of the word that begins at `from` and contains `offset`, including its closing quotation mark. */
export const wordEnd = (text: string, from: number, offset: number): number => {
  WORD.lastIndex = offset
  const found = WORD.exec(text)?.[0] ?? ""
  const isQuoted = text[from] === '"' || text[from] === "'"
  return offset + (isQuoted ? found.length : found.replace(/["']$/, "").length)
}

export const unquoted = (value: string): string => {
  const [, text] = /^["'](.*)["']$/.exec(value.trim()) ?? []
  return text ?? value.trim()
}
