/**
 * Removes escapes from texts within JSON (RFC 8259, section 7), however their writers escaped them, including JSON
 * within JSON.
 */

export interface Unescaped {
  readonly text: string
  /** The position of each UTF-16 unit of `text` in the escaped text, and the end of the last one. */
  readonly starts: Uint32Array
}

/** A character by its number, or by itself after backslashes; JSON within JSON has several. */
const ESCAPE = /\\+(?:u([\da-f]{4})|([^\\]))/gi

/** The letters of control characters, which a space replaces here. */
const CONTROL = /[bfnrt]/

const unitOf = (code: string | undefined, unit: string): string =>
  code !== undefined ? String.fromCharCode(Number.parseInt(code, 16)) : CONTROL.test(unit) ? " " : unit

export const withoutEscapes = (text: string): string =>
  text.replaceAll(ESCAPE, (_, code: string | undefined, unit: string) => unitOf(code, unit))

export const unescaped = (text: string): Unescaped => {
  const starts = new Uint32Array(text.length + 1)
  let [plain, from] = ["", 0]
  const copyUntil = (end: number) => {
    for (let index = from; index < end; index++) starts[plain.length + index - from] = index
    plain += text.slice(from, end)
    from = end
  }
  for (const { 0: escaped, 1: code, 2: unit = "", index } of text.matchAll(ESCAPE)) {
    copyUntil(index)
    starts[plain.length] = index
    plain += unitOf(code, unit)
    from = index + escaped.length
  }
  copyUntil(text.length)
  starts[plain.length] = text.length
  return { text: plain, starts }
}
