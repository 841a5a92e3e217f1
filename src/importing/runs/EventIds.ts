/** Ids that follow from a source's own, so that what is imported again is known again. */

import { sha256 } from "../../values/Digest.ts"

/**
 * The id of what the parts name: a UUID of version 8 (RFC 9562 §5.8) whose bits are a SHA-256 digest. The same parts
 * give the same id on every machine.
 */
export const idOf = (...parts: ReadonlyArray<string>): string => uuidOf(sha256(JSON.stringify(parts)))

/**
 * Ids of what belongs together, such as the events of a run: the first 48 bits say of what they are a part, and the other 74 which
 * part. They are written together, and so stand together in the log's index of ids: with ids that have nothing in common, each event
 * of a large log would change a page of its own there, which takes a quarter of the time of an import.
 */
export const idsWithin = (...whole: ReadonlyArray<string>): ((part: string) => string) => {
  const text = JSON.stringify(whole)
  const begin = sha256(text).slice(0, 12)
  // The text of the list of the whole and one part.
  const before = `${text.slice(0, -1)}${whole.length === 0 ? "" : ","}`
  return (part) => uuidOf(begin + sha256(`${before}${JSON.stringify(part)}]`).slice(12))
}

const uuidOf = (hex: string): string => {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/**
 * A set of ids in 16 to 32 bytes each, for runs of millions of records. It compares 64 bits of an id's digest, of those that
 * tell the parts of a whole apart: among a million ids, two are taken for one with a probability of 3 in 100 million.
 */
export class IdSet {
  #slots = new Uint32Array(2 * 64)
  #size = 0

  /** Adds an id that `idOf` made. Returns whether it was new. */
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

  /** Where the bits are, or the free place where they belong. */
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

/** 64 bits of an id, not all of them zero. */
const bitsOf = (id: string): readonly [number, number] => {
  const high = Number.parseInt(id.slice(15, 18) + id.slice(20, 23) + id.slice(24, 26), 16)
  return [high >>> 0, (Number.parseInt(id.slice(28, 36), 16) | 1) >>> 0]
}
