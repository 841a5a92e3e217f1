import { oneLine } from "../values/PlainText.ts"

/** HTML or SVG that may be written as it is. Only `markup` makes it: what comes from a log gets into it as text alone. */
export class Markup {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** What can stand in a template: text, which is escaped; markup, which is not; lists of both; nothing. */
export type Value = Markup | string | number | null | ReadonlyArray<Value>

/**
 * A template for HTML and SVG. Everything put into it is escaped, for content and for quoted attributes alike, unless it is
 * markup itself.
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
 * Text as HTML shows it, and nothing but shows it: what would be markup is escaped, and control characters, those without a
 * width and those that turn the direction of writing become spaces, as on a terminal.
 */
const escaped = (text: string): string =>
  oneLine(text).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
