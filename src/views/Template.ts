/** Texts with bindings: `Step {/steps} of {/limit}, at {/x|.2} m`. Write braces as `{{` and `}}`. */

import { isFormat } from "./Format.ts"

/** Literal text, or the value at a pointer in a format. */
export type Piece =
  | { readonly text: string; readonly pointer?: never; readonly format?: never }
  | { readonly text?: never; readonly pointer: string; readonly format?: string }

const TOKEN = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g

/** A pointer (empty for the whole document), then an optional format. */
const BINDING = /^((?:\/(?:[^~/|]|~[01])*)*)(?:\|(.+))?$/u

/** Splits a text that `flawOf` accepted. */
export const pieces = (template: string): ReadonlyArray<Piece> => {
  const found: Array<Piece> = []
  let from = 0
  for (const match of template.matchAll(TOKEN)) {
    if (match.index > from) found.push({ text: template.slice(from, match.index) })
    from = match.index + match[0].length
    const [, pointer, format] = match[1] === undefined ? [] : (BINDING.exec(match[1]) ?? [])
    if (pointer === undefined) found.push({ text: match[0].slice(0, 1) })
    else found.push(format === undefined ? { pointer } : { pointer, format })
  }
  if (from < template.length) found.push({ text: template.slice(from) })
  return found
}

/** Describes the first invalid binding of a text. */
export const flawOf = (template: string): string | undefined => {
  for (const match of template.matchAll(TOKEN)) {
    const [token, binding] = match
    if (binding === undefined && token.length === 1) return `a single ${token}`
    if (binding === undefined) continue
    const format = BINDING.exec(binding)
    if (format === null || (format[2] !== undefined && !isFormat(format[2])))
      return `the binding ${token.slice(0, MAX_SHOWN)}`
  }
  return undefined
}

/** In characters, in a message. */
const MAX_SHOWN = 60
