/** Reads lines from a stream, with a limit on their length. */

export type Line =
  | { readonly kind: "line"; readonly text: string }
  /** A line over the limit, which was not kept: its first and last part. */
  | { readonly kind: "too-long"; readonly bytes: number; readonly start: string; readonly end: string }

/** Maximum length of a message, in bytes. */
export const MAX_BYTES = 16 * 1024 * 1024

/** Length of the kept parts of a line that is too long, in bytes. */
const KEPT = 512

/** Lines in UTF-8, without line feeds and without empty lines. The last one may lack its line feed. */
export async function* lines(input: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  let parts: Array<Buffer> = []
  let bytes = 0
  let long: { readonly start: string; end: Buffer } | undefined
  const add = (piece: Buffer) => {
    bytes += piece.length
    if (long !== undefined) long.end = Buffer.concat([long.end, piece.subarray(-KEPT)]).subarray(-KEPT)
    else if (bytes <= limit) parts.push(piece)
    else {
      const all = Buffer.concat([...parts, piece])
      long = { start: all.toString("utf8", 0, KEPT), end: Buffer.from(all.subarray(-KEPT)) }
      parts = []
    }
  }
  const taken = (): Line | undefined => {
    const line: Line =
      long === undefined
        ? { kind: "line", text: Buffer.concat(parts).toString("utf8") }
        : { kind: "too-long", bytes, start: long.start, end: long.end.toString("utf8") }
    parts = []
    bytes = 0
    long = undefined
    return line.kind === "line" && line.text.trim() === "" ? undefined : line
  }
  for await (const piece of input) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const line = taken()
      if (line !== undefined) yield line
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
  const last = taken()
  if (last !== undefined) yield last
}
