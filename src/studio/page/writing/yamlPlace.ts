/**
 * Locates a place in a YAML text: by indentation in block style, by brackets in flow style. JSON is flow style
 * throughout.
 */

import { placeInFlow } from "./yamlFlow.ts"
import { lineEnd, lineStart, NONE, type Place, quoteEnd, unquoted, wordEnd } from "./yamlText.ts"

/** The key of a line, after its indentation and list dashes. */
const KEY = /^(?:"([^"]*)"\s*|'([^']*)'\s*|([^\s#"'[\]{}][^:#]*)):(?:\s|$)/

interface Key {
  readonly key: string
  /** The offsets of its colon and of the text behind it. */
  readonly colon: number
  readonly length: number
}

const keyOf = (rest: string): Key | undefined => {
  const found = KEY.exec(rest)
  const key = found?.slice(1).find((name) => name !== undefined)
  if (found === null || key === undefined) return undefined
  const { length } = found[0]
  return { key: key.trimEnd(), colon: found[0].endsWith(":") ? length - 1 : length - 2, length }
}

/** A value on its line without the comment behind it. */
const withoutComment = (value: string): string => {
  const text = value.trimStart()
  const end = /^["']/.test(text) ? quoteEnd(text, 0) : 0
  const comment = text.slice(end).search(COMMENT)
  return comment < 0 ? text : text.slice(0, end + comment)
}

/** A comment begins at the start or after white space. */
const COMMENT = /(?<!\S)#/

const dividedLine = (line: string) => {
  const rest = line.trimStart()
  const dashes = /^(?:- +)*/.exec(rest)?.[0] ?? ""
  const indent = line.length - rest.length
  return { indent, dashes, column: indent + dashes.length, rest: rest.slice(dashes.length) }
}

/** The keys that lead to a place in block style, by indentation. A flow collection on one line belongs to its field. */
export const pathAt = (text: string, offset: number): ReadonlyArray<string> => {
  const lines = text.slice(0, lineEnd(text, offset)).split("\n")
  const keys: Array<string> = []
  // Less indented lines surround the place. A list may stand at the column of its field.
  let [keysBelow, dashesBelow] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let at = lines.length - 1; at >= 0 && keysBelow > 0; at--) {
    const line = lines[at] ?? ""
    const { indent, dashes, column, rest } = dividedLine(line)
    if (dashes + rest === "" || (dashes === "" && rest.startsWith("#"))) {
      if (at === lines.length - 1) keysBelow = dashesBelow = offset - lineStart(text, offset)
      continue
    }
    const found = keyOf(rest)
    if (found !== undefined && column < keysBelow) {
      keys.unshift(found.key)
      keysBelow = dashesBelow = column
    }
    if (dashes !== "" && indent < dashesBelow) {
      keys.unshift("0")
      ;[keysBelow, dashesBelow] = [indent + 1, indent]
    }
  }
  return keys
}

/** The key or value at a place; null within comments and texts of several lines. */
export const placeAt = (text: string, offset: number): Place | null => {
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at)
    const { column, rest, indent } = dividedLine(text.slice(at, end))
    const key = keyOf(rest)
    const begins = at + column + (key?.length ?? 0)
    const value = rest.slice(key?.length ?? 0).trimStart()
    const start = begins + (rest.length - (key?.length ?? 0) - value.length)
    const [first = ""] = value
    if (first === "{" || first === "[") {
      const flow = placeInFlow(text, start, offset, () => pathAt(text.slice(0, start), start))
      if (typeof flow !== "number") return flow
      at = lineEnd(text, flow) + 1
    } else if ((first === '"' || first === "'") && quoteEnd(text, start) > end) {
      at = lineEnd(text, quoteEnd(text, start)) + 1
      if (offset > end && offset < at) return null
    } else if (/^[|>][-+\d]*\s*(?:#.*)?$/.test(value)) {
      at = blockScalarEnd(text, end + 1, key === undefined ? indent : column)
      const isInside = offset - lineStart(text, offset) > (key === undefined ? indent : column)
      if (offset > end && offset < at && isInside) return null
    } else at = end + 1
    if (offset < at) break
  }
  return placeInBlock(text, offset)
}

/** The end of a block scalar: the first line that is not indented further than its field. */
const blockScalarEnd = (text: string, start: number, column: number): number => {
  let at = start
  while (at < text.length) {
    const line = text.slice(at, lineEnd(text, at))
    if (line.trim() !== "" && line.length - line.trimStart().length <= column) break
    at += line.length + 1
  }
  return at
}

/** A place outside brackets. */
const placeInBlock = (text: string, offset: number): Place | null => {
  const start = lineStart(text, offset)
  const { column, rest } = dividedLine(text.slice(start, lineEnd(text, offset)))
  // On an empty line, the caret is the column.
  const isEmpty = rest === ""
  const from = isEmpty ? offset : start + column
  if (from > offset || rest.startsWith("#")) return null
  const found = keyOf(rest)
  if (found !== undefined && offset > from + found.colon) {
    const begins = from + found.length
    if (offset < begins) return null
    const value = rest.slice(found.length)
    return valueAt(text, begins + (value.length - value.trimStart().length), offset)
  }
  const to = found === undefined ? wordEnd(text, from, offset) : from + found.colon
  const path = pathAt(`${text.slice(0, from)}x:`, from).slice(0, -1)
  return { path, isKey: true, from, to, beside: besideInBlock(text, start, from - start) }
}

const valueAt = (text: string, begins: number, offset: number): Place => {
  const from = Math.min(begins, offset)
  const path = pathAt(text.slice(0, from), from)
  return { path, isKey: false, from, to: wordEnd(text, from, offset), beside: NONE }
}

/** The other keys, in the same column, of the mapping that a line belongs to. */
const besideInBlock = (text: string, start: number, column: number): ReadonlyMap<string, string> => {
  const beside = new Map<string, string>()
  const take = ({ rest }: ReturnType<typeof dividedLine>) => {
    const found = keyOf(rest)
    if (found !== undefined) beside.set(found.key, unquoted(withoutComment(rest.slice(found.length))))
  }
  // Further indented lines, and list elements at the column, belong to a value of the mapping.
  const isWithin = ({ indent, dashes, rest }: ReturnType<typeof dividedLine>) =>
    dashes + rest === "" || (dashes === "" && rest.startsWith("#")) || indent + Math.sign(dashes.length) > column
  let isFirst = text.slice(start, start + column).trim() !== ""
  for (let end = start - 1; end >= 0 && !isFirst; ) {
    const begin = lineStart(text, end)
    const line = dividedLine(text.slice(begin, end))
    end = begin - 1
    if (isWithin(line)) continue
    if (line.column !== column) break
    take(line)
    isFirst = line.dashes !== ""
  }
  for (let at = lineEnd(text, start) + 1; at < text.length; ) {
    const end = lineEnd(text, at)
    const line = dividedLine(text.slice(at, end))
    at = end + 1
    if (isWithin(line)) continue
    if (line.column !== column || line.dashes !== "") break
    take(line)
  }
  return beside
}
