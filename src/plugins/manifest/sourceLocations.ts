import { pointerToken } from "../../values/Json.ts"

/** A place in a text, as editors count: from 1, columns in UTF-16 units. */
export interface SourceLocation {
  readonly line: number
  readonly column: number
}

/** Where the parts of a JSON document stand in its text. */
export interface SourceLocations {
  /**
   * The place of what a JSON Pointer (RFC 6901) names: of a field its name, of an item its value. Where nothing stands
   * there, the place of the nearest part around it. Where a name is repeated, the last one counts, as for `JSON.parse`.
   */
  readonly of: (pointer: string) => SourceLocation
  /** Names that an object has more than once, by the pointer of each that is hidden by a later one. */
  readonly hidden: ReadonlyArray<{ readonly pointer: string; readonly place: SourceLocation }>
}

/** Finds the places of a text that `JSON.parse` takes. It goes through the text once, whatever its nesting. */
export const sourceLocationsOf = (text: string): SourceLocations => {
  const places = new Map<string, number>()
  const hidden: Array<{ readonly pointer: string; readonly at: number }> = []
  const open: Array<Container> = []
  /** The pointer and the place of a field whose value comes next. */
  let field: { readonly pointer: string; readonly at: number } | undefined

  const nextValue = (at: number) => {
    const container = open.at(-1)
    const found = field ?? { pointer: container === undefined ? "" : `${container.pointer}/${container.items++}`, at }
    field = undefined
    places.set(found.pointer, found.at)
    return found.pointer
  }
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const container = open.at(-1)
    if (token === "}" || token === "]") open.pop()
    else if (token === "{" || token === "[") open.push({ pointer: nextValue(index), isObject: token === "{", items: 0 })
    else if (container?.isObject === true && field === undefined) {
      const pointer = `${container.pointer}/${pointerToken(String(JSON.parse(token)))}`
      const earlier = places.get(pointer)
      if (earlier !== undefined) hidden.push({ pointer, at: earlier })
      field = { pointer, at: index }
    } else nextValue(index)
  }

  const placeAt = placesAt(text)
  return {
    of: (pointer) => {
      for (let around = pointer; around !== ""; around = around.slice(0, around.lastIndexOf("/"))) {
        const at = places.get(around)
        if (at !== undefined) return placeAt(at)
      }
      return placeAt(places.get("") ?? 0)
    },
    hidden: hidden.map(({ pointer, at }) => ({ pointer, place: placeAt(at) })),
  }
}

/** An object or a list that is not closed yet. */
interface Container {
  readonly pointer: string
  readonly isObject: boolean
  /** Of a list: how many items it has so far. */
  items: number
}

/** What JSON is made of, without commas, colons and space. */
const TOKEN = /[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+/gs

/** Where `JSON.parse` stopped: its own word for it, where it has one, else the place of the token that it names, or the end. */
export const locationOfMistake = (text: string, message: string): SourceLocation => {
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return placesAt(text)(Number(position))
  return placesAt(text)(firstStray(text) ?? text.length)
}

/** The first token that is no token of JSON. */
const firstStray = (text: string): number | undefined => {
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

const placesAt = (text: string) => {
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
