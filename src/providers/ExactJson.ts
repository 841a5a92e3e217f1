/**
 * A JSON parser that does not lose long integers. Ids of twenty digits exceed a JavaScript number, which is exact to
 * some
 * 16. Values are those of `JSON.parse`; for each object and list around such a number, the parser also keeps the text.
 */

import { isHeld } from "../agents/models/Arguments.ts"
import type { Json } from "../values/Json.ts"

const texts = new WeakMap<object, string>()

/** The source text of an object or list that `parse` returned, if its value lost digits; undefined otherwise. */
export const exactTextOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? texts.get(value) : undefined

/** Parses like `JSON.parse`, and throws the same errors. */
export const parse = (text: string): Json => {
  const value: Json = JSON.parse(text)
  if (!LONG_NUMBER.test(text)) return value
  try {
    return new Reader(text).read()
  } catch {
    // Nested too deeply for a recursive reader.
    return value
  }
}

/** An integer that a JavaScript number may not hold. Most texts have none and skip the reader. */
const LONG_NUMBER = /(?<![\d.])\d{16,}(?![\d.eE])/

const isExact = (digits: string): boolean => !/^-?\d{16,}$/.test(digits) || isHeld(digits)

/** Reads text that `JSON.parse` has accepted, and keeps the texts around inexact numbers. */
class Reader {
  readonly #text: string
  #at = 0
  #inexact = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): Json {
    this.#space()
    const [start, before] = [this.#at, this.#inexact]
    const value = this.#value()
    if (typeof value === "object" && value !== null && this.#inexact > before) {
      texts.set(value, this.#text.slice(start, this.#at))
    }
    this.#space()
    return value
  }

  #value(): Json {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object()
      case "[":
        return this.#list()
      case '"':
        return JSON.parse(this.#token(TEXT))
      default: {
        const token = this.#token(WORD)
        if (!isExact(token)) this.#inexact++
        return JSON.parse(token)
      }
    }
  }

  #object(): Json {
    const fields: Array<readonly [string, Json]> = []
    this.#each("}", () => {
      const name: string = JSON.parse(this.#token(TEXT))
      this.#space()
      this.#at++
      fields.push([name, this.read()])
    })
    return Object.fromEntries(fields)
  }

  #list(): Json {
    const items: Array<Json> = []
    this.#each("]", () => items.push(this.read()))
    return items
  }

  #each(end: string, one: () => void): void {
    this.#at++
    this.#space()
    while (this.#text[this.#at] !== end) {
      one()
      this.#space()
      if (this.#text[this.#at] === ",") this.#at++
      this.#space()
    }
    this.#at++
  }

  #space(): void {
    this.#token(SPACE)
  }

  #token(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const token = pattern.exec(this.#text)?.[0] ?? ""
    this.#at += token.length
    return token
  }
}

const SPACE = /[ \t\n\r]*/y
const TEXT = /"(?:[^"\\]|\\.)*"/y
const WORD = /[^,\]}\s]+/y
