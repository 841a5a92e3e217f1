/** Finds YAML that is nested too deep, before it is parsed: a parser that recurses ends the whole process where its stack ends. */

/** Most levels that a text may open: far above real documents, far below what ends a parser's stack. */
export const MAX_OPENED = 500

/**
 * Whether a text opens more levels than a parser should be given. It counts brackets that are open at once, also those in
 * quotes, and indicators in a row (`- - -`). Levels by indentation alone need a text whose length is the square of their number.
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
