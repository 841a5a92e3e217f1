/** Finds excessive nesting in YAML before parsing: a recursive parser that overflows its stack ends the process. */

/** Maximum open levels: far above real documents, far below a parser's stack. */
export const MAX_OPENED = 500

/**
 * Counts open brackets, including those in quotes, and indicators in a row (`- - -`). Nesting by indentation alone
 * needs a text of quadratic length.
 */
export const isTooDeep = (text: string): boolean => {
  let open = 0
  let indicators = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === "[" || character === "{") open += 1
    else if ((character === "]" || character === "}") && open > 0) open -= 1
    if ((character === "-" || character === "?" || character === ":") && isBlank(text[at + 1])) indicators += 1
    else if (!isBlank(character)) indicators = 0
    if (open > MAX_OPENED || indicators > MAX_OPENED) return true
  }
  return false
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"
