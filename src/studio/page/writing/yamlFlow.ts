/** Locates a place within a flow collection, such as `{ a: [b, c] }`. */
import { lineEnd, NONE, type Place, quoteEnd, unquoted, wordEnd } from "./yamlText.ts"

/** Maximum nesting of collections. No schema has more, and the server reads no more. */
const MAX_LEVELS = 100

/** A collection that is not closed yet. */
interface OpenCollection {
  readonly bracket: string
  readonly step: string
  /** The key of the coming value; null before it. */
  key: string | null
  readonly values: Map<string, string>
}

interface Token {
  readonly from: number
  readonly end: number
}

/**
 * The place within the brackets that begin at `start`, or the offset of their end if the place is after them.
 *
 * @param around the keys that lead to the brackets
 */
export const placeInFlow = (
  text: string,
  start: number,
  offset: number,
  around: () => ReadonlyArray<string>,
): Place | null | number => (offset <= start ? text.length : new FlowReader(text, offset, around).read(start))

/** Reads a collection from its first bracket on. */
class FlowReader {
  readonly #text: string
  readonly #offset: number
  readonly #around: () => ReadonlyArray<string>
  readonly #frames: Array<OpenCollection> = []
  #token: Token | null = null
  /** Undefined until the reader reaches it. */
  #place: Place | null | undefined = undefined
  /** The number of collections around the place. */
  #depth = 0

  constructor(text: string, offset: number, around: () => ReadonlyArray<string>) {
    this.#text = text
    this.#offset = offset
    this.#around = around
  }

  read(start: number): Place | null | number {
    for (let at = start; at < this.#text.length; ) {
      if (at >= this.#offset) this.#place ??= this.#here()
      // Read the keys behind the place up to the end of its mapping.
      if (this.#place === null || (this.#place !== undefined && this.#frames.length < this.#depth)) return this.#place
      const next = this.#take(at)
      if (next === null) return null
      at = next
      if (this.#frames.length === 0) return this.#place ?? at
    }
    return this.#place === undefined ? this.#here() : this.#place
  }

  /**
   * Reads the text at an offset.
   *
   * @returns the next offset; null if the place cannot be located
   */
  #take(at: number): number | null {
    const char = this.#text[at] ?? ""
    const frame = this.#frames.at(-1)
    if (char === "{" || char === "[") return this.#frames.length < MAX_LEVELS ? this.#open(char, at) : null
    if (char === "}" || char === "]") {
      this.#end(frame)
      this.#frames.pop()
      return at + 1
    }
    if (char === ",") {
      this.#end(frame)
      return at + 1
    }
    if (char === "#" && /\s/.test(this.#text[at - 1] ?? " ")) {
      const end = lineEnd(this.#text, at)
      return this.#place === undefined && this.#offset > at && this.#offset <= end ? null : end
    }
    if (char === ":" && /^[\s,[\]{}"']?$/.test(this.#text[at + 1] ?? "") && this.#nameValue(frame)) return at + 1
    return /\s/.test(char) ? at + 1 : this.#write(char, at)
  }

  #open(bracket: string, at: number): number {
    const before = this.#frames.at(-1)
    const step = before?.bracket === "{" ? (before.key ?? "0") : "0"
    this.#frames.push({ bracket, step, key: null, values: new Map() })
    this.#token = null
    return at + 1
  }

  /** Takes the text as a key; returns false if no key can stand here. */
  #nameValue(frame: OpenCollection | undefined): boolean {
    if (this.#token === null || frame?.bracket !== "{" || frame.key !== null) return false
    // The key at the place itself is not next to it.
    frame.key = this.#token.from === this.#place?.from ? "" : this.#written()
    this.#token = null
    return true
  }

  #write(char: string, at: number): number {
    const isQuoted = this.#token === null && (char === '"' || char === "'")
    const end = isQuoted ? quoteEnd(this.#text, at) : at + 1
    this.#token = { from: this.#token?.from ?? at, end }
    if (this.#offset > at && this.#offset < end) this.#place ??= this.#here()
    return end
  }

  /** Takes the text as a value, or as a key without a value. */
  #end(frame: OpenCollection | undefined): void {
    if (frame?.bracket === "{") {
      if (frame.key !== null) frame.values.set(frame.key, this.#written())
      else if (this.#token !== null && this.#token.from !== this.#place?.from) frame.values.set(this.#written(), "")
      frame.key = null
    }
    this.#token = null
  }

  #written(): string {
    return this.#token === null ? "" : unquoted(this.#text.slice(this.#token.from, this.#token.end))
  }

  #here(): Place | null {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return null
    this.#depth = this.#frames.length
    const { bracket, key, values } = frame
    const from = this.#token?.from ?? this.#offset
    const path = [...this.#around(), ...this.#frames.slice(1).map(({ step }) => step)]
    const isKey = bracket === "{" && key === null
    return {
      path: isKey ? path : [...path, key ?? "0"],
      isKey,
      from,
      to: wordEnd(this.#text, from, this.#offset),
      beside: isKey ? values : NONE,
    }
  }
}
