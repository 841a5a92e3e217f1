/**
 * Numbers the lines of texts: equal lines have equal numbers, so that comparing lines compares numbers. A line's end
 * (LF, CRLF, or none at the end of the text) does not count.
 */

/** The lines of a text, by their numbers. */
export type Lines = Int32Array

export const NO_LINES: Lines = new Int32Array(0)

/** Numbers lines. Texts that differ little from the one before cost little. */
export class LineTable {
  readonly #numbers = new Map<string, number>()
  /** One character for each byte, so that every content has a key of its own. */
  readonly #keys: Array<string> = []
  readonly #withEnds: boolean
  #last: Split = { bytes: Buffer.alloc(0), lines: NO_LINES, ends: NO_LINES }

  /** @param withEnds whether a line's end counts as a part of it, for differences to the byte */
  constructor({ withEnds = false }: { readonly withEnds?: boolean } = {}) {
    this.#withEnds = withEnds
  }

  /** The lines of a text. A last line without an end counts as one; an empty text has none. */
  linesOf(content: Uint8Array): Lines {
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    this.#last = this.#split(bytes, this.#last)
    return this.#last.lines
  }

  /** The numbers of lines that the caller has split. */
  numbersOf(lines: ReadonlyArray<string>): Lines {
    return Int32Array.from(lines, (line) => this.#numberOf(Buffer.from(line).toString("latin1")))
  }

  /** The bytes of a line, without its end unless ends count. */
  bytesOf(line: number): Uint8Array {
    return Buffer.from(this.#keys[line] ?? "", "latin1")
  }

  /** Whether a line contains a name or a number, unlike brackets and empty lines. */
  isDistinctive(line: number): boolean {
    return DISTINCTIVE.test(this.#keys[line] ?? "")
  }

  /** Splits only the part that differs from the last text, and reuses whole lines at the beginning and the end. */
  #split(bytes: Buffer, last: Split): Split {
    const { head, tail } = commonEnds(last, bytes)
    const from = head === 0 ? 0 : at(last.ends, head - 1)
    const shift = bytes.length - last.bytes.length
    const to = tail === 0 ? bytes.length : at(last.ends, last.ends.length - tail - 1) + shift
    const [numbers, ends]: [Array<number>, Array<number>] = [[], []]
    for (let start = from; start < to; ) {
      const feed = bytes.indexOf(LF, start)
      const end = feed < 0 || feed >= to ? to : feed + 1
      numbers.push(this.#numberOf(bytes.toString("latin1", start, this.#withEnds ? end : endOf(bytes, start, end))))
      ends.push(end)
      start = end
    }
    return {
      bytes,
      lines: joined(last.lines.subarray(0, head), numbers, last.lines.subarray(last.lines.length - tail), 0),
      ends: joined(last.ends.subarray(0, head), ends, last.ends.subarray(last.ends.length - tail), shift),
    }
  }

  #numberOf(key: string): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#keys.length
    this.#keys.push(key)
    this.#numbers.set(key, number)
    return number
  }
}

interface Split {
  readonly bytes: Buffer
  readonly lines: Lines
  /** Where each line ends, including its line feed. */
  readonly ends: Int32Array
}

const LF = 0x0a
const CR = 0x0d

/** At least four letters or digits. */
const DISTINCTIVE = /(?:[\p{L}\p{N}][^\p{L}\p{N}]*){4}/u

/** Where a line's own bytes end. */
const endOf = (bytes: Buffer, start: number, end: number): number => {
  if (end === start || bytes[end - 1] !== LF) return end
  return end - 1 > start && bytes[end - 2] === CR ? end - 2 : end - 1
}

const at = (numbers: Int32Array, index: number): number => numbers[index] ?? 0

const joined = (head: Int32Array, middle: ReadonlyArray<number>, tail: Int32Array, shift: number): Int32Array => {
  const all = new Int32Array(head.length + middle.length + tail.length)
  all.set(head)
  all.set(middle, head.length)
  const start = head.length + middle.length
  all.set(tail, start)
  if (shift !== 0) for (let index = start; index < all.length; index++) all[index] = (all[index] ?? 0) + shift
  return all
}

/** The number of whole lines that the last text has in common with `bytes`, at the beginning and the end. */
const commonEnds = ({ bytes: last, ends }: Split, bytes: Buffer): { readonly head: number; readonly tail: number } => {
  const most = Math.min(last.length, bytes.length)
  const before = commonPrefix(last, bytes, most)
  // A line counts up to its line feed: later text does not change it.
  let head = countUpTo(ends, before)
  if (head > 0 && last[at(ends, head - 1) - 1] !== LF) head--
  const kept = head === 0 ? 0 : at(ends, head - 1)
  const after = commonSuffix(last, bytes, most - kept)
  // The line feed before a line belongs to the common end too, because the line may begin earlier in the other text.
  const first = countUpTo(ends, last.length - after) + 1
  const tail = Math.max(0, ends.length - Math.max(first, head))
  return { head, tail }
}

/** How many of the ascending numbers are at most `limit`. */
const countUpTo = (ascending: Int32Array, limit: number): number => {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (at(ascending, middle) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

const CHUNK = 4096

const commonPrefix = (one: Buffer, other: Buffer, most: number): number => {
  let same = 0
  for (let chunk = CHUNK; same < most; ) {
    const end = Math.min(most, same + chunk)
    if (one.compare(other, same, end, same, end) === 0) same = end
    else if (chunk === 1) return same
    else chunk = Math.max(1, chunk >>> 3)
  }
  return same
}

const commonSuffix = (one: Buffer, other: Buffer, most: number): number => {
  let same = 0
  for (let chunk = CHUNK; same < most; ) {
    const size = Math.min(chunk, most - same)
    const [a, b] = [one.length - same, other.length - same]
    if (one.compare(other, b - size, b, a - size, a) === 0) same += size
    else if (chunk === 1) return same
    else chunk = Math.max(1, chunk >>> 3)
  }
  return same
}
