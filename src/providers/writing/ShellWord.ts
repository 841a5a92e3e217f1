/** Quotes text for a POSIX shell. Pure. */

import { isVisible } from "../../values/PlainText.ts"

/**
 * Quotes a word for a shell. Writes invisible characters as bytes: the word stays exact, and is harmless where somebody
 * pastes it.
 */
export const word = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  return isVisible(text)
    ? `'${text.replaceAll("'", `'\\''`)}'`
    : `$'${Array.from(UTF_8.encode(text), escaped).join("")}'`
}

const UTF_8 = new TextEncoder()

/** A byte within `$'…'`. */
const escaped = (byte: number): string => {
  const character = String.fromCharCode(byte)
  return /[ -&(-[\]-~]/.test(character) ? character : `\\${byte.toString(8).padStart(3, "0")}`
}

/**
 * JSON with every character escaped that is invisible, or that no terminal shows as it is: only letters, digits, marks,
 * punctuation, symbols and spaces stay.
 */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/[^\n\x20-\x7e]/gu, (character) =>
    /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character) && isVisible(character) ? character : unicode(character),
  )

const unicode = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("")
