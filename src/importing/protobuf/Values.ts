/**
 * Bounds the values in a body. An empty one has two or three bytes as sent and a hundred in memory, so the limit of a
 * body's size does not bound its memory.
 */

/** Maximum number of values in a body, such as objects, attributes and their keys. A span with 20 attributes has about a hundred. */
export const MAX_VALUES = 2_000_000

export class TooManyValues extends Error {
  constructor() {
    super(`Expected at most ${MAX_VALUES} values, found more. Send fewer spans at once.`)
  }
}

const [QUOTE, BACKSLASH, COMMA, BRACE, BRACKET] = [...'"\\,{['].map((one) => one.charCodeAt(0))

/** Throws `TooManyValues` for JSON text with more, before anything parses it. */
export const assertFew = (json: Uint8Array): void => {
  let values = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if ((byte === COMMA || byte === BRACE || byte === BRACKET) && ++values > MAX_VALUES) throw new TooManyValues()
  }
}
