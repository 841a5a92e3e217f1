/** Event ids derived from the source's ids, so that importing again finds the same events. */

import { sha256, uuidOf } from "../../values/Digest.ts"

export { idOf } from "../../values/Digest.ts"

/**
 * Ids for the parts of a whole, such as a run's events: 48 bits identify the whole, 74 the part. They are adjacent in
 * the log's index. With unrelated ids, each event of a large log would touch an index page of its own, which takes a
 * quarter of an import's time.
 */
export const idsWithin = (...whole: ReadonlyArray<string>): ((part: string) => string) => {
  const text = JSON.stringify(whole)
  const begin = sha256(text).slice(0, 12)
  // The JSON text of `[...whole, part]`.
  const before = `${text.slice(0, -1)}${whole.length === 0 ? "" : ","}`
  return (part) => uuidOf(begin + sha256(`${before}${JSON.stringify(part)}]`).slice(12))
}

/**
 * A set of ids in 16 to 32 bytes each, for runs of millions of records. It compares 64 bits of the digest: among a
 * million ids of one whole, the probability of a collision is 3 in 100 million.
 */
export class IdSet {
  #slots = new Uint32Array(2 * 64)
  #size = 0

  /** Adds an id from `idOf`; returns whether it was new. */
  add(id: string): boolean {
    const [high, low] = bitsOf(id)
    const slot = this.#slotOf(high, low)
    if (this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0) return false
    this.#slots[slot] = high
    this.#slots[slot + 1] = low
    this.#size += 1
    if (this.#size * 4 > this.#slots.length) this.#grow()
    return true
  }

  has(id: string): boolean {
    const slot = this.#slotOf(...bitsOf(id))
    return this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0
  }

  /** The slot of these bits, or the free slot for them. */
  #slotOf(high: number, low: number): number {
    const mask = this.#slots.length / 2 - 1
    let slot = low & mask
    while (true) {
      const [first, second] = [this.#slots[2 * slot], this.#slots[2 * slot + 1]]
      if ((first === high && second === low) || (first === 0 && second === 0)) return 2 * slot
      slot = (slot + 1) & mask
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Uint32Array(before.length * 2)
    for (let at = 0; at < before.length; at += 2) {
      const [high = 0, low = 0] = [before[at], before[at + 1]]
      if (high === 0 && low === 0) continue
      const slot = this.#slotOf(high, low)
      this.#slots[slot] = high
      this.#slots[slot + 1] = low
    }
  }
}

/** 64 bits of an id, never all zero. */
const bitsOf = (id: string): readonly [number, number] => {
  const high = Number.parseInt(id.slice(15, 18) + id.slice(20, 23) + id.slice(24, 26), 16)
  return [high >>> 0, (Number.parseInt(id.slice(28, 36), 16) | 1) >>> 0]
}
