/** HTML and SVG templates that escape every inserted text, so that content of a log never becomes markup. */

import { oneLine } from "./PlainText.ts"

/** HTML or SVG source that templates insert unescaped. Build it with `markup`. */
export class Markup {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** A template's value: text and numbers (escaped), markup (not escaped), a list of values, or null for nothing. */
export type Value = Markup | string | number | null | ReadonlyArray<Value>

/**
 * Builds HTML or SVG. Escapes every inserted value except `Markup`, for content and for quoted attributes alike.
 *
 * @example markup`<td title="${goal}">${goal}</td>`
 */
export const markup = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Markup => {
  let source = parts[0] ?? ""
  values.forEach((value, index) => {
    source += sourceOf(value) + (parts[index + 1] ?? "")
  })
  return new Markup(source)
}

const sourceOf = (value: Value): string => {
  if (value === null) return ""
  if (value instanceof Markup) return value.source
  if (typeof value === "number") return String(value)
  return typeof value === "string" ? escaped(value) : value.map(sourceOf).join("")
}

/** Also replaces line breaks with spaces and escapes invisible characters, as `oneLine` does. */
const escaped = (text: string): string =>
  oneLine(text).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
