/** Reads a scenario's document and collects its mistakes. */
import type { Json } from "hindcast/plugin"
import { canonical, isName } from "./names.ts"

/** A mistake: path, expected, found. */
export interface Mistake {
  readonly where: string
  readonly expected: string
  readonly found: string
}

/** A value for a message: shortened, or `nothing` if it is missing. */
export const shown = (value: Json | undefined): string => {
  if (value === undefined) return "nothing"
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`
}

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * A value of a document with its path. Reading always returns a value of the requested kind. If the document has
 * another kind, reading records a mistake and returns a default, so one pass finds every mistake.
 */
export class Cursor {
  readonly where: string
  readonly value: Json | undefined
  readonly #mistakes: Array<Mistake>

  constructor(where: string, value: Json | undefined, mistakes: Array<Mistake>) {
    this.where = where
    // YAML reads a field as null if it is empty or everything below it is a comment.
    this.value = value ?? undefined
    this.#mistakes = mistakes
  }

  get isMissing(): boolean {
    return this.value === undefined
  }

  mistake(expected: string, found: string = shown(this.value)): void {
    this.#mistakes.push({ where: this.where, expected, found })
  }

  /** Records a mistake for each unknown field, and returns this cursor. */
  fields(...known: ReadonlyArray<string>): Cursor {
    for (const [key, at] of this.entries()) {
      if (!known.includes(key)) at.mistake(`no such field here (the fields are ${known.join(", ")})`)
    }
    return this
  }

  field(key: string): Cursor {
    const value = isObject(this.value) && Object.hasOwn(this.value, key) ? this.value[key] : undefined
    return new Cursor(this.where === "" ? key : `${this.where}.${key}`, value, this.#mistakes)
  }

  /** An object's fields; none if it is missing. */
  entries(): ReadonlyArray<readonly [string, Cursor]> {
    if (this.isMissing) return []
    if (isObject(this.value)) return Object.keys(this.value).map((key) => [key, this.field(key)])
    this.mistake("an object")
    return []
  }

  /** An object's fields by canonical name. Records equal canonical names as a mistake. */
  namedEntries(): ReadonlyArray<readonly [string, Cursor]> {
    const seen = new Set<string>()
    return this.entries().flatMap(([key, at]) => {
      const name = canonical(key)
      if (!isName(name)) at.mistake("a name of letters, digits, spaces and _", `the name ${shown(key)}`)
      else if (seen.has(name)) at.mistake("a name that no other has", `${shown(key)} again`)
      else {
        seen.add(name)
        return [[name, at] as const]
      }
      return []
    })
  }

  /** A list's items; none if it is missing. */
  items(): ReadonlyArray<Cursor> {
    if (this.isMissing) return []
    if (Array.isArray(this.value)) {
      return this.value.map((item: Json, index) => new Cursor(`${this.where}[${index}]`, item, this.#mistakes))
    }
    this.mistake("a list")
    return []
  }

  text(): string {
    if (typeof this.value === "string" && this.value.trim() !== "") return this.value.trim()
    this.mistake(typeof this.value === "number" ? "text (put it in quotes)" : "text")
    return ""
  }

  /** A canonical name; `""` if the value is not a name. */
  name(): string {
    const name = typeof this.value === "string" ? canonical(this.value) : ""
    if (isName(name)) return name
    this.mistake("a name of letters, digits, spaces and _")
    return ""
  }

  boolean(fallback: boolean): boolean {
    if (this.isMissing) return fallback
    if (typeof this.value === "boolean") return this.value
    this.mistake("true or false")
    return fallback
  }

  /** A whole number, at least 1. */
  count(): number {
    if (typeof this.value === "number" && Number.isSafeInteger(this.value) && this.value >= 1) return this.value
    this.mistake("a whole number, 1 or more")
    return 1
  }
}
