/** Maps JSON Pointers to lines and columns of a JSON text, to locate mistakes in a manifest. */
import { pointerToken } from "../../values/Json.ts"

/** A location in a text, from 1; columns count UTF-16 code units, as editors do. */
export interface SourceLocation {
  readonly line: number
  readonly column: number
}

/** The locations in one JSON text. */
export interface SourceLocations {
  /**
   * The location of the value at a JSON Pointer (RFC 6901); for an object's field, of its name. If nothing is there,
   * the nearest enclosing part. Of repeated names, the last one counts, as in `JSON.parse`.
   */
  readonly of: (pointer: string) => SourceLocation
  /** Fields that a later field of the same name overrides. */
  readonly overridden: ReadonlyArray<{ readonly pointer: string; readonly place: SourceLocation }>
}

/** Locates the parts of a text that `JSON.parse` accepts, in one scan without recursion. */
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

/** An object or list that is still open. */
interface Container {
  readonly pointer: string
  readonly isObject: boolean
  /** The items of a list so far. */
  items: number
}

/** The tokens of JSON, without commas, colons and whitespace. */
const TOKEN = /[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+/gs

/** Where `JSON.parse` stopped: the position in its message, else the first invalid token, else the end of the text. */
export const syntaxErrorLocation = (text: string, message: string): SourceLocation => {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return locationsAt(text)(Number(position))
  return locationsAt(text)(firstInvalidToken(text) ?? text.length)
}

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
