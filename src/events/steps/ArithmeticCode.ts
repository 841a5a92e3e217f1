/**
 * Writes and reads bits by adaptive arithmetic coding: a bit that its context predicts well takes a fraction of a bit. The
 * coder is the carry-less one of Mahoney's lpaq. All arithmetic is exact in 32 bits, so each machine reads what any other
 * wrote.
 */

/** The probabilities of bits by context, which learn from each bit. */
export class Contexts {
  readonly #ones: Uint16Array
  readonly #seen: Uint8Array

  constructor(count: number) {
    this.#ones = new Uint16Array(count).fill(HALF)
    this.#seen = new Uint8Array(count)
  }

  /** The probability that the next bit in a context is 1, in parts of `2 ** 16`. */
  of(context: number): number {
    return this.#ones[context] ?? HALF
  }

  /** Learns a bit. The first ones of a context count most. */
  learn(context: number, bit: number): void {
    const seen = this.#seen[context] ?? 0
    const rate = SLOWING[seen] ?? SLOWEST
    const ones = this.#ones[context] ?? HALF
    const next = bit === 1 ? ones + ((WHOLE - ones) >> rate) : ones - (ones >> rate)
    this.#ones[context] = Math.max(LEAST, Math.min(next, WHOLE - LEAST))
    if (seen < SLOWING.length) this.#seen[context] = seen + 1
  }
}

const WHOLE = 65_536
const HALF = 32_768
const LEAST = 48
const SLOWING = [1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 4, 4]
const SLOWEST = 5

/** Writes bits. */
export class BitWriter {
  #low = 0
  #high = 0xffff_ffff
  #bytes = new Uint8Array(256)
  #length = 0

  /** Writes a bit in a context. */
  bit(contexts: Contexts, context: number, bit: number): void {
    this.#write(contexts.of(context), bit)
    contexts.learn(context, bit)
  }

  /** Writes the lowest bits of a number, at most 32, that nothing predicts. */
  bits(value: number, count: number): void {
    for (let at = count - 1; at >= 0; at--) this.#write(HALF, (value >>> at) & 1)
  }

  /** The bytes of all bits. Bits after them read as if zeros followed. */
  finish(): Uint8Array {
    if (this.#low > 0) this.#push((this.#low >>> 24) + 1)
    let length = this.#length
    while (length > 0 && this.#bytes[length - 1] === 0) length -= 1
    return this.#bytes.subarray(0, length)
  }

  #write(ones: number, bit: number): void {
    const middle = middleOf(this.#low, this.#high, ones)
    if (bit === 1) this.#high = middle
    else this.#low = middle + 1
    while (((this.#low ^ this.#high) & 0xff00_0000) === 0) {
      this.#push(this.#high >>> 24)
      this.#low = (this.#low << 8) >>> 0
      this.#high = ((this.#high << 8) | 255) >>> 0
    }
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.#length++] = byte
  }
}

/** Reads the bits that a `BitWriter` wrote, in the same contexts. It returns some bits for any bytes. */
export class BitReader {
  #low = 0
  #high = 0xffff_ffff
  #at = 0
  #value = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    for (let byte = 0; byte < 4; byte++) this.#shift()
  }

  /** Reads a bit in a context. */
  bit(contexts: Contexts, context: number): number {
    const bit = this.#read(contexts.of(context))
    contexts.learn(context, bit)
    return bit
  }

  /** Reads a number of so many bits, at most 32. */
  bits(count: number): number {
    let value = 0
    for (let at = 0; at < count; at++) value = (value << 1) | this.#read(HALF)
    return value >>> 0
  }

  #read(ones: number): number {
    const middle = middleOf(this.#low, this.#high, ones)
    const bit = this.#value <= middle ? 1 : 0
    if (bit === 1) this.#high = middle
    else this.#low = middle + 1
    while (((this.#low ^ this.#high) & 0xff00_0000) === 0) {
      this.#low = (this.#low << 8) >>> 0
      this.#high = ((this.#high << 8) | 255) >>> 0
      this.#shift()
    }
    return bit
  }

  #shift(): void {
    this.#value = ((this.#value << 8) | (this.#bytes[this.#at++] ?? 0)) >>> 0
  }
}

/** The last number of the part of a range that stands for a 1. It is below `high`. */
const middleOf = (low: number, high: number, ones: number): number => {
  const range = high - low
  return low + (range >>> 16) * ones + (((range & 0xffff) * ones) >>> 16)
}
