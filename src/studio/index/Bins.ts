/** Counts events by kind in the bins of a range of positions. */

import { decodeKind, KINDS } from "../wire/Kind.ts"
import type { Density } from "../wire/Log.ts"

/** A range of positions, divided into bins. Both ends are included. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly bins: number
}

/** The counts, whose asker knows whether they are whole. */
export type Counted = Omit<Density, "isWhole">

export class Bins {
  readonly #range: Range
  readonly #counts: Array<Array<number>>
  readonly #bad: Array<boolean>

  constructor(range: Range) {
    this.#range = range
    this.#counts = Array.from({ length: range.bins }, () => KINDS.map(() => 0))
    this.#bad = Array.from({ length: range.bins }, () => false)
  }

  /** @param code the character code of the event's kind (`Kind.CODES`) */
  add(position: number, code: number): void {
    const { from, to, bins } = this.#range
    const bin = Math.floor(((position - from) * bins) / (to - from + 1))
    const { kind, isBad } = KIND_BY_CODE[code] ?? OTHER
    const count = this.#counts[bin]
    if (count !== undefined) count[kind] = (count[kind] ?? 0) + 1
    if (isBad) this.#bad[bin] = true
  }

  /** @param indexed the last position that is known */
  density(indexed: number): Counted {
    const { from, to } = this.#range
    return { from, to, indexed, counts: this.#counts, bad: this.#bad }
  }
}

const OTHER = { kind: KINDS.length - 1, isBad: false }

/** By character code: the index of the kind in `KINDS`. */
export const KIND_BY_CODE: ReadonlyArray<{ readonly kind: number; readonly isBad: boolean }> = Array.from(
  { length: 128 },
  (_, code) => {
    const decoded = decodeKind(String.fromCharCode(code))
    return decoded === null ? OTHER : { kind: KINDS.indexOf(decoded.kind), isBad: decoded.bad }
  },
)
