/** HTML and SVG templates that escape every inserted text, so that content of a log cannot become markup. */

import { oneLine } from "./PlainText.ts"

/** HTML or SVG source that is written unescaped. It is made by `markup`, which escapes texts. */
export class Markup {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/**
 * A value of a template: text and numbers, which are escaped; markup, which is not; lists of values; null for nothing.
 */
export type Value = Markup | string | number | null | ReadonlyArray<Value>

/**
 * A template for HTML and SVG. Every inserted value is escaped, for content and for quoted attributes alike, unless it
 * is `Markup`.
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

/**
 * Escapes text for HTML. As on a terminal, control characters, zero-width characters and those that change the writing
 * direction become spaces.
 */
const escaped = (text: string): string =>
  oneLine(text).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
