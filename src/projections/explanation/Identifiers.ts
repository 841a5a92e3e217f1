/** Texts that name things: ids, paths, addresses, keys. Values of this form tie calls and results together. */

import type { Json } from "../../values/Json.ts"

/** Longer texts are prose or data. */
const MAX_LENGTH = 80

/** Maximum number of identifiers of one value. */
const MAX_FOUND = 32

/** True for a text without spaces that has a digit or a sign between letters: `A1`, `order-7`, `/etc/hosts`, `ada@x.org`. */
export const isIdentifier = (text: string): boolean =>
  text.length >= 2 &&
  text.length <= MAX_LENGTH &&
  !/\s/.test(text) &&
  /\p{L}|\//u.test(text) &&
  /[\d/@_.:#-]/.test(text)

/** The identifiers that a value holds as whole strings, at any depth. */
export const inValue = (value: Json): ReadonlySet<string> => {
  const found = new Set<string>()
  const walk = (one: Json, level: number): void => {
    if (found.size >= MAX_FOUND || level > 6) return
    if (typeof one === "string") {
      if (isIdentifier(one)) found.add(one)
    } else if (Array.isArray(one)) for (const member of one) walk(member, level + 1)
    else if (typeof one === "object" && one !== null) for (const member of Object.values(one)) walk(member, level + 1)
  }
  walk(value, 0)
  return found
}
