/**
 * JSON whose long whole numbers are not lost. A JavaScript number has some 16 digits, and ids have twenty: the value of a
 * text is that of `JSON.parse`, and the text of each object and list that holds such a number is kept beside it.
 */

import { isHeld } from "../agents/models/Arguments.ts"
import type { Json } from "../values/Json.ts"

const texts = new WeakMap<object, string>()

/** The text of an object or a list that `parse` read, where its value does not say it; undefined where it does. */
export const exactTextOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? texts.get(value) : undefined

/** The JSON value of a text. Throws what `JSON.parse` throws. */
export const parse = (text: string): Json => {
  const value: Json = JSON.parse(text)
  if (!LONG_NUMBER.test(text)) return value
  try {
    return new Reader(text).read()
  } catch {
    // It is nested too deeply to be read by functions that call each other.
    return value
  }
}

/** A whole number that a JavaScript number may not hold. Most texts have none. */
const LONG_NUMBER = /(?<![\d.])\d{16,}(?![\d.eE])/

const isExact = (digits: string): boolean => !/^-?\d{16,}$/.test(digits) || isHeld(digits)

/** Reads a text that `JSON.parse` accepts, and keeps the texts of what holds an inexact number. */
class Reader {
  readonly #text: string
  #at = 0
  /** How many inexact numbers were read so far. */
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
      this.#at++ // The colon.
      fields.push([name, this.read()])
    })
    return Object.fromEntries(fields)
  }

  #list(): Json {
    const items: Array<Json> = []
    this.#each("]", () => items.push(this.read()))
    return items
  }

  /** Reads what is between the brackets, with the commas. */
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
