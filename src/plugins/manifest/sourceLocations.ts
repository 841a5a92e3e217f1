/**
 * Finds the line and column of each part of a JSON document in its text, so that mistakes in a manifest can be located.
 */
import { pointerToken } from "../../values/Json.ts"

/** A location in a text, as editors count: from 1, columns in UTF-16 code units. */
export interface SourceLocation {
  readonly line: number
  readonly column: number
}

/** The locations of the parts of a JSON document in its text. */
export interface SourceLocations {
  /**
   * The location of the value at a JSON Pointer (RFC 6901). For a field of an object, it is the location of the field's
   * name. If nothing is there, it is the location of the nearest enclosing part. If a name is repeated, the last one
   * counts, as in `JSON.parse`.
   */
  readonly of: (pointer: string) => SourceLocation
  /** The pointers of fields that a later field of the same name overrides, with their locations. */
  readonly overridden: ReadonlyArray<{ readonly pointer: string; readonly place: SourceLocation }>
}

/** Computes the locations for a text that `JSON.parse` accepts. It scans the text once and does not recurse. */
export const sourceLocationsOf = (text: string): SourceLocations => {
  const offsets = new Map<string, number>()
  const hidden: Array<{ readonly pointer: string; readonly at: number }> = []
  const open: Array<Container> = []
  /** The pointer and offset of the field whose value comes next. */
  let field: { readonly pointer: string; readonly at: number } | undefined

  const nextValue = (at: number) => {
    const container = open.at(-1)
    const found = field ?? { pointer: container === undefined ? "" : `${container.pointer}/${container.items++}`, at }
    field = undefined
    offsets.set(found.pointer, found.at)
    return found.pointer
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const container = open.at(-1)
    if (token === "}" || token === "]") open.pop()
    else if (token === "{" || token === "[") open.push({ pointer: nextValue(index), isObject: token === "{", items: 0 })
    else if (container?.isObject === true && field === undefined) {
      const pointer = `${container.pointer}/${pointerToken(String(JSON.parse(token)))}`
      const earlier = offsets.get(pointer)
      if (earlier !== undefined) hidden.push({ pointer, at: earlier })
      field = { pointer, at: index }
    } else nextValue(index)
  }

  const locationAt = locationsAt(text)
  return {
    of: (pointer) => {
      for (let around = pointer; around !== ""; around = around.slice(0, around.lastIndexOf("/"))) {
        const at = offsets.get(around)
        if (at !== undefined) return locationAt(at)
      }
      return locationAt(offsets.get("") ?? 0)
    },
    overridden: hidden.map(({ pointer, at }) => ({ pointer, place: locationAt(at) })),
  }
}

/** An object or a list that is not closed yet. */
interface Container {
  readonly pointer: string
  readonly isObject: boolean
  /** If it is a list: the number of items so far. */
  items: number
}

/** The tokens of JSON, without commas, colons and whitespace. */
const TOKEN = /[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+/gs

/**
 * Where `JSON.parse` stopped. It is the position in the error's message, if that has one, else the first invalid token,
 * or the end of the text.
 */
export const syntaxErrorLocation = (text: string, message: string): SourceLocation => {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return locationsAt(text)(Number(position))
  return locationsAt(text)(firstInvalidToken(text) ?? text.length)
}

/** The offset of the first invalid token. */
const firstInvalidToken = (text: string): number | undefined => {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (/^[{}[\]"]/.test(token)) continue
    try {
      JSON.parse(token)
    } catch {
      return index
    }
  }
  return undefined
}

const locationsAt = (text: string) => {
  const starts = [0]
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1)
  return (offset: number): SourceLocation => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}
